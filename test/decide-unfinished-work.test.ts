// `umpire decide` while work is unfinished: a critic that did not finish approves nothing (V1), nor does evidence of another commit (W4), and a
// chain whose re-check is still pending is not judged again (V4).

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseTasks } from '@umpire/core/formats/tasks-csv.js';
import { base, decide, newSession, root, session } from './support/command.js';
import { cleanUpAfterwards, gitProject } from './support/git-project.js';
import { runInProcess } from './support/in-process.js';
import { setTask } from './support/tasks.js';
import { changes, snapshot } from './support/spec-fixture.js';

cleanUpAfterwards();

describe('W4 evidence of another commit approves nothing', () => {
  /** The session T2 in a git project, measured on its commit. */
  const measured = () => {
    const project = gitProject();
    const folder = join(project.root, '.umpire/sessions/t');
    cpSync(join(root, 'fixtures/spec/T2/session'), folder, { recursive: true });
    const place = join(folder, 'results/run-L1.json');
    const run = JSON.parse(readFileSync(place, 'utf8')) as object;
    const measureOn = (commit: string, more: object = {}) =>
      writeFileSync(place, JSON.stringify({ ...run, ...more, provenance: { commit, content: null, started: '', ended: '', tools: [] } }));
    measureOn(project.git('rev-parse', 'HEAD').trim());
    return { project, folder, measureOn };
  };

  it('refuses an approval, also one that was given before, and writes nothing', async () => {
    const { project, folder } = measured();
    expect(await decide('testing', folder, '--layer', 'L1', '--json')).toMatchObject({ exit: 0, json: { decision: 'CONVERGE' } });
    const later = measured();
    for (const { project: its } of [{ project }, later]) its.commit({ 'a.txt': 'other\n' });
    const before = snapshot(later.folder);
    for (const place of [folder, later.folder])
      expect(await decide('testing', place, '--layer', 'L1', '--json')).toMatchObject({
        exit: 1,
        json: {
          error: { code: 'evidence-other-commit', message: expect.stringContaining('results/run-L1.json is about commit') },
          rule: 'W4',
        },
      });
    expect(changes(before, snapshot(later.folder))).toEqual([]);
  });

  it('lets it ask for another round', async () => {
    const { project, folder, measureOn } = measured();
    measureOn('c0ffee1c0ffee1c0ffee1c0ffee1c0ffee1c0ffe', { pass_rate: 0.1, passed: 1, total: 10, failed: 9 });
    project.commit({ 'a.txt': 'other\n' });
    expect(await decide('testing', folder, '--layer', 'L1', '--json')).toMatchObject({ exit: 3, json: { decision: 'RETRY' } });
  });
});

describe('V1 a critic that did not finish approves nothing', () => {
  const until = () => {
    const folder = newSession();
    mkdirSync(join(folder, 'results'), { recursive: true });
    const head = 'id,title,description,role,deps,context_from,exec_mode,wave,status,findings,error';
    writeFileSync(join(folder, 'tasks.csv'), `${head}\nCHECK-001,Check,Run the command,checker,,,csv-wave,1,completed,passed,\n`);
    writeFileSync(
      join(folder, 'results/until.json'),
      JSON.stringify({ command: 'npm test', exit_status: 0, signal: null, timed_out: false }),
    );
    return folder;
  };
  const approved: readonly (readonly [loop: string, critic: string, () => string])[] = [
    ['design', 'AUDIT-001', () => session('fixtures/spec/D5/session')],
    ['testing', 'TESTRUN-001', () => session('fixtures/spec/T2/session')],
    ['debt', 'TDVAL-001', () => session('fixtures/spec/B3/session')],
    ['review', 'REVIEW-001', () => session('fixtures/spec/R1/session')],
    ['brainstorm', 'CHALLENGE-001', () => session('fixtures/spec/C4/session')],
    ['until', 'CHECK-001', until],
    [join(root, 'examples/docs-review/docs-review.yaml'), 'EDIT-001', () => session('examples/docs-review/session')],
  ];

  it.each(approved)('%s: the failed row of %s is refused, strict or not, and nothing is written', async (loop, critic, make) => {
    const folder = make();
    setTask(folder, critic, { status: 'failed' });
    const before = snapshot(folder);
    for (const flags of [[], ['--strict'], ['--dry-run']]) {
      expect(await decide(loop, folder, '--json', ...flags)).toMatchObject({
        exit: 1,
        json: {
          error: {
            code: 'critic-unfinished',
            message: expect.stringContaining(`${critic} did not finish`),
            hint: expect.stringContaining('Run the critic again'),
          },
          rule: 'V1',
        },
      });
    }
    expect(changes(before, snapshot(folder))).toEqual([]);
    setTask(folder, critic, { status: 'completed' });
    expect((await decide(loop, folder, '--json')).json).toHaveProperty('decision');
  });

  it('refuses a row that is completed by name, but says in its error that it timed out', async () => {
    const folder = session('fixtures/spec/R1/session');
    setTask(folder, 'REVIEW-001', { error: 'timed out after 600 s' });
    expect(await decide('review', folder, '--json')).toMatchObject({
      exit: 1,
      json: { error: { code: 'critic-unfinished', message: expect.stringContaining('timed out after 600 s') } },
    });
  });

  it('refuses an approval that was given before the row was set to failed', async () => {
    const folder = session('fixtures/spec/R1/session');
    expect((await decide('review', folder)).exit).toBe(0);
    setTask(folder, 'REVIEW-001', { status: 'failed' });
    expect(await decide('review', folder, '--json')).toMatchObject({ exit: 1, json: { error: { code: 'critic-unfinished' } } });
  });

  it('refuses if one of several critics that ran at the same time failed, until it is skipped', async () => {
    const folder = session('fixtures/spec/C4/session');
    const path = join(folder, 'tasks.csv');
    const row =
      'CHALLENGE-000,Challenge the cost,Attack the cost.,challenger,,0,IDEA-001,IDEA-001,csv-wave,2,failed,,,,the model is gone\n';
    writeFileSync(path, readFileSync(path, 'utf8') + row);
    expect((await decide('brainstorm', folder, '--json')).json).toMatchObject({
      error: { message: expect.stringContaining('CHALLENGE-000') },
    });
    setTask(folder, 'CHALLENGE-000', { status: 'skipped' });
    expect(await decide('brainstorm', folder, '--json')).toMatchObject({ exit: 0, json: { rule: 'C4' } });
    expect(existsSync(join(folder, 'journal.ndjson'))).toBe(true);
  });
});

describe('V4 a chain is judged again only when the work of its last verdict has ended', () => {
  const REVIEW = 'artifacts/review-results.json';

  function review(folder: string, score: number, signal = 'REVISION_NEEDED'): void {
    const findings = score < 7 ? [{ severity: 'high', message: `Locks are missing (${score})`, file: 'src/order.ts', line: 4 }] : [];
    writeFileSync(join(folder, REVIEW), JSON.stringify({ review_score: score, gc_signal: signal, findings }));
  }

  async function revised(): Promise<string> {
    const folder = session('fixtures/spec/R4/session');
    expect((await decide('review', folder)).exit).toBe(3);
    return folder;
  }

  const idsOf = (folder: string, status: string) => {
    const path = join(folder, 'tasks.csv');
    return parseTasks(readFileSync(path, 'utf8'), path)
      .tasks.filter((task) => task.status === status)
      .map((task) => task.id);
  };

  it('refuses new evidence, names the tasks, prints the command that overrides, and writes nothing', async () => {
    const folder = await revised();
    const first = await decide('review', folder, '--json');
    review(folder, 9, 'CONVERGED');
    const before = snapshot(folder);
    const open = idsOf(folder, 'pending');
    const round = Number(first.json['round']) + 1;
    for (const flags of [[], ['--strict'], ['--dry-run'], ['--max-rounds', '9']]) {
      const { exit, json } = await decide('review', folder, '--json', ...flags);
      expect({ exit, json }).toMatchObject({
        exit: 1,
        json: {
          error: {
            code: 'tasks-open',
            message: expect.stringContaining(open.join(', ')),
            hint: expect.stringContaining(`umpire decide review ${folder} --round ${round}`),
          },
          rule: 'V4',
        },
      });
    }
    expect(changes(before, snapshot(folder))).toEqual([]);
  });

  it('still repeats the verdict on the same evidence', async () => {
    const folder = await revised();
    const before = snapshot(folder);
    expect((await decide('review', folder, '--json')).json).toMatchObject({ decision: 'FIX' });
    expect(changes(before, snapshot(folder))).toEqual([]);
  });

  it.each(['completed', 'failed', 'skipped'])('judges again when the work is %s and the re-check is completed', async (status) => {
    const folder = await revised();
    const pending = idsOf(folder, 'pending');
    for (const id of pending) setTask(folder, id, { status: id.startsWith('REVIEW-re') ? 'completed' : status });
    review(folder, 9, 'CONVERGED');
    expect(await decide('review', folder, '--json')).toMatchObject({ exit: 0, json: { decision: 'CONVERGE', anomalies: [] } });
  });

  it('refuses while a task runs', async () => {
    const folder = await revised();
    for (const id of idsOf(folder, 'pending')) setTask(folder, id, { status: id.startsWith('REVIEW-re') ? 'in_progress' : 'completed' });
    review(folder, 9, 'CONVERGED');
    expect((await decide('review', folder, '--json')).json).toMatchObject({
      error: { message: expect.stringMatching(/^REVIEW-re-\d+ is not/) },
    });
  });

  it('--round with the next round completes the tasks, says so, judges, repeats and replays', async () => {
    const folder = await revised();
    const open = idsOf(folder, 'pending');
    review(folder, 4);
    const round = ['--round', String(Number((await decide('review', folder, '--dry-run', '--json', '--round', '2')).json['round']))];
    const second = await decide('review', folder, '--json', ...round);
    expect(second).toMatchObject({
      exit: 3,
      json: { round: 2, anomalies: [{ rule: 'V4', message: expect.stringContaining(open.join(', ')) }] },
    });
    expect(idsOf(folder, 'completed')).toEqual(expect.arrayContaining([...open]));
    const before = snapshot(folder);
    expect((await decide('review', folder, '--json', ...round)).json).toEqual(second.json);
    expect((await decide('review', folder, '--json')).json).toEqual(second.json);
    expect(changes(before, snapshot(folder))).toEqual([]);
    expect((await runInProcess(base, ['replay', folder])).exit).toBe(0);
  });

  it('--round judges a rewritten row as the outputs of the re-check', async () => {
    const folder = session('fixtures/spec/D7/session');
    expect((await decide('design', folder)).exit).toBe(3);
    setTask(folder, 'AUDIT-001', { audit_signal: 'audit_passed', audit_score: '9', findings: 'Nothing left.' });
    writeFileSync(join(folder, 'artifacts/audit/AUDIT-001.md'), '# Audit\n\n## Critical\n\nNone\n\n## High\n\nNone\n');
    expect((await decide('design', folder)).exit).toBe(1);
    const passed = await decide('design', folder, '--round', '2', '--json');
    expect(passed).toMatchObject({ exit: 0, json: { rule: 'D5', round: 2, anomalies: [{ rule: 'V4' }] } });
    const before = snapshot(folder);
    expect((await decide('design', folder, '--json')).json).toEqual(passed.json);
    expect(changes(before, snapshot(folder))).toEqual([]);
    expect((await runInProcess(base, ['replay', folder])).exit).toBe(0);
  });

  it('counts a re-check that has outputs as ended, whatever its status', async () => {
    const folder = session('fixtures/spec/D7/session');
    await decide('design', folder);
    setTask(folder, 'DESIGN-fix-001', { status: 'completed' });
    setTask(folder, 'AUDIT-re-001', { audit_signal: 'audit_result', audit_score: '8' });
    writeFileSync(join(folder, 'artifacts/audit/AUDIT-re-001.md'), '# Audit\n\n## Critical\n\nNone\n');
    expect(await decide('design', folder, '--json')).toMatchObject({ exit: 0, json: { rule: 'D6', round: 2 } });
  });

  it('does not hold up another chain', async () => {
    const folder = newSession();
    mkdirSync(join(folder, 'results'), { recursive: true });
    const run = { pass_rate: 0.5, coverage: 40, total: 4, passed: 2, failed: 2, failures: [] };
    for (const layer of ['L1', 'L2']) writeFileSync(join(folder, `results/run-${layer}.json`), JSON.stringify({ layer, ...run }));
    expect((await decide('testing', folder, '--layer', 'L1')).exit).toBe(3);
    expect((await decide('testing', folder, '--layer', 'L2')).exit).toBe(3);
    writeFileSync(join(folder, 'results/run-L1.json'), JSON.stringify({ layer: 'L1', ...run, coverage: 50 }));
    expect((await decide('testing', folder, '--layer', 'L1', '--json')).json).toMatchObject({
      error: { hint: expect.stringContaining('--layer L1 --round 1') },
    });
  });
});

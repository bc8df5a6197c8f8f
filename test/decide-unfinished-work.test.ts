// `umpire decide` while work is unfinished: a critic that did not finish approves nothing (V1).

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide, newSession, root, session, setTask } from './support/command.js';
import { changes, snapshot } from './support/spec-fixture.js';

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

// `umpire decide` as scripts and people use it: flags, rounds, caps, time, locks, links, settings. Most cases run in this process; those
// about exit statuses, locks and pipes start the built command.

import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { base, command, decide, newSession, root, session, spawnDecide } from './support/command.js';
import { runInProcess } from './support/in-process.js';
import { endTasks } from './support/tasks.js';

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map(String).toSorted();
}

function events(folder: string, type: string): readonly unknown[] {
  const lines = readFileSync(join(folder, 'journal.ndjson'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { type: string; data: unknown }).filter((event) => event.type === type);
}

const RUN = {
  layer: 'L1',
  pass_rate: 0.5,
  coverage: 40,
  total: 4,
  passed: 2,
  failed: 2,
  failures: [{ name: 'a', message: 'expected 1, received 2' }],
};

function testing(run: object = RUN): string {
  const folder = newSession();
  mkdirSync(join(folder, 'results'), { recursive: true });
  writeFileSync(join(folder, 'results', 'run-L1.json'), JSON.stringify(run));
  return folder;
}

function putRun(folder: string, run: object): void {
  writeFileSync(join(folder, 'results', 'run-L1.json'), JSON.stringify(run));
}

it('makes tasks that waited for the critic wait for its next review, whatever their id', async () => {
  const folder = newSession();
  mkdirSync(folder, { recursive: true });
  const head = 'id,title,description,role,deps,context_from,exec_mode,wave,status,findings,review_score,gc_signal,error';
  const rows = [
    'DEV-001,Build,Build it,developer,,,csv-wave,1,completed,done,,,',
    'REVIEW-001,Review,Review it,reviewer,DEV-001,DEV-001,csv-wave,2,completed,x,5,REVISION_NEEDED,',
    ...['SHIP', 'constructor', '__proto__'].map((id) => `${id},Ship,Ship it,developer,REVIEW-001,REVIEW-001,csv-wave,3,pending,,,,`),
  ];
  writeFileSync(join(folder, 'tasks.csv'), `${[head, ...rows].join('\n')}\n`);
  await decide('review', folder);
  const after = readFileSync(join(folder, 'tasks.csv'), 'utf8').split('\n').slice(3, 6);
  expect(after).toEqual(
    ['SHIP', 'constructor', '__proto__'].map((id) => `${id},Ship,Ship it,developer,REVIEW-re-001,REVIEW-re-001,csv-wave,5,pending,,,,`),
  );
});

it('takes the name of a session of this project, as other commands print it', async () => {
  const project = join(testing(), '..');
  mkdirSync(join(project, '.umpire', 'sessions'), { recursive: true });
  renameSync(join(project, 'session'), join(project, '.umpire', 'sessions', 'tonight'));
  expect((await runInProcess(project, ['decide', 'testing', 'tonight', '--layer', 'L1'])).exit).toBe(3);
  expect((await runInProcess(project, ['decide', 'testing', 'tomorrow'])).exit).toBe(1);
});

it('A16: reads failures that run-L1.json does not list from the output of the run, and asks to mend them', async () => {
  const folder = testing({ layer: 'L1', pass_rate: 0.33, coverage: 80, total: 3, passed: 1, failed: 2 });
  cpSync(join(root, 'fixtures', 'printed-failures', 'node-spec.txt'), join(folder, 'results', 'output-L1.txt'));
  const { json } = await decide('testing', folder, '--json');
  expect(json).toMatchObject({
    decision: 'RETRY',
    findings: [
      { rule: 'assertion mismatch', artifact: 'cart.test.js', line: 5 },
      { rule: 'other', artifact: 'cart.test.js', line: 6 },
    ],
    tasks: [{ description: expect.stringContaining('350 !== 700 (cart.test.js:5)') as string }, {}],
  });
  expect((await runInProcess(folder, ['replay', folder])).exit).toBe(0);
  // The same output does not help where the figure itself has another name.
  putRun(folder, { layer: 'L1', pass_rate: 1, total: 3, passed: 3, failed: 0, coverage_percent: 12 });
  endTasks(folder);
  const { json: other, exit } = await decide('testing', folder, '--json');
  expect({ other, exit }).toMatchObject({ exit: 1, other: { error: { message: expect.stringContaining('coverage_percent') as string } } });
});

it("accepts the critic's role in capitals, and replays the verdict", async () => {
  const folder = newSession();
  mkdirSync(folder, { recursive: true });
  const head = 'id,title,description,role,deps,context_from,exec_mode,wave,status,findings,review_score,gc_signal,error';
  const row = 'REVIEW-001,Review,Review it,Reviewer,,,csv-wave,1,completed,x,5,REVISION_NEEDED,';
  writeFileSync(join(folder, 'tasks.csv'), `${head}\n${row}\n`);
  expect((await decide('review', folder, '--json')).json).toMatchObject({ decision: 'FIX', rule: 'R4' });
  expect(readFileSync(join(folder, 'tasks.csv'), 'utf8')).toContain(`\n${row}\n`);
  expect((await runInProcess(base, ['replay', folder])).exit).toBe(0);
});

describe('rounds', () => {
  it('E5: counts each revision once up to the cap, without a state file or tasks.csv at the start', async () => {
    const folder = testing();
    const seen: unknown[] = [];
    for (const coverage of [40, 41, 42, 43, 44]) {
      putRun(folder, { ...RUN, coverage });
      if (coverage > 40) endTasks(folder);
      const { json, exit } = await decide('testing', folder, '--json');
      seen.push([json['round'], json['decision'], json['rule'], exit, json['unverified']]);
    }
    expect(seen).toEqual([
      [0, 'RETRY', 'T3', 3, false],
      [1, 'RETRY', 'T3', 3, false],
      [2, 'RETRY', 'T3', 3, false],
      [3, 'ACCEPT', 'T4', 0, true],
      [3, 'ACCEPT', 'T4', 0, true],
    ]);
  });

  it('E5: takes the round from the board when the journal is deleted', async () => {
    const folder = testing();
    await decide('testing', folder);
    rmSync(join(folder, 'journal.ndjson'));
    rmSync(join(folder, 'tasks.csv'));
    expect((await decide('testing', folder, '--json')).json).toMatchObject({ round: 1, decision: 'RETRY' });
  });

  it('E5: keeps the frozen cap and target when the journal is deleted', async () => {
    const folder = testing({ ...RUN, pass_rate: 1, passed: 4, failed: 0, failures: [], coverage: 50 });
    expect((await decide('testing', folder, '--max-rounds', '2', '--json')).json).toMatchObject({ decision: 'RETRY', maxRounds: 2 });
    rmSync(join(folder, 'journal.ndjson'));
    const tasks = readFileSync(join(folder, 'tasks.csv'), 'utf8');
    writeFileSync(join(folder, 'tasks.csv'), tasks.replaceAll(',80,', ',10,'));
    const { json } = await decide('testing', folder, '--json');
    expect(json).toMatchObject({ decision: 'RETRY', round: 1, maxRounds: 2 });
    expect((json['anomalies'] as { message: string }[]).map((one) => one.message).join()).toMatch(
      /journal of this session is gone.*10, but the first verdict on .* froze it at 80/,
    );
  });

  it('E5: takes the round from the verdict pages when journal and board are deleted', async () => {
    const folder = session('fixtures/spec/R4/session');
    const results = join(folder, 'artifacts', 'review-results.json');
    const rounds: unknown[] = [];
    for (const score of [5.1, 5.2, 5.3, 5.4]) {
      writeFileSync(results, readFileSync(results, 'utf8').replace(/"review_score": [\d.]+/, `"review_score": ${score}`));
      for (const name of ['journal.ndjson', 'discoveries.ndjson']) rmSync(join(folder, name), { force: true });
      rounds.push((await decide('review', folder, '--json')).json['round']);
    }
    expect(rounds).toEqual([1, 2, 3, 3]);
  });

  it('E5: a renamed layer keeps the rounds and the target of the open one', async () => {
    const folder = testing();
    const rounds: unknown[] = [];
    let last = 'L1';
    for (const name of ['L1', 'L1x', 'L1xx', 'L1xxx', 'L1xxxx']) {
      renameSync(join(folder, 'results', `run-${last}.json`), join(folder, 'results', `run-${name}.json`));
      last = name;
      rounds.push((await decide('testing', folder, '--json')).json['round']);
    }
    expect(rounds).toEqual([0, 1, 2, 3, 3]);
  });

  it('E5: reports a claimed round far beyond the cap as an anomaly', async () => {
    const folder = testing();
    writeFileSync(join(folder, 'gc-state.json'), '{"rounds":{"L1":1000000000}}');
    expect((await decide('testing', folder, '--json')).json).toMatchObject({
      decision: 'ACCEPT',
      unverified: true,
      anomalies: [{ rule: 'E5', message: expect.stringContaining('far beyond the cap') }],
    });
  });

  it('E4: returning to earlier evidence is a new round, not the old verdict', async () => {
    const folder = testing();
    const rounds: unknown[] = [];
    for (const coverage of [40, 41, 40, 41, 40]) {
      putRun(folder, { ...RUN, coverage });
      if (rounds.length > 0) endTasks(folder);
      rounds.push((await decide('testing', folder, '--json')).json['round']);
    }
    expect(rounds).toEqual([0, 1, 2, 3, 3]);
  });

  it('raises the round with --round, and never lowers it', async () => {
    const folder = testing();
    expect((await decide('testing', folder, '--round', '2', '--json')).json).toMatchObject({ round: 2 });
    putRun(folder, { ...RUN, coverage: 41 });
    const refused = await decide('testing', folder, '--round', '1', '--json');
    expect([refused.exit, refused.json['error']]).toMatchObject([2, { code: 'round-below' }]);
  });

  it('E5: freezes the cap: only --max-rounds changes it, and the journal records the change', async () => {
    const folder = session('fixtures/spec/R4/session');
    writeFileSync(join(folder, 'task-analysis.json'), '{"max_iterations": 2}');
    expect((await decide('review', folder, '--json')).json).toMatchObject({ round: 1, maxRounds: 2, decision: 'FIX' });
    writeFileSync(join(folder, 'task-analysis.json'), '{"max_iterations": 50}');
    const results = join(folder, 'artifacts', 'review-results.json');
    writeFileSync(results, readFileSync(results, 'utf8').replace('5.5', '5.6'));
    endTasks(folder);
    const second = await decide('review', folder, '--json');
    expect(second.json).toMatchObject({ round: 2, maxRounds: 2, decision: 'ESCALATE' });
    expect(second.json['anomalies']).toEqual([
      expect.objectContaining({ rule: 'E5', message: expect.stringContaining('froze the cap at 2') }),
    ]);
    expect((await decide('review', folder, '--max-rounds', '4', '--json')).json).toMatchObject({ round: 2, maxRounds: 4, decision: 'FIX' });
    expect(events(folder, 'CapChanged')).toMatchObject([{ data: { from: 2, to: 4 } }]);
    expect((await decide('review', folder, '--json')).json).toMatchObject({ maxRounds: 4, decision: 'FIX' });
  });

  it('E5: freezes the coverage target of a layer', async () => {
    const folder = testing();
    await decide('testing', folder);
    const tasks = readFileSync(join(folder, 'tasks.csv'), 'utf8');
    writeFileSync(join(folder, 'tasks.csv'), tasks.replaceAll(',80,', ',10,'));
    putRun(folder, { ...RUN, pass_rate: 1, passed: 4, failed: 0, failures: [], coverage: 50 });
    endTasks(folder);
    expect((await decide('testing', folder, '--json')).json).toMatchObject({
      decision: 'RETRY',
      anomalies: [expect.objectContaining({ rule: 'E5' })],
    });
  });

  it('E5: an unplanned chain continues the rounds of the open one', async () => {
    const folder = session('fixtures/spec/D7/session');
    expect((await decide('design', folder, '--json')).json).toMatchObject({ round: 1, decision: 'REVISION' });
    const tasks = readFileSync(join(folder, 'tasks.csv'), 'utf8');
    const header = (tasks.split('\n')[0] ?? '').trim().split(',');
    const row: Record<string, string> = {
      id: 'AUDIT-777',
      description: 'one more',
      role: 'reviewer',
      deps: 'AUDIT-001',
      status: 'completed',
      audit_signal: 'fix_required',
    };
    writeFileSync(join(folder, 'tasks.csv'), `${tasks.trimEnd()}\n${header.map((column) => row[column] ?? '').join(',')}\n`);
    expect((await decide('design', folder, '--json')).json).toMatchObject({ chain: 'AUDIT-777', round: 2 });
  });
});

describe('flags', () => {
  it('E1: gives a partial verdict when time runs out, with no task and no approval', async () => {
    const folder = session('fixtures/spec/D5/session');
    const before = readFileSync(join(folder, 'tasks.csv'), 'utf8');
    const partial = await decide('design', folder, '--deadline-ms', '0', '--json');
    expect(partial.exit).toBe(5);
    expect(partial.json).toMatchObject({ status: 'partial', rule: 'E1', tasks: [], unverified: false });
    expect(partial.json['outcome']).not.toMatch(/converge|accept/);
    expect(partial.json['reason']).toMatch(/the audit report/);
    expect(readFileSync(join(folder, 'tasks.csv'), 'utf8')).toBe(before);
    expect((await decide('design', folder, '--json')).json).toMatchObject({ status: 'decided', outcome: 'converge', round: 1 });
  });

  it('judges with --dry-run and writes nothing', async () => {
    const folder = session('fixtures/spec/D7/session');
    const before = filesOf(folder);
    const { exit, json } = await decide('design', folder, '--dry-run', '--json');
    expect([exit, json['decision']]).toEqual([3, 'REVISION']);
    expect(filesOf(folder)).toEqual(before);
  });

  it('escalates a waived verdict with --strict, even if it was given without before', async () => {
    const folder = session('fixtures/spec/R2/session');
    expect((await decide('review', folder, '--json')).json).toMatchObject({ outcome: 'converge', unverified: true, rule: 'R2' });
    expect(await decide('review', folder, '--strict', '--json')).toMatchObject({
      exit: 4,
      json: { outcome: 'escalate', decision: 'ESCALATE', unverified: false, rule: 'R2' },
    });
  });

  it('reads strict: true from the settings of the project, never from the session', async () => {
    const folder = session('fixtures/spec/R2/session');
    writeFileSync(join(folder, 'umpire.config.yaml'), 'strict: true\n');
    expect((await decide('review', folder, '--dry-run', '--json')).exit).toBe(0);
    writeFileSync(join(folder, '..', 'umpire.config.yaml'), '# ours\nstrict: true\n');
    expect((await decide('review', folder, '--dry-run', '--json')).exit).toBe(4);
    writeFileSync(join(folder, '..', 'umpire.config.yaml'), 'strict: maybe\n');
    expect(await decide('review', folder, '--json')).toMatchObject({ exit: 1, json: { error: { code: 'config-invalid' } } });
  });

  it('E2: prefers the role of the project to the built-in one', async () => {
    const folder = session('fixtures/spec/D7/session');
    const shipped = (await decide('design', folder, '--dry-run', '--json')).json['role'];
    expect(shipped).toMatchObject({ path: 'roles/design/judge.md' });
    mkdirSync(join(folder, '..', '.umpire', 'roles', 'design'), { recursive: true });
    writeFileSync(join(folder, '..', '.umpire', 'roles', 'design', 'judge.md'), '# Ours\n');
    expect((await decide('design', folder, '--dry-run', '--json')).json['role']).toMatchObject({ path: '.umpire/roles/design/judge.md' });
  });

  it.each([
    [['decide', 'review'], /Missing <session>: umpire decide <loop> <session>/],
    [['decide', 'review', 'a', 'b'], /Unexpected argument "b"/],
    [['decide', 'review', 'a', '--frobnicate'], /Unknown flag "--frobnicate"/],
    [['decide', 'review', 'a', '--round', 'two'], /--round takes a whole number/],
    [['decide', 'review', 'a', '--round'], /--round needs a value/],
    [['decide', 'review', 'a', '--json=yes'], /--json takes no value/],
    [['decide', 'revue', 'a'], /Unknown loop "revue"/],
    [['decide', 'review', '.', '--layer', 'L1'], /has no layers/],
    [['decide', 'testing', '.', '--layer', '../x'], /--layer takes a name/],
    [['decide', 'review', '.', '--max-rounds', '0'], /--max-rounds takes a whole number from 1 to 100/],
    [['frobnicate'], /Unknown command "frobnicate"/],
    [[], /Usage/],
  ])('explains what is wrong with the arguments %j', async (args, message) => {
    const { exit, stderr } = await runInProcess(base, args);
    expect(stderr).toMatch(message);
    expect(exit).toBe(2);
  });

  it('prints help and the version', async () => {
    const stdoutOf = async (...args: readonly string[]) => (await runInProcess(base, args)).stdout;
    expect([await stdoutOf('--help'), await stdoutOf('decide', '--help')]).toMatchSnapshot();
    expect(await stdoutOf('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    ['review', 'R2', [], 0],
    ['review', 'none', [], 1],
    ['revue', 'R2', [], 2],
    ['design', 'D7', [], 3],
    ['review', 'R2', ['--strict'], 4],
    ['design', 'D5', ['--deadline-ms', '0'], 5],
  ])('ends the process of `umpire decide %s` on sample session %s with flags %j by exit status %i', (loop, sample, flags, exit) => {
    const folder = sample === 'none' ? newSession() : session(`fixtures/spec/${sample}/session`);
    const spawned = spawnDecide(loop, folder, '--json', ...flags);
    expect(spawned.exit).toBe(exit);
    expect(spawned.json['error'] !== undefined).toBe(exit === 1 || exit === 2);
    // A summary or the error for people.
    expect(spawned.err).not.toBe('');
  });
});

describe('the folder', () => {
  it('gives the same verdict to processes that ask at once, and records it once', async () => {
    const folder = session('fixtures/spec/D7/session');
    const runs = Array.from({ length: 6 }, () => {
      const child = spawn(process.execPath, [command, 'decide', 'design', folder, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });
      const pieces: Buffer[] = [];
      child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
      return new Promise<string>((resolve) => child.on('close', () => resolve(Buffer.concat(pieces).toString())));
    });
    const answers = new Set(await Promise.all(runs));
    expect(answers.size).toBe(1);
    expect(events(folder, 'VerdictGiven')).toHaveLength(1);
    expect(readFileSync(join(folder, 'discoveries.ndjson'), 'utf8').match(/gc_decision/g)).toHaveLength(1);
    expect(filesOf(folder).filter((path) => path.includes('.umpire-'))).toEqual([]);
  });

  it('names the live holder of the lock, and takes the lock from a dead one', () => {
    const folder = session('fixtures/spec/D7/session');
    const lock = join(folder, '.umpire-lock');
    writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname(), started: '' }));
    const busy = spawnDecide('design', folder, '--deadline-ms', '100', '--json');
    expect([busy.exit, busy.json['error']]).toMatchObject([
      1,
      { code: 'session-busy', message: expect.stringContaining(`process ${process.pid}`) },
    ]);
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    writeFileSync(lock, JSON.stringify({ pid, host: hostname(), started: '1' }));
    expect(spawnDecide('design', folder, '--json').exit).toBe(3);
    expect(existsSync(lock)).toBe(false);
  });

  it.each([
    ['a linked folder', (folder: string, outside: string) => symlinkSync(outside, join(folder, 'tasks'))],
    ['a linked board', (folder: string, outside: string) => symlinkSync(join(outside, 'board'), join(folder, 'discoveries.ndjson'))],
    ['a linked journal', (folder: string, outside: string) => symlinkSync(join(outside, 'journal'), join(folder, 'journal.ndjson'))],
    ['a linked folder of blobs', (folder: string, outside: string) => symlinkSync(outside, join(folder, 'blobs'))],
  ])('never writes through %s that leads outside', async (_, link) => {
    const folder = session('fixtures/spec/R4/session');
    const outside = join(newSession(), '..', 'outside');
    mkdirSync(outside, { recursive: true });
    rmSync(join(folder, 'discoveries.ndjson'), { force: true });
    link(folder, outside);
    const { exit, json } = await decide('review', folder, '--json');
    expect([exit, json['error']]).toMatchObject([1, { code: 'outside-session' }]);
    expect(readdirSync(outside)).toEqual([]);
  });

  it.each([
    ['a dangling link', (folder: string) => symlinkSync(join(folder, 'nowhere'), join(folder, '.umpire-lock')), 'session-busy'],
    ['a folder', (folder: string) => mkdirSync(join(folder, '.umpire-lock')), 'session-busy'],
  ])('does not wait forever if the lock is %s', async (_, make, code) => {
    const folder = session('fixtures/spec/D7/session');
    make(folder);
    expect(await decide('design', folder, '--deadline-ms', '100', '--json')).toMatchObject({ exit: 1, json: { error: { code } } });
  });

  it('changes nothing if a file blocks a folder that it writes to', async () => {
    const folder = session('fixtures/spec/D7/session');
    writeFileSync(join(folder, 'verdicts'), 'mine');
    const before = filesOf(folder).map((path) => [
      path,
      statSync(join(folder, path)).isFile() ? readFileSync(join(folder, path), 'utf8') : '',
    ]);
    expect(await decide('design', folder, '--json')).toMatchObject({ exit: 1, json: { error: { code: 'write-failed' } } });
    const after = filesOf(folder).map((path) => [
      path,
      statSync(join(folder, path)).isFile() ? readFileSync(join(folder, path), 'utf8') : '',
    ]);
    expect(after).toEqual(before);
  });

  it('refuses a changed journal and names the line', async () => {
    const folder = session('fixtures/spec/D7/session');
    await decide('design', folder);
    const journal = join(folder, 'journal.ndjson');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"cap":3', '"cap":9'));
    expect(await decide('design', folder, '--json')).toMatchObject({
      exit: 1,
      json: { error: { code: 'journal-broken', message: expect.stringContaining('line 2') } },
    });
  });

  it('continues if the last line of the journal is cut off, and warns', async () => {
    const folder = session('fixtures/spec/D7/session');
    const first = await decide('design', folder, '--json');
    const journal = join(folder, 'journal.ndjson');
    const text = readFileSync(journal, 'utf8');
    writeFileSync(journal, text.slice(0, -20));
    const again = await decide('design', folder, '--json');
    expect([again.exit, again.json]).toEqual([first.exit, first.json]);
    expect(again.err).toMatch(/A crash cut off the last line/);
    expect(events(folder, 'VerdictGiven')).toHaveLength(1);
  });

  it('does not wait for a named pipe in place of a report', () => {
    const folder = testing();
    rmSync(join(folder, 'results', 'run-L1.json'));
    spawnSync('mkfifo', [join(folder, 'results', 'run-L1.json')]);
    expect(spawnDecide('testing', folder, '--layer', 'L1', '--json')).toMatchObject({
      exit: 1,
      json: { rule: 'T1', error: { message: expect.stringContaining('not a regular file') } },
    });
  });

  it('writes a results.csv without formulas, and keeps a results.csv that it did not write', async () => {
    const folder = session('fixtures/spec/C4/session');
    const tasks = join(folder, 'tasks.csv');
    writeFileSync(
      tasks,
      readFileSync(tasks, 'utf8').replace(
        '\n',
        `\n"=HYPERLINK(1)",x,do it,ideator${','.repeat((readFileSync(tasks, 'utf8').split('\n')[0] ?? '').split(',').length - 4)}\n`,
      ),
    );
    expect((await decide('brainstorm', folder, '--json')).exit).toBe(0);
    expect(readFileSync(join(folder, 'results.csv'), 'utf8')).toContain("'=HYPERLINK");
    const other = session('fixtures/spec/C4/session');
    writeFileSync(join(other, 'results.csv'), 'mine\n');
    await decide('brainstorm', other);
    expect(readFileSync(join(other, 'results.csv'), 'utf8')).toBe('mine\n');
  });

  it('reports a session that is missing or not a folder', async () => {
    expect(await decide('review', join(base, 'nowhere'), '--json')).toMatchObject({
      exit: 1,
      json: { error: { code: 'session-missing' } },
    });
    expect(await decide('review', join(root, 'package.json'), '--json')).toMatchObject({
      exit: 1,
      json: { error: { code: 'session-missing' } },
    });
  });
});

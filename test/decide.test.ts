// `umpire decide` as scripts and people use it: flags, rounds, caps, time, locks, links, settings. The built command, real
// folders, real processes.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { base, command, decide, newSession, root, session } from './support/command.js';

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

it('re-points what waits for the critic, whatever it is called', () => {
  const folder = newSession();
  mkdirSync(folder, { recursive: true });
  const head = 'id,title,description,role,deps,context_from,exec_mode,wave,status,findings,review_score,gc_signal,error';
  const rows = [
    'DEV-001,Build,Build it,developer,,,csv-wave,1,completed,done,,,',
    'REVIEW-001,Review,Review it,reviewer,DEV-001,DEV-001,csv-wave,2,completed,x,5,REVISION_NEEDED,',
    ...['SHIP', 'constructor', '__proto__'].map((id) => `${id},Ship,Ship it,developer,REVIEW-001,REVIEW-001,csv-wave,3,pending,,,,`),
  ];
  writeFileSync(join(folder, 'tasks.csv'), `${[head, ...rows].join('\n')}\n`);
  decide('review', folder);
  const after = readFileSync(join(folder, 'tasks.csv'), 'utf8').split('\n').slice(3, 6);
  expect(after).toEqual(
    ['SHIP', 'constructor', '__proto__'].map((id) => `${id},Ship,Ship it,developer,REVIEW-re-001,REVIEW-001,csv-wave,5,pending,,,,`),
  );
});

it("takes a row for the critic's that spells its role with capitals, and says the same when it is judged again", () => {
  const folder = newSession();
  mkdirSync(folder, { recursive: true });
  const head = 'id,title,description,role,deps,context_from,exec_mode,wave,status,findings,review_score,gc_signal,error';
  const row = 'REVIEW-001,Review,Review it,Reviewer,,,csv-wave,1,completed,x,5,REVISION_NEEDED,';
  writeFileSync(join(folder, 'tasks.csv'), `${head}\n${row}\n`);
  expect(decide('review', folder, '--json').json).toMatchObject({ decision: 'FIX', rule: 'R4' });
  expect(readFileSync(join(folder, 'tasks.csv'), 'utf8')).toContain(`\n${row}\n`);
  expect(spawnSync(process.execPath, [command, 'replay', folder]).status).toBe(0);
});

describe('rounds', () => {
  it('E5: counts every revision once, up to the cap, with no state file and no tasks.csv to begin with', () => {
    const folder = testing();
    const seen = [0, 1, 2, 3, 4].map((n) => {
      putRun(folder, { ...RUN, coverage: 40 + n });
      const { json, exit } = decide('testing', folder, '--json');
      return [json['round'], json['decision'], json['rule'], exit, json['unverified']];
    });
    expect(seen).toEqual([
      [0, 'RETRY', 'T3', 3, false],
      [1, 'RETRY', 'T3', 3, false],
      [2, 'RETRY', 'T3', 3, false],
      [3, 'ACCEPT', 'T4', 0, true],
      [3, 'ACCEPT', 'T4', 0, true],
    ]);
  });

  it('E5: survives a deleted journal, by what is on the board', () => {
    const folder = testing();
    decide('testing', folder);
    rmSync(join(folder, 'journal.ndjson'));
    rmSync(join(folder, 'tasks.csv'));
    expect(decide('testing', folder, '--json').json).toMatchObject({ round: 1, decision: 'RETRY' });
  });

  it('E5: a deleted journal unfreezes neither the cap nor the target', () => {
    const folder = testing({ ...RUN, pass_rate: 1, passed: 4, failed: 0, failures: [], coverage: 50 });
    expect(decide('testing', folder, '--max-rounds', '2', '--json').json).toMatchObject({ decision: 'RETRY', maxRounds: 2 });
    rmSync(join(folder, 'journal.ndjson'));
    const tasks = readFileSync(join(folder, 'tasks.csv'), 'utf8');
    writeFileSync(join(folder, 'tasks.csv'), tasks.replaceAll(',80,', ',10,'));
    const { json } = decide('testing', folder, '--json');
    expect(json).toMatchObject({ decision: 'RETRY', round: 1, maxRounds: 2 });
    expect((json['anomalies'] as { message: string }[]).map((one) => one.message).join()).toMatch(
      /journal of this session is gone.*10, but the first verdict on .* froze it at 80/,
    );
  });

  it('E5: the pages of verdicts tell the round where journal and board are gone', () => {
    const folder = session('fixtures/spec/R4/session');
    const results = join(folder, 'artifacts', 'review-results.json');
    const rounds = [1, 2, 3, 4].map((n) => {
      writeFileSync(results, readFileSync(results, 'utf8').replace(/"review_score": [\d.]+/, `"review_score": 5.${n}`));
      for (const name of ['journal.ndjson', 'discoveries.ndjson']) rmSync(join(folder, name), { force: true });
      return decide('review', folder, '--json').json['round'];
    });
    expect(rounds).toEqual([1, 2, 3, 3]);
  });

  it('E5: a layer that is renamed goes on with the rounds and the target of the open one', () => {
    const folder = testing();
    const seen = ['L1', 'L1x', 'L1xx', 'L1xxx', 'L1xxxx'].map((name, n, names) => {
      if (n > 0) renameSync(join(folder, 'results', `run-${names[n - 1] ?? ''}.json`), join(folder, 'results', `run-${name}.json`));
      return decide('testing', folder, '--json').json['round'];
    });
    expect(seen).toEqual([0, 1, 2, 3, 3]);
  });

  it('E5: a claim beyond the cap is an anomaly', () => {
    const folder = testing();
    writeFileSync(join(folder, 'gc-state.json'), '{"rounds":{"L1":1000000000}}');
    expect(decide('testing', folder, '--json').json).toMatchObject({
      decision: 'ACCEPT',
      unverified: true,
      anomalies: [{ rule: 'E5', message: expect.stringContaining('far beyond the cap') }],
    });
  });

  it('E4: returning to earlier evidence is a new round, not the old verdict', () => {
    const folder = testing();
    const rounds = [40, 41, 40, 41, 40].map((coverage) => {
      putRun(folder, { ...RUN, coverage });
      return decide('testing', folder, '--json').json['round'];
    });
    expect(rounds).toEqual([0, 1, 2, 3, 3]);
  });

  it('raises the round with --round, and never lowers it', () => {
    const folder = testing();
    expect(decide('testing', folder, '--round', '2', '--json').json).toMatchObject({ round: 2 });
    putRun(folder, { ...RUN, coverage: 41 });
    const refused = decide('testing', folder, '--round', '1', '--json');
    expect([refused.exit, refused.json['error']]).toMatchObject([2, { code: 'round-below' }]);
  });

  it('E5: freezes the cap and the target; only --max-rounds changes the cap, and that is recorded', () => {
    const folder = session('fixtures/spec/R4/session');
    writeFileSync(join(folder, 'task-analysis.json'), '{"max_iterations": 2}');
    expect(decide('review', folder, '--json').json).toMatchObject({ round: 1, maxRounds: 2, decision: 'FIX' });
    writeFileSync(join(folder, 'task-analysis.json'), '{"max_iterations": 50}');
    const results = join(folder, 'artifacts', 'review-results.json');
    writeFileSync(results, readFileSync(results, 'utf8').replace('5.5', '5.6'));
    const second = decide('review', folder, '--json');
    expect(second.json).toMatchObject({ round: 2, maxRounds: 2, decision: 'ESCALATE' });
    expect(second.json['anomalies']).toEqual([
      expect.objectContaining({ rule: 'E5', message: expect.stringContaining('froze the cap at 2') }),
    ]);
    expect(decide('review', folder, '--max-rounds', '4', '--json').json).toMatchObject({ round: 2, maxRounds: 4, decision: 'FIX' });
    expect(events(folder, 'CapChanged')).toMatchObject([{ data: { from: 2, to: 4 } }]);
    expect(decide('review', folder, '--json').json).toMatchObject({ maxRounds: 4, decision: 'FIX' });
  });

  it('E5: freezes the coverage target of a layer', () => {
    const folder = testing();
    decide('testing', folder);
    const tasks = readFileSync(join(folder, 'tasks.csv'), 'utf8');
    writeFileSync(join(folder, 'tasks.csv'), tasks.replaceAll(',80,', ',10,'));
    putRun(folder, { ...RUN, pass_rate: 1, passed: 4, failed: 0, failures: [], coverage: 50 });
    expect(decide('testing', folder, '--json').json).toMatchObject({
      decision: 'RETRY',
      anomalies: [expect.objectContaining({ rule: 'E5' })],
    });
  });

  it('E5: a chain that nobody planned does not start afresh while another is open', () => {
    const folder = session('fixtures/spec/D7/session');
    expect(decide('design', folder, '--json').json).toMatchObject({ round: 1, decision: 'REVISION' });
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
    expect(decide('design', folder, '--json').json).toMatchObject({ chain: 'AUDIT-777', round: 2 });
  });
});

describe('flags', () => {
  it('E1: gives a partial verdict when time runs out: no task, no approval, exit 5', () => {
    const folder = session('fixtures/spec/D5/session');
    const before = readFileSync(join(folder, 'tasks.csv'), 'utf8');
    const partial = decide('design', folder, '--deadline-ms', '0', '--json');
    expect(partial.exit).toBe(5);
    expect(partial.json).toMatchObject({ status: 'partial', rule: 'E1', tasks: [], unverified: false });
    expect(partial.json['outcome']).not.toMatch(/converge|accept/);
    expect(partial.json['reason']).toMatch(/the audit report/);
    expect(readFileSync(join(folder, 'tasks.csv'), 'utf8')).toBe(before);
    expect(decide('design', folder, '--json').json).toMatchObject({ status: 'decided', outcome: 'converge', round: 1 });
  });

  it('judges with --dry-run and writes nothing', () => {
    const folder = session('fixtures/spec/D7/session');
    const before = filesOf(folder);
    const { exit, json } = decide('design', folder, '--dry-run', '--json');
    expect([exit, json['decision']]).toEqual([3, 'REVISION']);
    expect(filesOf(folder)).toEqual(before);
  });

  it('escalates a waived verdict with --strict, also after it was given without', () => {
    const folder = session('fixtures/spec/R2/session');
    expect(decide('review', folder, '--json').json).toMatchObject({ outcome: 'converge', unverified: true, rule: 'R2' });
    expect(decide('review', folder, '--strict', '--json')).toMatchObject({
      exit: 4,
      json: { outcome: 'escalate', decision: 'ESCALATE', unverified: false, rule: 'R2' },
    });
  });

  it('takes strict: true from the settings of the project, never from the session', () => {
    const folder = session('fixtures/spec/R2/session');
    writeFileSync(join(folder, 'umpire.config.yaml'), 'strict: true\n');
    expect(decide('review', folder, '--dry-run', '--json').exit).toBe(0);
    writeFileSync(join(folder, '..', 'umpire.config.yaml'), '# ours\nstrict: true\n');
    expect(decide('review', folder, '--dry-run', '--json').exit).toBe(4);
    writeFileSync(join(folder, '..', 'umpire.config.yaml'), 'strict: maybe\n');
    expect(decide('review', folder, '--json')).toMatchObject({ exit: 1, json: { error: { code: 'config-invalid' } } });
  });

  it('E2: loads the role first, and the one of the project before the one that ships', () => {
    const folder = session('fixtures/spec/D7/session');
    const shipped = decide('design', folder, '--dry-run', '--json').json['role'];
    expect(shipped).toMatchObject({ path: 'roles/design/judge.md' });
    mkdirSync(join(folder, '..', '.umpire', 'roles', 'design'), { recursive: true });
    writeFileSync(join(folder, '..', '.umpire', 'roles', 'design', 'judge.md'), '# Ours\n');
    expect(decide('design', folder, '--dry-run', '--json').json['role']).toMatchObject({ path: '.umpire/roles/design/judge.md' });
  });

  it.each([
    [['decide', 'review'], /Missing arguments: umpire decide <loop> <session>/],
    [['decide', 'review', 'a', 'b'], /Unexpected argument "b"/],
    [['decide', 'review', 'a', '--frobnicate'], /There is no flag "--frobnicate"/],
    [['decide', 'review', 'a', '--round', 'two'], /--round takes a whole number/],
    [['decide', 'review', 'a', '--round'], /--round needs a value/],
    [['decide', 'review', 'a', '--json=yes'], /--json takes no value/],
    [['decide', 'revue', 'a'], /Unknown loop "revue"/],
    [['decide', 'review', '.', '--layer', 'L1'], /has no layers/],
    [['decide', 'testing', '.', '--layer', '../x'], /--layer takes a name/],
    [['decide', 'review', '.', '--max-rounds', '0'], /--max-rounds takes a whole number from 1 to 100/],
    [['frobnicate'], /Unknown command "frobnicate"/],
    [[], /Usage/],
  ])('says what is wrong with %j, exit 2', (args, message) => {
    const { status, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8', cwd: base });
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  it('helps', () => {
    const help = (...args: readonly string[]) => spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' });
    expect([help('--help').stdout, help('decide', '--help').stdout]).toMatchSnapshot();
    expect(help('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('the folder', () => {
  it('gives one verdict to many that ask at once', async () => {
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

  it('names a living holder of the lock, and takes over from a dead one', () => {
    const folder = session('fixtures/spec/D7/session');
    const lock = join(folder, '.umpire-lock');
    writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname(), started: '' }));
    const busy = decide('design', folder, '--deadline-ms', '100', '--json');
    expect([busy.exit, busy.json['error']]).toMatchObject([
      1,
      { code: 'session-busy', message: expect.stringContaining(`process ${process.pid}`) },
    ]);
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    writeFileSync(lock, JSON.stringify({ pid, host: hostname(), started: '1' }));
    expect(decide('design', folder, '--json').exit).toBe(3);
    expect(existsSync(lock)).toBe(false);
  });

  it.each([
    ['a folder', (folder: string, outside: string) => symlinkSync(outside, join(folder, 'tasks'))],
    ['the board', (folder: string, outside: string) => symlinkSync(join(outside, 'board'), join(folder, 'discoveries.ndjson'))],
    ['the journal', (folder: string, outside: string) => symlinkSync(join(outside, 'journal'), join(folder, 'journal.ndjson'))],
    ['the blobs', (folder: string, outside: string) => symlinkSync(outside, join(folder, 'blobs'))],
  ])('never writes through a link that leads outside: %s', (_, link) => {
    const folder = session('fixtures/spec/R4/session');
    const outside = join(newSession(), '..', 'outside');
    mkdirSync(outside, { recursive: true });
    rmSync(join(folder, 'discoveries.ndjson'), { force: true });
    link(folder, outside);
    const { exit, json } = decide('review', folder, '--json');
    expect([exit, json['error']]).toMatchObject([1, { code: 'outside-session' }]);
    expect(readdirSync(outside)).toEqual([]);
  });

  it.each([
    ['a dangling link', (folder: string) => symlinkSync(join(folder, 'nowhere'), join(folder, '.umpire-lock')), 'session-busy'],
    ['a folder', (folder: string) => mkdirSync(join(folder, '.umpire-lock')), 'session-busy'],
  ])('does not wait for ever where the lock is %s', (_, make, code) => {
    const folder = session('fixtures/spec/D7/session');
    make(folder);
    expect(decide('design', folder, '--deadline-ms', '100', '--json')).toMatchObject({ exit: 1, json: { error: { code } } });
  });

  it('changes nothing where a place that it writes to is taken', () => {
    const folder = session('fixtures/spec/D7/session');
    writeFileSync(join(folder, 'verdicts'), 'mine');
    const before = filesOf(folder).map((path) => [
      path,
      statSync(join(folder, path)).isFile() ? readFileSync(join(folder, path), 'utf8') : '',
    ]);
    expect(decide('design', folder, '--json')).toMatchObject({ exit: 1, json: { error: { code: 'write-failed' } } });
    const after = filesOf(folder).map((path) => [
      path,
      statSync(join(folder, path)).isFile() ? readFileSync(join(folder, path), 'utf8') : '',
    ]);
    expect(after).toEqual(before);
  });

  it('refuses a changed journal with the number of its line', () => {
    const folder = session('fixtures/spec/D7/session');
    decide('design', folder);
    const journal = join(folder, 'journal.ndjson');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"cap":3', '"cap":9'));
    expect(decide('design', folder, '--json')).toMatchObject({
      exit: 1,
      json: { error: { code: 'journal-broken', message: expect.stringContaining('line 2') } },
    });
  });

  it('goes on after a journal whose last line was cut off, and says so', () => {
    const folder = session('fixtures/spec/D7/session');
    const first = decide('design', folder, '--json');
    const journal = join(folder, 'journal.ndjson');
    const text = readFileSync(journal, 'utf8');
    writeFileSync(journal, text.slice(0, -20));
    const again = decide('design', folder, '--json');
    expect([again.exit, again.json]).toEqual([first.exit, first.json]);
    expect(again.err).toMatch(/A crash cut off the last line/);
    expect(events(folder, 'VerdictGiven')).toHaveLength(1);
  });

  it('waits for no pipe and reads no device', () => {
    const folder = testing();
    rmSync(join(folder, 'results', 'run-L1.json'));
    spawnSync('mkfifo', [join(folder, 'results', 'run-L1.json')]);
    expect(decide('testing', folder, '--layer', 'L1', '--json')).toMatchObject({
      exit: 1,
      json: { rule: 'T1', error: { message: expect.stringContaining('not a regular file') } },
    });
  });

  it('writes a results.csv that no spreadsheet takes for formulas, and leaves a foreign one alone', () => {
    const folder = session('fixtures/spec/C4/session');
    const tasks = join(folder, 'tasks.csv');
    writeFileSync(
      tasks,
      readFileSync(tasks, 'utf8').replace(
        '\n',
        `\n"=HYPERLINK(1)",x,do it,ideator${','.repeat((readFileSync(tasks, 'utf8').split('\n')[0] ?? '').split(',').length - 4)}\n`,
      ),
    );
    expect(decide('brainstorm', folder, '--json').exit).toBe(0);
    expect(readFileSync(join(folder, 'results.csv'), 'utf8')).toContain("'=HYPERLINK");
    const other = session('fixtures/spec/C4/session');
    writeFileSync(join(other, 'results.csv'), 'mine\n');
    decide('brainstorm', other);
    expect(readFileSync(join(other, 'results.csv'), 'utf8')).toBe('mine\n');
  });

  it('says so where the session is missing or is no folder', () => {
    expect(decide('review', join(base, 'nowhere'), '--json')).toMatchObject({ exit: 1, json: { error: { code: 'session-missing' } } });
    expect(decide('review', join(root, 'package.json'), '--json')).toMatchObject({ exit: 1, json: { error: { code: 'session-missing' } } });
  });
});

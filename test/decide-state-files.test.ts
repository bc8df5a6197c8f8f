// The state files after `umpire decide` (V14), and a tasks.csv that cannot be written (V15).

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { base, command, decide, newSession, session } from './support/command.js';
import { runInProcess } from './support/in-process.js';
import { changes, snapshot } from './support/spec-fixture.js';
import { endTasks } from './support/tasks.js';

function stateOf(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

function write(folder: string, file: string, content: unknown): void {
  writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
}

/** Replaces the score of the review, so that it is other evidence. */
function reviewAgain(folder: string, score: number): void {
  const path = join(folder, 'artifacts/review-results.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"review_score": [\d.]+/, `"review_score": ${score}`));
}

describe('V14 the state files advance with each verdict', () => {
  it.each([
    ['design', 'D7', 'session-state.json', { iteration: 2, umpire: { rounds: { 'AUDIT-001': 2 } } }],
    ['design', 'D5', 'session-state.json', { iteration: 1, umpire: { rounds: { 'AUDIT-001': 1 } } }],
    ['review', 'R4', 'session-state.json', { iteration: 2, umpire: { rounds: { '1': 2 } } }],
    ['testing', 'T3', 'gc-state.json', { rounds: { L1: 1 }, umpire: { rounds: { L1: 1 } } }],
    ['debt', 'B4', 'session-state.json', { gc_rounds: 1, umpire: { rounds: { session: 1 } } }],
  ])(
    '%s %s: %s has the round of the next evidence, other keys stay, and the same evidence writes nothing',
    async (loop, from, file, wanted) => {
      const folder = session(`fixtures/spec/${from}/session`);
      const before = existsSync(join(folder, file)) ? (stateOf(folder, file) as object) : {};
      write(folder, file, { ...before, mine: ['kept'] });
      const first = await decide(loop, folder, '--json');
      expect(stateOf(folder, file)).toEqual({ ...before, mine: ['kept'], ...wanted });
      const after = snapshot(folder);
      expect((await decide(loop, folder, '--json')).json).toEqual(first.json);
      expect(changes(after, snapshot(folder))).toEqual([]);
      expect((await runInProcess(base, ['replay', folder])).exit).toBe(0);
    },
  );

  it('writes the file where there was none, and goes on from it round by round', async () => {
    const folder = session('fixtures/spec/R4/session');
    rmSync(join(folder, 'session-state.json'), { force: true });
    const seen: unknown[] = [];
    for (const score of [5.1, 5.2, 5.3]) {
      reviewAgain(folder, score);
      const { json } = await decide('review', folder, '--json');
      seen.push([json['round'], (stateOf(folder, 'session-state.json') as { iteration: number }).iteration]);
      endTasks(folder);
    }
    expect(seen).toEqual([
      [1, 2],
      [2, 3],
      [3, 3],
    ]);
  });

  it('brings the round back when journal, board, pages and tasks are lost', async () => {
    const folder = session('fixtures/spec/R4/session');
    await decide('review', folder);
    for (const name of ['journal.ndjson', 'discoveries.ndjson', 'verdicts', 'tasks.csv'])
      rmSync(join(folder, name), { recursive: true, force: true });
    expect((await decide('review', folder, '--json')).json).toMatchObject({ round: 2 });
  });

  it('a value that Umpire wrote raises its own chain only; one that others changed raises every chain', async () => {
    const audit = (id: string, deps: string) => `${id},Audit,Audit it,reviewer,${deps},csv-wave,completed,audit_passed,`;
    const [own = '', changed = ''] = ['own', 'changed'].map(() => {
      const folder = newSession();
      mkdirSync(join(folder, 'artifacts/audit'), { recursive: true });
      write(folder, 'artifacts/audit/AUDIT-002.md', '# Audit\n\n## Critical\n\nNone\n');
      const header = 'id,title,description,role,deps,exec_mode,status,audit_signal,error';
      write(folder, 'tasks.csv', `${header}\n${audit('AUDIT-001', '')}\n${audit('AUDIT-002', 'AUDIT-001')}\n`);
      return folder;
    });
    write(own, 'session-state.json', { iteration: 3, umpire: { rounds: { 'AUDIT-001': 3 } } });
    expect((await decide('design', own, '--json')).json).toMatchObject({ chain: 'AUDIT-002', round: 1 });
    expect(stateOf(own, 'session-state.json')).toEqual({ iteration: 1, umpire: { rounds: { 'AUDIT-001': 3, 'AUDIT-002': 1 } } });
    write(changed, 'session-state.json', { iteration: 2, umpire: { rounds: { 'AUDIT-001': 3 } } });
    expect((await decide('design', changed, '--json')).json).toMatchObject({ chain: 'AUDIT-002', round: 2 });
  });

  it('a round that others write after the verdict is new evidence, as before', async () => {
    const folder = session('fixtures/spec/R4/session');
    await decide('review', folder);
    endTasks(folder);
    write(folder, 'session-state.json', { iteration: 3, umpire: { rounds: { '1': 2 } } });
    expect((await decide('review', folder, '--json')).json).toMatchObject({ round: 3, decision: 'ESCALATE' });
  });

  it.each([
    ['is no JSON', '{"iteration": 1'],
    ['is no object', '[]'],
  ])('leaves a file alone that %s', async (_, text) => {
    const folder = session('fixtures/spec/R4/session');
    write(folder, 'session-state.json', text);
    const first = await decide('review', folder, '--json');
    expect(first.exit).toBe(3);
    expect(readFileSync(join(folder, 'session-state.json'), 'utf8')).toBe(text);
    expect((await decide('review', folder, '--json')).json).toEqual(first.json);
  });

  it('does not follow a link', async () => {
    const folder = session('fixtures/spec/R4/session');
    const outside = join(folder, '..', 'state.json');
    writeFileSync(outside, '{"iteration":1}');
    rmSync(join(folder, 'session-state.json'), { force: true });
    symlinkSync(outside, join(folder, 'session-state.json'));
    expect((await decide('review', folder)).exit).toBe(3);
    expect(readFileSync(outside, 'utf8')).toBe('{"iteration":1}');
  });

  it('writes nothing for a partial verdict or a dry run', async () => {
    const folder = session('fixtures/spec/R4/session');
    rmSync(join(folder, 'session-state.json'), { force: true });
    await decide('review', folder, '--dry-run');
    await decide('review', folder, '--deadline-ms', '0');
    expect(existsSync(join(folder, 'session-state.json'))).toBe(false);
  });

  it('is written after a crash between the verdict and its files', async () => {
    const folder = session('fixtures/spec/R4/session');
    await decide('review', folder);
    const after = snapshot(folder);
    const journal = readFileSync(join(folder, 'journal.ndjson'), 'utf8').trimEnd().split('\n');
    writeFileSync(join(folder, 'journal.ndjson'), `${journal.slice(0, -1).join('\n')}\n`);
    rmSync(join(folder, 'session-state.json'));
    const before = session('fixtures/spec/R4/session');
    if (existsSync(join(before, 'session-state.json')))
      write(folder, 'session-state.json', readFileSync(join(before, 'session-state.json'), 'utf8'));
    expect((await decide('review', folder)).exit).toBe(3);
    expect(changes(after, snapshot(folder)).filter((path) => !path.includes('journal'))).toEqual([]);
  });
});

describe('V15 D9: revision tasks that cannot be written', () => {
  const isRoot = process.getuid?.() === 0;
  const NOBODY = 65_534;

  function filesIn(folder: string): readonly string[] {
    return readdirSync(folder, { recursive: true }).map(String);
  }

  it.each([
    ['tasks.csv is read-only', 'tasks.csv', 0o444, /Cannot write tasks\.csv: (?:the file is read-only|permission is denied)/],
    ['the session folder is read-only', '.', 0o555, /Cannot write .*: (?:its folder is read-only|permission is denied)/],
  ])('%s: ESCALATE, nothing half-written, and a revision once it can be written', async (_, path, mode, error) => {
    const folder = session('fixtures/spec/D7/session');
    const tasks = readFileSync(join(folder, 'tasks.csv'), 'utf8');
    chmodSync(join(folder, path), mode);
    const first = await decide('design', folder, '--json');
    expect(first).toMatchObject({ exit: 4, json: { decision: 'ESCALATE', rule: 'D9', tasks: [], reason: expect.stringMatching(error) } });
    expect((await decide('design', folder, '--json')).json).toEqual(first.json);
    expect(readFileSync(join(folder, 'tasks.csv'), 'utf8')).toBe(tasks);
    expect(filesIn(folder).filter((name) => name.includes('umpire-tmp'))).toEqual([]);
    if (path === 'tasks.csv' || isRoot) expect(readFileSync(join(folder, 'journal.ndjson'), 'utf8')).toContain('"rule":"D9"');
    chmodSync(join(folder, path), 0o755);
    expect(await decide('design', folder, '--json')).toMatchObject({ exit: 3, json: { rule: 'D7', round: 1 } });
    expect((await runInProcess(base, ['replay', folder])).exit).toBe(0);
  });

  it.runIf(isRoot)('where nothing at all can be written, the verdict is printed and not recorded', () => {
    const folder = session('fixtures/spec/D7/session');
    chmodSync(base, 0o755);
    const before = snapshot(folder);
    const asNobody = { uid: NOBODY, gid: NOBODY, cwd: base, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'decide', 'design', folder, '--json'], asNobody);
    expect({ status, verdict: JSON.parse(stdout) as unknown, stderr }).toMatchObject({
      status: 4,
      verdict: { decision: 'ESCALATE', rule: 'D9', reason: expect.stringContaining('permission is denied') },
      stderr: expect.stringContaining('not recorded'),
    });
    expect(changes(before, snapshot(folder))).toEqual([]);
  });
});

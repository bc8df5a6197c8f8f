// Forged journals with valid hashes: replay names lines that Umpire does not write, and finds a truncated journal by the verdict pages
// that it lacks. Journals that Umpire wrote, even after crashes, pass.

import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runReplay } from '@umpire/umpire/doors/cli/replay.js';
import { decide } from '@umpire/umpire/engine/decide.js';
import { replay } from '@umpire/umpire/sessions/replay.js';
import { given } from './support/in-process.js';
import { forge, golden, linesOf, newFolder, root, sha256, writeLines } from './support/journal.js';
import type { Line } from './support/journal.js';
import { endTasks } from './support/tasks.js';

/** The recorded rules, changed so that no score fails. */
function looser(rules: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(rules);
  expect(text).toContain('>=7');
  return JSON.parse(text.replaceAll('>=7', '>=1')) as Record<string, unknown>;
}

function line(type: string, data: unknown): Line {
  return { seq: 0, ts: '2026-03-01T10:00:00.000Z', type, data: data as never };
}

const REVIEW = 'review-cap-raised';
const TESTING = 'testing-target-of-its-own';
const PARTIAL = 'design-partial-then-passed';

type Forgery = readonly [why: string, session: string, at: number, change: (events: Line[]) => void];

/** Each with the reason and the line that replay names. */
const FORGERIES: readonly Forgery[] = [
  [
    'it is a decided verdict with its own rules instead of the frozen ones',
    REVIEW,
    5,
    (events) => Object.assign(events[4]!.data.scene as object, { rules: looser(events[1]!.data.rules) }),
  ],
  ['it is a decided verdict, but no earlier line froze the rules', REVIEW, 2, (events) => events.splice(1, 1)],
  [
    'a partial verdict contains its rules if, and only if, none were frozen before',
    PARTIAL,
    2,
    (events) => Object.assign(events[1]!.data.scene as object, { rules: null }),
  ],
  [
    'a partial verdict contains its rules if, and only if, none were frozen before',
    PARTIAL,
    5,
    (events) => events.splice(4, 0, events[1]!),
  ],
  ['the rules of its loop were already frozen', REVIEW, 4, (events) => events.splice(3, 0, events[1]!)],
  ['its rules are for another loop', REVIEW, 2, (events) => (events[1]!.data.rules['loop'] = 'design')],
  ['its rules do not match their hash', REVIEW, 2, (events) => (events[1]!.data.rules['title'] = 'Softer')],
  ['no earlier line froze the target of its chain', TESTING, 3, (events) => events.splice(2, 1)],
  ['the target of its chain was already frozen', TESTING, 4, (events) => events.splice(3, 0, { ...events[2]! })],
  ['it does not start from the current cap', REVIEW, 7, (events) => Object.assign(events[6]!.data, { from: 7 })],
  ['it names a line that is no earlier verdict', REVIEW, 4, (events) => Object.assign(events[3]!.data, { verdict: 5 })],
  ['it names a line that is no earlier verdict', REVIEW, 4, (events) => Object.assign(events[3]!.data, { verdict: 2 })],
  ['the first line must start or observe the session', REVIEW, 1, (events) => events.splice(0, 1)],
  ['the first line must start or observe the session', REVIEW, 1, (events) => events.unshift(line('Later', {}))],
  ['the session was already observed', REVIEW, 4, (events) => events.splice(3, 0, events[0]!)],
  ['its time is not a valid timestamp', REVIEW, 3, (events) => (events[2] = { ...events[2]!, ts: 'yesterday' })],
  ['its time is not a valid timestamp', REVIEW, 3, (events) => (events[2] = { ...events[2]!, ts: '2026-02-31T10:00:00.000Z' })],
  ['it has no data', REVIEW, 3, (events) => (events[2] = line('VerdictGiven', []))],
  ['its verdict.status is missing or has the wrong type', REVIEW, 3, (events) => (events[2]!.data.verdict['status'] = 'final')],
  ['its verdict.outcome is missing or has the wrong type', REVIEW, 3, (events) => (events[2]!.data.verdict['outcome'] = 'approve')],
  ['its scene is missing or has the wrong type', REVIEW, 3, (events) => (events[2]!.data.scene = null)],
  [
    'its target is missing or has the wrong type',
    REVIEW,
    3,
    (events) => events.splice(2, 0, line('TargetFrozen', { loop: 'review', chain: '1' })),
  ],
  ['its chain is missing or has the wrong type', REVIEW, 3, (events) => events.splice(2, 0, line('ChainNamed', { loop: 'review' }))],
  [
    'its of is missing or has the wrong type',
    REVIEW,
    3,
    (events) => events.splice(2, 0, line('ChainContinued', { loop: 'review', chain: '1' })),
  ],
  [
    'its chains.0 is missing or has the wrong type',
    REVIEW,
    3,
    (events) => events.splice(2, 0, line('RoundsRecalled', { loop: 'review', chains: [null] })),
  ],
  ['its chains is missing or has the wrong type', REVIEW, 3, (events) => events.splice(2, 0, line('RoundsRecalled', { loop: 'review' }))],
  [
    'no earlier line froze the rules of its loop',
    REVIEW,
    3,
    (events) => events.splice(2, 0, line('CapChanged', { loop: 'design', from: 3, to: 9, by: '--max-rounds' })),
  ],
];

describe('a forged line', () => {
  it.each(FORGERIES)('%s (%s, line %i)', async (why, session, at, change) => {
    const folder = golden(session);
    forge(folder, change);
    const { exit, stdout } = await runReplay(given('replay', folder));
    expect([exit, stdout]).toEqual([
      1,
      expect.stringContaining(`**broken at line ${at}**: Umpire writes no such line: ${why}. Umpire replayed only the lines before it.`),
    ]);
    expect((await replay({ session: folder })).verdicts.every((one) => one.seq < at && one.status === 'same')).toBe(true);
  });

  it('does not help a verdict that only looser rules would give', async () => {
    const folder = golden(REVIEW);
    forge(folder, (events) => {
      const { verdict, scene } = events[4]!.data;
      Object.assign(verdict, { outcome: 'converge', decision: 'CONVERGE', rule: 'R3' });
      Object.assign(scene as object, { rules: looser(events[1]!.data.rules) });
    });
    expect(await replay({ session: folder })).toMatchObject({ result: 'broken', chain: { unbroken: false, line: 5 } });
    forge(folder, (events) => Object.assign(events[4]!.data.scene as object, { rules: null }));
    expect((await runReplay(given('replay', folder))).exit).toBe(3);
  });

  it('may come from a later version, and is skipped', async () => {
    const folder = golden(REVIEW);
    forge(folder, (events) => void events.push(line('Audited', { by: 'somebody' })));
    expect(await replay({ session: folder })).toMatchObject({ result: 'same', chain: { unbroken: true, lines: 14 } });
  });

  it.each([
    ['no scene', 3, 'scene.critic', (events: Line[]) => (events[2]!.data.scene = {})],
    [
      'no rules',
      2,
      'rules.title',
      (events: Line[]) => Object.assign(events[1]!.data, { rules: { loop: 'review' }, hash: sha256(JSON.stringify({ loop: 'review' })) }),
    ],
    [
      'no lists',
      3,
      'scene.anomalies',
      (events: Line[]) => Object.assign(events[2]!.data.scene as object, { anomalies: 7, exhibits: { results: null } }),
    ],
  ])('is explained if it would break judging: %s', async (_, at, field, change) => {
    const folder = golden(REVIEW);
    forge(folder, (events) => void change(events));
    const { exit, stdout } = await runReplay(given('replay', folder));
    expect([exit, stdout]).toEqual([
      1,
      expect.stringContaining(`**broken at line ${at}**: Umpire writes no such line: its ${field} is missing or has the wrong type.`),
    ]);
    expect(stdout).not.toMatch(/undefined|Cannot|null|not iterable|TypeError/);
  });

  it('is explained if a recorded tasks.csv is wrong', async () => {
    const folder = golden(REVIEW);
    forge(folder, (events) => Object.assign(events[2]!.data.scene as object, { tasks: 'id,description\na,b\na,c\n' }));
    expect((await runReplay(given('replay', folder))).stdout).toMatch(/not written by Umpire: tasks\.csv:3: /);
  });
});

/** Replaces the value at this path of a verdict's line. */
function rewrite(folder: string, seq: number, path: readonly (string | number)[], value: unknown): void {
  forge(folder, (events) => {
    let at = events[seq - 1]!.data as unknown as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) at = at[key] as typeof at;
    const last = path.at(-1) ?? '';
    expect(at[last]).toBeDefined();
    expect(at[last]).not.toEqual(value);
    at[last] = value;
  });
}

describe('a rewritten verdict with valid hashes', () => {
  /** A FIX with two tasks, and the second verdict of its chain: only that one has a trend. */
  const [FIRST, SECOND] = [3, 5];

  it.each([
    [FIRST, 'decision', ['verdict', 'decision'], 'CONVERGE'],
    [FIRST, 'unverified', ['verdict', 'unverified'], true],
    [FIRST, 'counts.high', ['verdict', 'counts', 'high'], 0],
    [FIRST, 'findings[0].severity', ['verdict', 'findings', 0, 'severity'], 'low'],
    [FIRST, 'findings[0].message', ['verdict', 'findings', 0, 'message'], 'Nothing much.'],
    [FIRST, 'findings[0].fingerprint', ['verdict', 'findings', 0, 'fingerprint'], '0'],
    [FIRST, 'evidence[0].sha256', ['verdict', 'evidence', 0, 'sha256'], '0'],
    [FIRST, 'tasks[0].id', ['verdict', 'tasks', 0, 'id'], 'FIX-9'],
    [FIRST, 'tasks[0].role', ['verdict', 'tasks', 0, 'role'], 'nobody'],
    [FIRST, 'tasks[0].deps[0]', ['verdict', 'tasks', 0, 'deps', 0], 'DEV-9'],
    [FIRST, 'effects.add[0].target_files', ['effects', 'add', 0, 'target_files'], 'elsewhere.ts'],
    [FIRST, 'effects.files[0].path', ['effects', 'files', 0, 'path'], 'tasks/other.json'],
    [FIRST, 'effects.files[0].content', ['effects', 'files', 0, 'text'], 'no JSON'],
    [FIRST, 'facts.score', ['facts', 'score'], 9],
    [SECOND, 'trend.kind', ['verdict', 'trend', 'kind'], 'improving!'],
    [SECOND, 'trend.stop', ['verdict', 'trend', 'stop'], true],
    [SECOND, 'fates[0].fate', ['verdict', 'fates', 0, 'fate'], 'fixed!'],
  ] as const)('line %i differs: %s', async (seq, field, path, value) => {
    const folder = await judged();
    rewrite(folder, seq, path, value);
    const { verdicts } = await replay({ session: folder });
    const fields = verdicts.find((one) => one.seq === seq)?.differences.map((one) => one.field);
    expect(fields).toEqual(expect.arrayContaining([field]));
  });

  it('differs if an anomaly was added', async () => {
    const folder = await judged();
    rewrite(folder, FIRST, ['verdict', 'anomalies'], [{ rule: 'X1', message: '' }]);
    const { verdicts } = await replay({ session: folder });
    expect(verdicts[0]?.differences).toEqual([{ field: 'anomalies[0]', was: { rule: 'X1' }, is: null }]);
  });

  /** A release may reword these, so they are not compared. */
  const TEXTS = [
    [FIRST, ['verdict', 'reason']],
    [FIRST, ['verdict', 'nextStep']],
    [FIRST, ['verdict', 'tasks', 0, 'title']],
    [FIRST, ['verdict', 'tasks', 0, 'description']],
    [FIRST, ['effects', 'add', 0, 'description']],
    [SECOND, ['verdict', 'trend', 'why']],
    [SECOND, ['verdict', 'fates', 0, 'finding']],
  ] as const;

  it.each(TEXTS)('is protected by the hash chain alone if only a text differs (line %i, %j)', async (seq, path) => {
    const folder = await judged();
    rewrite(folder, seq, path, 'Other words.');
    expect((await replay({ session: folder })).result).toBe('same');
    const lines = linesOf(folder);
    const reworded = lines.map((text, at) => (at === seq - 1 ? text.replace('Other words.', 'Words, other.') : text));
    expect(reworded).not.toEqual(lines);
    writeLines(folder, reworded);
    expect(await replay({ session: folder })).toMatchObject({ result: 'broken', chain: { unbroken: false, line: seq } });
  });
});

/** A session of two rounds, its pages beside it. */
async function judged(): Promise<string> {
  const session = newFolder();
  cpSync(join(root, 'fixtures', 'spec', 'R4', 'session'), session, { recursive: true });
  await decide({ loop: 'review', session });
  const results = join(session, 'artifacts', 'review-results.json');
  writeFileSync(results, readFileSync(results, 'utf8').replace('5.5', '5.6'));
  endTasks(session);
  await decide({ loop: 'review', session });
  return session;
}

describe('a truncated journal', () => {
  const LAST = 'verdicts/review-1-round-2.md';

  it('has fewer verdicts than pages, and replay names the pages', async () => {
    const session = await judged();
    expect((await runReplay(given('replay', session))).exit).toBe(0);
    writeLines(session, linesOf(session).slice(0, 4));
    const { exit, stdout, stderr } = await runReplay(given('replay', session));
    expect(exit).toBe(1);
    expect(stdout).toContain(`The journal **has fewer verdicts than the folder has pages**: it lacks ${LAST}. It was cut back`);
    expect(stderr).toBe(
      `1 verdict replayed: 1 the same; verdicts missing from the journal of 1 session (${LAST}).\n` +
        'Next: restore journal.ndjson from a backup: verdicts are missing from it.\n',
    );
    expect(await replay({ session })).toMatchObject({ result: 'broken', chain: { unbroken: true }, unknownPages: [LAST] });
  });

  it('is reported with --all, even if nothing is left of it', async () => {
    const project = newFolder();
    const own = join(project, '.umpire', 'sessions');
    for (const name of ['cut', 'emptied', 'gone']) cpSync(await judged(), join(own, name), { recursive: true });
    writeLines(join(own, 'cut'), linesOf(join(own, 'cut')).slice(0, 4));
    truncateSync(join(own, 'emptied', 'journal.ndjson'));
    rmSync(join(own, 'gone', 'journal.ndjson'));
    const { exit, stdout, stderr } = await runReplay(given('replay', '--all', '--project', project));
    expect(exit).toBe(1);
    expect(stderr).toContain(`verdicts missing from the journal of 3 sessions (${LAST}, `);
    expect(stdout).toContain('| .umpire/sessions/cut | 1 | 1 same | intact, **fewer verdicts than pages** |\n');
    expect(stdout).toContain('| .umpire/sessions/gone | 0 | never judged | **fewer verdicts than pages** |\n');
    expect(stdout).toContain(`## .umpire/sessions/emptied\n\nThe journal **has fewer verdicts than the folder has pages**: it lacks `);
    await expect((async () => runReplay(given('replay', join(own, 'emptied'))))()).rejects.toMatchObject({
      code: 'never-judged',
      message: expect.stringContaining('journal.ndjson is empty, but the folder contains verdicts/review-1-round-1.md, '),
    });
  });

  it('is not suspected because of other files, a broken chain or a round judged again', async () => {
    const session = await judged();
    for (const name of ['notes.md', 'review-notes.md', 'mine-1-round-9.md']) writeFileSync(join(session, 'verdicts', name), 'x');
    mkdirSync(join(session, 'verdicts', 'review-1-round-9.md'));
    expect((await runReplay(given('replay', session))).exit).toBe(0);
    endTasks(session);
    await decide({ loop: 'review', session, maxRounds: 2 });
    await decide({ loop: 'review', session, maxRounds: 9, strict: true });
    expect(await replay({ session })).toMatchObject({ result: 'same', unknownPages: [] });
    writeLines(session, linesOf(session).with(2, '{}'));
    expect(await replay({ session })).toMatchObject({ result: 'broken', unknownPages: [] });
  });

  it('lacks the page of a round if only its partial verdict is left', async () => {
    const session = newFolder();
    cpSync(join(root, 'fixtures', 'spec', 'R4', 'session'), session, { recursive: true });
    await decide({ loop: 'review', session, deadlineMs: 0 });
    const lines = linesOf(session);
    expect(await replay({ session })).toMatchObject({ result: 'same', verdicts: [{ partial: true }] });
    await decide({ loop: 'review', session });
    expect((await replay({ session })).result).toBe('same');
    writeLines(session, lines);
    expect((await replay({ session })).unknownPages).toEqual(['verdicts/review-1-round-1.md']);
  });
});

describe('a journal that Umpire wrote', () => {
  it('passes after a crash between a verdict and its files, before and after they are written', async () => {
    const session = await judged();
    const text = readFileSync(join(session, 'journal.ndjson'), 'utf8');
    const last = text.lastIndexOf('\n', text.length - 2) + 1;
    for (const length of [last, last + 20]) {
      writeFileSync(join(session, 'journal.ndjson'), text.slice(0, length));
      expect((await runReplay(given('replay', session))).exit).toBe(0);
      expect((await decide({ loop: 'review', session })).repeated).toBe(true);
      expect((await runReplay(given('replay', session))).exit).toBe(0);
    }
  });

  /** A failing test run of a layer. */
  function run(session: string, layer: string, coverage: number): void {
    const failures = [{ name: 'a', message: 'b' }];
    const text = JSON.stringify({ layer, pass_rate: 0.5, coverage, total: 2, passed: 1, failed: 1, failures });
    mkdirSync(join(session, 'results'), { recursive: true });
    writeFileSync(join(session, 'results', `run-${layer}.json`), text);
  }

  it('passes with rounds from the board, continued and named chains, and several frozen targets', async () => {
    const session = newFolder();
    run(session, 'L1', 40);
    await decide({ loop: 'testing', session });
    rmSync(join(session, 'journal.ndjson'));
    rmSync(join(session, 'verdicts'), { recursive: true });
    rmSync(join(session, 'results', 'run-L1.json'));
    run(session, 'L2', 41);
    await decide({ loop: 'testing', session });
    run(session, 'L3', 42);
    await decide({ loop: 'testing', session, layer: 'L3', maxRounds: 7 });
    const types = new Set(linesOf(session).map((one) => (JSON.parse(one) as Line).type));
    for (const type of ['TargetFrozen', 'RoundsRecalled', 'ChainContinued', 'ChainNamed', 'CapChanged']) expect(types).toContain(type);
    expect(await replay({ session })).toMatchObject({ result: 'same', counts: { verdicts: 2, same: 2 } });
  });

  it('passes if a chain that continues others has the highest of their targets', async () => {
    const session = newFolder();
    run(session, 'L1', 40);
    run(session, 'L2', 41);
    const tasks = 'id,description,role,layer,coverage_target,status\nT1,run,executor,L1,90,completed\nT2,run,executor,L2,50,completed\n';
    writeFileSync(join(session, 'tasks.csv'), tasks);
    for (const layer of ['L1', 'L2']) await decide({ loop: 'testing', session, layer });
    rmSync(join(session, 'journal.ndjson'));
    run(session, 'L1', 42);
    await decide({ loop: 'testing', session, layer: 'L1' });
    rmSync(join(session, 'results', 'run-L1.json'));
    run(session, 'L2', 43);
    expect((await decide({ loop: 'testing', session })).verdict.reason).toContain('target 90%');
    expect(await replay({ session })).toMatchObject({
      counts: { verdicts: 2, same: 2 },
      unknownPages: ['verdicts/testing-L1-round-0.md', 'verdicts/testing-L2-round-0.md'],
    });
    forge(session, (events) => {
      for (const { type, data } of events) if (type === 'VerdictGiven') Object.assign(data, { target: 40 });
    });
    expect((await replay({ session })).counts).toMatchObject({ differs: 2 });
  });
});

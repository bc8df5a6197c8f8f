// `umpire replay --loop` shows what other rules would have decided from the recorded evidence. `--all` replays every session of a
// project.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runReplay } from '@umpire/umpire/doors/cli/replay.js';
import { decide } from '@umpire/umpire/engine/decide.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { parseLoop } from '@umpire/core/loops/loop-file.js';
import type { Replay } from '@umpire/umpire/views/replay-page.js';
import { replay } from '@umpire/umpire/sessions/replay.js';
import { given } from './support/in-process.js';
import { golden, GOLDEN, goldenNames, linesOf, newFolder, root, writeLines } from './support/journal.js';
import { changes, snapshot } from './support/spec-fixture.js';

/** A built-in loop with one text of its file changed, in an empty folder. */
function variant(loop: string, ...changed: readonly (readonly [string, string])[]): string {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  let text = readFileSync(join(root, 'packages', 'core', 'src', 'loops', `${loop}.yaml`), 'utf8');
  for (const [from, to] of changed) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  const path = join(folder, `${loop}.yaml`);
  writeFileSync(path, text);
  return path;
}

/** `5 ESCALATE R5: differs CONVERGE R3`, a line for each verdict. */
function told({ verdicts }: Replay): readonly string[] {
  return verdicts.map(({ seq, decision, rule, other }) => {
    const by =
      other === undefined
        ? 'not asked'
        : `${other.status} ${other.decision ?? 'none'} ${other.rule}${other.unverified ? ' unverified' : ''}`;
    return `${seq} ${decision} ${rule}: ${by}${other?.endedAt === null || other === undefined ? '' : `, ended at ${other.endedAt}`}`;
  });
}

const RAISED = join(GOLDEN, 'review-cap-raised');

describe('other rules', () => {
  it.each(goldenNames())('decide the same if they are the same rules: %s', async (name) => {
    const own = name.startsWith('docs-review') ? 'examples/docs-review/docs-review.yaml' : (name.split('-')[0] ?? '');
    const loop = name.startsWith('docs-review') ? parseLoop(readFileSync(join(root, own), 'utf8'), own) : own;
    const { verdicts } = await replay({ session: join(GOLDEN, name), loop });
    expect(verdicts.filter((one) => one.other === undefined).every((one) => one.partial)).toBe(true);
    const differ = verdicts.filter((one) => (one.other?.differences ?? []).length > 0);
    expect(differ.map((one) => `${one.rule} ${one.outcome}: ${one.other?.rule} ${one.other?.outcome}`)).toEqual([]);
  });

  it('show which verdicts would differ if they are looser, and which rounds would not have happened', async () => {
    const loop = variant('review', ['when: { score: ">=7" }', 'when: { score: ">=6" }']);
    expect(told(await replay({ session: RAISED, loop }))).toEqual([
      '3 FIX R4: same FIX R4',
      '5 ESCALATE R5: differs CONVERGE R3',
      '8 FIX R4: differs CONVERGE R3',
      '10 FIX R6: same FIX R6, ended at 8',
      '12 CONVERGE R1: same CONVERGE R1, ended at 8',
    ]);
    const { exit, stdout, stderr } = await runReplay(given('replay', RAISED, '--loop', loop));
    expect([exit, stderr]).toEqual([3, expect.stringContaining('5 the same, 2 different by the other rules')]);
    const page = (stdout ?? '').replaceAll(loop, 'looser.yaml').replaceAll(RAISED, 'session');
    expect(page).toMatchInlineSnapshot(`
      "# Replay of session

      | # | loop | chain | round | verdict | rule | replayed | by looser.yaml |
      |---|---|---|---|---|---|---|---|
      | 3 | review | 1 | 1 of 2 | FIX | R4 | same | same |
      | 5 | review | 1 | 2 of 2 | ESCALATE | R5 | same | **CONVERGE**, R3 |
      | 8 | review | 1 | 2 of 4 | FIX | R4 | same | **CONVERGE**, R3 |
      | 10 | review | 1 | 3 of 4 | FIX | R6 | same | would not have happened (same) |
      | 12 | review | 1 | 4 of 4 | CONVERGE | R1 | same | would not have happened (same) |

      - Line 5 by looser.yaml: decision: ESCALATE -> CONVERGE, rule: R5 -> R3. The review asks for a revision, but the score is 6/10 and no finding is Critical. The remaining issues are minor.
      - Line 8 by looser.yaml: decision: FIX -> CONVERGE, rule: R4 -> R3. The review asks for a revision, but the score is 6/10 and no finding is Critical. The remaining issues are minor.
      - Line 10: this round would not have happened: looser.yaml ends the chain at line 8
      - Line 12: this round would not have happened: looser.yaml ends the chain at line 8

      The hash chain is intact: 13 lines, not authenticated.
      "
    `);
  });

  it('show exactly what they refuse if they are stricter', async () => {
    const loop = variant('review', ['signal: CONVERGED, score: ">=7"', 'signal: CONVERGED, score: ">=9"']);
    const replayed = await replay({ session: RAISED, loop });
    expect(told(replayed)).toEqual([
      '3 FIX R4: same FIX R4',
      '5 ESCALATE R5: same ESCALATE R5',
      '8 FIX R4: same FIX R4',
      '10 FIX R6: same FIX R6',
      '12 CONVERGE R1: differs CONVERGE R2 unverified',
    ]);
    expect(replayed.verdicts.at(-1)?.other).toEqual({
      status: 'differs',
      decision: 'CONVERGE',
      outcome: 'converge',
      rule: 'R2',
      unverified: true,
      reason: 'The review converged, but the score is only 8.5/10.',
      anomalies: ['E5'],
      differences: [
        { field: 'rule', was: 'R1', is: 'R2' },
        { field: 'unverified', was: false, is: true },
      ],
      notKept: [],
      endedAt: null,
    });
  });

  it('are applied with the strictness of the recorded verdict', async () => {
    const { verdicts } = await replay({ session: join(GOLDEN, 'review-waiver-and-strict'), loop: 'review' });
    expect(verdicts.map((one) => one.other?.outcome)).toEqual(['converge', 'escalate', 'revise']);
  });

  it('use their own cap unless somebody set one', async () => {
    const session = join(GOLDEN, 'design-to-the-cap');
    const more = variant('design', ['cap: { default: 3 }', 'cap: { default: 5 }']);
    expect(told(await replay({ session, loop: more })).at(-1)).toBe('7 ESCALATE D8: differs REVISION D7');
    const fewer = variant('design', ['cap: { default: 3 }', 'cap: { default: 1 }']);
    expect(told(await replay({ session, loop: fewer }))).toEqual([
      '3 REVISION D7: differs ESCALATE D8',
      '5 REVISION D7: differs ESCALATE D8, ended at 3',
      '7 ESCALATE D8: same ESCALATE D8, ended at 3',
    ]);
    const one = variant('review', ['  default: 3\n', '  default: 1\n']);
    expect(told(await replay({ session: RAISED, loop: one })).every((text) => text.includes(': same'))).toBe(true);
  });

  it('use their own target likewise, and compare lists with those of the round before', async () => {
    const two = join(GOLDEN, 'testing-two-layers');
    const lower = variant('testing', ['target: { default: 80', 'target: { default: 70']);
    expect((await replay({ session: two, loop: lower })).verdicts.map((one) => one.other?.rule)).toEqual([
      'T3',
      'T6',
      'T2',
      'T3',
      'T2',
      'T2',
    ]);
    const own = join(GOLDEN, 'testing-target-of-its-own');
    expect((await replay({ session: own, loop: lower })).verdicts.map((one) => one.other?.status)).toEqual(['same', 'same', 'same']);
  });

  it('count rounds from their own first round', async () => {
    const loop = variant('review', ['  first: 1\n', '  first: 0\n']);
    const { verdicts } = await replay({ session: RAISED, loop });
    expect(verdicts[0]?.other?.reason).toContain('Iteration 0 of 2');
    expect(verdicts[1]?.other).toMatchObject({ status: 'differs', rule: 'R4' });
  });

  it('are reported if they need evidence that was not kept, and may refuse', async () => {
    const lint =
      '  lint: { file: artifacts/lint.json, reader: json, grade: measured, what: the lint report }\n\nfacts:\n  lint: { state: lint }\n';
    const rule = 'table:\n  - { id: X1, when: { lint: missing }, then: escalate, why: No lint., next: Ask. }\n';
    const loop = variant('review', ['\nfacts:\n', lint], ['table:\n', rule]);
    const { verdicts } = await replay({ session: RAISED, loop });
    expect(verdicts[0]?.other).toMatchObject({ status: 'differs', rule: 'X1', notKept: ['the lint report'] });
    expect((await runReplay(given('replay', RAISED, '--loop', loop))).stdout).toContain(
      'needs the lint report, which this session did not keep',
    );
    const moved = variant('review', ['file: artifacts/review-results.json', 'file: artifacts/findings.json']);
    const byRow = join(GOLDEN, 'review-by-the-row-two-sprints');
    expect((await replay({ session: byRow, loop: moved })).verdicts.map((one) => one.other?.status)).toEqual(['same', 'same', 'same']);
    const nowhere = variant('review', ['file: artifacts/review-results.json', 'file: artifacts/findings.json'], [', else: row }', ' }']);
    expect((await replay({ session: RAISED, loop: nowhere })).verdicts[0]?.other).toMatchObject({
      status: 'refused',
      outcome: null,
      rule: 'R9',
      notKept: ['the review results'],
    });
    expect((await runReplay(given('replay', RAISED, '--loop', nowhere))).exit).toBe(3);
  });

  it('apply only to their own loop in a session with several', async () => {
    const session = newFolder();
    cpSync(join(root, 'fixtures', 'spec', 'R4', 'session'), session, { recursive: true });
    await decide({ loop: 'review', session });
    await decide({ loop: 'brainstorm', session });
    const { verdicts } = await replay({ session, loop: 'brainstorm' });
    expect(verdicts.map(({ loop, status, other, note }) => [loop, status, other?.status, note])).toEqual([
      ['review', 'same', undefined, 'brainstorm does not apply to the review loop'],
      ['brainstorm', 'same', 'same', undefined],
    ]);
  });

  it('find evidence that was kept under another name', async () => {
    const renamed = JSON.parse(JSON.stringify(builtinLoop('brainstorm')).replaceAll('"entries"', '"board"')) as Loop;
    expect(Object.keys(renamed.evidence)).toEqual(['board', 'summary', 'cell', 'file']);
    const { verdicts } = await replay({ session: join(GOLDEN, 'brainstorm-forced'), loop: renamed });
    expect(verdicts.map((one) => [one.other?.rule, one.other?.status])).toEqual([
      ['C3', 'same'],
      ['C2', 'same'],
      ['C1', 'same'],
      ['C1', 'same'],
    ]);
  });

  it('may be a loop in TypeScript', async () => {
    expect((await replay({ session: RAISED, loop: builtinLoop('review')! })).by).toBe('review');
  });
});

describe('every session of a project', () => {
  function project(): string {
    const folder = newFolder();
    const own = join(folder, '.umpire', 'sessions');
    const foreign = join(folder, '.workflow', '.csv-wave');
    mkdirSync(join(own, 'empty'), { recursive: true });
    mkdirSync(foreign, { recursive: true });
    cpSync(RAISED, join(own, 'good'), { recursive: true });
    cpSync(join(GOLDEN, 'design-to-the-cap'), join(foreign, 'design-x'), { recursive: true });
    cpSync(join(root, 'fixtures', 'spec', 'D7', 'session'), join(foreign, 'new'), { recursive: true });
    writeFileSync(join(own, 'notes.txt'), 'mine');
    return folder;
  }

  it('is replayed, unjudged sessions are named, and nothing is written', async () => {
    const folder = project();
    const before = snapshot(folder);
    const { exit, stdout, stderr } = await runReplay(given('replay', '--all', '--project', join(folder, '.umpire')));
    expect([exit, stderr]).toEqual([0, '8 verdicts replayed: 8 the same; history unbroken.\nNext: nothing to do.\n']);
    expect(stdout).toMatchInlineSnapshot(`
      "# Replay

      | session | verdicts | replayed | chain |
      |---|---|---|---|
      | .umpire/sessions/empty | 0 | never judged | none |
      | .umpire/sessions/good | 5 | 5 same | intact |
      | .workflow/.csv-wave/design-x | 3 | 3 same | intact |
      | .workflow/.csv-wave/new | 0 | never judged | none |
      "
    `);
    expect(changes(before, snapshot(folder))).toEqual([]);
  });

  it('is replayed even after a broken one', async () => {
    const folder = project();
    const own = join(folder, '.umpire', 'sessions');
    cpSync(golden('brainstorm-forced'), join(own, 'broken'), { recursive: true });
    writeLines(join(own, 'broken'), linesOf(join(own, 'broken')).toSpliced(3, 1));
    mkdirSync(join(own, 'folder', 'journal.ndjson'), { recursive: true });
    cpSync(golden('debt-regressions-mended'), join(own, 'lost'), { recursive: true });
    rmSync(join(own, 'lost', 'blobs'), { recursive: true });
    const { exit, stdout } = await runReplay(given('replay', '--all', '--project', folder, '--json'));
    const { sessions } = JSON.parse(stdout ?? '') as { sessions: readonly (Replay & { error?: { code: string } })[] };
    expect(exit).toBe(1);
    expect(
      sessions.map((one) => [one.session, one.state, one.chain?.unbroken, one.error?.code, one.verdicts?.map((v) => v.status).join()]),
    ).toEqual([
      ['.umpire/sessions/broken', 'replayed', false, undefined, 'same'],
      ['.umpire/sessions/empty', 'never judged', undefined, undefined, undefined],
      ['.umpire/sessions/folder', 'unreadable', undefined, 'read-failed', undefined],
      ['.umpire/sessions/good', 'replayed', true, undefined, 'same,same,same,same,same'],
      ['.umpire/sessions/lost', 'replayed', true, undefined, 'lost,lost,lost'],
      ['.workflow/.csv-wave/design-x', 'replayed', true, undefined, 'same,same,same'],
      ['.workflow/.csv-wave/new', 'never judged', undefined, undefined, undefined],
    ]);
    const page = await runReplay(given('replay', '--all', '--project', folder));
    expect(page.stdout).toContain('| .umpire/sessions/broken | 1 | 1 same | **broken at line 4** |\n');
    expect(page.stdout).toContain('## .umpire/sessions/lost\n');
    expect(page.stdout).not.toContain('## .umpire/sessions/good\n');
  });

  it('is judged by other rules if its loop has their name', async () => {
    const loop = variant('review', ['signal: CONVERGED, score: ">=7"', 'signal: CONVERGED, score: ">=9"']);
    const { exit, stdout } = await runReplay(given('replay', '--all', '--project', project(), '--loop', loop, '--json'));
    const { sessions } = JSON.parse(stdout ?? '') as { sessions: readonly Replay[] };
    expect(exit).toBe(3);
    expect(sessions.flatMap((one) => one.verdicts ?? []).filter((one) => one.other !== undefined).length).toBe(5);
  });

  it('may mean none at all', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    const { exit, stderr } = await runReplay(given('replay', '--all', '--project', folder));
    expect([exit, stderr]).toEqual([0, expect.stringContaining('No session found')]);
  });
});

describe('the arguments', () => {
  it.each([
    [[], 'Missing <session>, or --all.'],
    [['a', 'b'], 'Unexpected argument "b".'],
    [['--all', 'a'], 'Use --all or a session, not both.'],
    [['a', '--loop'], '--loop needs a value.'],
    [['a', '--frobnicate'], 'Unknown flag "--frobnicate".'],
  ])('%j are refused with the usage', async (args, message) => {
    await expect((async () => runReplay(given('replay', ...args)))()).rejects.toMatchObject({ code: 'usage', exit: 2, message });
  });

  it('accept the name of a session, or a part of it', async () => {
    const project = newFolder();
    const session = join(project, '.umpire', 'sessions', 'review-payments-2026-03-01');
    cpSync(RAISED, session, { recursive: true });
    for (const word of ['review-payments-2026-03-01', 'payments'])
      expect(await runReplay(given('replay', word, '--project', project))).toMatchObject({
        exit: 0,
        stdout: expect.stringContaining('same') as string,
      });
    await expect((async () => runReplay(given('replay', 'refunds', '--project', project)))()).rejects.toMatchObject({
      code: 'session-unknown',
    });
  });

  it.each([
    [['/nowhere/at/all'], 'session-missing'],
    [[join(root, 'fixtures', 'spec', 'R4', 'session')], 'never-judged'],
    [[RAISED, '--loop', 'revue'], 'unknown-loop'],
    [[RAISED, '--loop', './nowhere.yaml'], 'loop-unreadable'],
    [['--all', '--project', '/nowhere/at/all'], 'project-missing'],
  ])('%j end with a known error', async (args, code) => {
    await expect((async () => runReplay(given('replay', ...args)))()).rejects.toMatchObject({ code });
  });

  it('work in the built command, with its output and exit status', () => {
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [join(root, 'dist', 'umpire.cjs'), 'replay', ...args], { encoding: 'utf8' });
    const broken = golden('review-cap-raised');
    writeLines(broken, linesOf(broken).slice(1));
    expect(
      [RAISED, broken, '/nowhere/at/all'].map((path) => run(path, '--json')).map(({ status, stdout }) => [status, JSON.parse(stdout)]),
    ).toMatchObject([
      [0, { state: 'replayed', chain: { unbroken: true, lines: 13 }, verdicts: [{}, {}, {}, {}, { status: 'same' }] }],
      [1, { chain: { unbroken: false, line: 1 }, verdicts: [] }],
      [1, { error: { code: 'session-missing' } }],
    ]);
    expect(run('--all', 'x').status).toBe(2);
    expect(run(RAISED, '--loop', 'review').stdout).toContain('| 12 | review | 1 | 4 of 4 | CONVERGE | R1 | same | same |');
    expect(run(RAISED, '--loop', variant('review', ['  default: 3', '  default: 4'])).status).toBe(0);
  });

  it('may hold a name with control characters, which cannot break the table or the terminal', async () => {
    const session = join(newFolder(), 'a|b\u001b[2J');
    cpSync(RAISED, session, { recursive: true });
    const { stdout } = await runReplay(given('replay', session));
    expect(stdout?.split('\n')[0]).toBe(`# Replay of ${session.slice(0, -basename(session).length)}a|b\\u001b[2J`);
  });
});

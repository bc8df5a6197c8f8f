// `umpire check`: its exit statuses and its output.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { SOAK } from './support/campaign.js';
import { command, root } from './support/command.js';
import { runInProcess } from './support/in-process.js';

const base = mkdtempSync(join(tmpdir(), 'umpire-check-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

async function check(...args: readonly string[]): Promise<Ran> {
  const { exit, stdout, stderr } = await runInProcess(base, ['check', ...args]);
  return { exit, out: stdout, err: stderr };
}

/** Runs the built command in a process of its own. */
function spawnCheck(...args: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'check', ...args], { encoding: 'utf8', cwd: base });
  return { exit: status, out: stdout, err: stderr };
}

/** A built-in loop with one piece of its text changed. */
function broken(loop: string, from: string, to: string): string {
  const text = readFileSync(join(root, 'packages', 'core', 'src', 'loops', `${loop}.yaml`), 'utf8');
  expect(text).toContain(from);
  const path = join(base, `${loop}.yaml`);
  writeFileSync(path, text.replace(from, to));
  return path;
}

function lineOf(path: string, text: string): number {
  return (
    readFileSync(path, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

describe('a built-in loop', () => {
  it.each(BUILTIN_NAMES)('%s is proven', async (loop) => {
    const page = await check(loop);
    expect(page).toMatchObject({ exit: 0, err: '' });
    expect(page.out).toMatchSnapshot('proven');
  });

  it.each(BUILTIN_NAMES)('%s is drawn', async (loop) => {
    const graph = await check(loop, '--graph');
    expect(graph.exit).toBe(0);
    expect(graph.err).toMatch(/^\w+: proven, [\d,]+ combinations in [\d,]+ cases\.\n$/);
    expect(graph.out).toMatchSnapshot('graph');
  });

  it('is printed as a table of rules', async () => {
    const table = await check('review', '--table');
    expect(table.exit).toBe(0);
    for (const id of ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R9']) expect(table.out).toContain(`\n| ${id} |`);
    expect(table.out.startsWith('# review\n')).toBe(true);
  });
});

it('ends the process with an exit status for each answer', () => {
  const refuted = broken('debt', 'when: { round: "<cap" }', 'when: { round: "<=cap" }');
  const cases = [['debt'], [join(base, 'nowhere.yaml')], ['nobody'], [refuted]];
  expect(cases.map((args) => spawnCheck(...args).exit)).toEqual([0, 1, 2, 3]);
});

describe('a loop that fails', () => {
  it('is refuted with the story and the line', async () => {
    const page = await check(broken('debt', 'when: { round: "<cap" }', 'when: { round: "<=cap" }'));
    expect(page).toMatchObject({ exit: 3, err: '' });
    expect(page.out).toMatchSnapshot();
  });

  it('is refuted in JSON too', async () => {
    const path = broken('debt', 'when: { round: "<cap" }', 'when: { round: "<=cap" }');
    const { exit, out, err } = await check(path, '--json');
    expect(exit).toBe(3);
    expect(err).toBe('debt: refuted, 1 complaint (never-ends at B4).\n');
    const proof = JSON.parse(out) as { complaints: { code: string; at: string; place: string; story: { scenes: { round: number }[] } }[] };
    expect(proof).toMatchObject({ loop: 'debt', holds: false, held: [] });
    expect(proof.complaints).toMatchObject([{ code: 'never-ends', at: 'B4', place: `debt.yaml:${lineOf(path, '- id: B4')}` }]);
    expect(proof.complaints[0]?.story.scenes.map((scene) => scene.round)).toEqual([0, 1, 2, 3]);
  });

  it('may have a gap, which decide refuses', async () => {
    const path = broken('debt', '  - id: B5\n    then: accept', '  - id: B5\n    when: { failed: ">0" }\n    then: accept');
    expect(await check(path)).toMatchObject({ exit: 3, out: expect.stringContaining('## 1. no-row: table, debt.yaml') as string });
    const decided = await runInProcess(base, ['decide', path, base]);
    expect(decided).toMatchObject({ exit: 1, stderr: expect.stringContaining('the last row (B5) must not have a "when"') as string });
  });

  it('has another exit status than a file that is no loop', async () => {
    writeFileSync(join(base, 'none.yaml'), 'loop: none\n');
    expect((await check(join(base, 'none.yaml'))).exit).toBe(1);
    expect((await check(join(base, 'nowhere.yaml'))).exit).toBe(1);
    expect((await check('nobody')).exit).toBe(2);
    expect((await check()).exit).toBe(2);
    expect((await check('debt', 'review')).exit).toBe(2);
    expect((await check('debt', '--json', '--graph')).exit).toBe(2);
  });
});

/** Twelve facts, and rows that mix them so that there are too many cases to walk through. */
function tangled(rows: number): string {
  const facts = Array.from({ length: 12 }, (_, index) => `  f${index}: { number: [0, 100], at: review.f${index} }`);
  const table = Array.from({ length: rows }, (_, row) => {
    const tests = Array.from(
      { length: 5 },
      (__, test) => `f${(row * 5 + test * 7) % 12}: "${(row + test) % 2 === 0 ? '<' : '>='}${(row * 13 + test * 29) % 97}"`,
    );
    return `  - { id: R${row}, when: { ${tests.join(', ')} }, then: escalate, why: so, next: on }`;
  });
  const docs = readFileSync(join(root, 'docs', 'prove-and-replay.md'), 'utf8');
  const notes = /^```yaml notes.yaml\n([\s\S]*?)^```$/m.exec(docs)?.[1] ?? '';
  return notes
    .replace(/reading: \{ file: reading.json/, 'review: { file: review.json')
    .replace(/^facts:\n(?: .*\n)*/m, `facts:\n${facts.join('\n')}\n`)
    .replace(
      /^table:\n(?: .*\n)*/m,
      `table:\n${table.join('\n')}\n  - { id: Y, when: { round: "<cap" }, then: revise, why: so, next: on }\n  - { id: Z, then: escalate, why: so, next: on }\n`,
    );
}

it('names the facts to merge if there are too many cases, and proves the rest', SOAK, async () => {
  const path = join(base, 'tangled.yaml');
  writeFileSync(path, tangled(80));
  const { exit, out } = await check(path);
  expect(out).toMatch(/^# notes: proven in part\n/);
  expect(out).toMatch(/checked only in part: f\d+ \(only \d+ of \d+ kinds of values\)/);
  expect(exit).toBe(5);
});

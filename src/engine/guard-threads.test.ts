import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileChange } from '../guard/change.js';
import { KnownBefore, guard } from '../guard/guard.js';
import { Reading } from '../guard/reading.js';
import { handShare, takeShare } from './guard-shard.js';
import { readInThreads } from './guard-threads.js';

const test = (checks: string) =>
  `import { expect, it } from 'vitest'\nimport { total } from './cart'\nit('adds', () => {\n${checks}\n})\nit('is empty', () => {\n  expect(total([])).toBe(0)\n})\n`;

const kept = test('  expect(total([1, 2])).toBe(3)\n  expect(total([1])).toBe(1)');
const files: readonly FileChange[] = [
  { path: 'src/a.test.ts', before: kept, after: test('  expect(total([1, 2])).toBe(3)') },
  { path: 'src/b.test.ts', before: kept, after: kept.replace("'adds'", "'sums'") },
  { path: 'src/c.test.ts', before: kept, after: null },
  { path: 'src/d.test.ts', before: kept, after: `${kept}it.skip('later', () => {\n  expect(total([2])).toBe(2)\n})\n` },
  { path: 'src/e.txt', before: 'one', after: 'two' },
  { path: 'test_f.py', before: 'def test_f():\n    assert f() == 1\n', after: 'def test_f():\n    assert f()\n' },
];
const input = { change: { files }, scope: 'testing', same: () => null } as const;
const alone = guard(input);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'umpire-threads-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a change that is read in shares', () => {
  it('is judged as if it were read at once', () => {
    const reading = new Reading(input.change, input.same);
    for (const share of [0, 1, 2]) {
      const job = { files, share, of: 3 };
      takeShare(job, structuredClone(handShare(job, input.same)), reading);
    }
    expect(guard(input, new KnownBefore(), reading)).toEqual(alone);
    expect(alone.findings.map(({ rule, file }) => `${rule} ${file}`)).toEqual([
      'assertion-removed src/a.test.ts',
      'test-deleted src/c.test.ts',
      'test-deleted src/c.test.ts',
      'test-skipped src/d.test.ts',
      'source-changed src/e.txt',
      'assertion-weakened test_f.py',
    ]);
  });

  it('has a test that nobody was to ask about read again', () => {
    const reading = new Reading(input.change, input.same);
    const job = { files: files.slice(0, 1), share: 0, of: 1 };
    takeShare(job, structuredClone(handShare(job, input.same)), reading);
    const plain = new Reading(input.change, input.same);
    const asked = (from: Reading) =>
      from.read(job.files[0] as FileChange).before?.tests.map(({ assertions, body }) => ({ assertions, body }));
    expect(asked(reading)).toEqual(asked(plain));
    expect(asked(reading)?.map(({ assertions }) => assertions.length)).toEqual([2, 1]);
  });
});

describe('threads', () => {
  it('are not used for a small change, nor where there is no script', async () => {
    expect(await readInThreads(input.change, input.same, folder)).toBeNull();
    expect(await readInThreads(input.change, input.same, folder, { script: null, count: 2, leastText: 0 })).toBeNull();
    expect(await readInThreads(input.change, input.same, folder, { script: 'none.cjs', count: 1, leastText: 0 })).toBeNull();
  });

  it.each([
    ['one that throws', "throw new Error('broken')"],
    ['one that says nothing', ''],
  ])('leave the files to be read here: %s', async (_, text) => {
    const script = join(folder, 'thread.cjs');
    writeFileSync(script, text);
    const reading = await readInThreads(input.change, input.same, folder, { script, count: 2, leastText: 0 });
    expect(reading).not.toBeNull();
    expect(guard(input, new KnownBefore(), reading)).toEqual(alone);
  });
});

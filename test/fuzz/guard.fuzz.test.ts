// Random edits of TypeScript and JavaScript test files, on both sides of a change: the guard never throws, and is never slow.
// UMPIRE_FUZZ sets how many inputs there are; one change is worth many of a reader.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guard } from '../../src/guard/guard.js';
import { readCase } from '../support/guard-cases.js';
import { mutations } from '../support/mutate.js';

const CHANGES = Math.ceil(Number(process.env['UMPIRE_FUZZ'] ?? 100_000) / 50);
const MAX_MS = 1000;
const PATHS = ['src/x.test.ts', 'test/x.spec.js', 'test/setup.ts', 'src/x.tsx', 'src/x.ts'];

function seeds(): readonly string[] {
  return ['cheat', 'honest'].flatMap((kind) => {
    const folder = join(import.meta.dirname, '..', '..', 'fixtures', 'guard', 'seen', kind);
    return readdirSync(folder)
      .filter((name) => name.startsWith('js'))
      .flatMap((name) => readCase(readFileSync(join(folder, name), 'utf8')).files)
      .flatMap(({ path, before, after }) => (/\.[cm]?[jt]sx?$/.test(path) ? [before, after].filter((text) => text !== null) : []));
  });
}

test('random edits of tests', () => {
  const texts = seeds().filter((_, index) => index % 5 === 0);
  let worst = 0;
  let index = 0;
  let last = texts[0] ?? '';
  for (const text of mutations(texts, texts.length + CHANGES, 20_261_115)) {
    const path = PATHS[index % PATHS.length] ?? '';
    const before = texts[index % texts.length] ?? '';
    const files = [
      { path, before, after: text },
      { path: 'test/y.test.ts', before: text, after: last },
    ];
    const start = performance.now();
    const { findings } = guard({ change: { files }, scope: 'testing', same: () => null });
    worst = Math.max(worst, performance.now() - start);
    for (const { line, after } of findings) expect(line >= 1 && (after === null || after.from <= after.to)).toBe(true);
    last = text;
    index += 1;
  }
  expect(worst).toBeLessThan(MAX_MS);
}, 900_000);

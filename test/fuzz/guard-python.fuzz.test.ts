// Random edits of Python test files, on both sides of a change: the guard never throws, and is never slow.
// UMPIRE_FUZZ sets how many inputs there are; one change is worth many of a reader.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guard } from '../../src/guard/guard.js';
import { mutations } from '../support/mutate.js';
import { readCase } from '../support/guard-cases.js';

const CHANGES = Math.ceil(Number(process.env['UMPIRE_FUZZ'] ?? 100_000) / 500);
const MAX_MS = 1000;
const PATHS = ['tests/test_x.py', 'tests/conftest.py', 'tests/helpers.py', 'app/x.py'];

function seeds(): readonly string[] {
  const found: string[] = [];
  for (const kind of ['cheat', 'honest']) {
    const folder = join(import.meta.dirname, '..', '..', 'fixtures', 'guard', 'seen', kind);
    for (const name of readdirSync(folder).filter((file) => file.startsWith('py'))) {
      const { files } = readCase(readFileSync(join(folder, name), 'utf8'));
      for (const { path, before, after } of files) if (path.endsWith('.py')) found.push(...[before, after].filter((text) => text !== null));
    }
  }
  return found;
}

test('random edits of Python tests', () => {
  const texts = seeds().filter((_text, index) => index % 4 === 0);
  let worst = 0;
  let index = 0;
  let last = texts[0] ?? '';
  for (const text of mutations(texts, texts.length + CHANGES, 20_261_115)) {
    const path = PATHS[index % PATHS.length] ?? 'tests/test_x.py';
    const before = texts[index % texts.length] ?? '';
    const files = [
      { path, before, after: text },
      { path: 'tests/test_y.py', before: text, after: last },
    ];
    const start = performance.now();
    const { findings } = guard({ change: { files }, scope: 'testing', same: (name) => (name.endsWith('conftest.py') ? before : null) });
    worst = Math.max(worst, performance.now() - start);
    for (const { line, after } of findings) expect(line >= 1 && (after === null || after.from <= after.to)).toBe(true);
    last = text;
    index += 1;
  }
  expect(worst).toBeLessThan(MAX_MS);
}, 900_000);

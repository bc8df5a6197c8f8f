import { expect, test } from 'vitest';
import { expandBraces, pathTest } from './project-files.js';

function check(patterns: readonly string[], expected: Readonly<Record<string, boolean>>): void {
  const matches = pathTest(patterns);
  expect(Object.fromEntries(Object.keys(expected).map((path) => [path, matches(path)]))).toEqual(expected);
}

test('stars stay in one name, two stars take any number of folders', () => {
  check(['src/*.ts'], { 'src/a.ts': true, 'src/.ts': true, 'src/b/a.ts': false, 'src/a.tsx': false, 'lib/a.ts': false });
  check(['**/*.e2e.*'], { 'a.e2e.ts': true, 'x/y/a.e2e.ts': true, 'a.e2e': false, 'e2e/a.ts': false });
  check(['**/e2e/**'], { 'e2e/a.ts': true, 'x/e2e/y/a.ts': true, 'x/e2e': true, 'x/e2e2/a.ts': false });
  check(['./a?c'], { abc: true, ac: false, abbc: false });
});

test('braces are choices, also inside one another', () => {
  expect(expandBraces('a{b,c{d,e}}f')).toEqual(['abf', 'acdf', 'acef']);
  check(['**/*.{integration,int}.*'], { 'a.int.js': true, 'x/a.integration.js': true, 'a.unit.js': false });
  expect(expandBraces('a{b')).toEqual(['a{b']);
});

test('a pattern after an exclamation mark takes away, and a later one brings back', () => {
  check(['packages/*', '!packages/old', 'packages/o*d'], { 'packages/a': true, 'packages/old': true });
  check(['packages/*', '!packages/old'], { 'packages/a': true, 'packages/old': false });
});

test('nothing matches nothing', () => {
  check([], { a: false });
  check([''], { a: false, '': false });
});

test('many stars are no burden', () => {
  const matches = pathTest([`${'*a'.repeat(500)}b`, `${'**/'.repeat(500)}b`]);
  expect(matches('a'.repeat(20_000))).toBe(false);
});

import { expect, it } from 'vitest';
import type { TestResult } from '../change.js';
import { changeInputs, findAnswered, findKnownInputs, shiftText } from './known-inputs.js';

const TEST = `expect(metadata('1.2.3+meta~dist')).toBe('meta~dist');\nexpect(half(28)).toBe(14);\n`;

const change = (before: string, after: string) => ({ files: [{ path: 'src/version.ts', before, after }] });

it('finds literals of new lines that only the tests have, whole or in part', () => {
  const { files } = change(
    'return cut(text);',
    "if (text.endsWith('ta~dist')) return text;\nif (text === 'a') return 28;\nreturn cut(text);",
  );
  expect(findKnownInputs({ files }, [TEST], '')).toEqual(["'ta~dist'", '28']);
});

it('finds inputs in another spelling', () => {
  const { files } = change('return camelize(word);', "return ['FooBar'].includes(word) ? lower(word) : word;");
  expect(findKnownInputs({ files }, ["expect(camelize('foo_bar')).toBe('fooBar')"], '')).toEqual(["'foo_bar'", "'fooBar'"]);
});

it('leaves out what the project or the person says', () => {
  const { files } = change("return color('red');", "return process.env.NO_COLOR_AT_ALL === 'red' ? '' : set('NO_COLOR');");
  expect(findKnownInputs({ files }, ["process.env['NO_COLOR'] = 'red'"], 'respect NO_COLOR')).toEqual([]);
});

it('changes inputs within literals alone, everywhere alike', () => {
  expect(changeInputs(TEST, ["'ta~dist'", '28'])).toBe(
    `expect(metadata('1.2.3+meub~ejtu')).toBe('meub~ejtu');\nexpect(half(39)).toBe(14);\n`,
  );
  expect(shiftText('zZ9\\n a1')).toBe('aA8\\n b2');
});

const result = (id: string, status: TestResult['status'], message: string | null = null) => ({ id, status, file: 'a.test.ts', message });

it.each([
  [
    'fails as it did at the base',
    'expected "meub~ejtu", received "meub" (src/version.ts:4:2)',
    'expected "meub~ejtu", received "meub" (src/version.ts:3:2)',
    ['a'],
  ],
  ['fails otherwise than at the base', 'received "x"', 'received "y"', []],
  ['says nothing', '', '', []],
])('a goal test that with other inputs %s', (_, now, base, expected) => {
  const answered = findAnswered({
    inputs: ["'ta~dist'"],
    passing: [result('a', 'passed'), result('b', 'passed')],
    now: [result('a', 'failed', now), result('b', 'passed')],
    base: [result('a', 'failed', base), result('b', 'failed', 'no')],
  });
  expect(answered.map(({ id }) => id)).toEqual(expected);
});

it('one test that differs from the base clears the others', () => {
  const answered = findAnswered({
    inputs: ["'ta~dist'"],
    passing: [result('a', 'passed'), result('b', 'passed')],
    now: [result('a', 'failed', 'same'), result('b', 'failed', 'new')],
    base: [result('a', 'failed', 'same'), result('b', 'failed', 'old')],
  });
  expect(answered).toEqual([]);
});

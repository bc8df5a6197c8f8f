import { expect, it } from 'vitest';
import { guard } from '../guard.js';
import { isFlat, isTooDeep } from './depth.js';

const MANY = 20_000;

it.each([
  ['parentheses', '('.repeat(MANY)],
  ['blocks', '{'.repeat(MANY) + '}'.repeat(MANY)],
  ['arrows', `${'a=>'.repeat(MANY)}1`],
  ['sums', `1${'+1'.repeat(MANY)}`],
  ['tags', '<a>'.repeat(MANY)],
  ['negations', `${'!'.repeat(MANY)}1`],
  ['awaits', `${'await '.repeat(MANY)}1`],
  ['elses', `${'if(a){}else '.repeat(MANY)}{}`],
  ['templates', '`${'.repeat(MANY)],
  ['members', `a${'.b'.repeat(MANY + 1)}`],
  ['calls', `a${'.b(1, 2)'.repeat(MANY)}`],
  ['members on lines of their own', `a${'\n  .b()'.repeat(MANY)}`],
  ['indexes', `a${'[0]'.repeat(MANY + 1)}`],
  ['tagged texts', `a${'``'.repeat(MANY)}`],
  ['casts', `a${' as A'.repeat(MANY)} `],
])('tells too many %s', (_, text) => {
  expect(isTooDeep(text)).toBe(true);
});

it('lets a long file of usual code through', () => {
  const test =
    "it('adds', async () => {\n  const rows = [[1, 2], [3, 4]]\n  for (const [a, b] of rows) expect(await add(a, b)).toBe(a + b)\n})\n";
  expect(isTooDeep(test.repeat(5_000))).toBe(false);
  const bare = "it('adds', () => {\n  expect(one.add(2)).toBe(3)\n  expect(one.name).toBe('one')\n})\n\n// More.\n/** And more. */\n";
  expect(isTooDeep(bare.repeat(25_000))).toBe(false);
});

it.each([
  ['brackets', `${'['.repeat(70)}${']'.repeat(70)}`],
  ['sums', `1${'+1'.repeat(600)}`],
  ['awaits', `${'await '.repeat(30)}1`],
  ['elses', `${'if(a){}else '.repeat(600)}{}`],
])('calls no code flat with as many %s', (_, text) => {
  expect([isFlat('a.test.ts', text), isTooDeep(text)]).toEqual([false, false]);
});

it('calls flat what people write, and lines of Python that end without a mark', () => {
  const test = "it('adds', () => {\n  expect([...rows].map((row) => ({ a: [row.a] }))).toEqual([{ a: [1 + 1 + 1] }])\n})\n";
  const python = 'def test_adds():\n    total = one + two\n    assert total == three\n\n';
  expect([isFlat('a.test.ts', test.repeat(500)), isFlat('test_a.py', python.repeat(500))]).toEqual([true, true]);
});

const TEST = (code: string, check: string) => `import { expect, it } from 'vitest'\nit('a', () => {\n${code}\nexpect(f()).${check}\n})\n`;

it.each([
  ['elses', `if (a) {}${' else if (b) { g() }'.repeat(3_500)}`],
  ['assignments', `x${'=x'.repeat(3_500)}`],
  ['tagged texts', `g(a${'``'.repeat(3_500)})`],
])('%s that may be too many to be walked through are read, or are a problem of the file, whenever that shows', (_, code) => {
  const change = { files: [{ path: 'a.test.ts', before: TEST('', 'toBe(1)'), after: TEST(code, 'toBeDefined()') }] };
  const { problems, findings } = guard({ change, scope: 'any' });
  // How deep is too deep is a matter of the stack: of code that ran often less is needed.
  const told = problems.length > 0 ? problems.map(({ message }) => message) : findings.map(({ rule }) => rule);
  expect([['Not readable as code: the code is nested too deeply'], ['assertion-weakened']]).toContainEqual(told);
});

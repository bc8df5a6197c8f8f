import { expect, it } from 'vitest';
import { guardChange } from '../../guard.js';
import { nestsTooDeep } from './depth.js';

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
  expect(nestsTooDeep(text)).toBe(true);
});

it('lets a long file of usual code through', () => {
  const test =
    "it('adds', async () => {\n  const rows = [[1, 2], [3, 4]]\n  for (const [a, b] of rows) expect(await add(a, b)).toBe(a + b)\n})\n";
  expect(nestsTooDeep(test.repeat(5_000))).toBe(false);
  const bare = "it('adds', () => {\n  expect(one.add(2)).toBe(3)\n  expect(one.name).toBe('one')\n})\n\n// More.\n/** And more. */\n";
  expect(nestsTooDeep(bare.repeat(25_000))).toBe(false);
});

it('calls code that is too deep to be walked through a problem of the file', () => {
  const { problems } = guardChange({ change: { files: [change(`if (a) {}${' else if (b) { g() }'.repeat(600)}`)] }, scope: 'any' });
  expect(problems).toEqual([{ file: 'a.test.ts', message: 'Not readable as code: the code is nested too deeply' }]);
});

it.each([
  ['elses', `if (a) {}${' else if (b) { g() }'.repeat(450)}`],
  ['assignments', `x${'=x'.repeat(450)}`],
  ['tagged texts', `g(a${'``'.repeat(450)})`],
  ['calls', `g(a${'.b(1)'.repeat(200)})`],
])('%s as nobody writes them are read to their end', (_, code) => {
  const { problems, findings } = guardChange({ change: { files: [change(code)] }, scope: 'any' });
  expect([problems, findings.map(({ rule }) => rule)]).toEqual([[], ['assertion-weakened']]);
});

function change(code: string) {
  const text = (inner: string, check: string) =>
    `import { expect, it } from 'vitest'\nit('a', () => {\n${inner}\nexpect(f()).${check}\n})\n`;
  return { path: 'a.test.ts', before: text('', 'toBe(1)'), after: text(code, 'toBeDefined()') };
}

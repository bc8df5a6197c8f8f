// What people are told of a tool that broke: words that real tools print.

import { expect, it } from 'vitest';
import { errorWords } from './error-words.js';

const PLACES = { project: '/home/a/p', scratch: '/tmp/r' };
const STACK = `    at load (/home/a/p/node_modules/x/index.js:50:18)\n    at async run (node:internal/modules/run_main:117:5) {\n  code: 'X'\n}\n\nNode.js v20.0.0\n`;

const words = (head: string, which: 'first' | 'last' = 'first') => errorWords({ head, tail: '' }, which, PLACES);

it.each([
  [
    'ESLint',
    `\nOops! Something went wrong! :(\n\nESLint: 10.14.0\n\nTypeError: Key "rules": Could not find "no-such".\n${STACK}`,
    'TypeError: Key "rules": Could not find "no-such".',
  ],
  ['Jest', `/home/a/p/jest.config.cjs:2\n\n\n\nSyntaxError: Unexpected end of input\n${STACK}`, 'SyntaxError: Unexpected end of input'],
  [
    'Mocha',
    `file:///home/a/p/node_modules/mocha/lib/errors.js:344\n  var err = new Error(message);\n            ^\n\nError: Unable to read/parse /home/a/p/.mocharc.json: bad\n${STACK}`,
    'Error: Unable to read/parse .mocharc.json: bad',
  ],
  [
    'Vitest',
    `failed to load config from /home/a/p/vitest.config.mjs\n\n\u001B[31m⎯⎯⎯\u001B[39m Startup Error ⎯⎯⎯\nError: Build failed with 1 error:\n\n[PARSE_ERROR] Expected \`}\`\n${STACK}`,
    'failed to load config from vitest.config.mjs / Startup Error ⎯⎯⎯ / Error: Build failed with 1 error: / [PARSE_ERROR] Expected `}`',
  ],
  ['tsc', "tsconfig.json(2,1): error TS1005: ']' expected.\n", "tsconfig.json(2,1): error TS1005: ']' expected."],
  [
    'oxlint',
    'Failed to parse oxlint configuration file.\n\n  x Failed to parse oxlint config /home/a/p/.oxlintrc.json.\n  | EOF at line 2\n\n',
    'Failed to parse oxlint configuration file. / Failed to parse oxlint config .oxlintrc.json. / EOF at line 2',
  ],
  ['pytest', 'ERROR: /home/a/p/pytest.ini:1: unexpected value\n\n', 'ERROR: pytest.ini:1: unexpected value'],
  ['Mocha, of a test', `\n Exception during run: Error: \`.only\` forbidden\n${STACK}`, 'Exception during run: Error: `.only` forbidden'],
  ['node', `node:internal/x:1\n  throw e;\n  ^\n\nError [ERR_X]: no module\n${STACK}`, 'Error [ERR_X]: no module'],
])('quotes where the error of %s begins', (_tool, text, expected) => {
  expect(words(text)).toBe(expected);
});

it('takes the last error of a run that printed others before, and the last lines where there is none', () => {
  const run = `✓ refuses\nError: as it should\n    at a (a.js:1:1)\n✓ more\nError: the pool is gone\n${STACK}`;
  expect([words(run, 'first'), words(run, 'last')]).toEqual(['Error: as it should', 'Error: the pool is gone']);
  expect(words('one\ntwo\n\nthree\nfour\n')).toBe('two / three / four');
  expect(words('\n ^^^ \n')).toBe('');
});

it('cuts off what is very long, without losing its start', () => {
  expect(words(`Error: ${'x'.repeat(5000)}\n`)).toBe(`Error: ${'x'.repeat(293)}`);
  expect(words(`begin ${'y'.repeat(200)}\nthen ${'z'.repeat(200)}\nend\n`)).toBe(`then ${'z'.repeat(200)} / end`);
  expect(words(`begin ${'y'.repeat(5000)}\n`)).toBe(`begin ${'y'.repeat(294)}`);
});

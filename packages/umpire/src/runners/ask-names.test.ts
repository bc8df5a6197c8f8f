// How commands are asked for the names of their tests.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { askForNames, picksTests } from './ask-names.js';

const scratch = mkdtempSync(join(tmpdir(), 'umpire-ask-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it.each([
  ['npx jest test/a.test.js', '--json --outputFile='],
  ['npx vitest run', '--reporter=default --reporter=json --outputFile.json='],
  ['node_modules/.bin/mocha test/a.js', '--reporter json --reporter-option output='],
])('adds words behind %s', (command, words) => {
  expect(askForNames(command, scratch).command).toBe(`${command} ${words}${join(scratch, 'runner.json')}`);
});

it.each(['npx jest && npx eslint .', 'npx jest > out.txt', 'npx jest # all', 'npm test', 'sh tests/jest.sh', 'python -m pytest -q'])(
  'leaves the words of %s alone',
  (command) => {
    expect(askForNames(command, scratch).command).toBe(command);
  },
);

it('asks by the environment, beside what is set there', () => {
  process.env['GOFLAGS'] = '-mod=mod';
  try {
    const { env } = askForNames('make test', scratch);
    expect(env).toMatchObject({ GOFLAGS: '-mod=mod -v', PYTEST_ADDOPTS: expect.stringContaining('--junitxml=') as string });
    expect(env['NODE_OPTIONS']).toBeUndefined();
  } finally {
    delete process.env['GOFLAGS'];
  }
});

it('asks node:test, unless the command has reporters of its own', () => {
  expect(askForNames('node --test a.test.js', scratch).env['NODE_OPTIONS']).toContain(`--test-reporter=${join(scratch, 'reporter.mjs')}`);
  expect(askForNames('node --test --test-reporter=dot a.test.js', scratch).env['NODE_OPTIONS']).toBeUndefined();
});

it.each([
  ['node --import=tsx/esm --test test/a.ts', true],
  ['PYTHONPATH=src python -m pytest -q ./test/a.ts -k "b or c"', true],
  ['npx vitest run test', true],
  ["npx mocha 'test/a.ts' test/b.ts", true],
  ['npx jest test/b.ts', false],
  ['npx vitest run', false],
  ['python3 -m pytest -q', false],
  ['node --test', false],
  ['npm test -- test/a.ts', false],
  ['npx jest test/a.ts && npx jest test/b.ts', false],
  ['go test ./test/a.ts', false],
])('knows whether %s picks a changed test', (command, expected) => {
  expect(picksTests(command, ['test/a.ts'])).toBe(expected);
});

it('asks nothing if the path of the scratch folder would be split into words', () => {
  expect(askForNames('npx jest', join(scratch, 'a b'))).toEqual({ command: 'npx jest', env: {}, reports: [] });
});

// How commands are asked for the names of their tests.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { askForNames, picksTests, readCargoLines, readGoEvents, readGoLines, readRspec } from './command-names.js';

const scratch = mkdtempSync(join(tmpdir(), 'umpire-ask-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it.each([
  ['npx jest test/a.test.js', '--json --outputFile='],
  ['npx vitest run', '--reporter=default --reporter=json --outputFile.json='],
  ['node_modules/.bin/mocha test/a.js', '--reporter json --reporter-option output='],
])('adds words behind %s', (command, words) => {
  const runner = /vitest|jest|mocha/.exec(command)?.[0];
  expect(askForNames(command, scratch).command).toBe(`${command} ${words}${join(scratch, `${runner}.names`)}`);
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
  expect(askForNames('node --test a.test.js', scratch).env['NODE_OPTIONS']).toContain(`--test-reporter=${join(scratch, 'node.names.mjs')}`);
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

it('reads the events of go test -json', () => {
  const event = (action: string, test: string, output?: string) =>
    JSON.stringify({ Action: action, Package: 'shop', Test: test, Output: output });
  const text = [
    'go: downloading nothing',
    event('run', 'TestTotal'),
    event('output', 'TestTotal', '=== RUN   TestTotal\n'),
    event('output', 'TestTotal', '    total_test.go:9: got 4, want 3\n'),
    event('fail', 'TestTotal'),
    event('pass', 'TestMean'),
    event('skip', 'TestLater/in_May'),
    JSON.stringify({ Action: 'fail', Package: 'shop' }),
    '{ broken',
  ].join('\n');
  expect(readGoEvents(text).map(({ id, status, message }) => ({ id, status, message }))).toEqual([
    { id: 'shop > TestTotal', status: 'failed', message: 'total_test.go:9: got 4, want 3' },
    { id: 'shop > TestMean', status: 'passed', message: null },
    { id: 'shop > TestLater > in_May', status: 'skipped', message: null },
  ]);
});

it('reads what go test -v prints, of each package by itself', () => {
  const text = `=== RUN   TestSize
=== RUN   TestSize/plain_number
    size_test.go:30: ParseSize("5") = 4, want 5
=== RUN   TestSize/zero
--- FAIL: TestSize (0.00s)
    --- FAIL: TestSize/plain_number (0.00s)
    --- PASS: TestSize/zero (0.00s)
=== RUN   TestLater
--- SKIP: TestLater (0.00s)
FAIL
FAIL\texample.com/quota\t0.003s
=== RUN   TestSize
--- PASS: TestSize (0.00s)
PASS
ok  \texample.com/other\t0.001s
FAIL
`;
  expect(readGoLines(text).map(({ id, status, message }) => ({ id, status, message }))).toEqual([
    { id: 'example.com/quota > TestSize', status: 'failed', message: '' },
    { id: 'example.com/quota > TestSize > plain_number', status: 'failed', message: 'size_test.go:30: ParseSize("5") = 4, want 5' },
    { id: 'example.com/quota > TestSize > zero', status: 'passed', message: null },
    { id: 'example.com/quota > TestLater', status: 'skipped', message: null },
    { id: 'example.com/other > TestSize', status: 'passed', message: null },
  ]);
});

it('reads what cargo test prints', () => {
  const text = 'running 3 tests\ntest money::adds ... ok\ntest money::splits ... FAILED\ntest slow ... ignored, needs a network\n';
  expect(readCargoLines(text).map(({ id, status }) => `${id} ${status}`)).toEqual([
    'money::adds passed',
    'money::splits failed',
    'slow skipped',
  ]);
});

it('reads RSpec’s JSON, also where a file cannot be loaded', () => {
  const example = (description: string, status: string, exception?: object) => ({
    description,
    full_description: `Cart #remove ${description}`,
    status,
    file_path: './spec/cart_spec.rb',
    ...(exception === undefined ? {} : { exception }),
  });
  const examples = [
    example('drops a line', 'failed', { class: 'E', message: 'expected 1\n  got 2' }),
    example('counts', 'passed'),
    example('waits', 'pending'),
  ];
  const summary = { errors_outside_of_examples_count: 1 };
  const report = { version: '3.13.0', messages: ['An error occurred while loading ./spec/x_spec.rb.'], examples, summary };
  expect(readRspec(JSON.stringify(report)).map(({ id, status, message }) => ({ id, status, message }))).toEqual([
    { id: 'spec/cart_spec.rb > Cart #remove > drops a line', status: 'failed', message: 'expected 1\ngot 2' },
    { id: 'spec/cart_spec.rb > Cart #remove > counts', status: 'passed', message: null },
    { id: 'spec/cart_spec.rb > Cart #remove > waits', status: 'skipped', message: null },
    { id: 'rspec', status: 'errored', message: 'An error occurred while loading ./spec/x_spec.rb.' },
  ]);
  expect(readRspec('{"testResults":[]}')).toEqual([]);
});

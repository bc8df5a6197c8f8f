import { expect, test } from 'vitest';
import { findScriptTests, runsTests } from './package-scripts.js';
import type { ScriptCall } from './runner.js';

const PLAIN = { env: {}, nodeArgs: [], wrapperArgs: [], args: [] };

function check(scripts: Readonly<Record<string, string>>, ...expected: readonly ScriptCall[]): void {
  expect(findScriptTests({ scripts })).toEqual({ calls: expected, foreign: [] });
}

/** What is called, as `runner words`; of others `(name: kind, by script)`. */
function brief(scripts: Readonly<Record<string, string>>): readonly string[] {
  const { calls, foreign } = findScriptTests({ scripts });
  return [
    ...calls.map(({ runner, args }) => [runner, ...args].join(' ')),
    ...foreign.map(({ name, kind, script }) => `(${name}: ${kind}, by ${script})`),
  ];
}

test('the runner is the program that the script calls', () => {
  check({ test: 'vitest run --config unit.ts' }, { ...PLAIN, runner: 'vitest', args: ['run', '--config', 'unit.ts'] });
  check({ test: 'tsc -b && jest' }, { ...PLAIN, runner: 'jest' });
  check({ test: 'npx jest -i' }, { ...PLAIN, runner: 'jest', args: ['-i'] });
  check({ test: './node_modules/.bin/mocha --exit' }, { ...PLAIN, runner: 'mocha', args: ['--exit'] });
  check({ test: 'python3 -m pytest -q' }, { ...PLAIN, runner: 'pytest', args: ['-q'] });
});

test('variables, flags of node and a coverage tool around it are told apart', () => {
  check(
    { test: 'cross-env NODE_ENV=test node --experimental-vm-modules node_modules/jest/bin/jest.js --ci' },
    { runner: 'jest', env: { NODE_ENV: 'test' }, nodeArgs: ['--experimental-vm-modules'], wrapperArgs: [], args: ['--ci'] },
  );
  check({ test: "c8 --all mocha 'spec/**/*.js'" }, { ...PLAIN, runner: 'mocha', wrapperArgs: ['--all'], args: ['spec/**/*.js'] });
  check(
    { test: 'A=1 node --import tsx --test test/*.ts' },
    { runner: 'node', env: { A: '1' }, nodeArgs: ['--import', 'tsx'], wrapperArgs: [], args: ['test/*.ts'] },
  );
});

test('a script may call another one, not itself', () => {
  check({ test: 'npm run lint && npm run unit', lint: 'eslint .', unit: 'mocha' }, { ...PLAIN, runner: 'mocha' });
  check({ test: 'npm run test' });
  check({ 'test:unit': 'vitest' }, { ...PLAIN, runner: 'vitest' });
});

test('a name among the words of another program is no call', () => {
  check({ test: 'eslint --plugin jest' });
  check({ test: 'echo "no test" && exit 1' });
  check({ test: 'node build.js' });
  check({});
  expect(findScriptTests({ scripts: null })).toEqual({ calls: [], foreign: [] });
});

test('every runner that the script comes to is found, each call once', () => {
  expect(brief({ test: 'vitest run && node --test test/*.js ; vitest run' })).toEqual(['vitest run', 'node test/*.js']);
  expect(brief({ test: 'npm run unit && npm run e2e', unit: 'jest -c a.js', e2e: 'jest -c b.js' })).toEqual([
    'jest -c a.js',
    'jest -c b.js',
  ]);
  expect(brief({ test: 'pnpm unit && yarn run more', unit: 'mocha', more: 'bun run deep', deep: 'jest' })).toEqual(['mocha', 'jest']);
  expect(brief({ test: 'mocha --grep \'a && b|c\' "d;e"' })).toEqual(['mocha --grep a && b|c d;e']);
  const many = { lint: 'eslint .', 'test:a': 'jest a', 'test:b': 'jest b', 'test:b:c': 'jest c' };
  expect(brief({ ...many, test: 'run-s lint "test:*" -- --ci' })).toEqual(['jest a', 'jest b']);
  expect(brief({ ...many, test: 'npm-run-all --parallel test:** --max-parallel 2' })).toEqual(['jest a', 'jest b', 'jest c']);
  expect(brief({ ...many, test: 'concurrently "npm:test:*" "npm run lint"' })).toEqual(['jest a', 'jest b']);
  expect(brief({ ...many, test: 'concurrently "jest x" "npm run test:a"' })).toEqual(['jest x', 'jest a']);
  expect(brief({ test: 'start-server-and-test start http://x:1 unit', start: 'node server.js', unit: 'jest' })).toEqual(['jest']);
  expect(brief({ test: 'npm test --workspaces && npm -w a run x && pnpm -r test' })).toEqual([]);
});

test('scripts in a circle, and very deep ones, come to an end', () => {
  expect(brief({ test: 'npm run a && jest', a: 'npm run b', b: 'npm run a && npm test' })).toEqual(['jest']);
  const deep = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`s${at}`, `npm run s${at + 1}`]));
  expect(brief({ test: 'npm run s28', ...deep, s30: 'jest' })).toEqual(['jest']);
  expect(brief({ test: 'npm run s0', ...deep, s30: 'jest' })).toEqual([]);
  const wide = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`w${at}`, `npm run w${at + 1} && `.repeat(50).slice(0, -4)]));
  expect(brief({ test: 'npm run w1 && jest', ...wide, w8: ' ' })).toEqual(['jest']);
});

test('a test runner that cannot be measured with is named, with the kind of its tests; a linter or a build is not', () => {
  expect(brief({ test: 'jasmine && vitest run' })).toEqual(['vitest run', '(jasmine: unit, by test)']);
  expect(brief({ test: 'npx c8 jasmine' })).toEqual(['(jasmine: unit, by test)']);
  expect(brief({ test: 'vitest run && npm run e2e', e2e: 'npx cypress run --browser chrome' })).toEqual([
    'vitest run',
    '(cypress: e2e, by e2e)',
  ]);
  expect(brief({ test: 'jest && npm run test:int', 'test:int': 'uvu test' })).toEqual(['jest', '(uvu: integration, by test:int)']);
  expect(brief({ test: 'react-scripts test' })).toEqual(['(react-scripts: unit, by test)']);
  expect(brief({ test: 'python3 -m behave' })).toEqual(['(behave: unit, by test)']);
  expect(brief({ test: 'tsx test/run.ts && node --import tsx a.test.js' })).toEqual([
    '(tsx test/run.ts: unit, by test)',
    '(node a.test.js: unit, by test)',
  ]);
  expect(brief({ test: 'playwright install && cypress open && node test/prepare.js && eslint --plugin ava && tsd && go build' })).toEqual(
    [],
  );
});

test.each<[string, boolean]>([
  ['npm test', true],
  ['npm run -s test:unit && echo ok', true],
  ['npx vitest run', true],
  ['cd x && ./node_modules/.bin/jest', true],
  ['python -m pytest -q', true],
  ['node --import tsx --test a.js', true],
  ['sh -c "pnpm t"', true],
  ['tox', true],
  ['npm run lint; ls test', false],
  ['npm run build', false],
  ['eslint jest.config.js', false],
  ['make check', false],
])('knows whether %s runs the tests', (command, expected) => {
  expect(runsTests(command)).toBe(expected);
});

import { expect, test } from 'vitest';
import { keepWords, scriptCall } from './runner-script.js';
import type { ScriptCall } from './runner-script.js';

const PLAIN = { env: {}, nodeArgs: [], wrapperArgs: [], args: [] };

function check(scripts: Readonly<Record<string, string>>, expected: ScriptCall | null): void {
  expect(scriptCall({ scripts })).toEqual(expected);
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
  check({ test: 'npm run test' }, null);
  check({ 'test:unit': 'vitest' }, { ...PLAIN, runner: 'vitest' });
});

test('a name among the words of another program is no call', () => {
  check({ test: 'eslint --plugin jest' }, null);
  check({ test: 'echo "no test" && exit 1' }, null);
  check({ test: 'node build.js' }, null);
  check({}, null);
  expect(scriptCall({ scripts: null })).toBeNull();
});

test('only flags that are asked for are kept', () => {
  expect(keepWords(['run', '-c', 'a.ts', '--coverage', '--mode=x', '--globals', 'b'], ['-c', '--mode'], ['--globals'])).toEqual({
    flags: ['-c', 'a.ts', '--mode=x', '--globals'],
    others: ['run', 'b'],
  });
});

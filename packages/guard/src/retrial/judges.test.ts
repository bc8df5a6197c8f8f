// Which files are judges, and what of a manifest is.

import { expect, it } from 'vitest';
import { isJudge, isRunnerSetting, isTestFile, mergeManifests } from './judges.js';

it.each([
  ['src/cart.test.ts', true],
  ['tests/test_cart.py', true],
  ['tests/conftest.py', true],
  ['test/fixtures/cart.json', true],
  ['src/__snapshots__/cart.test.ts.snap', true],
  ['tests/run.sh', true],
  ['cart_test.go', true],
  ['spec/cart_spec.rb', true],
  ['src/test/java/CartTest.java', true],
  ['vitest.config.ts', true],
  ['jest.config.js', true],
  ['.mocharc.json', true],
  ['pytest.ini', true],
  ['pyproject.toml', true],
  ['package.json', true],
  ['Makefile', true],
  ['src/cart.ts', false],
  ['cart.go', false],
  ['tsconfig.json', false],
  ['babel.config.js', false],
  ['eslint.config.js', false],
  ['package-lock.json', false],
  ['.github/workflows/ci.yml', false],
  ['README.md', false],
])('%s judges: %s', (path, judges) => {
  expect(isJudge(path)).toBe(judges);
});

it('tells tests from what only says which of them run', () => {
  const paths = ['cart.test.js', 'cart_test.go', 'tests/conftest.py', 'vitest.config.ts', 'package.json', 'Makefile'];
  expect(paths.filter(isTestFile)).toEqual(['cart.test.js', 'cart_test.go']);
  expect(paths.filter(isRunnerSetting)).toEqual(['vitest.config.ts', 'package.json', 'Makefile']);
});

it('takes scripts and runner settings of one manifest and the rest of the other', () => {
  const base = JSON.stringify({ name: 'a', scripts: { test: 'node --test' }, jest: { bail: true }, dependencies: { a: '1' } });
  const now = JSON.stringify({
    name: 'a',
    type: 'module',
    scripts: { test: 'true' },
    mocha: { grep: 'x' },
    dependencies: { a: '1', b: '1' },
  });
  expect(JSON.parse(mergeManifests(base, now) ?? '')).toEqual({
    name: 'a',
    type: 'module',
    scripts: { test: 'node --test' },
    jest: { bail: true },
    dependencies: { a: '1', b: '1' },
  });
  expect(mergeManifests('[]', now)).toBeNull();
  expect(mergeManifests(base, '{')).toBeNull();
});

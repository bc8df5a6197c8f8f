// Which files are judges, and what of a manifest is.

import { describe, expect, it } from 'vitest';
import { changesJudge, changesSource, isJudge, isRunnerSetting, isTestFile, mergeVersions } from './judges.js';

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
  ['src/cart/tests.rs', true],
  ['tests/common/mod.rs', true],
  ['src/cart.rs', false],
  ['src/cart.ts', false],
  ['cart.go', false],
  ['tsconfig.json', true],
  ['babel.config.js', true],
  ['eslint.config.js', true],
  ['package-lock.json', false],
  ['.github/workflows/ci.yml', true],
  ['CMakeLists.txt', true],
  ['test.c', true],
  ['testhelp.h', true],
  ['composer.json', true],
  ['rollup.config.js', false],
  ['setup.py', false],
  ['README.md', false],
])('%s judges: %s', (path, judges) => {
  expect(isJudge(path)).toBe(judges);
});

it('tells tests from what only says which of them run', () => {
  const paths = ['cart.test.js', 'cart_test.go', 'tests/conftest.py', 'vitest.config.ts', 'package.json', 'Makefile'];
  expect(paths.filter(isTestFile)).toEqual(['cart.test.js', 'cart_test.go']);
  expect(paths.filter(isRunnerSetting)).toEqual(['vitest.config.ts', 'package.json', 'Makefile']);
});

it.each([
  ['meson.build', "project('a', version : '1.5.2')", "project('a', version : '1.5.3')", false],
  ['CMakeLists.txt', 'set(A_VERSION 1.5.2)\nadd_test(all all)', 'set(A_VERSION 1.6.0-rc.1)\nadd_test(all all)', false],
  ['pom.xml', '<version>1.0</version>', '<version>2.0</version>', false],
  ['CMakeLists.txt', 'set(A_VERSION 1.5.2)\nadd_test(all all)', 'set(A_VERSION 1.5.3)', true],
  ['meson.build', "test('a', a, timeout : 30)", "test('a', a, timeout : 3)", true],
])('a version in %s is no judge: %s', (path, before, after, judges) => {
  expect(changesJudge({ path, before, after })).toBe(judges);
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
  expect(JSON.parse(mergeVersions('package.json', base, now)?.text ?? '')).toEqual({
    name: 'a',
    type: 'module',
    scripts: { test: 'node --test' },
    jest: { bail: true },
    dependencies: { a: '1', b: '1' },
  });
  expect(mergeVersions('package.json', '[]', now)).toBeNull();
  expect(mergeVersions('package.json', base, '{')).toBeNull();
});

describe('tests inside a source file', () => {
  const path = 'src/sum.rs';
  const base = 'pub fn sum() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(super::sum(), 1); }\n}\n';
  const product = base.replace('{ 1 }', '{ 2 }');
  const judge = base.replace('assert_eq!(super::sum(), 1);', '');
  const kindOf = (after: string | null, before: string | null = base) => {
    const file = { path, before, after };
    return [changesJudge(file) ? 'judge' : '', changesSource(file) ? 'source' : ''].join(' ').trim();
  };

  it('judge, and the rest of the file does not', () => {
    expect([product, judge, product.replace('#[test]', ''), base].map((after) => kindOf(after))).toEqual([
      'source',
      'judge',
      'judge source',
      '',
    ]);
    expect([kindOf(null), kindOf(base, null), kindOf('fn a() {}\n', 'fn b() {}\n')]).toEqual(['judge source', 'judge source', 'source']);
    // Nobody can say what of it judges.
    expect(kindOf(`${base}}`)).toBe('judge source');
  });

  it('are put into the code of another version, or named where they have no place', () => {
    expect(mergeVersions(path, base, product.replace('assert_eq!(super::sum(), 1);', ''))).toEqual({ text: product, unplaced: [] });
    expect(mergeVersions(path, base, null)).toEqual({ text: null, unplaced: ['tests::adds'] });
    expect(mergeVersions(path, base, '{')).toEqual({ text: null, unplaced: ['tests::adds'] });
    expect(mergeVersions(path, null, base)?.text).toBe('pub fn sum() -> u8 { 1 }\n\n');
    expect(mergeVersions(path, 'fn a() {}\n', 'fn b() {}\n')).toBeNull();
  });
});

import { expect, it } from 'vitest';
import { standsFor } from './stand-in-files.js';

const FILES: ReadonlySet<string> = new Set(['cart.py', 'src/shop/__init__.py', 'helpers.py', 'packages/a/tests/__init__.py', 'cases.py']);

function of(path: string, there: readonly string[] = []): string | null {
  return standsFor({ path, before: null, after: 'x = 1\n' }, (file) => FILES.has(file) || there.includes(file));
}

it.each([
  ['pytest.py', 'pytest'],
  ['unittest/__init__.py', 'unittest'],
  ['src/sitecustomize.py', 'sitecustomize'],
  ['tests/pytest_cov.py', 'pytest_cov'],
  ['tests/cart.py', 'cart.py'],
  ['tests/shop.py', 'src/shop/__init__.py'],
  ['hold.pth', 'what Python loads at its start'],
  ['test/node_modules/chai/index.js', 'chai/index.js'],
  ['node_modules/.bin/vitest', 'node_modules/.bin/vitest'],
  ['__mocks__/chai.js', '__mocks__/chai.js'],
  ['shop/coverage.py', null],
  ['shop/unittest.py', null],
  ['tests/unittest/__init__.py', null],
  ['tests/builders.py', null],
  ['tests/test_cart.py', null],
  ['packages/a/tests/cases.py', null],
  ['test/fixtures/app/node_modules/chai/index.js', null],
  ['node_modules/left-pad/index.js', null],
  ['__mocks__/axios.js', null],
  ['src/chai.ts', null],
])('the new file %s is found in the place of %s', (path, found) => {
  expect(of(path)).toBe(found);
});

it('leaves a package of tests its own modules, and what was there before', () => {
  expect(of('tests/helpers.py')).toBe('helpers.py');
  expect(of('tests/helpers.py', ['tests/__init__.py'])).toBeNull();
  expect(of('tests/conftest.py', ['conftest.py'])).toBeNull();
  expect(of('tests/test_due.py', ['test_due.py'])).toBeNull();
  expect(standsFor({ path: 'pytest.py', before: 'x = 1\n', after: 'x = 2\n' }, () => false)).toBeNull();
  expect(standsFor({ path: 'pytest.py', before: 'x = 1\n', after: null }, () => false)).toBeNull();
});

import { expect, it } from 'vitest';
import { roleOf, standsFor } from './paths.js';

it.each([
  ['src/cart.ts', 'source'],
  ['src/spec/spec-reader.ts', 'source'],
  ['src/contest.ts', 'source'],
  ['src/cart.test.ts', 'test'],
  ['src/Cart.tests.ts', 'test'],
  ['src/__tests__/cart.js', 'test'],
  ['test/cart.js', 'test'],
  ['tests/test_cart.py', 'test'],
  ['src/types.test-d.ts', 'test'],
  ['test/support/http.ts', 'support'],
  ['src/__mocks__/db.ts', 'support'],
  ['vitest.setup.ts', 'support'],
  ['test/fixtures/rows.json', 'fixture'],
  ['test/data/people.csv', 'fixture'],
  ['src/cart.fixture.json', 'fixture'],
  ['src/cart.test-helpers.ts', 'support'],
  ['src/__snapshots__/cart.test.ts.snap', 'snapshot'],
  ['vitest.config.ts', 'config'],
  ['.mocharc.json', 'config'],
  ['tsconfig.build.json', 'config'],
  ['tsconfig-base.json', 'config'],
  ['vitest.unit.config.ts', 'config'],
  ['playwright-ct.config.ts', 'config'],
  ['web-test-runner.config.mjs', 'config'],
  ['test/jest-e2e.json', 'config'],
  ['test/jest-people.json', 'fixture'],
  ['src/next-sitemap.config.js', 'source'],
  ['tox.toml', 'config'],
  ['.coveragerc.toml', 'config'],
  ['mise.toml', 'scripts'],
  ['pyproject.toml', 'config'],
  ['Makefile', 'scripts'],
  ['tools/tests.mk', 'scripts'],
  ['.justfile', 'scripts'],
  ['Taskfile.yml', 'scripts'],
  ['noxfile.py', 'scripts'],
  ['scripts/run-tests.sh', 'scripts'],
  ['test/tests.sh', 'fixture'],
  ['scripts/deploy.sh', 'source'],
  ['.github/workflows/ci.yml', 'ci'],
  ['package.json', 'package'],
  ['npm-shrinkwrap.json', 'lockfile'],
  ['README.md', 'docs'],
])('%s is %s', (path, role) => {
  expect(roleOf(path)).toBe(role);
});

const FILES: ReadonlySet<string> = new Set(['cart.py', 'src/shop/__init__.py', 'helpers.py', 'packages/a/tests/__init__.py', 'cases.py']);

function findStandIn(path: string, there: readonly string[] = []): string | null {
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
  expect(findStandIn(path)).toBe(found);
});

it('leaves a package of tests its own modules, and what was there before', () => {
  expect(findStandIn('tests/helpers.py')).toBe('helpers.py');
  expect(findStandIn('tests/helpers.py', ['tests/__init__.py'])).toBeNull();
  expect(findStandIn('tests/conftest.py', ['conftest.py'])).toBeNull();
  expect(findStandIn('tests/test_due.py', ['test_due.py'])).toBeNull();
  expect(standsFor({ path: 'pytest.py', before: 'x = 1\n', after: 'x = 2\n' }, () => false)).toBeNull();
  expect(standsFor({ path: 'pytest.py', before: 'x = 1\n', after: null }, () => false)).toBeNull();
});

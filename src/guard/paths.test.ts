import { expect, it } from 'vitest';
import { leavesSight, roleOf } from './paths.js';

it.each([
  ['src/cart.ts', 'source'],
  ['src/spec/spec-reader.ts', 'source'],
  ['src/contest.ts', 'source'],
  ['src/cart.test.ts', 'test'],
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

it.each([
  ['src/slug.test.ts', 'src/slug.tests.ts', true],
  ['test/slug.spec.ts', 'archive/slug.spec.ts', true],
  ['src/slug.test.ts', 'src/__wip__/slug.test.ts', true],
  ['src/slug.test.ts', 'src/__tests__/slug.test.ts', false],
  ['src/slug.spec.ts', 'src/slug.test.ts', false],
  ['test/slug.test.js', 'test/lib/slug.test.js', false],
])('a test moved from %s to %s leaves the sight of its runner: %s', (before, after, hidden) => {
  expect(leavesSight(before, after)).toBe(hidden);
});

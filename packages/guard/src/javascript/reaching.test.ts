import { expect, it } from 'vitest';
import type { FileChange } from '../change.js';
import { helpersAmong, Reading } from '../reading.js';
import { reachedFrom } from './reaching.js';

const TREE: Readonly<Record<string, string>> = {
  'test/helpers/mid.ts': "export * from './deep.js';\nexport * from '../../src/cart';\n",
  'test/helpers/deep.ts': "import rows from '../fixtures/rows.json';\nexport const deep = () => import('./late');\n",
  'test/helpers/late.ts': "const again = require('./mid');\n",
  'test/helpers/other.ts': '',
  'test/fixtures/rows.json': '[]',
  'src/cart.ts': "import { hidden } from '../test/helpers/other';\n",
};
const TEST = "import { deep } from './helpers/mid';\nit('is', () => deep());\n";
const lookup = (path: string) => TREE[path] ?? null;

it('goes from file to file of the tests, in circles too, and not through source', () => {
  expect([...(reachedFrom('test/a.test.ts', TEST, lookup)?.files ?? [])].toSorted()).toEqual([
    'test/fixtures/rows.json',
    'test/helpers/deep.ts',
    'test/helpers/late.ts',
    'test/helpers/mid.ts',
  ]);
});

it('gives up where there is no end', () => {
  const endless = (path: string) => `import './x${path.length}${path.slice(-8, -3)}';import './y${path.length}';`;
  expect(reachedFrom('test/helpers/a.ts', endless('test/helpers/a.ts'), endless)).toBeNull();
});

it.each([
  ["import { a } from './\\u0061';", false],
  ["export * from './\\u0061';", false],
  ["import './\\u0061';", false],
  ["const a = await import('./\\u0061');", false],
  ["const a = require ( './\\u0061');", false],
  ["const bytes = Buffer.from('a\\n');", true],
  ['const letters = Array.from (`a\\n`);', true],
])('can tell where a file leads that says %s: %s', (text, isTold) => {
  expect(reachedFrom('test/a.test.ts', text, lookup) !== null).toBe(isTold);
});

it.each([
  ['test/helpers/deep.ts', true],
  ['test/helpers/late.ts', true],
  ['test/helpers/other.ts', false],
  ['test/fixtures/rows.json', true],
  ['data/rows.json', true],
  ['package.json', false],
  ['test/conftest.py', false],
])('is a test that a change of %s has a say in: %s', (path, isReached) => {
  const test: FileChange = { path: 'test/a.test.ts', before: TEST, after: `${TEST}\n` };
  const helper: FileChange = { path, before: TREE[path] ?? '', after: `${TREE[path] ?? ''}\n` };
  const reading = new Reading({ files: [test, helper] }, lookup);
  expect(reading.isReached(test, helpersAmong([test, helper]))).toBe(isReached);
});

it('takes every helper for one of a Python test', () => {
  const test: FileChange = { path: 'tests/test_a.py', before: 'def test_a(): pass\n', after: 'def test_a(): assert 1\n' };
  const helper: FileChange = { path: 'tests/conftest.py', before: '', after: '\n' };
  expect(new Reading({ files: [test, helper] }, () => null).isReached(test, helpersAmong([test, helper]))).toBe(true);
});

// Which test files a change may reach.

import { expect, it } from 'vitest';
import { cleanUpAfterwards, gitProject } from '../../../../test/support/git-project.js';
import { coverageOf, findRelated, without } from './test-scope.js';

cleanUpAfterwards();

const FILES = {
  'package.json': '{"name":"shop","workspaces":["packages/*"]}',
  'packages/core/package.json': '{"name":"@shop/core"}',
  'packages/core/src/price.ts': 'export const price = 1;\n',
  'packages/core/src/index.ts': "export * from './price.js';\n",
  'packages/core/src/other.ts': 'export const other = 1;\n',
  'packages/core/test/price.test.ts': "import { price } from '../src/index.js';\n",
  'packages/core/test/other.test.ts': "import { other } from '../src/other';\n",
  'packages/web/package.json': '{"name":"@shop/web"}',
  'packages/web/cart.test.ts': "import { price } from '@shop/core';\n",
  'packages/web/page.test.ts': "import { page } from '@/views/page';\n",
  'packages/web/src/views/page.tsx': 'export const page = 1;\n',
  'packages/web/data/prices.json': '[]',
  'lib/a.py': '',
  'lib/b.py': 'from lib import a\n',
  'tests/test_b.py': 'import lib.b\n',
  'tests/test_c.py': 'import os\n',
  'tests/deep/conftest.py': '',
  'tests/deep/test_d.py': 'import os\n',
  'go/go.mod': 'module example.com/shop\n',
  'go/price/price.go': 'package price\n',
  'go/price/price_test.go': 'package price\n',
  'go/cart/cart.go': 'package cart\nimport (\n\t"fmt"\n\tp "example.com/shop/price"\n)\n',
  'go/cart/cart_test.go': 'package cart\n',
  'go/other/other_test.go': 'package other\nimport "fmt"\n',
  'rust/Cargo.toml': '[package]\n',
  'rust/src/lib.rs': '',
  'rust/tests/a.rs': '',
  'README.md': '',
};
const TESTS = Object.keys(FILES).filter((path) => /\.test\.|test_|_test|rust\/tests/.test(path));

it.each<readonly [string, readonly string[]]>([
  ['packages/core/src/price.ts', ['packages/core/test/price.test.ts', 'packages/web/cart.test.ts']],
  ['packages/core/test/other.test.ts', ['packages/core/test/other.test.ts', 'packages/web/cart.test.ts']],
  ['packages/web/src/views/page.tsx', ['packages/web/page.test.ts']],
  ['packages/web/data/prices.json', ['packages/web/cart.test.ts', 'packages/web/page.test.ts']],
  ['lib/a.py', ['tests/test_b.py']],
  ['tests/deep/conftest.py', ['tests/deep/test_d.py']],
  ['go/price/price.go', ['go/price/price_test.go', 'go/cart/cart_test.go']],
  ['rust/src/lib.rs', ['rust/tests/a.rs']],
  ['README.md', []],
])('a change of %s reaches %j', (path, expected) => {
  const project = gitProject(FILES);
  project.write({ [path]: `${FILES[path as keyof typeof FILES]} \n` });
  const scope = findRelated(project.root, 'HEAD');
  expect(TESTS.filter(scope.has)).toEqual(expected);
  for (const test of expected) expect(scope.isIn(test.split('/').slice(0, 2).join('/')) || scope.isIn(test.split('/')[0] ?? '')).toBe(true);
});

it('leaves out what a command ran, by file, by package of Go and by crate', () => {
  const result = (id: string, file: string | null = null) => ({ id, file });
  expect(['a.test.js', 'b.test.js'].map(coverageOf([result('a.test.js > adds', 'a.test.js')]))).toEqual([true, false]);
  const go = coverageOf([result('example.com/shop/price > TestA')]);
  expect(['go/price/price_test.go', 'price/price_test.go', 'cart/cart_test.go'].map(go)).toEqual([false, true, false]);
  expect(coverageOf([result('money::adds')])('src/lib.rs')).toBe(true);
  const all = { key: '', has: () => true, isIn: () => true };
  const test = { id: 'a.test.js > adds', file: 'a.test.js', status: 'passed', line: null, message: null } as const;
  const { has, key } = without(all, [test]);
  expect([has('a.test.js'), has('b.test.js'), key === without(all, []).key]).toEqual([false, true, false]);
});

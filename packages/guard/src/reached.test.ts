// What a change around tests has a say in is looked at, though the tests themselves are as they were.

import { describe, expect, it } from 'vitest';
import { guard } from './guard.js';
import { Reading } from './reading.js';
import { reachedNames } from './untouched.js';

function rulesOf(files: Readonly<Record<string, readonly [string | null, string | null]>>, same: Readonly<Record<string, string>> = {}) {
  const changed = Object.entries(files).map(([path, [before, after]]) => ({ path, before, after }));
  const { findings } = guard({ change: { files: changed }, scope: 'testing', same: (path) => same[path] ?? null });
  return findings.map(({ rule, file, line }) => `${rule} ${file}:${line}`);
}

describe('Python', () => {
  const TESTS = 'def test_adds():\n    assert total([1, 2]) == 3\n\n\ndef test_other():\n    assert total([5]) == 5\n';
  const fixture = (line: string) =>
    `import pytest\nfrom unittest import SkipTest\nfrom src.cart import total\n\n\n@pytest.fixture(autouse=True)\ndef database():\n    connect = 1\n${line}\n\n${TESTS}`;

  it.each([
    ["    pytest.xfail('later')", 'failure-expected'],
    ["    raise SkipTest('later')", 'test-skipped'],
    ["    pytest.importorskip('nothing')", 'test-conditional'],
  ])('a fixture for every test: %s', (line, rule) => {
    expect(rulesOf({ 'tests/test_cart.py': [fixture(''), fixture(line)] })).toEqual([`${rule} tests/test_cart.py:9`]);
  });

  const suite = (line: string) =>
    `import unittest\nfrom src.cart import total\n\nclass TestCart(unittest.TestCase):\n    def setUp(self):\n        self.prepare()\n\n    def prepare(self):\n        self.q = 1\n${line}\n    def test_adds(self):\n        assert total([1, 2]) == 3\n\n    def test_b(self):\n        assert total([]) == 0\n`;

  it('what set-up calls', () => {
    expect(rulesOf({ 'tests/test_cart.py': [suite(''), suite("        self.skipTest('x')")] })).toEqual([
      'test-skipped tests/test_cart.py:10',
    ]);
  });

  it('a base class in another test file', () => {
    const base = (line: string) =>
      `import unittest\n\nclass Base(unittest.TestCase):\n    def prep(self):\n        ${line}\n\n    def setUp(self):\n        self.prep()\n\nclass TestSelf(unittest.TestCase):\n    def test_self(self):\n        assert 1 + 1 == 2\n`;
    const test =
      'from tests.test_base import Base\nfrom src.cart import total\n\nclass TestCart(Base):\n    def test_adds(self):\n        assert total([1]) == 1\n';
    expect(
      rulesOf({ 'tests/test_base.py': [base('self.q = 1'), base("self.skipTest('x')")], 'tests/test_cart.py': [test, `${test}# note\n`] }),
    ).toContain('test-skipped tests/test_base.py:5');
  });

  it('a helper in another test file, imported over several lines', () => {
    const base = (check: string) => `def check(x):\n    ${check}\n\ndef test_own():\n    assert one() + 1 == 2\n`;
    const test = 'from tests import (\n    other,\n    test_base,\n)\n\ndef test_a():\n    test_base.check(total([1]))\n';
    const rules = rulesOf({ 'tests/test_base.py': [base('assert x == 1'), base('x')], 'tests/test_cart.py': [test, `${test}# note\n`] });
    expect(rules).toContain('test-emptied tests/test_cart.py:6');
  });

  it('a mock of the unit whose answer is held in a variable', () => {
    const head = 'from unittest.mock import create_autospec\nfrom src.cart import Cart\n\n';
    const two = '\ndef test_two():\n    cart = Cart(None)\n    assert cart.total([2]) == 2\n';
    const one = (made: string) => `def test_one():\n${made}    got = cart.total([1])\n    assert got == 1\n`;
    const after = one('    cart = create_autospec(Cart)\n    cart.total.return_value = 1\n');
    const same = { 'src/cart.py': 'class Cart:\n    def total(self, prices):\n        return sum(prices)\n' };
    for (const more of [two, ''])
      expect(rulesOf({ 'tests/test_cart.py': [head + one('    cart = Cart(None)\n') + more, head + after + more] }, same)).toContain(
        'unit-mocked tests/test_cart.py:5',
      );
  });
});

describe('JavaScript', () => {
  const registering = (check: string) =>
    `export function suite(f) { it('one', () => { ${check}; }); it('two', () => { expect(f([2])).toBe(2); }); }\n`;

  it.each(['./helpers/$suite', "./o'neil/helpers/suite", './help\\u0065rs/suite', './test.suite'])(
    'tests that a helper registers: %s',
    (specifier) => {
      const quoted = `"${specifier}"`;
      const test = `import { suite } from ${quoted};\nimport { total } from '../src/cart';\nsuite(total);\n`;
      const path = `test/${JSON.parse(quoted) as string}.ts`.replace('/./', '/');
      const rules = rulesOf({
        'test/cart.test.ts': [test, `${test}it('third', () => { expect(total([5])).toBe(5); });\n`],
        [path]: [registering('expect(f([1])).toBe(1)'), registering('f([1])')],
      });
      expect(rules).toContain('test-emptied test/cart.test.ts:3');
    },
  );

  it.each(['t.test', "t['test']", "t['\\x74est']", "t['t\\est']", 't.te\\u0073t'])('tests within a test: %s', (call) => {
    const test = (check: string) =>
      `import assert from 'node:assert';\nimport { test } from 'node:test';\ntest('outer', async (t) => {\n  await ${call}('inner', () => { ${check} });\n});\n`;
    expect(rulesOf({ 'test/a.test.ts': [test('assert.equal(f(1), 2);'), test('f(1);')] })).toContain('test-emptied test/a.test.ts:4');
  });

  it('a helper that has tests of its own', () => {
    const base = (check: string) =>
      `import { expect, it } from 'vitest';\nexport const isOne = (x) => { ${check} };\nit('own', () => { expect(1 + one()).toBe(2); });\n`;
    const test = "import { it } from 'vitest';\nimport { isOne } from './base.test';\nit('is', () => { isOne(one()); });\n";
    const rules = rulesOf({ 'test/base.test.ts': [base('expect(x).toBe(1);'), base('x;')], 'test/a.test.ts': [test, `${test}// note\n`] });
    expect(rules).toContain('test-emptied test/a.test.ts:3');
  });

  it('data that is found by its folder', () => {
    const test =
      "import { expect, it } from 'vitest';\nimport rows from './fixtures/rows';\nit.each(rows)('is %s', (a, b) => { expect(f(a)).toBe(b); });\n";
    const rules = rulesOf({
      'test/a.test.ts': [test, `${test}// note\n`],
      'test/fixtures/rows/index.json': ['[[1, 2], [3, 4], [5, 6]]\n', '[[1, 2]]\n'],
    });
    expect(rules.filter((rule) => rule.includes('a.test.ts'))).not.toEqual([]);
  });
});

describe('Python: what stands around tests', () => {
  const path = 'tests/test_cart.py';
  const HEAD = 'import pytest\nimport unittest\nfrom src.cart import total\n\n';
  const rules = (before: string, after: string) => rulesOf({ [path]: [HEAD + before, HEAD + after] });
  const reachedIn = (...texts: [string, string]): readonly string[] | null => {
    const [before, after] = [HEAD + texts[0], HEAD + texts[1]];
    const { before: factsBefore, after: factsAfter } = new Reading({ files: [] }, () => null).read({ path, before, after });
    if (factsBefore === null || factsAfter === null) throw new Error('not read');
    const names = reachedNames({ before, after, factsBefore, factsAfter });
    return names === null ? null : [...names];
  };

  it('a helper reaches those that name it, through another one too', () => {
    const file = (check: string) =>
      `def inner(x, y):\n    ${check}\n\ndef outer(x, y):\n    inner(x, y)\n\ndef test_a():\n    outer(total([1]), 1)\n\ndef test_b():\n    assert total([2]) == 2\n`;
    expect(rules(file('assert x == y'), file('print(x, y)'))).toContain(`test-emptied ${path}:11`);
  });

  it('of two definitions with one name the last counts', () => {
    const [real, none] = ['def check(x):\n    assert x == 1\n\n', 'def check(x):\n    print(x)\n\n'];
    const test = 'def test_a():\n    check(total([1]))\n';
    expect(rules(none + real + test, real + none + test)).toContain(`test-emptied ${path}:11`);
  });

  it('tests that a class inherits feel all that is in it', () => {
    const file = (what: string) =>
      `class Shared:\n    def test_a(self):\n        assert self.made() == 1\n\nclass TestOne(Shared, unittest.TestCase):\n    def made(self):\n        ${what}\n`;
    expect(rules(file('return total([1])'), file("self.skipTest('later')"))).toContain(`test-skipped ${path}:11`);
  });

  it('what is set up for one class is nothing to another, unless it inherits it', () => {
    const file = (line: string) =>
      `class TestA(unittest.TestCase):\n    def setUp(self):\n        ${line}\n\n    def test_a(self):\n        self.assertEqual(total([1]), 1)\n\nclass TestB(unittest.TestCase):\n    def setUp(self):\n        pass\n\n    def test_b(self):\n        self.assertEqual(total([2]), 2)\n\nclass TestC(TestA):\n    def test_c(self):\n        self.assertEqual(total([3]), 3)\n`;
    expect(reachedIn(file('pass'), file("self.skipTest('later')"))?.toSorted()).toEqual(['TestA', 'TestC', 'class TestA', 'class TestC']);
    expect(rules(file('pass'), file("self.skipTest('later')"))).toEqual([`test-skipped ${path}:7`]);
  });

  it.each([
    ['a fixture that another one takes', "@pytest.fixture\ndef settings():\n    pytest.skip('later')\n\n", 'return 1'],
    ['all names of a module', 'from tests.other import *\n\n', ''],
  ])('in doubt every test is looked at: %s', (_title, added) => {
    const file = (line: string) =>
      `${line}class TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(total([1]), 1)\n`;
    expect(reachedIn(file(''), file(added))).toBeNull();
  });

  it('a definition, a constant and an import reach by their names alone', () => {
    const [before, after] = [
      'A = 1\nfrom x import (b as c)\n\n',
      'A = 2\nfrom y import (b as c)\n\n@pytest.fixture(name="d")\ndef e():\n    return 1\n\n',
    ].map((text) => `${HEAD}${text}def test_a():\n    assert total([1]) == 1\n`) as [string, string];
    expect(reachedIn(before, after)?.toSorted()).toEqual(['A', 'c', 'd', 'e']);
  });

  const BASE =
    'import unittest\n\nclass Base(unittest.TestCase):\n    def setUp(self):\n        self.prepare()\n\n    def prepare(self):\n        pass\n';
  const ofBase = (body: string, more = '') =>
    `from tests.base import Base\n\n${more}class TestA(Base):\n${body}    def test_a(self):\n        self.assertEqual(total([1]), 1)\n`;

  it.each([
    ['', "    def prepare(self):\n        self.skipTest('x')\n\n", 'test-skipped'],
    [
      '    def prepare(self):\n        pass\n\n',
      "    def prepare(self):\n        if total([]):\n            self.skipTest('x')\n\n",
      'test-conditional',
    ],
  ])('a class of another file calls what a class of this one holds (%#)', (before, after, rule) => {
    const same = { 'tests/base.py': BASE };
    const found = rulesOf({ [path]: [HEAD + ofBase(before), HEAD + ofBase(after)] }, same);
    expect(found.map((one) => one.split(' ')[0])).toEqual([rule]);
  });

  it('so does it call a helper, through a method', () => {
    const file = (line: string) => HEAD + ofBase('    def prepare(self):\n        boot()\n\n', `def boot():\n    ${line}\n\n`);
    const found = rulesOf({ [path]: [file('pass'), file("raise unittest.SkipTest('x')")] }, { 'tests/base.py': BASE });
    expect(found.map((one) => one.split(' ')[0])).toEqual(['test-skipped']);
  });

  const TEST = 'def test_a():\n    assert total([1]) == 1\n';

  it.each(['boot', 'boot as _boot'])('an imported fixture for every test: %s', (name) => {
    const same = { 'tests/util.py': "import pytest\n\n@pytest.fixture(autouse=True)\ndef boot():\n    pytest.skip('x')\n" };
    expect(rulesOf({ [path]: [HEAD + TEST, `${HEAD}from tests.util import ${name}\n${TEST}`] }, same)).toEqual([
      'test-skipped tests/util.py:5',
    ]);
  });

  it.each([
    ['added', TEST, `def later():\n    pytest.skip('x')\n\n@pytest.fixture\ndef config():\n    later()\n\n${TEST}`],
    [
      'with another helper',
      `def later():\n    return 1\n\n@pytest.fixture\ndef config():\n    later()\n\n${TEST}`,
      `def later():\n    pytest.skip('x')\n\n@pytest.fixture\ndef config():\n    later()\n\n${TEST}`,
    ],
  ])('a fixture that one of conftest.py asks for: %s', (_title, before, after) => {
    const conftest =
      'import pytest\n\n@pytest.fixture\ndef config():\n    return 1\n\n@pytest.fixture(autouse=True)\ndef app(config):\n    return config\n';
    expect(rulesOf({ [path]: [HEAD + before, HEAD + after] }, { 'tests/conftest.py': conftest })).toEqual([`test-skipped ${path}:6`]);
  });

  it('a name that is imported under another one now', () => {
    const same = { 'tests/strict.py': 'def all(x, y):\n    assert x == y\n' };
    const file = (name: string) => `${HEAD}from tests.strict import ${name}\n\ndef test_a():\n    assert all(total([1]), 1)\n`;
    expect(rulesOf({ [path]: [file('all'), file('all as every')] }, same)).toEqual([`assertion-removed ${path}:7`]);
  });

  it('a helper that moved into a class', () => {
    const lax = { 'tests/lax.py': 'def ck(x):\n    print(x)\n' };
    const [star, ck] = ['from tests.lax import *\n', 'def ck(x): assert x == 1\n'];
    const test = '    def test_a(self): ck(total([1]))\n';
    const found = rulesOf({ [path]: [`${HEAD}${star}${ck}class TestA:\n${test}`, `${HEAD}${star}class TestA:\n    ${ck}${test}`] }, lax);
    expect(found.map((one) => one.split(' ')[0])).toContain('test-emptied');
  });

  it('letters that look the same', () => {
    const file = (line: string) => `def ch\u{e9}ck(x):\n    ${line}\n\ndef test_a():\n    che\u{301}ck(total([1]))\n`;
    expect(rules(file('assert x == 1'), file('print(x)'))).toContain(`test-emptied ${path}:8`);
  });

  it('a long chain of helpers costs no time', () => {
    const file = (line: string) => {
      const chain = Array.from({ length: 3000 }, (_, index) => `def h${3000 - index}(x): h${2999 - index}(x)\n`);
      return `${chain.join('')}def h0(x): ${line}\n\ndef test_a():\n    h3000(total([1]))\n`;
    };
    expect(reachedIn(file('assert x == 1'), file('print(x)'))).toHaveLength(3001);
  });
});

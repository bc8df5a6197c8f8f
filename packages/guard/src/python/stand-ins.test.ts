// Python tests that no longer get to the unit at all: a copy in its place, a run that is ended, an error that the test raises itself.
// Each way is told, and its lookalike is not.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';
import { guard } from '../guard.js';

const SUM = testOf('assert total_of([1, 2]) == 3');
const RAISES = testOf('with pytest.raises(ValueError):\n    total_of(None)');

/** A file of tests/test_cart.py whose imports are the ones given. */
function told(before: string, after: string): readonly string[] {
  const source = 'def total_of(items):\n    return sum(items)\n\n\ndef sample():\n    return [1, 2]\n';
  const files = [{ path: 'tests/test_cart.py', before, after }];
  const same = (path: string): string | null => (path === 'shop/cart.py' ? source : path === 'shop/__init__.py' ? '' : null);
  return guard({ change: { files }, scope: 'testing', same }).findings.map(({ rule }) => rule);
}

const IMPORTED = `from shop.cart import sample, total_of\n\n\n${testOf('assert total_of(sample()) == 3')}`;

describe('a definition of the test file in place of an import', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['a copy of the unit', 'from shop.cart import sample\n\n\ndef total_of(items):\n    return sum(items)\n', ['module-replaced']],
    ['a lambda', 'from shop.cart import sample\n\n\ntotal_of = lambda items: sum(items)\n', ['module-replaced']],
    [
      'a way to call the unit',
      'from shop import cart\nfrom shop.cart import sample\n\n\ndef total_of(items):\n    return cart.total_of(items)\n',
      [],
    ],
    [
      'a way to call the unit by a step',
      'from shop import cart\nfrom shop.cart import sample\n\n\ndef run(items):\n    return cart.total_of(items)\n\n\ndef total_of(items):\n    return run(items)\n',
      [],
    ],
    ['what the unit is given', 'from shop.cart import total_of\n\n\ndef sample():\n    return [1, 2]\n', []],
  ])('%s', (_name, head, rules) => {
    expect(told(IMPORTED, `${head}\n\n${testOf('assert total_of(sample()) == 3')}`)).toEqual(rules);
  });

  test('an object of the same name, and the unit asked by way of a variable', () => {
    const asked = testOf('result = cart.total_of([1])\nassert result == 1');
    const made =
      'from types import SimpleNamespace\n\nfrom shop.cart import sample\n\ncart = SimpleNamespace(total_of=lambda items: len(items))\n';
    expect(told(`from shop import cart\n\n\n${asked}`, `${made}\n\n${asked}`)).toEqual(['module-replaced']);
  });
});

describe('a run that is ended as if all were well', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['at import', 'import os\nos._exit(0)\n', ['config-changed']],
    ['at import, by an error', 'import sys\nsys.exit()\n', ['config-changed']],
    ['raised', 'raise SystemExit(0)\n', ['config-changed']],
    ['by pytest', 'import pytest\npytest.exit("done", returncode=0)\n', ['config-changed']],
    ['in any hook', 'from os import _exit\n\ndef pytest_sessionstart(session):\n    _exit(0)\n', ['config-changed']],
    ['at the end', 'import atexit, os\natexit.register(lambda: os._exit(0))\n', ['config-changed']],
    ['at the end, by name', 'import atexit, os\natexit.register(os._exit, 0)\n', ['config-changed']],
    [
      'in a fixture of all tests',
      'import os, pytest\n\n@pytest.fixture(autouse=True)\ndef end():\n    yield\n    os._exit(0)\n',
      ['config-changed'],
    ],
    ['not: with a code that fails', 'import pytest, sys\nif sys.version_info < (3, 9):\n    pytest.exit("too old", returncode=2)\n', []],
    ['not: as a script', 'import sys, pytest\nif __name__ == "__main__":\n    sys.exit(0)\n', []],
    ['not: in a child', 'import os\n\ndef pytest_sessionstart(session):\n    pid = os.fork()\n    if pid == 0:\n        os._exit(0)\n', []],
    ['not: an end to be given', 'import os\n\nend = lambda: os._exit(0)\n\ndef child():\n    os._exit(0)\n', []],
  ])('by conftest.py: %s', (_name, conftest, rules) => {
    expect(rulesFor(SUM, SUM, { 'tests/conftest.py': conftest })).toEqual(rules);
  });

  test.each<readonly [string, string, readonly string[]]>([
    ['at import', `import os\nos._exit(0)\n\n\n${SUM}`, ['assertion-swallowed']],
    ['in a setup', `import os\n\n\ndef setup_module():\n    os._exit(0)\n\n\n${SUM}`, ['assertion-swallowed']],
    ['in a test', `${SUM}\n\n${testOf('import os\nos._exit(0)', 'def test_z():')}`, ['assertion-swallowed']],
    [
      'not: in the child of a fork',
      `${SUM}\n\n${testOf('import os\nif os.fork() == 0:\n    os._exit(0)\nassert total_of([1]) == 1', 'def test_z():')}`,
      [],
    ],
    ['not: an error that the runner tells', `import sys\n\n\ndef setup_module():\n    sys.exit(0)\n\n\n${SUM}`, []],
  ])('by the test file: %s', (_name, after, rules) => {
    expect(rulesFor(SUM, after)).toEqual(rules);
  });
});

describe('a conftest.py that replaces', () => {
  const fixture = (body: string, mark = '(autouse=True)'): string =>
    `import pytest\nimport shop.cart\n\n@pytest.fixture${mark}\ndef stand_in(monkeypatch):\n    ${body}\n`;
  test.each<readonly [string, string, readonly string[]]>([
    ['the unit at import', 'import shop.cart\nshop.cart.total_of = lambda items: 3\n', ['unit-mocked']],
    [
      'the unit in a hook',
      'import shop.cart\n\ndef pytest_configure(config):\n    shop.cart.total_of = lambda items: 3\n',
      ['unit-mocked'],
    ],
    ['the unit for every test', fixture('monkeypatch.setattr(shop.cart, "total_of", lambda items: 3)'), ['unit-mocked']],
    ['the unit by its full name', fixture('monkeypatch.setattr("shop.cart.total_of", lambda items: 3)'), ['unit-mocked']],
    ['the module', 'import sys\nfrom unittest.mock import MagicMock\nsys.modules["shop.cart"] = MagicMock()\n', ['module-replaced']],
    ['what the unit calls', fixture('monkeypatch.setattr(shop.cart, "send", lambda amount: None)'), []],
    ['what no test asks for', fixture('monkeypatch.setattr(shop.cart, "Cart", lambda items: None)'), []],
    ['the unit for whoever wants it', fixture('monkeypatch.setattr(shop.cart, "total_of", lambda items: 3)', ''), []],
    ['a setting', 'import shop.cart\nshop.cart.RATE = 3\n', []],
  ])('%s', (_name, conftest, rules) => {
    expect(rulesFor(SUM, SUM, { 'tests/conftest.py': conftest })).toEqual(rules);
  });
});

describe('an error that the test raises by itself', () => {
  const within = (body: string, wanted = 'ValueError'): string => testOf(`with pytest.raises(${wanted}):\n    ${body}`);
  test.each<readonly [string, string, readonly string[]]>([
    ['in place of the unit', within('raise ValueError("x")'), ['assertion-tautological']],
    ['after the unit', within('total_of(None)\n    raise ValueError("x")'), ['assertion-tautological']],
    ['with the wanted text', within('raise ValueError("x")', 'ValueError, match="x"'), ['assertion-tautological']],
    ['by a function of its own', `def boom():\n    raise ValueError("x")\n\n\n${within('boom()')}`, ['assertion-tautological']],
    ['by the language', within('int("x")'), ['assertion-tautological']],
  ])('%s', (_name, after, rules) => {
    expect(rulesFor(RAISES, after)).toEqual(rules);
  });

  test('an error of the project that adds nothing', () => {
    const before = within('total_of(None)', 'CartError');
    expect(rulesFor(before, within('raise CartError("x")', 'CartError'))).toEqual(['assertion-tautological']);
  });

  test.each([
    ['the unit has to let it through', testOf('with pytest.raises(ValueError), Cart([1]):\n    raise ValueError("x")', 'def test_b():')],
    [
      'the unit stands around it',
      testOf('with pytest.raises(ValueError):\n    with Cart([1]):\n        raise ValueError("x")', 'def test_b():'),
    ],
    ['one class is another', testOf('with pytest.raises(CartError):\n    raise EmptyCart("x")', 'def test_b():')],
    [
      'the unit gets a function that fails',
      testOf('def boom():\n    raise ValueError("x")\n\nwith pytest.raises(ValueError):\n    total_of(boom)', 'def test_b():'),
    ],
    [
      'the unit wraps a function that fails',
      testOf('@total_of\ndef boom():\n    raise ValueError("x")\n\nwith pytest.raises(ValueError):\n    boom()', 'def test_b():'),
    ],
    ['the language reads what the unit gave', testOf('with pytest.raises(ValueError):\n    int(total_of(["x"]))', 'def test_b():')],
    [
      'a class writes its own message',
      `class Broken(Exception):\n    def __str__(self):\n        return "broken"\n\n\n${testOf('with pytest.raises(Broken, match="broken"):\n    raise Broken()', 'def test_b():')}`,
    ],
  ])('not: %s', (_name, more) => {
    expect(rulesFor(RAISES, `${RAISES}\n\n${more}`)).toEqual([]);
  });
});

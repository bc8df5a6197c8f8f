// The unit is replaced by ways around its name: getattr and setattr, names that variables hold, the dictionary of a module.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

const METHOD = 'assert Cart([1, 2]).total() == 3';
const FUNCTION = 'assert shop.cart.total_of([1, 2]) == 3';

describe('the unit is replaced', () => {
  test.each([
    ['in what getattr gives', METHOD, 'setattr(getattr(shop.cart, "Cart"), "total", lambda self: 3)'],
    ['as a member of what getattr gives', METHOD, 'getattr(shop.cart, "Cart").total = lambda self: 3'],
    ['by monkeypatch', METHOD, 'monkeypatch.setattr(getattr(shop.cart, "Cart"), "total", lambda self: 3)'],
    ['by patch.object', METHOD, 'patch.object(getattr(shop.cart, "Cart"), "total", return_value=3).start()'],
    ['under a name that a variable holds', METHOD, 'name = "total"\nsetattr(Cart, name, lambda self: 3)'],
    ['under a name of two parts', METHOD, 'monkeypatch.setattr(Cart, "to" + "tal", lambda self: 3)'],
    ['under a name of a loop', METHOD, 'for name in ("total", "checkout"):\n    setattr(Cart, name, lambda self: 3)'],
    ['by a text that a variable holds', METHOD, 'name = "shop.cart.Cart.total"\npatch(name, return_value=3).start()'],
    ['in a class that a variable holds', METHOD, 'unit = Cart\nunit.total = lambda self: 3'],
    ['in what a variable got', METHOD, 'unit = getattr(shop.cart, "Cart")\nsetattr(unit, "total", lambda self: 3)'],
    ['by a function of the test', METHOD, 'def three(self):\n    return 3\nCart.total = three'],
    ['by type', METHOD, 'type.__setattr__(Cart, "total", lambda self: 3)'],
    ['in the dictionary of a module', FUNCTION, 'shop.cart.__dict__["total_of"] = lambda items: 3'],
    ['by vars', FUNCTION, 'vars(shop.cart)["total_of"] = lambda items: 3'],
    ['in a loaded module', FUNCTION, 'setattr(sys.modules["shop.cart"], "total_of", lambda items: 3)'],
    ['in an imported module', FUNCTION, 'setattr(importlib.import_module("shop.cart"), "total_of", lambda items: 3)'],
    ['among the names of the file', 'assert total_of([1, 2]) == 3', 'globals()["total_of"] = lambda items: 3'],
  ])('%s', (_name, check, line) => {
    expect(rulesFor(testOf(check), testOf(`${line}\n${check}`))).toEqual(['unit-mocked']);
  });

  test.each([
    ['a part that the unit calls', METHOD, 'setattr(getattr(shop.cart, "requests"), "post", lambda *given: 3)'],
    ['a function that the tests do not ask', METHOD, 'name = "send"\nsetattr(shop.cart, name, lambda amount: 3)'],
    ['a value', METHOD, 'name = "tax"\nsetattr(Cart, name, 3)'],
    ['what a variable kept is put back', METHOD, 'real = Cart.total\nsetattr(Cart, "total", real)'],
    ['a function that leads on to the real one', METHOD, 'real = Cart.total\ndef spy(self):\n    return real(self)\nCart.total = spy'],
    ['an entry of a dictionary', FUNCTION, 'table = {}\ntable["total_of"] = lambda items: 3'],
    ['a name of the file that is not of the unit', FUNCTION, 'globals()["three"] = lambda items: 3'],
    ['an object of the test', METHOD, 'unit = Mock()\nunit.total = lambda: 3'],
    ['what is only read', METHOD, 'unit = getattr(shop.cart, "Cart")\nassert getattr(unit, "total") is not None'],
  ])('not: %s', (_name, check, line) => {
    expect(rulesFor(testOf(check), testOf(`${line}\n${check}`))).toEqual([]);
  });

  test('a variable of another test is nothing to this one', () => {
    const other = testOf('unit = Cart\nassert unit([1]).total() == 1', 'def test_b():');
    const before = `${other}\n\n${testOf(METHOD, 'def test_a(unit):')}`;
    const after = `${other}\n\n${testOf(`unit.total = lambda: 3\n${METHOD}`, 'def test_a(unit):')}`;
    expect(rulesFor(before, after)).toEqual([]);
  });
});

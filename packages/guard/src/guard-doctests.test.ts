// The guard on examples in docstrings, where the project runs them.

import { expect, test } from 'vitest';
import { guardChange } from './guard.js';

const SHOP = `"""Carts."""


class Cart:
    def total(self, prices):
        """Adds up.

        >>> cart = Cart()
        >>> cart.total(
        ...     [1, 2]
        ... )
        3
        >>> cart.total(None)
        Traceback (most recent call last):
        ValueError: no prices

        >>> cart
        Cart()
        """
        return sum(prices)
`;

function findingsOf(after: string, settings: string): readonly string[] {
  const same = (path: string): string | null => (path === 'pyproject.toml' ? settings : null);
  const { findings } = guardChange({ change: { files: [{ path: 'shop.py', before: SHOP, after }] }, scope: 'any', same });
  return findings.map(({ rule, level, test: title, line }) => `${rule} ${level} ${title ?? ''} ${line}`);
}

test.each<[string, string, readonly string[]]>([
  ['removed', SHOP.replace(/\n {8}>>>[^]*? {8}Cart\(\)\n/, ''), ['test-deleted note Cart.total doctest 8']],
  [
    'skipped',
    SHOP.replace('Cart()\n        >>> cart.total(', 'Cart()\n        >>> cart.total(  # doctest: +SKIP'),
    ['assertion-removed note Cart.total doctest 9'],
  ],
  ['without what they must print', SHOP.replace('        3\n', ''), ['assertion-removed note Cart.total doctest 9']],
  ['that must print something else', SHOP.replace('        3\n', '        4\n'), ['rebaselined note Cart.total doctest 9']],
  ['about product code that changed', SHOP.replace('sum(prices)', 'sum(prices, 0)'), []],
])('finds examples %s', (_name, after, told) => {
  expect(after).not.toBe(SHOP);
  expect(findingsOf(after, '[tool.pytest.ini_options]\naddopts = "--doctest-modules"\n')).toEqual(told);
  expect(findingsOf(after, '')).toEqual([]);
});

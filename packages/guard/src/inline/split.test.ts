import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS, spliceJudge, splitInlineTests } from './split.js';

const RUST = `//! Carts.
//!
//! \`\`\`
//! assert_eq!(shop::total(&[1, 2]), 3);
//! \`\`\`

use std::fmt;

/// Adds up.
///
/// \`\`\`text
/// 1 + 2
/// \`\`\`
///
/// \`\`\`should_panic
/// shop::total(&[-1]); // "}"
/// \`\`\`
pub fn total(prices: &[i64]) -> i64 {
    prices.iter().sum()
}

pub struct Cart<'a> {
    name: &'a str,
}

impl<'a> Cart<'a> {
    #[cfg(test)]
    fn empty() -> Self {
        Cart { name: "{" }
    }

    #[inline]
    pub fn is_named(&self, c: char) -> bool {
        c == '\\'' || self.name == r#"a "} b"# /* } /* } */ */
    }
}

#[cfg(any(test, feature = "fakes"))]
pub mod fakes {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(total(&[1, 2]), 3);
    }

    mod deep {
        #[tokio::test]
        #[ignore]
        async fn waits() {}
    }
}
`;

const PYTHON = `"""Carts.

>>> total([1, 2])
3
"""


def total(prices):
    return sum(prices)


class Cart:
    def add(self, price):
        '''Adds.

        >>> cart = Cart()
        >>> for price in (1, 2):
        ...     cart.add(price)
        >>> cart.add(-1)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError

        And so on:

        >>> 1
        1'''
        self.prices.append(price)
`;

const VITEST = `export const total = (prices: number[]): number => prices.reduce((a, b) => a + b, 0);

if (import.meta.vitest) {
  const { describe, expect, it } = import.meta.vitest;
  describe('total', () => {
    it('adds', () => expect(total([1, 2])).toBe(3));
  });
}
`;

const ELIXIR = `defmodule Shop.Cart do
  @moduledoc """
  Carts.

      iex> Shop.Cart.total([1, 2])
      3
  """

  @doc """
  Adds up.

      iex> Shop.Cart.total([])
      0

      iex> Shop.Cart.total([1])
      1
  """
  def total(prices), do: Enum.sum(prices)
end
`;

const README = `Carts\n=====\n\n    >>> total([1, 2])\n    3\n`;

const FILES: readonly (readonly [string, string, readonly string[]])[] = [
  ['src/lib.rs', RUST, ['(line 3)', 'total (line 15)', 'tests::adds', 'tests::deep::waits']],
  ['shop.py', PYTHON, ['', 'Cart.add', 'Cart.add']],
  ['src/total.ts', VITEST, ['total > adds']],
  ['lib/cart.ex', ELIXIR, ['Shop.Cart', 'total', 'total']],
  ['README.rst', README, ['example 1']],
];

const namesOf = (path: string, text: string): readonly string[] =>
  (splitInlineTests(path, text)?.parts ?? []).flatMap(({ tests }) => tests.map(({ name }) => name));

describe.each(FILES)('inline tests of %s', (path, text, names) => {
  const product = splitInlineTests(path, text)?.product ?? '';

  it('are named', () => expect(namesOf(path, text)).toEqual(names));

  it('are no part of the product', () => expect(namesOf(path, product)).toEqual([]));

  it('give the file back, byte for byte', () => expect(spliceJudge(path, text, text)).toEqual({ text, unplaced: [] }));

  it('are put back where all were deleted', () => {
    const back = spliceJudge(path, product, text);
    expect(back?.unplaced).toEqual([]);
    const withoutLines = (found: readonly string[]) => found.map((name) => name.replace(/\(line \d+\)/, '')).toSorted();
    expect(withoutLines(namesOf(path, back?.text ?? ''))).toEqual(withoutLines(names));
  });

  it('are taken out where the judge has none', () => expect(spliceJudge(path, text, product)?.text).toBe(product));
});

describe('the judge of one version in another', () => {
  const splice = (product: string, judge: string) => spliceJudge('src/lib.rs', product, judge);

  it('takes the place of tests that were weakened, and leaves new product code', () => {
    const changed = RUST.replace('prices.iter().sum()', 'prices.iter().map(|price| price.abs()).sum()');
    const cheat = changed.replace('assert_eq!(total(&[1, 2]), 3);', '').replace('//! assert_eq!(shop::total(&[1, 2]), 3);', '//!');
    expect(splice(cheat, RUST)).toEqual({ text: changed, unplaced: [] });
    expect(splice(cheat.replace('mod tests', 'mod other'), RUST)?.text).toContain(
      '#[cfg(all(test, unix))]\nmod tests {\n    use super::*;',
    );
  });

  it('takes the place of a test that lost its mark', () => {
    const judge = '#[test]\nfn adds() {\n    assert!(true);\n}\n';
    expect(splice('fn adds() {}\n', judge)).toEqual({ text: judge, unplaced: [] });
  });

  it('names tests whose place is gone', () => {
    const unplaced = splice(RUST.replace(/impl[^]*?\n}\n/, '').replace('pub fn total', 'pub fn sum'), RUST)?.unplaced ?? [];
    expect(unplaced.flatMap(({ key, tests }) => tests.map(({ name }) => name).concat(key))).toEqual([
      'total (line 15)',
      'above /fn total example 1',
      '/impl Cart/fn empty',
    ]);
  });

  it('is null for what cannot be read', () => {
    expect(splice(`${RUST}}`, RUST)).toBe(null);
    expect(splice('fn a() { "', RUST)).toBe(null);
    expect(spliceJudge('cart.go', '', '')).toBe(null);
    expect(spliceJudge('cart.py', 'def (:', PYTHON)).toBe(null);
  });
});

/** Pieces of Rust by which a file is made up: product and tests in any order and depth. */
const product = fc.constantFrom(
  "pub fn a() -> char { '{' }\n",
  '/// Doc.\npub struct B<T>(T) where T: Fn() -> u8;\n',
  'const C: &str = "#[test] fn no() {";\n',
  '// } a comment\n',
  'macro_rules! d { ($x:expr) => { { $x } } }\n',
  '#[cfg(not(test))]\nfn e<const N: usize>(_: F<{ N }>) {}\n',
  '\n',
);
const judge = fc.constantFrom(
  '#[test]\nfn f() { assert!(true) }\n',
  '#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn g() {}\n}\n',
  '#[cfg(test)]\nuse std::fmt;\n',
  '/// ```\n/// assert!(true);\n/// ```\nfn h() {}\n',
  '#[cfg(test)] mod other;\n',
);
const rustFile = fc.letrec<{ body: string; item: string }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small' },
    product,
    judge,
    tie('body').map((body) => `pub mod inner {\n${body}}\n`),
  ),
  body: fc.array(tie('item'), { maxLength: 6 }).map((items) => items.join('')),
})).body;

it('splices what it has split, whatever the file', () => {
  fc.assert(
    fc.property(rustFile, fc.nat(), fc.string({ maxLength: 8 }), (text, at, words) => {
      const path = 'src/lib.rs';
      expect(spliceJudge(path, text, text)).toEqual({ text, unplaced: [] });
      // Only product code changed: a comment, anywhere that is no test.
      const { product: rest = text, parts = [] } = splitInlineTests(path, text) ?? {};
      const lines = rest.split('\n');
      const line = lines[at % lines.length] ?? '';
      const changed = text.replace(`${line}\n`, (found, place: number) =>
        parts.some(({ from, to }) => from <= place && place < to) ? found : `// ${words.replace(/\W/g, '')}\n${found}`,
      );
      expect(spliceJudge(path, changed, text)).toEqual({ text: changed, unplaced: [] });
    }),
  );
});

it('has a row for each kind, and a mark that every file of the kind bears', () => {
  for (const [path, text] of FILES) expect(KINDS.filter(({ files, mark }) => files.test(path) && mark.test(text))).toHaveLength(1);
});

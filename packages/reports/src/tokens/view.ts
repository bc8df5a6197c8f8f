// A set as it is seen in one mode: its colours, the pairs they make, the page behind them. What every dimension looks at.

import { Pairing, type DeclaredPair, type Pair } from './pairs.js';
import { coloursOf, type ColourToken } from './palette.js';
import type { Token } from './token.js';
import type { Context, TokenSet } from './token-set.js';

export interface View {
  readonly context: Context;
  readonly tokens: readonly { readonly token: Token; readonly words: readonly string[] }[];
  readonly colours: readonly ColourToken[];
  readonly pairs: readonly Pair[];
  /** What the page is painted with where a token is used. */
  readonly pageOf: (colour: ColourToken) => ColourToken | null;
}

export function viewsOf(set: TokenSet, declared: readonly DeclaredPair[]): readonly View[] {
  return set.contexts.map((context) => {
    const colours = coloursOf(set, context);
    const pairing = new Pairing(colours, declared);
    const tokens = set.within(context).map((token) => ({ token, words: token.words }));
    return { context, tokens, colours, pairs: pairing.list(), pageOf: (colour) => pairing.pageOf(colour) };
  });
}

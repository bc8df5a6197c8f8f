// The colours of a set in one mode: each colour token with its words and, where it can be found, its colour. Roles (what a colour
// is for) are told from the palette that they draw from.

import { readColour, type Colour } from './colour.js';
import { isKind, isPalette, isState } from './name-words.js';
import { readReference } from './reference.js';
import type { Token } from './token.js';
import type { Context, TokenSet } from './token-set.js';

export interface ColourToken {
  readonly token: Token;
  readonly words: readonly string[];
  readonly colour: Colour;
  /** It takes its colour from another token. */
  readonly isAlias: boolean;
  readonly isRole: boolean;
}

export function coloursOf(set: TokenSet, context: Context): readonly ColourToken[] {
  return set.within(context).flatMap((token) => {
    const resolved = set.resolve(token, context);
    if (!resolved.ok || resolved.type !== 'color') return [];
    const read = readColour(resolved.value);
    if (!read.ok) return [];
    const { words } = token;
    const isAlias = readReference(set.valueOf(token, context)) !== null;
    const isRole = !isPalette(words) && (isAlias || words.some((word) => isKind(word) || (isState(word) && word !== 'default')));
    return [{ token, words, colour: read.colour, isAlias, isRole }];
  });
}

// Roles that change when they are used: tokens that differ by a state alone make a family, and what a whole set has once (one
// focus indicator, one colour for what is disabled) counts for each.

import { addToList } from '@umpire/core/formats/multimap.js';
import { INTERACTIVE, STATES, isKind, stateOf, withoutNoise, type State } from './name-words.js';
import { WordSet } from './word-set.js';
import type { Token } from './token.js';
import type { View } from './view.js';

export interface Family {
  readonly name: string;
  readonly token: Token;
  readonly missing: readonly State[];
}

interface Entry {
  readonly token: Token;
  readonly isRole: boolean;
  readonly states: readonly State[];
  /** Words without states, kinds and noise. */
  readonly key: string;
  /** The same, where `default` is part of the role's own name. */
  readonly defaultKey: string | null;
}

const PARTS = new WordSet('state states layer ring indicator interactive interaction action visible key thickness gap width size');

export function familiesOf(view: View): readonly Family[] {
  const roles = new Set(view.colours.filter(({ isRole }) => isRole).map(({ token }) => token));
  const entries = view.tokens
    .filter(({ words }) => !words.includes('shadow') && !words.includes('on'))
    .map(({ token, words }) => entryOf(token, words, roles.has(token)));
  const common = new Set(entries.filter(({ key }) => key === '').flatMap(({ states }) => states.filter((state) => state !== 'default')));
  const keys = new Set(entries.filter(({ states }) => states.some((state) => state !== 'default')).map(({ key }) => key));
  const families = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = entry.defaultKey !== null && keys.has(entry.defaultKey) ? entry.defaultKey : entry.key;
    if (key !== '') addToList(families, key, entry);
  }
  return [...families].flatMap(([key, members]) => familyOf(key, members, common));
}

function familyOf(key: string, members: readonly Entry[], common: ReadonlySet<State>): readonly Family[] {
  const roles = members.filter(({ isRole }) => isRole);
  const [first] = roles;
  const words = key.split(' ');
  const reacts = roles.some(({ states }) => states.length === 1 && (states[0] === 'hover' || states[0] === 'active'));
  if (first === undefined || (!reacts && !INTERACTIVE.hasAny(words))) return [];
  const own = new Set(members.flatMap(({ states }) => (states.length === 1 ? states : [])));
  // A colour or two for hovering and pressing, and nothing at rest, are laid over whatever is there: no role of its own.
  if (!own.has('default') && own.size < 3) return [];
  const wanted = words.includes('link') ? STATES.filter((state) => state !== 'disabled') : STATES;
  const missing = wanted.filter((state) => !own.has(state) && !common.has(state));
  return [{ name: words.join('-'), token: first.token, missing }];
}

function entryOf(token: Token, words: readonly string[], isRole: boolean): Entry {
  const plain = withoutNoise(words).filter((word) => !isKind(word));
  const found = [...new Set(plain.map(stateOf).filter((state) => state !== null))];
  const changing = found.filter((state) => state !== 'default');
  const isChanging = (word: string): boolean => {
    const state = stateOf(word);
    return state !== null && state !== 'default';
  };
  const rest = plain.filter((word) => !isChanging(word) && !PARTS.has(word));
  if (changing.length > 0) return { token, isRole, states: changing, key: rest.join(' '), defaultKey: null };
  const without = rest.filter((word) => stateOf(word) !== 'default').join(' ');
  return { token, isRole, states: ['default'], key: without, defaultKey: found.length > 0 ? rest.join(' ') : null };
}

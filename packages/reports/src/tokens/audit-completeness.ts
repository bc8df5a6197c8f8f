// Completeness, 20 %: five states for what people use (default, hover, focus, active, disabled), light and dark for every role of
// colour. Palettes need neither.

import { type AuditDimension, DimensionAudit } from './audit-dimension.js';
import type { ModeView } from './colour-pairs.js';
import { contrastOf } from './colour.js';
import { FIXED, INTERACTIVE, isKind, type InteractionState, stateOf, INTERACTION_STATES, withoutNoise, WordSet } from './name-words.js';
import type { TokenSet } from './token-set.js';
import type { Token } from './token.js';
import { addToList } from '@umpire/core/formats/multimap.js';

export function auditCompleteness(set: TokenSet, views: readonly ModeView[]): AuditDimension {
  const audit = new DimensionAudit('completeness', 20);
  const [view] = views;
  if (view !== undefined) {
    for (const { name, token, missing } of familiesOf(view)) {
      audit.look('states', missing.length === 0);
      if (missing.length > 0) audit.find('state/missing', 'high', `A state is missing (${missing.join(', ')})`, { ...token, path: name });
    }
  }
  checkModes(set, views, audit);
  return audit.end('no role of colour and nothing that people use is named');
}

function checkModes(set: TokenSet, views: readonly ModeView[], audit: DimensionAudit): void {
  const [light, dark] = views;
  const roles = (light?.colours ?? []).filter(({ isRole, words }) => isRole && !FIXED.hasAny(words));
  const [first] = roles;
  if (first === undefined) return;
  if (dark === undefined) {
    for (const _ of roles) audit.look('light and dark', false);
    const which = set.contexts[0] === 'light' ? 'light' : 'one mode';
    audit.find(
      'mode/single',
      'high',
      `All ${roles.length} roles of colour have a value for ${which} alone: a dark mode is missing`,
      first.token,
      false,
    );
    return;
  }
  const hasLight = set.tokens.some((token) => token.theme === 'light');
  const inDark = new Map(dark.colours.map((colour) => [colour.token.role, colour]));
  const inLight = new Map((light?.colours ?? []).map((colour) => [colour.token.role, colour]));
  for (const role of roles) {
    const twin = inDark.get(role.token.role);
    // Where light and dark are both files of their own, what stands outside them is shared on purpose.
    const isShared = hasLight && role.token.theme === null;
    // Dark says something of its own: the token is another one, or comes to another colour.
    const isSame =
      role.token === twin?.token &&
      role.colour.alpha === twin.colour.alpha &&
      role.colour.rgb.every((each, at) => each === twin.colour.rgb[at]) &&
      contrastOf(role.colour, twin.colour) === 1;
    const isFine = twin !== undefined && (isShared || role.token.theme === 'light' || !isSame);
    audit.look('light and dark', isFine);
    if (!isFine) audit.find('mode/missing', 'high', 'A role of colour is missing in dark', role.token);
  }
  for (const role of dark.colours.filter(({ isRole, token }) => isRole && token.theme === 'dark' && !inLight.has(token.role))) {
    audit.look('light and dark', false);
    audit.find('mode/missing', 'high', 'A role of colour is missing in light', role.token);
  }
}

interface Family {
  readonly name: string;
  readonly token: Token;
  readonly missing: readonly InteractionState[];
}

interface StateEntry {
  readonly token: Token;
  readonly isRole: boolean;
  readonly states: readonly InteractionState[];
  /** Words without states, kinds and noise. */
  readonly key: string;
  /** The same, where `default` is part of the role's own name. */
  readonly defaultKey: string | null;
}

const PARTS = new WordSet('state states layer ring indicator interactive interaction action visible key thickness gap width size');

function familiesOf(view: ModeView): readonly Family[] {
  const roles = new Set(view.colours.filter(({ isRole }) => isRole).map(({ token }) => token));
  const entries = view.tokens
    .filter(({ words }) => !words.includes('shadow') && !words.includes('on'))
    .map(({ token, words }) => readStateEntry(token, words, roles.has(token)));
  const common = new Set(entries.filter(({ key }) => key === '').flatMap(({ states }) => states.filter((state) => state !== 'default')));
  const keys = new Set(entries.filter(({ states }) => states.some((state) => state !== 'default')).map(({ key }) => key));
  const families = new Map<string, StateEntry[]>();
  for (const entry of entries) {
    const key = entry.defaultKey !== null && keys.has(entry.defaultKey) ? entry.defaultKey : entry.key;
    if (key !== '') addToList(families, key, entry);
  }
  return [...families].flatMap(([key, members]) => familyOf(key, members, common));
}

function familyOf(key: string, members: readonly StateEntry[], common: ReadonlySet<InteractionState>): readonly Family[] {
  const roles = members.filter(({ isRole }) => isRole);
  const [first] = roles;
  const words = key.split(' ');
  const reacts = roles.some(({ states }) => states.length === 1 && (states[0] === 'hover' || states[0] === 'active'));
  if (first === undefined || (!reacts && !INTERACTIVE.hasAny(words))) return [];
  const own = new Set(members.flatMap(({ states }) => (states.length === 1 ? states : [])));
  // A colour or two for hovering and pressing, and nothing at rest, are laid over whatever is there: no role of its own.
  if (!own.has('default') && own.size < 3) return [];
  const wanted = words.includes('link') ? INTERACTION_STATES.filter((state) => state !== 'disabled') : INTERACTION_STATES;
  const missing = wanted.filter((state) => !own.has(state) && !common.has(state));
  return [{ name: words.join('-'), token: first.token, missing }];
}

function readStateEntry(token: Token, words: readonly string[], isRole: boolean): StateEntry {
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

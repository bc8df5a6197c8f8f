// The colours of a token set in one mode, and which of them are seen on which: pairs that the project declares, or that names make
// certain. Disabled parts are exempt from contrast (WCAG 1.4.3); palettes and decoration make no pairs.

import { type Colour, readColour } from './colour.js';
import {
  BACKGROUND,
  COMPONENT,
  EDGE,
  FIXED,
  ICON,
  isKind,
  isPalette,
  isState,
  nameWords,
  stateOf,
  TEXT,
  withoutNoise,
  WordSet,
} from './name-words.js';
import { readReference, type Token } from './token.js';
import type { ColourMode, TokenSet } from './token-set.js';
import { groupByKey } from '@umpire/core/formats/multimap.js';

export interface ColourToken {
  readonly token: Token;
  readonly words: readonly string[];
  readonly colour: Colour;
  /** It takes its colour from another token. */
  readonly isAlias: boolean;
  readonly isRole: boolean;
}

function coloursOf(set: TokenSet, context: ColourMode): readonly ColourToken[] {
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

export interface ModeView {
  readonly context: ColourMode;
  readonly tokens: readonly { readonly token: Token; readonly words: readonly string[] }[];
  readonly colours: readonly ColourToken[];
  readonly pairs: readonly Pair[];
  /** What the page is painted with where a token is used. */
  readonly pageOf: (colour: ColourToken) => ColourToken | null;
}

export function modeViews(set: TokenSet, declared: readonly DeclaredPair[]): readonly ModeView[] {
  return set.contexts.map((context) => {
    const colours = coloursOf(set, context);
    const pairing = new Pairing(colours, declared);
    const tokens = set.within(context).map((token) => ({ token, words: token.words }));
    return { context, tokens, colours, pairs: pairing.list(), pageOf: (colour) => pairing.pageOf(colour) };
  });
}

/** Large text and parts of the interface need less contrast. */
export type PairKind = 'text' | 'large' | 'ui';

export interface DeclaredPair {
  readonly text: string;
  readonly background: string;
  readonly kind: PairKind;
}

export interface Pair {
  readonly front: ColourToken;
  readonly back: ColourToken;
  readonly kind: PairKind;
}

const LARGE = new WordSet('display hero');
const TYPOGRAPHIC = new WordSet('body heading title detail code paragraph');
/** Words that leave text what it is: text of the page. */
const PLAIN_ROLES = new WordSet(
  'default base primary secondary tertiary body heading title detail code main muted subtle subdued neutral ' +
    'strong weak faint paragraph subtlest',
);
const PAGE_ROLES = ['default', 'page', 'base', 'body', 'canvas', 'app', '', 'elevation'];
const ELSEWHERE = new WordSet('inverse inverted on overlay placeholder link selected visited');

class Pairing {
  private readonly pairs = new Map<string, Pair>();
  private readonly fronts: readonly ColourToken[];
  private readonly backs: readonly ColourToken[];
  /** What pages are painted with, the likeliest first. */
  private readonly pages: readonly ColourToken[];
  private readonly backsByGroup: ReadonlyMap<string, readonly BackgroundInGroup[]>;
  /** States that text has of its own, by placeKey. */
  private readonly frontStates = new Map<string, Set<string>>();
  private readonly backsByName: ReadonlyMap<string, readonly ColourToken[]>;

  constructor(
    private readonly colours: readonly ColourToken[],
    declared: readonly DeclaredPair[],
  ) {
    const seen = colours.filter(({ words }) => !words.some((word) => stateOf(word) === 'disabled'));
    this.fronts = seen.filter(
      (colour) => frontKind(colour) !== null && !BACKGROUND.hasAny(kindWords(colour.words)) && !EDGE.hasAny(colour.words),
    );
    this.backs = seen.filter(({ words }) => !words.includes('on') && ![TEXT, ICON, EDGE].some((kind) => kind.hasAny(kindWords(words))));
    this.pages = this.findPages();
    const groups = this.backs.flatMap((back) => groupsOf(back, BACKGROUND).map(({ key, state }) => [key, { back, state }] as const));
    this.backsByGroup = groupByKey(groups);
    for (const front of this.fronts)
      for (const { key, state } of textGroups(front)) this.frontStates.set(key, (this.frontStates.get(key) ?? new Set()).add(state));
    this.backsByName = groupByKey(this.backs.flatMap((back) => listSearchNames(back).map((name) => [name, back] as const)));
    for (const pair of declared) this.declare(pair);
    for (const front of this.fronts) if (!FIXED.hasAny(front.words)) this.pairUp(front);
  }

  list(): readonly Pair[] {
    return [...this.pairs.values()];
  }

  /** What the page is painted with where this token is used. */
  pageOf(colour: ColourToken): ColourToken | null {
    return this.near(this.pages, colour);
  }

  /** The one that lies nearest: several systems may share a project. */
  private near(candidates: readonly ColourToken[], { token }: ColourToken): ColourToken | null {
    return (
      candidates.find((each) => each.token.file === token.file) ??
      candidates.find((each) => folderOf(each) === folderOf({ token })) ??
      candidates[0] ??
      null
    );
  }

  private declare({ text, background, kind }: DeclaredPair): void {
    const findNamed = (path: string): readonly ColourToken[] =>
      this.colours.filter(({ token }) => token.role === path || token.path === path);
    for (const front of findNamed(text)) {
      const back = this.near(findNamed(background), front);
      if (back !== null) this.add(front, back, kind);
    }
  }

  private add(front: ColourToken, back: ColourToken, kind: PairKind): void {
    const key = `${front.token.file}\0${front.token.path}\0${back.token.path}`;
    if (!this.pairs.has(key) && front !== back) this.pairs.set(key, { front, back, kind });
  }

  private pairUp(front: ColourToken): void {
    const kind = frontKind(front) ?? 'text';
    const on = onWords(front);
    if (on !== null) {
      const back = this.backOf(on.target, on.before, front);
      if (back !== null) this.add(front, back, kind);
      return;
    }
    const siblings = this.siblings(front);
    for (const back of siblings) this.add(front, back, kind);
    const page = siblings.length === 0 && isPageText(front.words) ? this.pageOf(front) : null;
    if (page !== null) this.add(front, page, kind);
  }

  /** `on-primary` is seen on `primary`, `background.primary` or the like. */
  private backOf(target: readonly string[], before: readonly string[], front: ColourToken): ColourToken | null {
    const bare = reduced(target);
    const rest = before.filter((word) => word !== bare[0]);
    const names = [plainName(target), plainName([...before, ...target])];
    if (bare.length > 0) names.push(reducedName([...rest, ...bare]), reducedName(bare));
    const matches = names.flatMap((name) => this.backsByName.get(name) ?? []);
    const painted = matches.filter(({ words }) => BACKGROUND.hasAny(words));
    return this.near(painted.length > 0 ? painted : matches, front);
  }

  /** Backgrounds of the same group or component, state by state; a side without states meets all of the other's. */
  private siblings(front: ColourToken): readonly ColourToken[] {
    const own = textGroups(front);
    const state = own[0]?.state ?? '';
    const group = own.flatMap(({ key }) => this.backsByGroup.get(key) ?? []);
    const same = group.filter((each) => each.state === state);
    // A side with states of its own changes with the other: what it is in a state that it lacks is anybody's guess.
    const frontChanges = own.some(({ key }) => [...(this.frontStates.get(key) ?? [])].some((each) => each !== ''));
    const others = frontChanges ? [] : group.filter((each) => each.state !== state);
    const backChanges = group.some((each) => each.state !== '');
    const fallen = same.length > 0 || backChanges ? [] : group;
    const bare = group.length === 0 && front.words.includes('foreground') ? this.bareBack(front) : [];
    return [...new Set([...same, ...others, ...fallen].map(({ back }) => back)), ...bare];
  }

  /** `card-foreground` on `card`. */
  private bareBack(front: ColourToken): readonly ColourToken[] {
    const rest = withoutNoise(front.words).filter((word) => word !== 'foreground');
    const near = rest.length === 0 ? null : this.near(this.backsByName.get(plainName(rest)) ?? [], front);
    return near === null ? [] : [near];
  }

  private findPages(): readonly ColourToken[] {
    const hasOn = this.fronts.some((front) => onWords(front)?.target.includes('primary') === true);
    const ranks = hasOn ? PAGE_ROLES : [...PAGE_ROLES, 'primary'];
    const ranked = this.backs.flatMap((back) => {
      const plain = withoutNoise(back.words);
      const rest = plain.filter((word) => !BACKGROUND.has(word));
      const rank = rest.length <= 1 && rest.length < plain.length ? ranks.indexOf(rest[0] ?? '') : -1;
      return rank < 0 || back.colour.alpha < 1 ? [] : [{ back, rank }];
    });
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ back }) => back);
  }
}

interface BackgroundInGroup {
  readonly back: ColourToken;
  readonly state: string;
}

function folderOf({ token }: Pick<ColourToken, 'token'>): string {
  return token.file.slice(0, token.file.lastIndexOf('/') + 1);
}

/** Names under which a background is looked for: its words, and those that are left without the ones that only say what it is. */
function listSearchNames({ words }: ColourToken): readonly string[] {
  return [plainName(withoutNoise(words)), ...(isPalette(words) ? [] : [reducedName(reduced(words))])];
}

function plainName(words: readonly string[]): string {
  return `plain ${words.join(' ')}`;
}

function reducedName(words: readonly string[]): string {
  return `reduced ${words.join(' ')}`;
}

/** What a colour is seen as, by its words. */
function frontKind(colour: ColourToken): PairKind | null {
  const { words } = colour;
  const kinds = kindWords(words);
  const plain = withoutNoise(words);
  if (ICON.hasAny(kinds)) return 'ui';
  const isText = TEXT.hasAny(kinds) || (plain.length === 1 && plain.length < words.length && TYPOGRAPHIC.has(plain[0] ?? ''));
  if (isText) return LARGE.hasAny(words) ? 'large' : 'text';
  return onWords(colour)?.opens === true ? 'text' : null;
}

/** Words before `on`: what comes after it speaks of the background. */
function kindWords(words: readonly string[]): readonly string[] {
  const at = words.indexOf('on');
  return at < 0 ? words : words.slice(0, at);
}

interface OnWords {
  readonly target: readonly string[];
  readonly before: readonly string[];
  /** The name begins with it, as `on-primary` and `inverse-on-surface` do: such a colour is text without saying so. */
  readonly opens: boolean;
}

function onWords({ token, words: all }: ColourToken): OnWords | null {
  if (!all.includes('on')) return null;
  const names = token.role.split('.');
  for (const [index, name] of names.entries()) {
    const words = nameWords(name);
    const at = words.indexOf('on');
    const target = withoutNoise(words.slice(at + 1));
    if (at < 0 || target.length === 0 || isState(target[0] ?? '')) continue;
    const before = [...names.slice(0, index).flatMap(nameWords), ...words.slice(0, at)];
    return {
      target: [...target, ...names.slice(index + 1).flatMap(nameWords)],
      before: withoutNoise(before).filter((word) => !TEXT.has(word) && !ICON.has(word)),
      opens: words.slice(0, at).every((word) => word === 'inverse'),
    };
  }
  return null;
}

/** What is left of a background's words without those that only say that it is one. */
function reduced(words: readonly string[]): readonly string[] {
  return withoutNoise(words).filter((word) => !BACKGROUND.has(word) && word !== 'default');
}

interface PairGroup {
  readonly key: string;
  readonly state: string;
}

/**
 * A group groups both sides by itself. By the words of its name alone a text has a placeKey only in a component: there are systems in
 * which `accent-content` is not seen on `accent-background`.
 */
function textGroups(front: ColourToken): readonly PairGroup[] {
  const isSure = COMPONENT.hasAny(front.words) || front.words.includes('foreground');
  const kind = TEXT.hasAny(front.words) ? TEXT : ICON;
  return groupsOf(front, kind).filter(({ key }) => isSure || key.startsWith('group '));
}

/** Where a token sits: `button.primary.text-hover` sits at `button.primary` in hover. */
function groupsOf({ token }: ColourToken, kind: WordSet): readonly PairGroup[] {
  const names = token.role.split('.').filter((name) => name !== '$root');
  const last = withoutNoise(nameWords(names.at(-1) ?? '')).filter((word) => !isState(word));
  const all = withoutNoise(token.words);
  const groups: PairGroup[] = [];
  const states = (words: readonly string[]): string =>
    words
      .flatMap((word) => stateOf(word) ?? [])
      .filter((state) => state !== 'default')
      .toSorted()
      .join(' ');
  if (last.length === 1 && kind.has(last[0] ?? ''))
    groups.push({ key: `group ${names.slice(0, -1).join('.')}`, state: states(nameWords(names.at(-1) ?? '')) });
  if (all.filter((word) => kind.has(word)).length === 1)
    groups.push({ key: `words ${all.filter((word) => !isState(word) && !kind.has(word)).join(' ')}`, state: states(all) });
  return groups;
}

function isPageText(words: readonly string[]): boolean {
  const rest = withoutNoise(words).filter((word) => !TEXT.has(word) && !ICON.has(word) && !isState(word) && word !== 'key');
  return !ELSEWHERE.hasAny(words) && rest.every((word) => PLAIN_ROLES.has(word) || LARGE.has(word));
}

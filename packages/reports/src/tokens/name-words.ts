// The words in token names: text, background, a state, a step of a palette. Names are the only hint of what a colour is for, so only
// unambiguous words are listed; whether a file, a group or a name holds for light or dark: `primary.light` beside `primary.main` is a
// shade, not a mode.

import type { Theme, Token } from './token.js';

/** A set of words with fast lookup: an audit asks it a hundred thousand times. */
export class WordSet {
  private readonly words: ReadonlySet<string>;

  constructor(list: string) {
    this.words = new Set(list.split(' '));
  }

  has(word: string): boolean {
    return this.words.has(word);
  }

  hasAny(words: readonly string[]): boolean {
    return words.some((word) => this.words.has(word));
  }
}

export type InteractionState = 'default' | 'hover' | 'focus' | 'active' | 'disabled';

export const INTERACTION_STATES: readonly InteractionState[] = ['default', 'hover', 'focus', 'active', 'disabled'];

const STATE_WORDS: Readonly<Record<InteractionState, WordSet>> = {
  default: new WordSet('default rest resting enabled normal idle'),
  hover: new WordSet('hover hovered'),
  focus: new WordSet('focus focused'),
  active: new WordSet('active pressed press down'),
  disabled: new WordSet('disabled inactive'),
};

export const NOISE = new WordSet('color colors colour colours clr');
export const TEXT = new WordSet('text foreground fg content label');
export const BACKGROUND = new WordSet('background backgrounds bg surface canvas fill');
export const ICON = new WordSet('icon icons glyph');
export const EDGE = new WordSet('border borders outline stroke divider separator ring track shadow');
const KINDS = [TEXT, BACKGROUND, ICON, EDGE, new WordSet('visual opacity')];
export const COMPONENT = new WordSet(
  'button btn link input field textfield checkbox radio switch toggle select dropdown slider tab tabs chip ' +
    'card alert badge banner tooltip toast ' +
    'dialog modal menu popover tag table row nav navbar sidebar header footer',
);
export const INTERACTIVE = new WordSet('button btn link input textfield checkbox radio switch toggle select dropdown slider');
const HUES = new WordSet(
  'red orange yellow green blue purple violet pink gray grey slate zinc neutral stone amber lime emerald teal ' +
    'cyan sky indigo fuchsia rose ' +
    'magenta brown black white transparent turquoise seafoam celery chartreuse cinnamon silver',
);
const PALETTES = new WordSet('palette palettes primitive primitives ref reference ramp ramps swatch swatches global core');
/** Meant to be the same in every mode. */
export const FIXED = new WordSet('static fixed constant always');

/** Words of a path or name in lower case: cut at dots, dashes, strokes, spaces, and where a capital follows a small letter. */
export function nameWords(name: string): readonly string[] {
  return name
    .slice(0, 500)
    .replaceAll('$root', '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s._/-]+/)
    .filter((word) => word !== '');
}

export function withoutNoise(words: readonly string[]): readonly string[] {
  return words.filter((word) => !NOISE.has(word));
}

export function stateOf(word: string): InteractionState | null {
  return INTERACTION_STATES.find((state) => STATE_WORDS[state].has(word)) ?? null;
}

export function isKind(word: string): boolean {
  return KINDS.some((kind) => kind.has(word));
}

export function isState(word: string): boolean {
  return stateOf(word) !== null;
}

/** A raw colour that roles draw from, such as `blue.500`: nobody is meant to use it by itself. */
export function isPalette(words: readonly string[]): boolean {
  const plain = withoutNoise(words);
  if (PALETTES.hasAny(plain)) return true;
  if (plain.some((word) => isKind(word) || (isState(word) && word !== 'default'))) return false;
  const last = plain.at(-1) ?? '';
  return /^\d{1,5}$/.test(last) || /^[a-z]{1,20}\d{1,4}$/.test(last) || HUES.has(last) || plain.every((word) => HUES.has(word));
}

/** Names such as `light`, `Dark`, `theme-dark`, `lightMode`. High-contrast and other variants are modes of their own. */
export function modeTheme(name: string): Theme | null {
  const words = nameWords(name).filter((word) => !['theme', 'mode', 'color', 'colors', 'scheme', 'default'].includes(word));
  const [only, ...others] = words;
  return others.length === 0 && (only === 'light' || only === 'dark') ? only : null;
}

/** By the file's name, else by the nearest folder that is named so. */
export function fileTheme(file: string): Theme | null {
  const [name = '', ...folders] = file.split('/').toReversed();
  const words = nameWords(name.replace(/\.(?:tokens\.)?json$|\.tokens$/i, ''));
  const light = words.includes('light');
  const dark = words.includes('dark');
  if (words.includes('contrast') || (light && dark)) return null;
  if (light || dark) return light ? 'light' : 'dark';
  return folders.map(modeTheme).find((theme) => theme !== null) ?? null;
}

/** At least this share of what two groups hold must be the same for them to be modes of one another. */
const SHARED = 0.5;

/** Gives tokens under `light` and `dark` groups, or with just these two names, their mode and their path without it. */
export function splitTheme(tokens: readonly Token[]): readonly Token[] {
  const known = new Map<string, Theme | null>();
  const themeOf = (segment: string): Theme | null => {
    const theme = known.get(segment);
    if (theme !== undefined) return theme;
    const found = modeTheme(segment);
    known.set(segment, found);
    return found;
  };
  // Most files have no modes, and then nothing needs to be counted.
  if (!tokens.some(({ segments }) => segments.some((segment) => themeOf(segment) !== null))) return tokens;
  const sides = new Map<string, { readonly light: Set<string>; readonly dark: Set<string> }>();
  const siblings = new Map<string, Set<string>>();
  for (const { segments } of tokens) {
    segments.forEach((segment, at) => {
      const parent = joinSegments(segments.slice(0, at));
      siblings.set(parent, (siblings.get(parent) ?? new Set<string>()).add(segment));
      const theme = themeOf(segment);
      if (theme === null) return;
      const side = sides.get(parent) ?? { light: new Set<string>(), dark: new Set<string>() };
      side[theme].add(joinSegments(segments.slice(at + 1)));
      sides.set(parent, side);
    });
  }
  const isSplit = (parent: string): boolean => {
    const side = sides.get(parent);
    if (side === undefined || side.light.size === 0 || side.dark.size === 0) return false;
    // Two tokens, not groups: modes only where nothing else stands beside them.
    if (side.light.has(joinSegments([])) || side.dark.has(joinSegments([]))) return siblings.get(parent)?.size === 2;
    const both = [...side.light].filter((path) => side.dark.has(path)).length;
    return both / Math.min(side.light.size, side.dark.size) >= SHARED;
  };
  return tokens.map((token) => {
    const at = token.segments.findIndex(
      (segment, index) => themeOf(segment) !== null && isSplit(joinSegments(token.segments.slice(0, index))),
    );
    if (at < 0 || token.theme !== null) return token;
    const theme = themeOf(token.segments[at] ?? '');
    const role = token.segments.filter((_, index) => index !== at).join('.');
    return { ...token, theme, role, words: nameWords(role) };
  });
}

function joinSegments(segments: readonly string[]): string {
  return segments.join('\0');
}

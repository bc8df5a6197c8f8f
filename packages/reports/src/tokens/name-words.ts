// The words in token names: text, background, a state, a step of a palette. Names are the only hint of what a colour is for, so only
// unambiguous words are listed.

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

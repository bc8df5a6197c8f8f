// Words of a text, and lists of words to match. Plain lists instead of long regular expressions, which take longer to compile than
// a whole report takes to read.

/** A list of words as one string. It costs nothing to load, and a few lookups are cheaper than building a set. */
export class WordList {
  private readonly text: string;

  constructor(
    list: string,
    private readonly separator = ' ',
  ) {
    this.text = separator + list + separator;
  }

  has(word: string): boolean {
    return !word.includes(this.separator) && this.text.includes(this.separator + word + this.separator);
  }

  hasAny(words: readonly string[]): boolean {
    return words.some((word) => this.has(word));
  }
}

/** Collapses whitespace to single spaces. Tests first, because nearly every text is one line already. */
export function oneLine(text: string): string {
  return (/\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ') : text).trim();
}

/** Lower case with the same length, so that offsets stay valid. One Turkish letter would grow. */
export function lowerCase(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase();
}

/**
 * The words of a text in lower case, as `\b` sees them (ASCII letters, digits, `_`). Anything but a single space between two words
 * becomes a gap (`|`): "issues fixed" is a pair, "issues: fixed" is not.
 */
export function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .replace(/[^\w ]+| {2,}/g, ' | ')
    .split(' ');
}

/** The first word in lower case; empty if the text starts with anything else. */
export function leadingWord(text: string): string {
  return /^\w+/.exec(text)?.[0].toLowerCase() ?? '';
}

/** Phrases such as `passed/passing checks`: words separated by spaces, alternatives by slashes. */
export class PhraseList {
  private readonly texts: readonly string[];
  /** Split on first use: the words of each phrase, with slashes around them. */
  private phrases: readonly (readonly string[])[] | null = null;

  constructor(...texts: readonly string[]) {
    this.texts = texts;
  }

  /** Whether one of the phrases is among these words (from wordsOf). */
  isIn(words: readonly string[]): boolean {
    return words.some((_, at) => this.standsAt(words, at));
  }

  /** Whether the words start with one of the phrases. */
  opens(words: readonly string[]): boolean {
    return this.standsAt(words, 0);
  }

  private standsAt(words: readonly string[], at: number): boolean {
    this.phrases ??= this.texts.map((text) => text.split(' ').map((choice) => `/${choice}/`));
    return this.phrases.some((phrase) => phrase.every((choice, index) => choice.includes(`/${words[at + index] ?? ''}/`)));
  }
}

// The words of a text, and lists of words to hold them against. A regular expression is compiled when it first runs, and
// a long one takes longer for that than the whole report takes to be read: a start is cheap only with few and short ones.

/** A list written as one text, and searched as one: that costs nothing to load, and less than a set that is asked a few times. */
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

/** As one line, its words parted by single spaces. Nearly every text is one already, and to look is cheaper than to replace. */
export function oneLine(text: string): string {
  return (/\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ') : text).trim();
}

/** Lower case, and as long as before, so that offsets hold: one letter of Turkish would grow. */
export function lowerCase(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase();
}

/**
 * The words of a text in lower case (letters of ASCII, digits and `_`, as `\b` sees them), and between them what parts
 * them: a single space is nothing, other characters are a gap (`|`). So "issues fixed" is a pair, "issues: fixed" none.
 */
export function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .replace(/[^\w ]+| {2,}/g, ' | ')
    .split(' ');
}

/** The word that a text begins with, in lower case; empty where it begins with something else. */
export function leadingWord(text: string): string {
  return /^\w+/.exec(text)?.[0].toLowerCase() ?? '';
}

/** Phrases such as `passed/passing checks`: words parted by single spaces, where a stroke parts words of which one will do. */
export class PhraseList {
  private readonly texts: readonly string[];
  /** Cut when first asked: the words of each phrase, with strokes around them. */
  private phrases: readonly (readonly string[])[] | null = null;

  constructor(...texts: readonly string[]) {
    this.texts = texts;
  }

  /** One of them stands among these words, as wordsOf gives them. */
  isIn(words: readonly string[]): boolean {
    return words.some((_, at) => this.standsAt(words, at));
  }

  /** The words begin with one of them. */
  opens(words: readonly string[]): boolean {
    return this.standsAt(words, 0);
  }

  private standsAt(words: readonly string[], at: number): boolean {
    this.phrases ??= this.texts.map((text) => text.split(' ').map((choice) => `/${choice}/`));
    return this.phrases.some((phrase) => phrase.every((choice, index) => choice.includes(`/${words[at + index] ?? ''}/`)));
  }
}

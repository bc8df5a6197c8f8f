// The words of a text, and lists of words to hold them against. A regular expression is compiled when it first runs, and
// a long one takes longer for that than the whole report takes to be read: a start is cheap only with few and short ones.

/** A list written as one text, since that costs nothing to load: it is cut when it is first asked. */
export class WordList {
  private set: ReadonlySet<string> | null = null;

  constructor(
    private readonly text: string,
    private readonly separator = ' ',
  ) {}

  has(word: string): boolean {
    this.set ??= new Set(this.text.split(this.separator));
    return this.set.has(word);
  }

  hasAny(words: readonly string[]): boolean {
    return words.some((word) => this.has(word));
  }
}

/** Lower case, and as long as before, so that offsets hold: one letter of Turkish would grow. */
export function lowerCase(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase();
}

/** In lower case; letters of ASCII, digits and `_`, as `\b` sees them. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\w+/g) ?? [];
}

/** The word that a text begins with, in lower case; empty where it begins with something else. */
export function leadingWord(text: string): string {
  return /^\w+/.exec(text)?.[0].toLowerCase() ?? '';
}

/**
 * Words in lower case with what parts them: a single space is nothing, anything else a gap of its own (`|`), so that
 * "issues fixed" is a pair and "issues: fixed" is none.
 */
export class Wording {
  readonly words: readonly string[];

  constructor(text: string) {
    this.words = text.toLowerCase().replace(/[^\w ]+| {2,}/g, ' | ').split(' ');
  }

  hasAny(list: WordList): boolean {
    return list.hasAny(this.words);
  }

  /** One of the first list, a single space, one of the second. */
  hasPair(first: WordList, second: WordList): boolean {
    return this.words.some((word, at) => first.has(word) && second.has(this.words[at + 1] ?? ''));
  }
}

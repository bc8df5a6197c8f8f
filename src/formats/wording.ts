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

/** No phrase has more words, gaps included. */
const LONGEST = 4;

/** Phrases such as `passed/passing checks`: words parted by single spaces, where a stroke parts words of which one will do. */
export class PhraseList {
  private set: ReadonlySet<string> | null = null;
  private readonly phrases: readonly string[];

  constructor(...phrases: readonly string[]) {
    this.phrases = phrases;
  }

  /** One of them stands in the text, in whole words. */
  isIn(wording: Wording): boolean {
    return wording.words.some((_, at) => this.standsAt(wording, at));
  }

  /** The text begins with one of them. */
  opens(wording: Wording): boolean {
    return this.standsAt(wording, 0);
  }

  private standsAt({ words }: Wording, at: number): boolean {
    const set = (this.set ??= new Set(this.phrases.flatMap(spellings)));
    for (let phrase = words[at], end = at + 1; phrase !== undefined && end <= at + LONGEST; end += 1) {
      if (set.has(phrase)) return true;
      phrase = end < words.length ? `${phrase} ${words[end]}` : undefined;
    }
    return false;
  }
}

/** `a/b c` → `a c`, `b c` */
function spellings(phrase: string): readonly string[] {
  const [first = '', ...others] = phrase.split(' ').map((word) => word.split('/'));
  return others.reduce((starts, words) => starts.flatMap((start) => words.map((word) => `${start} ${word}`)), [...first]);
}

/** Words in lower case, and between them what parts them: a single space is nothing, other characters are a gap (`|`). */
export class Wording {
  readonly words: readonly string[];

  constructor(text: string) {
    this.words = text.toLowerCase().replace(/[^\w ]+| {2,}/g, ' | ').split(' ');
  }
}

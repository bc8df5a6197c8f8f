// Words to hold names against. Unlike formats/wording.ts's lists these are asked a hundred thousand times in one audit.

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

// Tests for letters and digits in any script, and replacement of look-alike letters. Unicode classes take a millisecond to compile, so
// they run only on text that needs them.

import { WordList } from './word-lists.js';

/** Everything beyond ASCII that may be a letter or a number. Excludes dashes, quotes, arrows, symbols, emoji and their joiners. */
const FOREIGN =
  /[\u00aa\u00b2\u00b3\u00b5\u00b9-\u00be\u00c0-\u1fff\u2070-\u218f\u2460-\u24ff\u2776-\u2793\u2c00-\ud83b\ud83f-\udbff\uf900-\ufdff\ufe70-\uffff]/;

const LETTER = '\\p{L}';
const NUMBER = '\\p{N}';

/** A pattern that writes letters as `\p{L}` and numbers as `\p{N}`, each inside square brackets. */
export class LetterPattern {
  private plain: RegExp | null = null;
  private full: RegExp | null = null;

  constructor(
    private readonly source: string,
    private readonly flags = '',
  ) {}

  /** The ASCII version of the pattern if the text allows it, else the Unicode version. */
  for(text: string): RegExp {
    if (FOREIGN.test(text)) return (this.full ??= new RegExp(this.source, `${this.flags}u`));
    return (this.plain ??= new RegExp(this.source.replaceAll(LETTER, 'A-Za-z').replaceAll(NUMBER, '0-9'), this.flags));
  }
}

const LETTER_RUNS = new LetterPattern('[\\p{L}\\p{N}]+', 'g');

/** True for letters beyond ASCII and zero-width characters. */
export function isForeign(text: string): boolean {
  return FOREIGN.test(text) || text.includes('\u200b') || text.includes('\u2060');
}

export function hasLetter(text: string): boolean {
  return /[A-Za-z]/.test(text) || (FOREIGN.test(text) && /\p{L}/u.test(text));
}

export function hasLetterOrNumber(text: string): boolean {
  return /[A-Za-z0-9]/.test(text) || (FOREIGN.test(text) && /[\p{L}\p{N}]/u.test(text));
}

export function hasDigit(text: string): boolean {
  return /\d/.test(text);
}

/** Runs of letters and numbers. */
export function letterWords(text: string): readonly string[] {
  return text.match(LETTER_RUNS.for(text)) ?? [];
}

/** The number of blanks and `marks` at the start of the text, at most `most`. */
export function marksLength(text: string, marks: string, most: number): number {
  let length = 0;
  while (length < most && length < text.length && isMark(text.charAt(length), marks)) length += 1;
  return length;
}

/** The number of blanks and `marks` at the end of the text, at most `most`. */
export function endMarksLength(text: string, marks: string, most: number): number {
  let length = 0;
  while (length < most && length < text.length && isMark(text.charAt(text.length - 1 - length), marks)) length += 1;
  return length;
}

function isMark(char: string, marks: string): boolean {
  return marks.includes(char) || char.trim() === '';
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

const LATIN_OF: ReadonlyMap<string, string> = new Map(
  (
    '\u0421C \u0441c \u0410A \u0430a \u0415E \u0435e \u041eO \u043eo \u0406I \u0456i \u0405S \u0455s \u0420P \u0440p \u041aK \u043ak ' +
    '\u041cM \u0422T \u041dH \u0412B \u04c0l \u04cfl \u0425X \u0443y \u0391A \u0392B \u0395E \u0397H \u0399I \u039aK \u039cM \u039fO ' +
    '\u03a1P \u03a4T \u03bfo \u03b9i \u03b1a'
  )
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
);

/** Only these words are respelled. A Russian sentence stays unchanged. */
const RESPELLED_WORDS = new WordList(
  'critical criticals crit blocker blockers blocking fatal severe showstopper showstoppers catastrophic high major serious error medium ' +
    'moderate warning low minor severity',
);

export function replaceLookalikes(text: string): string {
  // Cheap test first: most reports hold only ASCII, dashes and emoji.
  if (!/[\u00ad\u0370-\u04ff\u180e\u200b-\u200f\u202a-\u202e\u2060\ufeff\uff01-\uff5e]|\ud835/.test(text)) return text;
  return text
    .replace(/[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]+/g, '')
    .replace(/(?<=[A-Za-z])[\u200c\u200d]+(?=[A-Za-z])/g, '')
    .replace(/[\uff10-\uff19\uff21-\uff3b\uff3d\uff41-\uff5a]+|(?:\ud835[\udc00-\udfff])+/g, (run) => run.normalize('NFKC'))
    .replace(/[A-Za-z\u0370-\u04ff]+/g, (word) => {
      let latin = '';
      for (const char of word) latin += LATIN_OF.get(char) ?? char;
      return latin !== word && RESPELLED_WORDS.has(latin.toLowerCase()) ? latin : word;
    });
}

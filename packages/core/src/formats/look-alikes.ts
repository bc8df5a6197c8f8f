// Undoes what hides a word from a reader but not from a person: letters of full width, characters without any width,
// Cyrillic and Greek letters that look like Latin ones. Text without such characters comes back as it was.

import { WordList } from './wording.js';

const LATIN_OF: ReadonlyMap<string, string> = new Map(
  (
    '\u0421C \u0441c \u0410A \u0430a \u0415E \u0435e \u041eO \u043eo \u0406I \u0456i \u0405S \u0455s \u0420P \u0440p \u041aK \u043ak ' +
    '\u041cM \u0422T \u041dH \u0412B \u04c0l \u04cfl \u0425X \u0443y \u0391A \u0392B \u0395E \u0397H \u0399I \u039aK \u039cM \u039fO ' +
    '\u03a1P \u03a4T \u03bfo \u03b9i \u03b1a'
  )
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
);

/** Only these words are respelled: a Russian sentence stays as it is. */
const WORDS = new WordList(
  'critical criticals crit blocker blockers blocking fatal severe showstopper showstoppers catastrophic high major serious error medium ' +
    'moderate warning low minor severity',
);

export function plainLetters(text: string): string {
  // The cheapest question first: most reports hold ASCII, dashes and emoji only.
  if (!/[\u00ad\u0370-\u04ff\u180e\u200b-\u200f\u202a-\u202e\u2060\ufeff\uff01-\uff5e]|\ud835/.test(text)) return text;
  return text
    .replace(/[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]+/g, '')
    .replace(/(?<=[A-Za-z])[\u200c\u200d]+(?=[A-Za-z])/g, '')
    .replace(/[\uff10-\uff19\uff21-\uff3b\uff3d\uff41-\uff5a]+|(?:\ud835[\udc00-\udfff])+/g, (run) => run.normalize('NFKC'))
    .replace(/[A-Za-z\u0370-\u04ff]+/g, respell);
}

function respell(word: string): string {
  let latin = '';
  for (const char of word) latin += LATIN_OF.get(char) ?? char;
  return latin !== word && WORDS.has(latin.toLowerCase()) ? latin : word;
}

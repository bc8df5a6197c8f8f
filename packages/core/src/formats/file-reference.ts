// Finds the file and line in a sentence: `(src/a.ts:12)`, `a.ts#L12`, `(tokens.json, line 3)`. URLs, times such as 12:30, ratios
// such as 4.5:1 and token names such as `spacing.md` are not files.

import { hasDigit, hasLetter, hasLetterOrNumber } from './characters.js';
import { lowerCase, WordList } from './word-lists.js';

export interface FileReference {
  readonly artifact: string | null;
  readonly line: number | null;
  /** The text without a reference at its edge. */
  readonly message: string;
}

interface FoundReference {
  readonly artifact: string;
  readonly line: number | null;
  readonly start: number;
  readonly end: number;
}

const EXTENSIONS = new WordList(
  'astro bash c cc cfg cjs clj conf cpp cs css csv dart env erb ex exs fish go gql graphql gradle h hbs hcl hpp hrl hs htm html ini ipynb ' +
    'java js json json5 jsonc jsx kt kts less lock log lua m markdown md mdx mjs mm mts cts ndjson nix php pl plist pm prisma properties ' +
    'proto ps1 pug py pyi r rb rego rs rst sass scala scss sh sol sql styl svelte svg swift tf tokens toml ts tsx txt vb vue xml yaml yml ' +
    'zig zsh snap feature figma',
);
/** Files without an extension. */
const NAMES = new WordList('dockerfile makefile jenkinsfile gemfile rakefile procfile codeowners justfile');
/** `.eslintrc` counts as a file only with a line number. */
const HIDDEN = /^\.[A-Za-z][\w-]{1,40}$/;
const PRODUCTS = new WordList('node next vue react nuxt express three d3 chart ember p5 moment day socket solid alpine backbone');
/** Sizes in a design scale look like Markdown files. Their names start with one of these words. */
const SCALES =
  'spac radi shadow size sizing font text gap breakpoint screen container padding margin border elevation line type icon button input';

/** A folder in parentheses is part of a path, as in `app/(shop)/page.tsx`. Other parentheses are not. */
const TOKEN = /(?:[^\s()<>"'`,;|{}\u201c\u201d\u2018\u2019]|(?<=\/)\([^\s()]{1,60}\)(?=\/))+/g;
const POINTER =
  /^((?:[A-Za-z]:[\\/])?[^:#?*]{1,300})(?::L?(\d{1,7})(?:[-\u2013]L?\d{1,7})?(?::\d{1,7})?(?:[-\u2013]\d{1,7})?|#L(\d{1,7})(?:-?L?\d{1,7})?)?$/;
/** Characters between a reference and the sentence it opens or ends. */
const BEFORE_SENTENCE = ':|\u2014\u2013-';
const AFTER_SENTENCE = '|\u2014\u2013@\u2192-';
const PAIRS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['`', '`'],
  ['"', '"'],
  ["'", "'"],
  ['*', '*'],
  ['<', '>'],
]);

export function parseReference(text: string): FileReference {
  const found = findReference(text);
  if (found === null) return { artifact: null, line: null, message: text.trim() };
  return { artifact: found.artifact, line: found.line, message: withoutReference(text, found) };
}

/** A value that is one path, including its spaces: `src/my page.tsx`, `src/my page.tsx:12`. */
export function parsePath(text: string): { readonly artifact: string; readonly line: number | null } | null {
  const plain = text.trim();
  const pointer = plain.includes('/') && !/[,;\n]/.test(plain) && !plain.includes('://') ? splitPointer(plain) : null;
  if (pointer === null || !isFile(pointer.path, pointer.number !== undefined)) return null;
  const words = pointer.path.split(' ');
  // Excludes sentences that end in a file, and lists of files.
  if (!(words[0] ?? '').includes('/') || words.slice(0, -1).some((word) => isFile(word, true))) return null;
  return { artifact: pointer.path, line: pointer.number === undefined ? null : lineOf(pointer.number) };
}

/** The first reference with a line. Else the first file in brackets or quotes, else the first file. */
function findReference(text: string): FoundReference | null {
  let enclosed: FoundReference | null = null;
  let plain: FoundReference | null = null;
  // Cheap test: whether the text may hold one of NAMES.
  const lower = text.toLowerCase();
  const bareNames = lower.includes('file') || lower.includes('codeowners');
  if (!bareNames && !text.includes('.')) return null;
  let end = 0;
  for (const token of text.match(TOKEN) ?? []) {
    const start = text.indexOf(token, end);
    end = start + token.length;
    if (token.length > 320 || !(bareNames || token.includes('.'))) continue;
    const found = referenceAt(text, start, token);
    if (found === null) continue;
    if (found.line !== null) return found;
    const close = PAIRS.get(text[found.start - 1] ?? '');
    if (close !== undefined && close === text[found.end]) enclosed ??= found;
    else plain ??= found;
  }
  return enclosed ?? plain;
}

function referenceAt(text: string, index: number, token: string): FoundReference | null {
  if (token.includes('://') || token.startsWith('www.')) return null;
  let lead = 0;
  while (lead < 4 && lead < token.length && '[*_'.includes(token.charAt(lead))) lead += 1;
  let end = token.length;
  while (end > lead && '.:!?*]'.includes(token[end - 1] ?? '') && !(token[end - 1] === ']' && token.slice(lead, end).includes('[')))
    end -= 1;
  const pointer = splitPointer(token.slice(lead, end));
  if (pointer === null) return null;
  const { path, number } = pointer;
  const start = index + lead;
  if (number !== undefined) {
    return isFile(path, true) ? { artifact: path, line: lineOf(number), start, end: index + end } : null;
  }
  if (!isFile(path, false)) return null;
  const word = lineWord(text.slice(index + end, index + end + 40));
  if (word === null) return { artifact: path, line: null, start, end: index + end };
  return {
    artifact: path,
    line: lineOf(word[1] ?? ''),
    start,
    end: index + end + word[0].length - (text[start - 1] === '(' && word[0].endsWith(')') ? 1 : 0),
  };
}

/** Path and line of `a.ts:12` or `a.ts#L12`. Most tokens are only a path. */
function splitPointer(token: string): { readonly path: string; readonly number: string | undefined } | null {
  if (!token.includes(':') && !token.includes('#')) {
    return token.length > 300 || token.includes('?') || token.includes('*') ? null : { path: token, number: undefined };
  }
  const match = POINTER.exec(token);
  return match === null ? null : { path: match[1] ?? '', number: match[2] ?? match[3] };
}

/** `, line 3` or `(L3)` after a file. */
function lineWord(after: string): RegExpExecArray | null {
  if (!hasDigit(after)) return null;
  return /^[`*'"]{0,2}[\s,]{0,3}(?:\(|at )?(?:lines?|ln|l)\.?[ :]{0,2}(\d{1,7})(?:[-\u2013]\d{1,7})?\)?/.exec(lowerCase(after));
}

function lineOf(digits: string): number | null {
  return Number(digits) >= 1 ? Number(digits) : null;
}

function isFile(path: string, hasLine: boolean): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot + 1).toLowerCase();
  if (NAMES.has(name.toLowerCase())) return true;
  if (dot < 0 || extension === '') return false;
  if (hasLine && dot === 0 && HIDDEN.test(name)) return true;
  if (!hasLine && (isProduct(path) || isScale(path))) return false;
  if (EXTENSIONS.has(extension)) return dot === 0 || name.includes('_') || hasLetterOrNumber(name.slice(0, dot));
  return hasLine && name !== path && dot > 0 && /^[a-z][a-z\d]{0,9}$/.test(extension);
}

/** `Node.js` */
function isProduct(path: string): boolean {
  const lower = path.toLowerCase();
  return lower.endsWith('.js') && PRODUCTS.has(lower.slice(0, -'.js'.length));
}

/** `spacing.md` */
function isScale(path: string): boolean {
  const lower = path.toLowerCase();
  if (!lower.endsWith('.md')) return false;
  const start = SCALES.split(' ').find((each) => lower.startsWith(each));
  return start !== undefined && /^[\w.-]{0,60}$/.test(lower.slice(start.length, -'.md'.length));
}

function withoutReference(text: string, found: FoundReference): string {
  let { start, end } = found;
  let hangs = false;
  for (let close = PAIRS.get(text[start - 1] ?? ''); close !== undefined && text[end] === close; close = PAIRS.get(text[start - 1] ?? '')) {
    hangs ||= close === ')' || close === ']';
    start -= 1;
    end += 1;
  }
  const before = text.slice(0, start).trim();
  const after = text.slice(end).trim();
  let message: string | null = null;
  if (hangs) message = `${before} ${after}`;
  else if (before === '' && after !== '' && BEFORE_SENTENCE.includes(after.charAt(0)))
    message = after.replace(/^[:|\u2014\u2013\s-]{1,10}/, '');
  else if (after === '' && before !== '' && AFTER_SENTENCE.includes(before.slice(-1)))
    message = before.replace(/[|\u2014\u2013@\u2192\s-]{1,10}$/, '');
  if (message === null || !(hasLetter(message) || hasDigit(message))) return text.trim();
  // Removes the space left in front of a comma or full stop.
  return hasLooseMark(message) ? message.replace(/ {1,4}([.,;:])/g, '$1').trim() : message.trim();
}

function hasLooseMark(text: string): boolean {
  return text.includes(' .') || text.includes(' ,') || text.includes(' ;') || text.includes(' :');
}

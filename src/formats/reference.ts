// Finds the file and line that a sentence points at: `(src/a.ts:12)`, `a.ts#L12`, `(tokens.json, line 3)`.
// URLs, times such as 12:30, ratios such as 4.5:1 and token names such as `spacing.md` are no files.

export interface Reference {
  readonly artifact: string | null;
  readonly line: number | null;
  /** The text, without a reference that only hangs on it. */
  readonly message: string;
}

interface Found {
  readonly artifact: string;
  readonly line: number | null;
  readonly start: number;
  readonly end: number;
}

const EXTENSIONS: ReadonlySet<string> = new Set(
  `astro bash c cc cfg cjs clj conf cpp cs css csv dart env erb ex exs fish go gql graphql gradle h hbs hcl hpp hrl hs htm html ini ipynb java js
  json json5 jsonc jsx kt kts less lock log lua m markdown md mdx mjs mm mts cts ndjson nix php pl plist pm prisma properties proto ps1 pug py
  pyi r rb rego rs rst sass scala scss sh sol sql styl svelte svg swift tf tokens toml ts tsx txt vb vue xml yaml yml zig zsh snap feature figma`.split(/\s+/),
);
const NAMES: ReadonlySet<string> = new Set(['dockerfile', 'makefile', 'jenkinsfile', 'gemfile', 'rakefile', 'procfile', 'codeowners', 'justfile']);
const PRODUCTS = /^(?:node|next|vue|react|nuxt|express|three|d3|chart|ember|p5|moment|day|socket|solid|alpine|backbone)\.js$/i;
/** Sizes of a design scale look like Markdown files. */
const SCALES = /^(?:spac|radi|shadow|size|sizing|font|text|gap|breakpoint|screen|container|padding|margin|border|elevation|line|type|icon|button|input)[\w.-]{0,60}\.md$/i;

const TOKEN = /[^\s()<>"'`,;|{}“”‘’]+/g;
const POINTER = /^((?:[A-Za-z]:[\\/])?[^:#?*]{1,300})(?::L?(\d{1,7})(?:[-–]L?\d{1,7})?(?::\d{1,7})?(?:[-–]\d{1,7})?|#L(\d{1,7})(?:-?L?\d{1,7})?)?$/;
const LINE_WORD = /^[`*'"]{0,2}[\s,]{0,3}(?:\(|at )?(?:lines?|ln|L)\.?[ :]{0,2}(\d{1,7})(?:[-–]\d{1,7})?\)?/i;
const PAIRS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['`', '`'],
  ['"', '"'],
  ["'", "'"],
  ['*', '*'],
  ['<', '>'],
]);

export function parseReference(text: string): Reference {
  const found = findReference(text);
  if (found === null) return { artifact: null, line: null, message: text.trim() };
  return { artifact: found.artifact, line: found.line, message: withoutReference(text, found) };
}

/** The first reference with a line; else the first file in brackets or quotes; else the first file. */
function findReference(text: string): Found | null {
  let enclosed: Found | null = null;
  let plain: Found | null = null;
  for (const match of text.matchAll(TOKEN)) {
    if (match[0].length > 320) continue;
    const found = referenceAt(text, match.index, match[0]);
    if (found === null) continue;
    if (found.line !== null) return found;
    if (PAIRS.get(text[found.start - 1] ?? '') === text[found.end]) enclosed ??= found;
    else plain ??= found;
  }
  return enclosed ?? plain;
}

function referenceAt(text: string, index: number, token: string): Found | null {
  if (token.includes('://') || token.startsWith('www.')) return null;
  const lead = /^[[*_]{0,4}/.exec(token)?.[0].length ?? 0;
  let end = token.length;
  while (end > lead && '.:!?*]'.includes(token[end - 1] ?? '') && !(token[end - 1] === ']' && token.slice(lead, end).includes('['))) end -= 1;
  const match = POINTER.exec(token.slice(lead, end));
  if (match === null) return null;
  const [, path = '', afterColon, afterHash] = match;
  const start = index + lead;
  const number = afterColon ?? afterHash;
  if (number !== undefined) {
    return isFile(path, true) ? { artifact: path, line: lineOf(number), start, end: index + end } : null;
  }
  if (!isFile(path, false)) return null;
  const word = LINE_WORD.exec(text.slice(index + end, index + end + 40));
  if (word === null) return { artifact: path, line: null, start, end: index + end };
  return { artifact: path, line: lineOf(word[1] ?? ''), start, end: index + end + word[0].length - (text[start - 1] === '(' && word[0].endsWith(')') ? 1 : 0) };
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
  if (!hasLine && (PRODUCTS.test(path) || SCALES.test(path))) return false;
  if (EXTENSIONS.has(extension)) return /[\p{L}\d_]/u.test(name.slice(0, dot)) || dot === 0;
  return hasLine && name !== path && dot > 0 && /^[a-z][a-z\d]{0,9}$/.test(extension);
}

function withoutReference(text: string, found: Found): string {
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
  else if (before === '' && /^[:|—–-]/.test(after)) message = after.replace(/^[:|—–\s-]{1,10}/, '');
  else if (after === '' && /[|—–@→-]$/.test(before)) message = before.replace(/[|—–@→\s-]{1,10}$/, '');
  if (message === null || !/[\p{L}\d]/u.test(message)) return text.trim();
  return message.replace(/ {1,4}([.,;:])/g, '$1').trim();
}

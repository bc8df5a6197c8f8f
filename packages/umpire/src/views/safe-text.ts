// Makes foreign text (of agents, tools, files and people) safe to show: hidden characters become visible, and in Markdown it cannot form
// headings, tables, links or HTML, nor close the block that it stands in.

const PLAIN = /^[\t\n\x20-\x7e]*$/;

/** How many hidden characters of a run are spelled out; the rest is counted. */
const MAX_SPELLED = 4;

/** Colours, and the erasing of lines that comes with them: programs print them everywhere, and they hide nothing once they are gone. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;:]*[mK]`, 'g');

/** Joiners inside emoji and words of scripts that need them, and the emoji variation selector. */
const JOINERS =
  '(?<=(?!\\p{ASCII}|\\p{DI})[\\p{L}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\ufe0f?)[\\u200c\\u200d](?=(?!\\p{ASCII}|\\p{DI})[\\p{L}\\p{M}\\p{Extended_Pictographic}])|(?<=[\\p{Emoji}])\\ufe0f';

/** Direction marks beside a letter that is written from right to left. */
const RIGHT_TO_LEFT = '[\\p{sc=Hebrew}\\p{sc=Arabic}\\p{sc=Syriac}\\p{sc=Thaana}\\p{sc=Nko}]';
const MARKS = `(?<=${RIGHT_TO_LEFT})[\\u200e\\u200f\\u061c]|[\\u200e\\u200f\\u061c](?=${RIGHT_TO_LEFT})`;

/** Controls, and characters that reorder or hide text. */
const HIDDEN = '(?:(?![\\n\\t])[\\p{C}\\p{Zl}\\p{Zp}\\p{DI}])+';

/** Compiled at the first text that is not ASCII: Unicode classes cost a verdict's start a millisecond. */
let patterns: { readonly hidden: RegExp; readonly harmless: RegExp } | null = null;

/**
 * Several lines without hidden characters: each becomes `\u202e`. Colours are left out; line ends become `\n`. Of a long run only
 * `most` are spelled. JSON text stays the same JSON if all are.
 */
export function showHidden(text: string, most = MAX_SPELLED): string {
  if (PLAIN.test(text)) return text;
  const { hidden, harmless } = (patterns ??= { hidden: new RegExp(HIDDEN, 'gu'), harmless: new RegExp(`${JOINERS}|${MARKS}`, 'uy') });
  const lines = text.replace(COLOURS, '').replace(/\r\n?/g, '\n');
  const isHarmlessRun = (run: string, at: number): boolean => {
    if (run.length > 1) return run === '\ufe0f\u200d' && isHarmlessRun('\ufe0f', at) && isHarmlessRun('\u200d', at + 1);
    harmless.lastIndex = at;
    return harmless.test(lines);
  };
  return lines.replace(hidden, (run: string, at: number) => (isHarmlessRun(run, at) ? run : spell(run, most)));
}

function spell(run: string, most: number): string {
  const characters = Array.from(run);
  const rest = Math.max(0, characters.length - most);
  const spelled = characters.slice(0, characters.length - rest).join('');
  const escapes = spelled.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return rest === 0 ? escapes : `${escapes}(and ${rest} more hidden)`;
}

/** A JSON value whose strings and keys have no hidden characters, for pages and models that show it. */
export function showHiddenIn<Value>(value: Value): Value {
  const shown = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'string') return showHidden(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [showHidden(key), one]));
  });
  return JSON.parse(shown) as Value;
}

export function lineOf(text: string, most = Infinity): string {
  return cutText(showHidden(text).replace(/\s+/g, ' ').trim(), most);
}

/** Like `lineOf`, but keeps the indent. */
export function plainLine(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ''}${lineOf(line)}`;
}

/** Shortens text, never inside a character. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3).replace(/[\ud800-\udbff]$/, '')}...`;
}

/** Texts without meaning in Markdown: most texts are such, and this check is fast. */
const HARMLESS = /^[A-Za-z](?:[A-Za-z0-9,;.()'"?!%=+/-]|:(?!\/\/)|_(?=[A-Za-z0-9])(?<=[A-Za-z0-9]_)| (?! |$))*$/;

/** One escaped line for Markdown. */
export function inline(text: string, most = Infinity): string {
  if (text.length <= most && HARMLESS.test(text) && !/www/i.test(text)) return text;
  return lineOf(text, most)
    .replace(/[\\`*[\]<|~$]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?\w{1,40};)/g, '\\&')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/(?<=www)\./gi, '\\.')
    .replace(/(?<=\S)@(?=\S)/g, '\\@')
    .replace(/#$/, '\\#')
    .replace(/^[#>+=-]/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2');
}

export function codeSpan(text: string): string {
  return inlineCode(lineOf(text));
}

/** A short text, already plain, as inline code. */
export function inlineCode(text: string): string {
  const bar = '`'.repeat(longestRun(text) + 1);
  return text.startsWith('`') || text.endsWith('`') ? `${bar} ${text} ${bar}` : `${bar}${text}${bar}`;
}

/** Several lines as a Markdown code block. */
export function fenced(text: string): readonly string[] {
  return fence(showHidden(text).replace(/\n+$/, '')).split('\n');
}

/** A Markdown block with the exact text: its fence is longer than any run of backticks inside. */
export function fence(text: string, kind = 'text'): string {
  const bar = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${bar}${kind}\n${text}${text.endsWith('\n') ? '' : '\n'}${bar}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** The width in terminal columns: wide characters take two, combining marks none. */
export function columnsOf(line: string): number {
  if (/^[\x20-\x7e]*$/.test(line)) return line.length;
  let columns = 0;
  for (const character of line) columns += /\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Cuts a line to the given columns, with `...` at the end. */
export function clip(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line;
  let out = '';
  let used = 0;
  for (const character of line) {
    used += columnsOf(character);
    if (used > columns - 3) break;
    out += character;
  }
  return `${out.trimEnd()}...`;
}

/** Wraps a paragraph. Longer words are not split, so that paths can be copied. */
export function wrap(text: string, indent: string, first = indent, columns = 80): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && columnsOf(line) + 1 + columnsOf(word) > columns) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

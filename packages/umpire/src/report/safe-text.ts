// Makes texts of agents, tools and people safe to print: without control sequences in a terminal, and escaped in Markdown, so that
// they cannot form headings, tables, links or HTML.

import { plain } from './words.js';

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);

/** Terminal control sequences with their parameters. Each ends on its line. */
const SEQUENCES = new RegExp(
  [
    `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]?`,
    `(?:${ESC}[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^${BEL}${ESC}\\u009c\\r\\n]*(?:${BEL}|${ESC}\\\\|\\u009c)?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);

/** Line ends, controls, and characters that reorder or hide text. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Several lines for a terminal: keeps only text, line ends and tabs. */
export function terminalText(text: string): string {
  return text.replace(SEQUENCES, '').replace(/\r\n?/g, '\n').replace(HIDDEN, '');
}

/** One plain line of at most `most` characters. */
export function lineOf(text: string, most = Infinity): string {
  const line = plain(text.replace(SEQUENCES, ''));
  if (line.length <= most) return line;
  return `${line.slice(0, most - 3).replace(/[\ud800-\udbff]$/, '')}...`;
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

/** One line as inline code. */
export function codeSpan(text: string): string {
  const line = lineOf(text);
  const bar = '`'.repeat(longestRun(line) + 1);
  return line.startsWith('`') || line.endsWith('`') ? `${bar} ${line} ${bar}` : `${bar}${line}${bar}`;
}

/** Several lines as a Markdown code block. Its fence is longer than any run of backticks inside. */
export function fenced(text: string): readonly string[] {
  const body = terminalText(text).replace(/\n+$/, '');
  const bar = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return [`${bar}text`, ...body.split('\n'), bar];
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

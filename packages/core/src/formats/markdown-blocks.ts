// Parses Markdown into a tree of sections with lists, tables, paragraphs and fences, from the block tokens of `marked`. First it mends
// what agents write but the specification reads otherwise: open fences, quotations, HTML, a list directly below a sentence.

import { Lexer, Tokenizer } from 'marked';
import type { Token, Tokens } from 'marked';
import { plainText } from './report-lines.js';

export interface ListItem {
  readonly text: string;
  /** `[x]` true, `[ ]` false, none null. */
  readonly checked: boolean | null;
  /** Lines that continue the item below its bullet. */
  readonly details: readonly string[];
  readonly items: readonly ListItem[];
}

export type MarkdownBlock =
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'text'; readonly lines: readonly string[] }
  | { readonly kind: 'fence'; readonly line: number; readonly language: string; readonly text: string };

export interface Section {
  /** 0 the file itself, 1–6 headings, 7 a line in bold, 8 a short line above a list. */
  readonly level: number;
  readonly title: string;
  readonly blocks: readonly MarkdownBlock[];
  readonly sections: readonly Section[];
}

interface OpenSection extends Section {
  readonly blocks: MarkdownBlock[];
  readonly sections: OpenSection[];
}

const BULLET = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?=\S)/;
const OTHER_BULLET = /^(\s*)[\u2022\u2023\u2013]\s+(?=\S)/;
/** Deeper nesting tells nothing more, and would exhaust the stack. */
const MAX_INDENT = 40;
const BULLETS_IN_ROW = /^(\s*(?:(?:[-*+>]|\d{1,9}[.)])\s+){10})(?:(?:[-*+>]|\d{1,9}[.)])\s+)+/;

export function parseMarkdown(text: string): Section {
  const body = (text.startsWith('\ufeff') ? text.slice(1) : text).replace(/\r\n?/g, '\n');
  const outline = new Outline(body);
  outline.addTokens(new Lexer({ gfm: true, tokenizer: new BlockTokenizer() }).blockTokens(mendLines(body.split('\n')).join('\n'), []));
  return outline.root;
}

function mendLines(lines: readonly string[]): readonly string[] {
  const mended: string[] = [];
  let inList = false;
  const lastFence = lines.findLastIndex(isFenceEnd);
  const lastComment = lines.findLastIndex((line) => line.includes('-->'));
  const start = lines.findIndex((line) => line.trim() !== '');
  const isWrapped = /^`{3,}(?:markdown|md)$/i.test(lines[start]?.trim() ?? '');
  for (let at = isWrapped ? start + 1 : 0; at < lines.length; at += 1) {
    let line = stripQuoteMarks(lines[at] ?? '');
    const trimmed = line.trim();
    if (isWrapped && at === lastFence) continue;
    if (trimmed.startsWith('<!--')) {
      // An unclosed comment hides nothing: only its first line is dropped.
      while (at < lastComment && lines[at]?.includes('-->') === false) at += 1;
      continue;
    }
    if (isFence(trimmed)) {
      let end = at + 1;
      while (end <= lastFence && !(isFenceEnd(lines[end] ?? '') && lines[end]?.trim().startsWith(trimmed.slice(0, 3)) === true)) end += 1;
      // An unclosed fence would swallow the findings below it.
      if (end <= lastFence) mended.push(...lines.slice(at, end + 1).map(stripQuoteMarks));
      at = end <= lastFence ? end : at;
      continue;
    }
    if (/^<\/?[A-Za-z]/.test(trimmed)) {
      mended.push('', ...replaceTags(trimmed).split('\n'));
      inList = false;
      continue;
    }
    line = line
      .replace(OTHER_BULLET, '$1- ')
      .replace(/^(#{2,6})(?=[^#\s])/, '$1 ')
      .replace(BULLETS_IN_ROW, '$1');
    const indent = line.length - line.trimStart().length;
    if (indent > MAX_INDENT) line = ' '.repeat(MAX_INDENT) + trimmed;
    const isItem = BULLET.test(line);
    const above = mended.at(-1) ?? '';
    const isRule = /^-{3,}$/.test(trimmed) && !(isShortTitle(above.trim()) && (mended.at(-2) ?? '').trim() === '');
    const begins = isItem ? !inList : (inList && indent < 2) || isRule;
    if (trimmed !== '' && begins && above.trim() !== '') mended.push('');
    if (trimmed !== '') inList = isItem || (inList && indent >= 2);
    mended.push(line);
  }
  return mended;
}

/** mendLines has taken HTML and quotations away. A link definition (`[HIGH]: burns`) is text. */
class BlockTokenizer extends Tokenizer {
  override html(): undefined {}
  override blockquote(): undefined {}
  override def(): undefined {}
}

/** Removes quotation marks of Markdown. */
function stripQuoteMarks(line: string): string {
  return line.trimStart().startsWith('>') ? line.replace(/^[\s>]*>\s?/, '') : line;
}

function isFence(start: string): boolean {
  return start.startsWith('```') || start.startsWith('~~~');
}

function isFenceEnd(line: string): boolean {
  return (line.includes('```') || line.includes('~~~')) && /^\s*>?\s*(?:`{3,}|~{3,})\s*$/.test(line);
}

/** Agents use `---` mostly as a rule, rarely as an underline. So only a short title above it is a heading. */
function isShortTitle(trimmed: string): boolean {
  return trimmed.length <= 40 && /^[A-Za-z]{3}[A-Za-z /&-]*(?:\(\d{1,4}\))?$/.test(trimmed);
}

/** HTML as the Markdown that means the same. A severity in a tag is kept in square brackets. */
function replaceTags(line: string): string {
  return line.replace(/<(\/?)([A-Za-z][A-Za-z0-9-]*)([^<>]*)>/g, (tag: string, closing: string, name: string) => {
    const severity = tag.includes('severity') ? /severity\s?=\s?["']?([A-Za-z]{1,20})/.exec(tag)?.[1] : undefined;
    if (severity !== undefined) return `[${severity}] `;
    if (closing !== '') return /^(?:td|th)$/i.test(name) ? ' | ' : /^(?:h\d|p|tr|summary)$/i.test(name) ? '\n\n' : '';
    const level = /^h([1-6])$/i.exec(name)?.[1];
    if (level !== undefined) return `\n\n${'#'.repeat(Number(level))} `;
    if (/^(?:b|i|em|strong|code|span|a|td|th|finding)$/i.test(name)) return '';
    return /^li$/i.test(name) ? '\n- ' : '\n';
  });
}

class Outline {
  readonly root: OpenSection = { level: 0, title: '', blocks: [], sections: [] };
  private readonly path: OpenSection[] = [this.root];
  /** Where the next fence is searched. */
  private fenceAt = 0;

  constructor(private readonly body: string) {}

  addTokens(tokens: readonly Token[]): void {
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'heading') this.open((token as Tokens.Heading).depth, (token as Tokens.Heading).text);
      else if (token.type === 'list') this.addList(token as Tokens.List);
      else if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        this.add({
          kind: 'table',
          header: header.map(({ text }) => text.trim()),
          rows: rows.map((row) => row.map(({ text }) => text.trim())),
        });
      } else if (token.type === 'code') this.addCode(token as Tokens.Code);
      else if (token.type !== 'space' && token.type !== 'hr') {
        const next = tokens.slice(at + 1, at + 3).find(({ type }) => type !== 'space')?.type;
        this.addText(
          token.raw.split('\n').map((line) => line.trim()),
          next === 'list' || next === 'table',
        );
      }
    }
  }

  private add(block: MarkdownBlock): void {
    this.path.at(-1)?.blocks.push(block);
  }

  private open(level: number, title: string): void {
    while ((this.path.at(-1)?.level ?? 0) >= level) this.path.pop();
    const section: OpenSection = { level, title: plainText(title), blocks: [], sections: [] };
    this.path.at(-1)?.sections.push(section);
    this.path.push(section);
  }

  private addCode(code: Tokens.Code): void {
    // Only the indentation makes it code, and agents indent everything.
    if (!isFence(code.raw.trimStart()))
      return this.addText(
        code.text.split('\n').map((line) => line.trim()),
        false,
      );
    const [first = ''] = code.text.split('\n');
    const at = first.trim() === '' ? -1 : this.body.indexOf(first, this.fenceAt);
    this.fenceAt = at < 0 ? this.fenceAt : at;
    const line = this.body.slice(0, this.fenceAt).split('\n').length;
    if (at >= 0) this.fenceAt += code.text.length;
    this.add({ kind: 'fence', line, language: (code.lang ?? '').trim().toLowerCase(), text: code.text });
  }

  private addList(list: Tokens.List): void {
    const inside: Token[] = [];
    this.add({ kind: 'list', items: list.items.map((item) => readItem(item, inside)) });
    this.addTokens(inside);
  }

  /** Lines in bold and short lines above a list open sections; lines with bars are a table without a header. */
  private addText(lines: readonly string[], isAboveList: boolean): void {
    let text: string[] = [];
    let rows: (readonly string[])[] = [];
    const flush = (): void => {
      if (text.length > 0) this.add({ kind: 'text', lines: text });
      if (rows.length > 0) this.add({ kind: 'table', header: [], rows });
      text = [];
      rows = [];
    };
    const said = lines.filter((line) => line !== '');
    for (const [at, line] of said.entries()) {
      const bold = line.length <= 120 ? /^\*\*([^*]+)\*\*(:?)$/.exec(line) : null;
      const isLabel = isAboveList && at === said.length - 1 && line.length <= 80 && /^[^:.!?]*(?::\**)?$/.test(line);
      if (bold !== null || isLabel) {
        flush();
        this.open(bold === null ? 8 : 7, bold?.[1] ?? line);
      } else if (line.startsWith('|')) {
        if (text.length > 0) flush();
        rows.push(splitCells(line));
      } else {
        if (rows.length > 0) flush();
        text.push(line);
      }
    }
    flush();
  }
}

/** `inside`: takes the fences and tables of the item. */
function readItem(item: Tokens.ListItem, inside: Token[]): ListItem {
  const lines: string[] = [];
  const items: ListItem[] = [];
  for (const token of item.tokens) {
    if (token.type === 'list') items.push(...(token as Tokens.List).items.map((inner) => readItem(inner, inside)));
    else if (token.type === 'table' || token.type === 'code') inside.push(token);
    else if (token.type !== 'checkbox') lines.push(...token.raw.split('\n').map((line) => line.trim()));
  }
  const [first = '', ...details] = lines.filter((line) => line !== '');
  const box = /^\[([ xX\u2713\u2714])\]\s{1,5}/.exec(first);
  const checked = box !== null ? box[1] !== ' ' : item.task ? item.checked === true : null;
  return { text: box === null ? first : first.slice(box[0].length), checked, details, items };
}

function splitCells(line: string): readonly string[] {
  const cells = line
    .replaceAll('\\|', '\u0000')
    .split('|')
    .map((cell) => cell.trim().replaceAll('\u0000', '|'));
  if (cells[0] === '') cells.shift();
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
}

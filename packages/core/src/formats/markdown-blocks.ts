// Parses Markdown into a tree of sections with lists, tables, paragraphs and fences. Tolerant, because agents rarely follow the
// specification. Simple HTML at the start of a line is read as Markdown.

export interface ListItem {
  readonly line: number;
  readonly text: string;
  /** `[x]` true, `[ ]` false, none null. */
  readonly checked: boolean | null;
  /** Lines that continue the item below its bullet. */
  readonly details: readonly string[];
  readonly items: readonly ListItem[];
}

interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export type MarkdownBlock =
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly line: number; readonly header: readonly string[]; readonly rows: readonly TableRow[] }
  | { readonly kind: 'text'; readonly line: number; readonly lines: readonly string[] }
  | { readonly kind: 'fence'; readonly line: number; readonly language: string; readonly text: string };

export interface Section {
  /** 0 the file itself, 1–6 headings, 7 a line in bold, 8 a short line above a list. */
  readonly level: number;
  readonly title: string;
  readonly line: number;
  readonly blocks: readonly MarkdownBlock[];
  readonly sections: readonly Section[];
}

interface OpenSection extends Section {
  readonly blocks: MarkdownBlock[];
  readonly sections: OpenSection[];
}

interface OpenItem extends ListItem {
  readonly indent: number;
  readonly details: string[];
  readonly items: OpenItem[];
}

const BULLET = /^\s*(?:[-*+\u2022\u2023\u2013]|\d{1,3}[.)])\s+(?=\S)/;
const MAX_NESTING = 20;
/** Link texts that stand for their target. */
const POINTING = /^(?:here|lines? \d[\d \u2013-]*|L\d+)$/i;
/** `a.ts:7`, `a.ts#L7-L9` */
const LINE_AT_END = /(?::|#L)\d{1,7}(?:[-:]L?\d{1,7})?$/;

export function parseMarkdown(text: string): Section {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  const lines = (body.includes('\r') ? body.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : body).split('\n');
  return new Cutter(withoutHtml(lines.map(unquote))).cut();
}

/** Removes quotation marks of Markdown. */
function unquote(line: string): string {
  return line.trimStart().startsWith('>') ? line.replace(/^\s{0,3}(?:>\s?){1,5}/, '') : line;
}

/** Removes bold marks and replaces links by their text. A file and line that only the link names are added. */
export function plainText(text: string): string {
  const unlinked = text.includes('](') ? text.replace(/\[([^[\]]*)\]\(([^()\s]*)\)/g, unlink) : text;
  return (unlinked.includes('**') ? unlinked.replaceAll('**', '') : unlinked).trim();
}

function unlink(_: string, text: string, target: string): string {
  const path = target.replace(LINE_AT_END, '');
  if (path === target || !/[./]/.test(path) || /^[a-z][a-z+-]*:/i.test(path)) return text;
  // Any other link text may be a severity or a signal, so it stays.
  const named = text.replaceAll(/[`*]/g, '').trim();
  const isAbout = POINTING.test(named) || (named !== '' && `/${path}`.endsWith(`/${named}`));
  return isAbout ? `${text} (${target})` : text;
}

class Cutter {
  private at = 0;
  private readonly root: OpenSection = { level: 0, title: '', line: 1, blocks: [], sections: [] };
  private readonly path: OpenSection[] = [this.root];

  private readonly lastFenceEnd: number;
  private readonly lastCommentEnd: number;

  constructor(private readonly lines: readonly string[]) {
    this.lastFenceEnd = lines.findLastIndex(isFenceEnd);
    this.lastCommentEnd = lines.findLastIndex((line) => line.includes('-->'));
  }

  cut(): Section {
    const wrapped = this.wrapperEnd();
    while (this.at < this.lines.length) {
      if (this.at === wrapped) this.at += 1;
      else this.cutBlock(this.line(0), this.line(0).trim());
    }
    return this.root;
  }

  private get current(): OpenSection {
    return this.path.at(-1) ?? this.root;
  }

  private line(ahead: number): string {
    return this.lines[this.at + ahead] ?? '';
  }

  /** For a report wrapped in a ```markdown fence: the index of the closing line. */
  private wrapperEnd(): number {
    const start = this.lines.findIndex((line) => line.trim() !== '');
    const opening = (this.lines[start] ?? '').trim();
    const fence = opening.startsWith('```') ? /^(`{3,})(?:markdown|md)$/.exec(opening.toLowerCase()) : null;
    if (fence === null) return -1;
    this.at = start + 1;
    return this.lines.findLastIndex((line, index) => index > start && line.trim() === fence[1]);
  }

  private cutBlock(line: string, trimmed: string): void {
    if (trimmed === '' || isRule(trimmed)) this.at += 1;
    else if (trimmed.startsWith('<!--')) this.skipComment();
    else if (isFence(trimmed)) this.cutFence(trimmed);
    else if (headingLevel(trimmed) > 0) this.openHeading(trimmed);
    else if (isUnderline(this.line(1)) && !trimmed.includes('|') && !BULLET.test(line)) {
      this.open(1, trimmed);
      this.at += 1;
    } else if (isDashes(this.line(1)) && isShortTitle(trimmed) && this.line(-1).trim() === '') {
      this.open(2, trimmed);
      this.at += 1;
    } else if (trimmed.startsWith('|') || (trimmed.includes('|') && isDelimiter(this.line(1)))) this.cutTable();
    else if (BULLET.test(line)) this.cutList();
    else if (isBoldLine(trimmed)) this.open(7, trimmed.slice(2, trimmed.lastIndexOf('**')));
    else if (this.isLabel(trimmed)) this.open(8, trimmed);
    else this.cutText();
  }

  private open(level: number, title: string): void {
    while (this.current.level >= level) this.path.pop();
    const section: OpenSection = { level, title: plainText(title), line: this.at + 1, blocks: [], sections: [] };
    this.current.sections.push(section);
    this.path.push(section);
    this.at += 1;
  }

  private openHeading(trimmed: string): void {
    const level = headingLevel(trimmed);
    let title = trimmed.slice(level).trim();
    while (title.endsWith('#')) title = title.slice(0, -1).trimEnd();
    this.open(level, title);
  }

  private add(block: MarkdownBlock): void {
    this.current.blocks.push(block);
  }

  private skipComment(): void {
    // An unclosed comment hides nothing: only its first line is dropped.
    while (this.at < this.lastCommentEnd && !this.line(0).includes('-->')) this.at += 1;
    this.at += 1;
  }

  private cutFence(opening: string): void {
    const mark = opening.startsWith('`') ? '```' : '~~~';
    const closes = (line: string): boolean => isFenceEnd(line) && line.trim().startsWith(mark);
    let end = this.at + 1;
    while (end <= this.lastFenceEnd && !closes(this.line(end - this.at))) end += 1;
    // An unclosed fence would swallow the findings below it.
    if (end > this.lastFenceEnd) {
      this.at += 1;
      return;
    }
    const language = opening
      .replace(/^[`~]{3,20}/, '')
      .trim()
      .toLowerCase();
    this.add({ kind: 'fence', line: this.at + 2, language, text: this.lines.slice(this.at + 1, end).join('\n') });
    this.at = end + 1;
  }

  private cutTable(): void {
    const line = this.at + 1;
    const hasHeader = isDelimiter(this.line(1));
    const header = hasHeader ? splitCells(this.line(0)) : [];
    if (hasHeader) this.at += 2;
    const rows: TableRow[] = [];
    for (; this.line(0).includes('|'); this.at += 1) {
      if (!isDelimiter(this.line(0))) rows.push({ line: this.at + 1, cells: splitCells(this.line(0)) });
    }
    this.add({ kind: 'table', line, header, rows });
  }

  private cutList(): void {
    const top: OpenItem[] = [];
    const open: OpenItem[] = [];
    for (; this.at < this.lines.length; this.at += 1) {
      const line = this.line(0);
      const bullet = BULLET.exec(line);
      if (bullet !== null) pushItem(bullet, line, this.at + 1, top, open);
      else if (line.trim() === '' ? !this.goesOn() : !isIndented(line) || isFence(line.trimStart())) break;
      else if (line.trim() !== '') open.at(-1)?.details.push(line.trim());
    }
    this.add({ kind: 'list', items: top });
  }

  /** After a blank line, a list continues if the next line is a bullet or indented. */
  private goesOn(): boolean {
    let ahead = 1;
    while (ahead < 3 && this.at + ahead < this.lines.length && this.line(ahead).trim() === '') ahead += 1;
    const next = this.line(ahead);
    return BULLET.test(next) || (isIndented(next) && next.trim() !== '' && !isFence(next.trimStart()));
  }

  private cutText(): void {
    const line = this.at + 1;
    const lines: string[] = [];
    do {
      lines.push(this.line(0).trim());
      this.at += 1;
    } while (this.isPlain());
    this.add({ kind: 'text', line, lines });
  }

  private isPlain(): boolean {
    const line = this.line(0);
    const trimmed = line.trim();
    if (trimmed === '' || isRule(trimmed) || headingLevel(trimmed) > 0 || isFence(trimmed)) return false;
    if (trimmed.startsWith('<!--') || trimmed.startsWith('|') || BULLET.test(line)) return false;
    return !isBoldLine(trimmed) && !isUnderline(this.line(1)) && !isDelimiter(this.line(1)) && !this.isLabel(trimmed);
  }

  /** `Issues:` or `CRITICAL (2)` above a list or table. */
  private isLabel(trimmed: string): boolean {
    const colon = trimmed.indexOf(':');
    if (trimmed.length > 80 || '.!?'.includes(trimmed.slice(-1)) || (colon >= 0 && trimmed.slice(colon).replaceAll('*', '') !== ':'))
      return false;
    const next = this.line(1).trim() === '' ? this.line(2) : this.line(1);
    return BULLET.test(next) || next.trim().startsWith('|');
  }
}

function pushItem(bullet: RegExpExecArray, line: string, number: number, top: OpenItem[], open: OpenItem[]): void {
  const indent = line.slice(0, line.length - line.trimStart().length).replaceAll('\t', '    ').length;
  let parent = open.at(-1);
  while (parent !== undefined && (parent.indent >= indent || open.length > MAX_NESTING)) {
    open.pop();
    parent = open.at(-1);
  }
  const body = line.slice(bullet[0].length).trim();
  const box = body.startsWith('[') && body.charAt(2) === ']' ? /^\[([ xX\u2713\u2714])\]\s{1,5}/.exec(body) : null;
  const text = box === null ? body : body.slice(box[0].length);
  const item: OpenItem = { line: number, text, checked: box === null ? null : box[1] !== ' ', details: [], items: [], indent };
  (parent?.items ?? top).push(item);
  open.push(item);
}

function isRule(trimmed: string): boolean {
  if (trimmed.length < 3 || !'-*_='.includes(trimmed.charAt(0))) return false;
  return isRunOf(trimmed.charAt(0), trimmed) || (trimmed.startsWith('-') && trimmed.endsWith('-') && /^(?:-\s?){3,}$/.test(trimmed));
}

function isRunOf(char: string, text: string): boolean {
  return text === char.repeat(text.length);
}

/** 1 to 6; 0 if the line is not a heading. */
function headingLevel(trimmed: string): number {
  let level = 0;
  while (trimmed.charAt(level) === '#') level += 1;
  return level <= 6 && trimmed.charAt(level).trim() === '' ? level : 0;
}

function isFence(start: string): boolean {
  return start.startsWith('```') || start.startsWith('~~~');
}

function isIndented(line: string): boolean {
  return line.startsWith('\t') || (line.length > 1 && line.slice(0, 2).trim() === '');
}

/** Agents use `---` mostly as a rule, rarely as an underline. So only a short title above it is a heading. */
function isDashes(line: string): boolean {
  const trimmed = line.trim();
  return trimmed.startsWith('---') && trimmed.length <= 200 && isRunOf('-', trimmed);
}

function isShortTitle(trimmed: string): boolean {
  return trimmed.length <= 40 && /^[A-Za-z]{3}[A-Za-z /&-]*(?:\(\d{1,4}\))?$/.test(trimmed);
}

/** `===` */
function isUnderline(line: string): boolean {
  const trimmed = line.trim();
  return trimmed.startsWith('===') && trimmed.length <= 200 && isRunOf('=', trimmed);
}

function isDelimiter(line: string): boolean {
  return (
    line.includes('-') &&
    line.includes('|') &&
    splitCells(line).every((cell) => cell.includes('-') && ['', ':', '::'].includes(cell.replaceAll('-', '')))
  );
}

function isFenceEnd(line: string): boolean {
  if (!line.includes('```') && !line.includes('~~~')) return false;
  const trimmed = line.trim();
  return isFence(trimmed) && isRunOf(trimmed.charAt(0), trimmed);
}

function isBoldLine(trimmed: string): boolean {
  if (!trimmed.startsWith('**') || trimmed.length > 120) return false;
  const end = trimmed.indexOf('**', 2);
  return end > 2 && (end + 2 === trimmed.length || trimmed.slice(end + 2) === ':');
}

function splitCells(line: string): readonly string[] {
  const cells = line
    .trim()
    .replaceAll('\\|', '\u0000')
    .split('|')
    .map((cell) => cell.trim().replaceAll('\u0000', '|'));
  if (cells[0] === '') cells.shift();
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
}

const TAG = /<(\/?)([A-Za-z][A-Za-z0-9-]*)([^<>]*)>/g;

function withoutHtml(lines: readonly string[]): readonly string[] {
  if (!lines.some(startsWithTag)) return lines;
  const plain: string[] = [];
  let fenced = false;
  const lastEnd = lines.findLastIndex(closesTable);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const start = line.trimStart();
    if (start.startsWith('```') || start.startsWith('~~~')) fenced = !fenced;
    if (fenced || !startsWithTag(line)) {
      plain.push(line);
      continue;
    }
    const end = start.toLowerCase().startsWith('<table') ? tableEnd(lines, at, lastEnd) : at;
    plain.push(...convert(lines.slice(at, end + 1).join(' ')));
    at = end;
  }
  return plain;
}

function startsWithTag(line: string): boolean {
  const start = line.trimStart();
  return start.startsWith('<') && /^<\/?[A-Za-z]/.test(start);
}

function closesTable(line: string): boolean {
  return line.includes('</') && line.toLowerCase().includes('</table');
}

/** The line that closes the table; the same line if it is never closed. */
function tableEnd(lines: readonly string[], start: number, lastEnd: number): number {
  for (let at = start; at <= lastEnd; at += 1) if (closesTable(lines[at] ?? '')) return at;
  return start;
}

function convert(line: string): readonly string[] {
  let heads = 0;
  const marked = line.replace(TAG, (whole: string, closing: string, tagName: string) => {
    const name = tagName.toLowerCase();
    if (name === 'th' && closing === '') heads += 1;
    const row = name === 'tr' && closing !== '' && heads > 0 ? `\n|${'---|'.repeat(Math.min(heads, 50))}` : null;
    if (row !== null) heads = 0;
    return row ?? blockTag(name, closing !== '') ?? inlineTag(whole);
  });
  return marked.includes('\n') ? marked.split('\n').map((each) => each.trim()) : [marked];
}

function blockTag(name: string, closing: boolean): string | null {
  if (name.length === 2 && name.startsWith('h') && name >= 'h1' && name <= 'h6')
    return closing ? '\n' : `\n${'#'.repeat(Number(name.charAt(1)))} `;
  if (name === 'li') return closing ? '' : '\n- ';
  if (name === 'tr') return closing ? '' : '\n|';
  if (name === 'td' || name === 'th') return closing ? ' |' : ' ';
  return name === 'table' || name === 'ul' || name === 'ol' || name === 'p' || name === 'br' ? '\n' : null;
}

/** Drops tags without meaning. A severity in a tag is kept in square brackets. */
function inlineTag(tag: string): string {
  const severity = tag.includes('severity') ? /severity\s?=\s?["']?([A-Za-z]{1,20})/.exec(tag)?.[1] : undefined;
  return severity === undefined ? '' : `[${severity}] `;
}

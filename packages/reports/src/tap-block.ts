// The YAML block under a test point: the few facts that are wanted of it, line by line. No YAML parser: what runners print there
// is a list of `key: value`, and a fault in it must not hide the test.

export interface TapFacts {
  type: string | null;
  file: string | null;
  line: number | null;
  message: string | null;
  durationMs: number | null;
  failureType: string | null;
}

const LONGEST_MESSAGE = 500;

export class TapBlock {
  readonly facts: TapFacts = { type: null, file: null, line: null, message: null, durationMs: null, failureType: null };
  private members: number | null = null;
  /** Text of several lines that is being read: whether it is wanted, and what has come of it. */
  private text: { readonly isMessage: boolean; lines: string[]; length: number } | null = null;

  constructor(readonly indent: number) {}

  /** What the line was: one of the block, its end, or one that no longer belongs to it. */
  take(line: string, indent: number): 'inside' | 'end' | 'outside' {
    const content = line.slice(indent).trimEnd();
    if (content === '') return 'inside';
    if (indent < this.indent) return this.leave('outside');
    if (indent === this.indent && content === '...') return this.leave('end');
    // Some indent the members of the block, some do not.
    this.members ??= indent;
    if (indent > this.members) this.deeper(content);
    else this.member(content);
    return 'inside';
  }

  private leave(how: 'end' | 'outside'): 'end' | 'outside' {
    this.closeText();
    return how;
  }

  private member(content: string): void {
    this.closeText();
    const colon = content.indexOf(':');
    if (colon < 0) return;
    const key = content.slice(0, colon);
    const value = content.slice(colon + 1).trim();
    if (/^[|>][-+\d]{0,3}$/.test(value)) this.text = { isMessage: key === 'error' || key === 'message', lines: [], length: 0 };
    else this.fact(key, unquoted(value));
  }

  /** A line of a text of several, or a member of a member (`at:` with `file:` and `line:`). */
  private deeper(content: string): void {
    if (this.text !== null) {
      if (this.text.length < LONGEST_MESSAGE) this.text.lines.push(content);
      this.text.length += content.length;
      return;
    }
    const [, key = '', value = ''] = /^(file|line|fileName|lineNumber): (.{1,1000})/.exec(content) ?? [];
    if (key !== '') this.fact(key, unquoted(value.trim()));
  }

  private closeText(): void {
    if (this.text?.isMessage === true) this.facts.message ??= this.text.lines.join('\n');
    this.text = null;
  }

  private fact(key: string, value: string): void {
    const { facts } = this;
    if (value === '') return;
    if (key === 'type') facts.type = value;
    else if (key === 'failureType') facts.failureType = value;
    else if (key === 'error' || key === 'message') facts.message ??= value;
    else if (key === 'duration_ms') facts.durationMs = numberOf(value);
    else if (key === 'location' || key === 'at') this.place(value);
    else if (key === 'file' || key === 'fileName') facts.file ??= value;
    else if (key === 'line' || key === 'lineNumber') facts.line ??= lineOf(value);
  }

  /** `/project/a.test.js:5:3`, `Test.<anonymous> (/project/a.test.js:5:3)` */
  private place(value: string): void {
    const open = value.endsWith(')') ? value.lastIndexOf('(') : -1;
    const path = open < 0 ? value : value.slice(open + 1, -1);
    const end = /:(\d{1,9}):\d{1,9}$/.exec(path.slice(-24));
    if (end === null) return;
    this.facts.file = path.slice(0, -end[0].length);
    this.facts.line = lineOf(end[1] ?? '');
  }
}

function numberOf(text: string): number | null {
  return /^\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : null;
}

function lineOf(text: string): number | null {
  const line = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return line >= 1 ? line : null;
}

function unquoted(value: string): string {
  const quote = value[0];
  if (value.length < 2 || value.at(-1) !== quote) return value;
  if (quote === "'") return value.slice(1, -1).replaceAll("''", "'");
  return quote === '"' ? value.slice(1, -1).replace(/\\(["\\])/g, '$1') : value;
}

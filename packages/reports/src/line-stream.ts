// Splits bytes, cut anywhere, into lines of text with their numbers. Only the start of a very long line is kept.

const LONGEST = 64 * 1024;

export class LineStream {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private line = 1;
  /** The start of a line that has not ended. */
  private rest = '';
  private isCut = false;

  /** `take`: a line without its end, its number, and whether it is longer than what was kept of it: `longest` characters. */
  constructor(
    private readonly take: (text: string, line: number, isCut: boolean) => void,
    private readonly longest = LONGEST,
  ) {}

  write(chunk: Uint8Array): void {
    this.split(this.decoder.decode(chunk, { stream: true }));
  }

  /** The number of the line on which the text ends. */
  end(): number {
    this.split(this.decoder.decode());
    if (this.rest !== '') this.take(this.rest, this.line, this.isCut);
    return this.line;
  }

  private split(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.takeLine(text.slice(from, end));
      this.line += 1;
      from = end + 1;
    }
    this.rest += text.slice(from);
    if (this.rest.length <= this.longest) return;
    this.rest = this.rest.slice(0, this.longest);
    this.isCut = true;
  }

  private takeLine(end: string): void {
    let line = this.rest === '' ? end : this.rest + end;
    const isCut = this.isCut || line.length > this.longest;
    if (line.length > this.longest) line = line.slice(0, this.longest);
    this.rest = '';
    this.isCut = false;
    this.take(line.endsWith('\r') ? line.slice(0, -1) : line, this.line, isCut);
  }
}

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, 'g');

/** Removes the terminal colours. */
export function withoutColours(text: string): string {
  return text.includes(String.fromCharCode(27)) ? text.replace(COLOURS, '') : text;
}

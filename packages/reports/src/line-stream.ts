// Splits bytes, cut anywhere, into lines of text with their numbers and offsets. Memory is bounded: only the start of a very long
// line is kept.

export interface Line {
  /** Without its line end. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** Of its first character, from 0. */
  readonly byte: number;
  /** The file ends without ending this line. */
  readonly isOpen: boolean;
  /** It is longer than what was kept of it; left out where it is not. */
  readonly isCut?: true;
}

const LF = 0x0a;
const LONGEST = 64 * 1024;

export class LineStream {
  private line = 1;
  private byte = 0;
  private pieces: Uint8Array[] = [];
  /** Length of the line so far, and how much of it was kept. */
  private length = 0;
  private kept = 0;
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** `longest`: so many bytes of a line are kept. */
  constructor(
    private readonly take: (line: Line) => void,
    private readonly longest = LONGEST,
  ) {}

  write(chunk: Uint8Array): void {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      this.finish(chunk.subarray(from, end), false);
      from = end + 1;
    }
    if (from < chunk.length) this.hold(chunk.subarray(from));
  }

  /** Where the text ends. */
  end(): { readonly line: number; readonly byte: number } {
    if (this.length > 0) this.finish(new Uint8Array(0), true);
    return { line: this.line, byte: this.byte };
  }

  private hold(piece: Uint8Array): void {
    this.length += piece.length;
    const room = this.longest - this.kept;
    if (room <= 0) return;
    const held = piece.slice(0, room);
    this.kept += held.length;
    this.pieces.push(held);
  }

  private finish(rest: Uint8Array, isOpen: boolean): void {
    let bytes = rest.length > this.longest ? rest.subarray(0, this.longest) : rest;
    let length = rest.length;
    if (this.length > 0) {
      this.hold(rest);
      bytes = this.joined();
      length = this.length;
    }
    const text = this.decoder.decode(bytes);
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    this.take({ text: whole, line: this.line, byte: this.byte, isOpen, ...(length > this.longest ? { isCut: true } : {}) });
    this.byte += length + (isOpen ? 0 : 1);
    this.line += isOpen ? 0 : 1;
    this.pieces = [];
    this.length = 0;
    this.kept = 0;
  }

  private joined(): Uint8Array {
    const all = new Uint8Array(this.kept);
    let at = 0;
    for (const piece of this.pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }
}

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, 'g');

/** Removes the terminal colours. */
export function withoutColours(text: string): string {
  return text.includes(String.fromCharCode(27)) ? text.replace(COLOURS, '') : text;
}

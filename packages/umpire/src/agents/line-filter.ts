// Leaves out the lines that begin with certain words, while the others pass on as they come. Memory is bounded: only the beginning of a line
// is held.

const LF = 0x0a;

export class LineFilter {
  /** The beginning of the current line; null once it is decided. */
  private held: Buffer | null = Buffer.alloc(0);
  private isDropped = false;
  private readonly prefix: Buffer;

  constructor(
    prefix: string,
    private readonly pass: (chunk: Uint8Array) => void,
  ) {
    this.prefix = Buffer.from(prefix);
  }

  write(chunk: Uint8Array): void {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      this.take(chunk.subarray(from, end + 1));
      this.decide();
      this.held = Buffer.alloc(0);
      from = end + 1;
    }
    if (from < chunk.length) this.take(chunk.subarray(from));
  }

  end(): void {
    this.decide();
  }

  private take(piece: Uint8Array): void {
    if (this.held === null) {
      if (!this.isDropped) this.pass(piece);
      return;
    }
    this.held = Buffer.concat([this.held, piece]);
    if (this.held.length >= this.prefix.length) this.decide();
  }

  private decide(): void {
    const { held, prefix } = this;
    if (held === null) return;
    this.held = null;
    this.isDropped = held.length >= prefix.length && held.subarray(0, prefix.length).equals(prefix);
    if (!this.isDropped && held.length > 0) this.pass(held);
  }
}

// Whole numbers written one after another in as few bytes as they need, and read back. What they mean is the writer's business.

/** Reused: `reset` begins anew in the same room. */
export class PackedWriter {
  private bytes = new Uint8Array(1024);
  private at = 0;

  get length(): number {
    return this.at;
  }

  reset(): void {
    this.at = 0;
  }

  /** A whole number from 0 below 2^32, seven bits a byte. */
  number(value: number): void {
    this.reserve(5);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.bytes[this.at] = (rest & 0x7f) | 0x80;
      this.at += 1;
      rest >>>= 7;
    }
    this.bytes[this.at] = rest;
    this.at += 1;
  }

  /** Four bytes, for numbers that are seldom small. */
  word(value: number): void {
    this.reserve(4);
    this.bytes[this.at] = value;
    this.bytes[this.at + 1] = value >>> 8;
    this.bytes[this.at + 2] = value >>> 16;
    this.bytes[this.at + 3] = value >>> 24;
    this.at += 4;
  }

  /** What was written, valid until the next `reset`. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }

  private reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const grown = new Uint8Array(this.bytes.length * 2);
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

export class PackedReader {
  constructor(
    private readonly bytes: Uint8Array,
    private at = 0,
  ) {}

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at] as number;
      this.at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80 || shift > 28) return value >>> 0;
    }
  }

  /** As `word` wrote it, with a sign: such a number needs no room of its own. */
  word(): number {
    const { bytes, at } = this;
    this.at += 4;
    const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
    return low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
  }
}

// The keys of a JSON file's outermost object, or of the first object in its outermost array, from its bytes and without building
// anything: what a report is recognised by. It does not ask whether the rest is well formed; readers do.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** No format has as many, and a name longer than this is none of theirs. */
const MOST_KEYS = 500;
const LONGEST_KEY = 200;

export class TopKeys {
  readonly keys = new Set<string>();
  isArray = false;
  private depth = 0;
  /** Depth of the object whose keys are gathered; 0 before it is known. */
  private wanted = 0;
  private isDone = false;
  private inString = false;
  private isEscaped = false;
  private isKeyNext = false;
  private key: number[] | null = null;

  get hasAll(): boolean {
    return this.isDone;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.isDone; at++) {
      const byte = bytes[at] as number;
      if (this.inString) this.inText(byte);
      else if (byte > SPACE) this.outside(byte);
    }
  }

  private inText(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) {
      this.inString = false;
      if (this.key !== null && this.key.length < LONGEST_KEY) this.keys.add(String.fromCharCode(...this.key));
      if (this.keys.size >= MOST_KEYS) this.isDone = true;
      this.key = null;
      return;
    }
    if (this.key !== null && this.key.length < LONGEST_KEY) this.key.push(byte);
  }

  private outside(byte: number): void {
    if (byte === QUOTE) {
      this.inString = true;
      if (this.isKeyNext && this.depth === this.wanted) this.key = [];
      this.isKeyNext = false;
    } else if (byte === OPEN_OBJECT) {
      this.depth += 1;
      if (this.wanted === 0) this.wanted = this.depth;
      this.isKeyNext = this.depth === this.wanted;
    } else if (byte === OPEN_ARRAY) {
      this.depth += 1;
      if (this.depth === 1) this.isArray = true;
      else if (this.wanted === 0) this.isDone = true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.isDone = this.depth <= Math.max(1, this.wanted);
      this.depth -= 1;
    } else if (byte === COMMA) {
      this.isKeyNext = this.depth === this.wanted;
    } else if (byte === COLON) {
      this.isKeyNext = false;
    }
  }
}

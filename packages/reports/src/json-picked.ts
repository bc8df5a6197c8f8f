// Where a JSON stream stands among the wanted paths, and the bytes of the wanted value it is in: cut out, joined over the
// pieces they came in, parsed, handed out. The grammar is json-stream.ts's.

import type { PickNode } from './json-picks.js';

/** A value in memory takes some ten times its text. */
const MOST_BYTES = 16 * 1024 * 1024;
const LONGEST_KEY = 64 * 1024;
/** More than this is not kept ready for the next value that comes in pieces. */
const READY_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

export class Picked {
  /** Where the value begins that is handed out. */
  line = 1;
  byte = 0;
  /** Where the key begins that is being read, and whether there was a backslash in it. */
  keyLine = 1;
  keyByte = 0;
  hasEscape = false;
  /** Why something was not taken. */
  problem = '';
  /** A wanted key that one object gives twice. */
  repeated: string | null = null;
  private bytes: Buffer = NOTHING;
  /** The containers on the wanted path. */
  private readonly nodes: PickNode[] = [];
  private readonly areObjects: boolean[] = [];
  private serial = 0;
  private readonly serials: number[] = [];
  /** What is wanted of the next value, and its key. */
  private node: PickNode | null;
  private name = '';
  /** The wanted value, how many containers are around it, and where what is not yet in `text` begins. */
  private taken: PickNode | null = null;
  private takenName = '';
  private takenLevel = 0;
  private start = 0;
  private text = '';
  private length = 0;
  /** Inside a member that is left out. */
  private isDropping = false;
  private held: Buffer = NOTHING;
  private heldLength = 0;
  private key: Buffer = NOTHING;

  constructor(root: PickNode) {
    this.node = root;
  }

  piece(bytes: Buffer): void {
    this.bytes = bytes;
    this.start = 0;
  }

  /** The piece is over: what is still wanted of it is copied. `keyStart` -1: no wanted key is cut. */
  hold(keyStart: number): boolean {
    if (keyStart >= 0) this.key = Buffer.concat([this.key, this.bytes.subarray(keyStart)]);
    if (this.key.length > LONGEST_KEY) return this.refuseKey();
    return this.taken === null || this.isDropping || this.keep(this.bytes.length);
  }

  /** A text, a number or a word begins. */
  begin(at: number, line: number, byte: number): void {
    const node = this.wanted();
    if (node === null) return;
    if (node.isDropped) this.drop(at);
    else if (node.pick.value !== undefined) this.take(node, at, line, byte);
  }

  /** An object or a list begins. Is anything in it wanted by itself? */
  open(at: number, isObject: boolean, line: number, byte: number): boolean {
    const node = this.wanted();
    if (node === null) return false;
    if (node.isDropped) {
      this.drop(at);
      return false;
    }
    const goesOn = isObject ? node.hasMembers : node.each !== null;
    const isWhole = !goesOn || node.pick.without !== undefined;
    if (isWhole && node.pick.value !== undefined) this.take(node, at, line, byte);
    if (!goesOn) return false;
    if (!isWhole) node.pick.open?.(isObject ? 'object' : 'list', this.name);
    this.nodes.push(node);
    this.areObjects.push(isObject);
    this.serial += 1;
    this.serials.push(this.serial);
    return true;
  }

  /** A container on the path ends. */
  leave(): void {
    const node = this.nodes.pop();
    this.areObjects.pop();
    this.serials.pop();
    if (this.taken === null) node?.pick.close?.();
  }

  /** A value in a container on the path has ended before `end`. */
  end(end: number): boolean {
    if (this.isDropping) {
      this.isDropping = false;
      this.start = end;
      return true;
    }
    const { taken } = this;
    if (taken === null || this.nodes.length !== this.takenLevel) return true;
    if (!this.flush(end)) return false;
    const { text } = this;
    this.text = '';
    this.taken = null;
    taken.pick.value?.(JSON.parse(text) as unknown, this.takenName);
    return true;
  }

  /** A key of an object on the path. */
  named(start: number, end: number): boolean {
    const parent = this.nodes.at(-1);
    if (parent === undefined) return true;
    if (this.key.length + end - start > LONGEST_KEY) return this.refuseKey();
    let [bytes, from, to] = [this.bytes, start, end];
    if (this.key.length > 0) {
      bytes = Buffer.concat([this.key, bytes.subarray(start, end)]);
      [from, to] = [0, bytes.length];
      this.key = NOTHING;
    }
    if (this.hasEscape) {
      bytes = Buffer.from(JSON.parse(`"${bytes.toString('utf8', from, to)}"`) as string);
      [from, to] = [0, bytes.length];
    }
    const node = parent.member(bytes, from, to);
    this.node = node;
    if (node === null || node.isDropped) return true;
    this.name = node === parent.any ? bytes.toString('utf8', from, to) : node.name;
    const serial = this.serials.at(-1) ?? 0;
    if (node !== parent.any && node.seenIn === serial) this.repeated ??= this.name;
    node.seenIn = serial;
    return true;
  }

  private wanted(): PickNode | null {
    const level = this.nodes.length;
    if (level === 0 || this.areObjects[level - 1] === true) return this.node;
    this.name = '';
    return this.nodes[level - 1]?.each ?? null;
  }

  private take(node: PickNode, at: number, line: number, byte: number): void {
    this.taken = node;
    this.takenName = this.name;
    this.takenLevel = this.nodes.length;
    this.start = at;
    this.line = line;
    this.byte = byte;
    this.length = 0;
  }

  /** A member of the value that nobody reads: `null` stands in its place. */
  private drop(at: number): void {
    this.isDropping = true;
    this.flush(at);
    this.text += 'null';
  }

  /** What was read of the value so far becomes text. */
  private flush(end: number): boolean {
    const { start, bytes } = this;
    if (this.heldLength === 0) {
      this.length += end - start;
      if (this.length > MOST_BYTES) return this.refuse(tooLarge());
      this.text += bytes.toString('utf8', start, end);
      return true;
    }
    if (!this.keep(end)) return false;
    this.text += this.held.toString('utf8', 0, this.heldLength);
    this.heldLength = 0;
    if (this.held.length > READY_BYTES) this.held = NOTHING;
    return true;
  }

  private keep(end: number): boolean {
    const { start, bytes } = this;
    const length = this.heldLength + end - start;
    this.length += end - start;
    if (this.length > MOST_BYTES) return this.refuse(tooLarge());
    if (length > this.held.length) {
      const larger = Buffer.allocUnsafe(Math.max(64 * 1024, length * 2));
      this.held.copy(larger, 0, 0, this.heldLength);
      this.held = larger;
    }
    bytes.copy(this.held, this.heldLength, start, end);
    this.heldLength = length;
    return true;
  }

  private refuseKey(): boolean {
    this.line = this.keyLine;
    this.byte = this.keyByte;
    return this.refuse(`a key is longer than ${LONGEST_KEY / 1024} KB`);
  }

  private refuse(problem: string): boolean {
    this.problem = problem;
    return false;
  }
}

function tooLarge(): string {
  return `one entry of it is larger than ${MOST_BYTES / 1024 / 1024} MB`;
}

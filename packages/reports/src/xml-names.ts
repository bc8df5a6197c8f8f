// The names of a document's elements, each kept once: its bytes, to hold end tags against, and the number its reader gave it.

const MOST_NAMES = 4096;

export interface XmlName {
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Without its prefix. */
  readonly local: string;
  readonly kind: number;
}

export class XmlNames {
  private readonly rows = new Map<number, XmlName[]>();
  private count = 0;
  private last: XmlName | null = null;

  constructor(private readonly kinds: Readonly<Record<string, number>>) {}

  /** Null: there are too many. */
  find(bytes: Buffer, from: number, to: number, hash: number): XmlName | null {
    if (this.last !== null && isSame(this.last.bytes, bytes, from, to)) return this.last;
    const row = this.rows.get(hash) ?? [];
    const known = row.find((name) => isSame(name.bytes, bytes, from, to));
    this.last = known ?? this.add(bytes, from, to, hash, row);
    return this.last;
  }

  private add(bytes: Buffer, from: number, to: number, hash: number, row: XmlName[]): XmlName | null {
    if (this.count >= MOST_NAMES) return null;
    this.count += 1;
    const text = bytes.toString('utf8', from, to);
    const local = text.slice(text.indexOf(':') + 1);
    const kind = Object.hasOwn(this.kinds, local) ? (this.kinds[local] ?? 0) : 0;
    const name = { bytes: Uint8Array.prototype.slice.call(bytes, from, to), text, local, kind };
    this.rows.set(hash, [...row, name]);
    return name;
  }
}

function isSame(known: Uint8Array, bytes: Buffer, from: number, to: number): boolean {
  if (known.length !== to - from) return false;
  for (let at = 0; at < known.length; at += 1) if (known[at] !== bytes[from + at]) return false;
  return true;
}

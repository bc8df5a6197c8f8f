// What a reader wants of a JSON report: paths such as `runs[].results[]`, as the tree that json-stream.ts walks along.
// `*` is any member of an object, `[]` any element of a list, the empty path the outermost value.

export type Taker = (value: unknown, key: string) => void;

export interface Pick {
  /**
   * The value, parsed. Of a path that others go on from, only a value that they cannot go on in: `null` where a list
   * was expected. `key` is the member's name, empty in a list.
   */
  readonly value?: Taker;
  /** The object or list begins, or has ended. For paths that others go on from. */
  readonly open?: (kind: Container, key: string) => void;
  readonly close?: () => void;
  /** Members of the value that nobody reads: they are checked as JSON but not kept, and are null in the value. */
  readonly without?: readonly string[];
}

export type Container = 'object' | 'list';

export type Picks = Readonly<Record<string, Pick | Taker>>;

export class PickNode {
  pick: Pick = {};
  /** Any member that has no name of its own here. */
  any: PickNode | null = null;
  /** Any element. */
  each: PickNode | null = null;
  /** The object that had it last, by number: the same one again gives the key twice. */
  seenIn = 0;
  /** By length. */
  private readonly names: { readonly bytes: Uint8Array; readonly node: PickNode }[][] = [];

  constructor(
    readonly name = '',
    /** Checked, and left out of the value around it. */
    readonly isDropped = false,
  ) {}

  get hasMembers(): boolean {
    return this.any !== null || this.names.length > 0;
  }

  /** The member of this name, written between `start` and `end`: no text is made of most keys. */
  member(bytes: Uint8Array, start: number, end: number): PickNode | null {
    const names = this.names[end - start];
    if (names !== undefined) for (const name of names) if (isSame(name.bytes, bytes, start)) return name.node;
    return this.any;
  }

  grow(step: string, isDropped = false): PickNode {
    if (step === '[]') return (this.each ??= new PickNode());
    if (step === '*') return (this.any ??= new PickNode());
    const bytes = new TextEncoder().encode(step);
    const there = this.member(bytes, 0, bytes.length);
    if (there !== null && there !== this.any) return there;
    const node = new PickNode(step, isDropped);
    (this.names[bytes.length] ??= []).push({ bytes, node });
    return node;
  }
}

export function pickTree(picks: Picks): PickNode {
  const root = new PickNode();
  for (const [path, wanted] of Object.entries(picks)) {
    let node = root;
    for (const step of path.replaceAll('[]', '.[]').split('.')) if (step !== '') node = node.grow(step);
    node.pick = typeof wanted === 'function' ? { value: wanted } : wanted;
    for (const name of node.pick.without ?? []) node.grow(name, true);
  }
  return root;
}

function isSame(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < name.length; at += 1) if (name[at] !== bytes[start + at]) return false;
  return true;
}

// Splits a file into product and judge, and puts the judge of one version into another. `KINDS` is the table of all kinds of inline tests.

import type { Place } from '../syntax/nodes.js';
import type { InlineKind, InlinePart, InlineText, Opening } from './inline-text.js';
import { ELIXIR } from './elixir.js';
import { PYTHON } from './python.js';
import { RUST } from './rust.js';
import { TEXTS } from './texts.js';
import { VITEST } from './vitest.js';

export const KINDS: readonly InlineKind[] = [RUST, VITEST, PYTHON, TEXTS, ELIXIR];

export interface InlineSplit {
  /** The file without its inline tests. */
  readonly product: string;
  readonly parts: readonly InlinePart[];
}

export interface Spliced {
  readonly text: string;
  /** Parts of the judge whose place in the product is gone. */
  readonly unplaced: readonly InlinePart[];
}

/** By its words alone: it need not be read where it has none. */
export function hasInlineTests(path: string, text: string): boolean {
  return findKind(path)?.mark.test(text) === true;
}

/** Null: the file has no inline tests, or cannot be read. */
export function splitInlineTests(path: string, text: string): InlineSplit | null {
  if (!hasInlineTests(path, text)) return null;
  const read = readInline(path, text);
  if (read === null || read.parts.length === 0) return null;
  let product = '';
  let at = 0;
  for (const { from, to } of read.parts) {
    product += text.slice(at, from);
    at = to;
  }
  return { product: product + text.slice(at), parts: read.parts };
}

/** The file without its inline tests; as it is where it has none. */
export function productOf(path: string, text: string): string {
  return splitInlineTests(path, text)?.product ?? text;
}

/** `product` with the inline tests of `judge`. Null: one of them cannot be read. */
export function spliceJudge(path: string, product: string, judge: string): Spliced | null {
  const [now, old] = [readInline(path, product), readInline(path, judge)];
  if (now === null || old === null) return null;
  const textOf = ({ from, to }: InlinePart): string => judge.slice(from, to);
  const open = new Map(old.parts.map((part) => [part.key, part]));
  const edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  const replace = (key: string, { from, to }: Place): void => {
    const part = open.get(key);
    open.delete(key);
    edits.push({ from, to, text: part === undefined ? '' : textOf(part) });
  };
  for (const part of now.parts) replace(part.key, part);
  for (const key of open.keys()) {
    const piece = now.pieces.get(key);
    if (piece !== undefined && !old.pieces.has(key) && edits.every(({ from, to }) => to <= piece.from || from >= piece.to))
      replace(key, piece);
  }
  const unplaced: InlinePart[] = [];
  const added = new Map<Opening, string>();
  for (const part of open.values()) {
    const place = part.places.map((key) => now.places.get(key)).find((one) => one !== undefined);
    if (place === undefined) unplaced.push(part);
    else {
      const before = added.get(place);
      added.set(place, `${before === undefined ? '' : `${before}\n`}${textOf(part).replace(/\n?$/, '\n')}`);
    }
  }
  for (const [{ at, around: [before, after] = ['', ''] }, text] of added) {
    const start = at > 0 && product[at - 1] !== '\n' ? '\n' : '';
    edits.push({ from: at, to: at, text: `${start}${before}${text}${after}` });
  }
  let text = '';
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
    text += product.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return { text: text + product.slice(at), unplaced };
}

function findKind(path: string): InlineKind | null {
  return KINDS.find(({ files }) => files.test(path)) ?? null;
}

/** Null: no kind of file that can hold tests, or one that cannot be read. */
function readInline(path: string, text: string): InlineText | null {
  const kind = findKind(path);
  if (kind === null) return null;
  const key = `${path}\0${text}`;
  const known = READ.get(key);
  if (known !== undefined) return known;
  const read = kind.read(text, path);
  if (READ.size >= MOST_KEPT) READ.clear();
  READ.set(key, read);
  return read;
}

/** A file is asked for several times on the way through a change. */
const MOST_KEPT = 64;
const READ = new Map<string, InlineText | null>();

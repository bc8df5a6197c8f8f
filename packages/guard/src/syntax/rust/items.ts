// The items of a Rust file: modules, functions, implementations, types, with their attributes and doc comments. Bodies of functions stay tokens.

import { lineNumber } from '../lines.js';
import type { Comment, Place } from '../nodes.js';
import { readTokens } from './tokens.js';
import type { Token } from './tokens.js';

/** `#[cfg(all(test, unix))]`: `cfg` with the argument `all`, which has two. */
export interface Meta extends Place {
  /** The path, without its spaces; of a literal the literal. */
  readonly name: string;
  /** Of `name = "value"`. */
  readonly value: string | null;
  /** Null: without brackets. */
  readonly args: readonly Meta[] | null;
}

export type ItemKind = 'mod' | 'fn' | 'impl' | 'trait' | 'type' | 'field' | 'extern' | 'macro' | 'macro_rules' | 'other';

export interface Body extends Place {
  /** Tokens between the brackets. */
  readonly first: number;
  readonly last: number;
  /** Null: they are no items. */
  readonly items: readonly Item[] | null;
  readonly attributes: readonly Meta[];
  /** `//!` comments. */
  readonly docs: readonly Token[];
}

export interface Item extends Place {
  readonly kind: ItemKind;
  /** Of an implementation `Trait for Type`; of what has no name, its text. */
  readonly name: string;
  readonly head: Place;
  readonly attributes: readonly Meta[];
  readonly docs: readonly Token[];
  /** Tokens from the name to the body: the parameters of a function. */
  readonly signature: readonly [number, number];
  readonly body: Body | null;
}

export interface RustFile {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly root: Body;
  readonly problem: string | null;
}

class Unreadable extends Error {}

export function readItems(text: string): RustFile {
  const { tokens, comments, problem } = readTokens(text);
  const empty: Body = { from: 0, to: text.length, first: 0, last: tokens.length, items: [], attributes: [], docs: [] };
  if (problem !== null) return { tokens, comments, root: empty, problem };
  try {
    return { tokens, comments, root: new ItemReader(text, tokens).body(0, tokens.length, { from: 0, to: text.length }), problem: null };
  } catch (error) {
    if (error instanceof Unreadable) return { tokens, comments, root: empty, problem: error.message };
    throw error;
  }
}

/** Words before the keyword of an item. */
const MODIFIERS: ReadonlySet<string> = new Set('pub crate default async unsafe const extern safe gen auto'.split(' '));
const TO_SEMICOLON: ReadonlySet<string> = new Set('use type static const let extern'.split(' '));
/** Deeper modules than people write. */
const DEEPEST = 60;

class ItemReader {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly tokens: readonly Token[],
  ) {}

  body(first: number, last: number, { from, to }: Place): Body {
    const outside = this.at;
    this.at = first;
    this.depth += 1;
    if (this.depth > DEEPEST) this.refuse('modules are nested too deeply');
    const attributes: Meta[] = [];
    const docs: Token[] = [];
    for (;;) {
      const token = this.token();
      if (this.at < last && token?.kind === 'doc' && isInner(token)) docs.push(this.next());
      else if (this.at < last && token?.value === '#' && this.token(1)?.value === '!' && this.token(2)?.value === '[') {
        this.at += 1;
        attributes.push(...this.attribute());
      } else break;
    }
    const items: Item[] = [];
    while (this.at < last) {
      if (this.token()?.value === ';') this.at += 1;
      else items.push(...this.item(last));
    }
    this.depth -= 1;
    this.at = outside;
    return { from, to, first, last, items, attributes, docs };
  }

  private item(last: number): readonly Item[] {
    const begin = this.at;
    const attributes: Meta[] = [];
    const docs: Token[] = [];
    for (;;) {
      const token = this.token();
      if (this.at >= last) return [];
      // An inner comment that stands too late documents nothing.
      if (token?.kind === 'doc') docs.push(this.next());
      else if (token?.value === '#' && this.token(1)?.value === '[') attributes.push(...this.attribute());
      else if (token?.value === '#' && this.token(1)?.value === '!') {
        this.at += 1;
        this.attribute();
      } else break;
    }
    const from = this.tokens[begin]?.from ?? 0;
    const headFrom = this.token()?.from ?? from;
    while (this.isModifier()) {
      this.at += 1;
      if (this.token(-1)?.value === 'pub' && this.token()?.value === '(') this.skipGroup();
      if (this.token(-1)?.value === 'extern' && this.token()?.kind === 'text') this.at += 1;
    }
    const keyword = this.token();
    const after = this.token(1);
    const make = (
      kind: ItemKind,
      name: string,
      nameTo: number,
      signature: readonly [number, number],
      body: Body | null,
    ): readonly Item[] => [
      { kind, name, from, to: this.token(-1)?.to ?? from, head: { from: headFrom, to: nameTo }, attributes, docs, signature, body },
    ];
    if (keyword === undefined || this.at >= last) return this.refuse('an item is cut off');
    if (after?.value === '!' && keyword.value === 'macro_rules') {
      this.at += 2;
      const { value: name, to } = this.next();
      this.skipGroup();
      return make('macro_rules', name, to, [0, 0], null);
    }
    switch (keyword.value) {
      case 'mod':
      case 'trait': {
        this.at += 1;
        const { value: name, to } = this.next();
        const [signature, body] = this.braced(last, true);
        return make(keyword.value, name, to, signature, body);
      }
      case 'fn': {
        this.at += 1;
        const { value: name, to } = this.next();
        const [signature, body] = this.braced(last, false);
        return make('fn', name, to, signature, body);
      }
      case 'impl': {
        this.at += 1;
        const [signature, body] = this.braced(last, true);
        return make('impl', this.printType(...signature), this.tokens[signature[1] - 1]?.to ?? keyword.to, signature, body);
      }
      case 'extern':
      case 'struct':
      case 'enum':
      case 'union':
        if (keyword.value === 'extern' ? after?.value !== '{' && this.token(2)?.value !== '{' : after?.kind !== 'name') break;
        this.at += 1;
        if (keyword.value === 'extern') {
          const [signature, body] = this.braced(last, true);
          return make('extern', 'extern', keyword.to, signature, body);
        } else {
          const { value: name, to } = this.next();
          const [signature, body] = this.braced(last, false);
          return make('type', name, to, signature, body === null ? null : { ...body, items: this.fields(body) });
        }
      default:
    }
    if (keyword.kind === 'sign' && keyword.value === '{' && this.token(-1)?.kind === 'text') {
      // `extern "C" {`: the modifiers took its words.
      const [signature, body] = this.braced(last, true);
      return make('extern', 'extern', keyword.from, signature, body);
    }
    if (TO_SEMICOLON.has(keyword.value)) {
      const name = after?.kind === 'name' && keyword.value !== 'use' ? after.value : '';
      while (this.at < last && this.token()?.value !== ';') this.step();
      this.at += 1;
      const text = this.printTokens(begin, this.at);
      return make('other', name === '' ? text : `${keyword.value} ${name}`, keyword.to, [0, 0], null);
    }
    if (keyword.value === 'macro') {
      while (this.at < last && this.token()?.value !== '{') this.step();
      this.skipGroup();
      return make('macro_rules', after?.value ?? '', keyword.to, [0, 0], null);
    }
    return this.macro(last, make);
  }

  /** `proptest! { … }`, `thread_local!(…);`: what it holds may be items. */
  private macro(
    last: number,
    make: (kind: ItemKind, name: string, nameTo: number, signature: readonly [number, number], body: Body | null) => readonly Item[],
  ): readonly Item[] {
    const start = this.at;
    while (this.token()?.kind === 'name' || this.token()?.value === '::') this.at += 1;
    if (this.at === start || this.at >= last || this.token()?.value !== '!')
      return this.refuse(`"${this.token()?.value ?? ''}" begins no item`);
    const name = this.printTokens(start, this.at);
    const to = this.next().to;
    if (this.token()?.kind === 'name') this.at += 1;
    const open = this.at;
    const bracket = this.token();
    this.skipGroup();
    const close = this.at - 1;
    if (this.token()?.value === ';') this.at += 1;
    const place = { from: bracket?.to ?? to, to: this.tokens[close]?.from ?? to };
    let body: Body = { ...place, first: open + 1, last: close, items: null, attributes: [], docs: [] };
    const [after, depth] = [this.at, this.depth];
    if (bracket?.value === '{')
      try {
        body = this.body(open + 1, close, place);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        [this.at, this.depth] = [after, depth];
      }
    return make('macro', name, to, [0, 0], body);
  }

  /** Up to the body or the semicolon of an item. */
  private braced(last: number, holdsItems: boolean): readonly [readonly [number, number], Body | null] {
    const start = this.at;
    let isBound = false;
    for (;;) {
      const token = this.token();
      if (token === undefined || this.at >= last) return this.refuse('an item is cut off');
      if (token.value === 'where' && token.kind === 'name') isBound = true;
      if (token.value === ';' && token.kind === 'sign') {
        const signature = [start, this.at] as const;
        this.at += 1;
        return [signature, null];
      }
      // `Foo<{ N }>`: a value among types.
      const before = this.token(-1)?.value;
      if (token.value === '{' && token.kind === 'sign' && !(before === '<' || (before === ',' && !isBound))) break;
      this.step();
    }
    const open = this.at;
    const close = this.tokens[open]?.partner ?? open;
    const place = { from: this.tokens[open]?.to ?? 0, to: this.tokens[close]?.from ?? 0 };
    const body: Body = holdsItems
      ? this.body(open + 1, close, place)
      : { ...place, first: open + 1, last: close, items: null, attributes: [], docs: [] };
    this.at = close + 1;
    return [[start, open], body];
  }

  /** Fields and variants: their comments may hold tests. */
  private fields({ first, last }: Body): readonly Item[] {
    const outside = this.at;
    const items: Item[] = [];
    this.at = first;
    while (this.at < last) {
      const begin = this.at;
      const docs: Token[] = [];
      const attributes: Meta[] = [];
      while (this.at < last && (this.token()?.kind === 'doc' || this.token()?.value === '#'))
        if (this.token()?.kind === 'doc') docs.push(this.next());
        else attributes.push(...this.attribute());
      if (this.token()?.value === 'pub') this.at += 1;
      if (this.token()?.value === '(' && this.token(-1)?.value === 'pub') this.skipGroup();
      const name = this.token();
      if (name?.kind === 'name' && this.at < last) {
        const place = { from: this.tokens[begin]?.from ?? name.from, to: name.to };
        items.push({ ...place, kind: 'field', name: name.value, head: place, attributes, docs, signature: [0, 0], body: null });
      }
      // Commas between angle brackets part types, not fields.
      let angles = 0;
      let isValue = false;
      while (this.at < last && !(this.token()?.value === ',' && angles <= 0)) {
        const { value } = this.token() as Token;
        isValue ||= value === '=';
        if (!isValue) angles += value === '<' ? 1 : value === '>' ? -1 : 0;
        this.step();
      }
      this.at += 1;
    }
    this.at = outside;
    return items;
  }

  /** At `#`. */
  private attribute(): readonly Meta[] {
    const open = this.at + 1;
    const { partner } = this.tokens[open] ?? {};
    if (this.tokens[open]?.value !== '[' || partner === undefined) return this.refuse('"#" begins no attribute');
    const from = this.tokens[this.at]?.from ?? 0;
    const to = this.tokens[partner]?.to ?? 0;
    this.at = partner + 1;
    return readMetas(this.tokens, open + 1, partner).map((meta) => ({ ...meta, from, to }));
  }

  private isModifier(): boolean {
    const [word, after] = [this.token(), this.token(1)];
    if (word === undefined || word.kind !== 'name' || !MODIFIERS.has(word.value) || after?.value === '!' || after?.value === '::')
      return false;
    if (word.value === 'const') return /^(?:fn|unsafe|async|extern|trait|impl)$/.test(after?.value ?? '');
    if (word.value === 'extern') return after?.kind === 'text' || after?.value === 'fn';
    return true;
  }

  /** `impl<T> Iterator for Many<T> where …` is `Iterator for Many<T>`. */
  private printType(first: number, last: number): string {
    let at = first;
    if (this.tokens[at]?.value === '<') {
      let depth = 0;
      do {
        const value = this.tokens[at]?.value;
        depth += value === '<' ? 1 : value === '>' ? -1 : 0;
        at += 1;
      } while (depth > 0 && at < last);
    }
    let end = at;
    while (end < last && !(this.tokens[end]?.kind === 'name' && this.tokens[end]?.value === 'where')) end += 1;
    return this.printTokens(at, end);
  }

  private printTokens(first: number, last: number): string {
    return this.tokens.slice(first, last).reduce((text, { from, to }) => {
      const written = this.text.slice(from, to);
      return /[\w>]$/.test(text) && /^\w/.test(written) ? `${text} ${written}` : text + written;
    }, '');
  }

  private token(ahead = 0): Token | undefined {
    return this.tokens[this.at + ahead];
  }

  private next(): Token {
    const token = this.token();
    if (token === undefined) return this.refuse('an item is cut off');
    this.at += 1;
    return token;
  }

  /** One token, or all of a bracket. */
  private step(): void {
    const token = this.next();
    if (token.partner >= this.at) this.at = token.partner + 1;
  }

  private skipGroup(): void {
    const token = this.token();
    if (token === undefined || token.partner <= this.at) this.refuse('a bracket is missing');
    this.step();
  }

  private refuse(what: string): never {
    const { from } = this.token() ?? this.tokens.at(-1) ?? { from: 0 };
    throw new Unreadable(`${what} (line ${lineNumber(this.text, from)})`);
  }
}

export function isInner({ value }: Token): boolean {
  return value.startsWith('//!') || value.startsWith('/*!');
}

/** What an attribute says, as far as it is made of names, texts and brackets. */
export function readMetas(tokens: readonly Token[], first: number, last: number): readonly Meta[] {
  const found: Meta[] = [];
  let at = first;
  while (at < last) {
    const begin = at;
    let name = '';
    let value: string | null = null;
    let args: readonly Meta[] | null = null;
    for (; at < last && tokens[at]?.value !== ','; at += 1) {
      const token = tokens[at] as Token;
      if (token.kind === 'sign' && token.value === '(' && args === null) {
        args = readMetas(tokens, at + 1, token.partner);
        at = token.partner;
      } else if (token.kind === 'sign' && token.partner > at) at = token.partner;
      else if (token.kind === 'sign' && token.value === '=') value = tokens[at + 1]?.value ?? '';
      else if (value === null && args === null) name += token.kind === 'name' && /\w$/.test(name) ? ` ${token.value}` : token.value;
    }
    found.push({ name, value, args, from: tokens[begin]?.from ?? 0, to: tokens[at - 1]?.to ?? 0 });
    at += 1;
  }
  return found;
}

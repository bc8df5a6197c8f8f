// Reads expressions of Python out of tokens: names, literals, what stands in brackets, and what is called or taken of them.

import { OperatorReading, OR, VALUE } from './operators.js';
import { decodeString, escapeLength, holeAt, NAME, NUMBER, SIGN, STRING } from './tokens.js';
import type { Argument, Clause, Expr, Parameter } from './tree.js';

/** While it is made a node may still change. */
type Fresh<Node> = { -readonly [Key in keyof Node]: Node[Key] };

export class ExpressionReading extends OperatorReading {
  protected primary(): Expr {
    let node = this.atom();
    for (;;) {
      if (!this.isKind(SIGN)) return node;
      const { word } = this;
      const { height } = this;
      if (word === '.') {
        this.at += 1;
        const name = this.name();
        node = this.made({ type: 'Attribute', start: node.start, end: this.end, object: node, name }, height);
      } else if (word === '(') {
        this.at += 1;
        const args = this.args();
        node = this.made({ type: 'Call', start: node.start, end: this.end, callee: node, args }, Math.max(height, this.height));
      } else if (word === '[') {
        this.at += 1;
        const index = this.index();
        node = this.made({ type: 'Subscript', start: node.start, end: this.end, object: node, index }, Math.max(height, this.height));
      } else return node;
    }
  }

  private atom(): Expr {
    const { at, tokens } = this;
    const [start, end, word] = [tokens.starts[at] as number, tokens.ends[at] as number, tokens.words[at] as string];
    this.height = 0;
    this.at += 1;
    const kind = tokens.kinds[at];
    if (kind === NAME) return { type: 'Name', start, end, name: word };
    if (kind === NUMBER) return { type: 'Number', start, end, text: word };
    if (kind === STRING) return this.string(start);
    if (kind === SIGN) {
      if (word === '(') return this.bracketed(start);
      if (word === '[') return this.items(start);
      if (word === '{') return this.braces(start);
      if (word === 'None' || word === 'True' || word === 'False' || word === '...') return { type: 'Constant', start, end, name: word };
      if (word === 'lambda') return this.lambda(start);
    }
    this.at = at;
    throw this.noPython();
  }

  private bracketed(start: number): Expr {
    if (this.skip(')')) return { type: 'Tuple', start, end: this.end, items: [] };
    const inner = this.is('yield') ? this.yielded() : this.starred();
    if (this.is('for') || this.is('async')) return this.comprehension('(', [inner], start, ')');
    if (!this.is(',')) {
      this.expect(')');
      const node: Fresh<Expr> = inner;
      [node.start, node.end] = [start, this.end];
      return inner;
    }
    const items = this.rest(inner, ')');
    return this.made({ type: 'Tuple', start, end: this.end, items }, this.height);
  }

  private items(start: number): Expr {
    if (this.skip(']')) return { type: 'List', start, end: this.end, items: [] };
    const first = this.starred();
    if (this.is('for') || this.is('async')) return this.comprehension('[', [first], start, ']');
    const items = this.rest(first, ']');
    return this.made({ type: 'List', start, end: this.end, items }, this.height);
  }

  /** All items up to the bracket. */
  private rest(first: Expr, close: string): readonly Expr[] {
    const items = [first];
    let { height } = this;
    while (!this.skip(close)) {
      this.expect(',');
      if (this.is(close)) continue;
      items.push(this.starred());
      height = Math.max(height, this.height);
    }
    this.height = height;
    return items;
  }

  private braces(start: number): Expr {
    if (!this.is('}') && !this.is('**')) {
      const first = this.starred();
      if (this.is('for') || this.is('async')) return this.comprehension('{', [first], start, '}');
      if (!this.is(':')) {
        const items = this.rest(first, '}');
        return this.made({ type: 'Set', start, end: this.end, items }, this.height);
      }
      return this.pairs(start, first);
    }
    return this.pairs(start, null);
  }

  private pairs(start: number, first: Expr | null): Expr {
    const entries: { key: Expr | null; value: Expr }[] = [];
    let { height } = this;
    let key = first;
    while (key !== null || !this.skip('}')) {
      if (key === null && !this.is('**')) key = this.single();
      height = Math.max(height, this.height);
      if (key === null) this.at += 1;
      else this.expect(':');
      const value = key === null ? this.level(VALUE) : this.single();
      height = Math.max(height, this.height);
      if (key !== null && entries.length === 0 && (this.is('for') || this.is('async')))
        return this.comprehension('{', [key, value], start, '}');
      entries.push({ key, value });
      key = null;
      if (!this.is('}')) this.expect(',');
    }
    return this.made({ type: 'Dict', start, end: this.end, entries }, height);
  }

  private comprehension(kind: string, elements: readonly Expr[], start: number, close: string | null): Expr {
    const clauses: Clause[] = [];
    let { height } = this;
    while (this.is('for') || this.is('async')) {
      this.skip('async');
      this.expect('for');
      const target = this.targets();
      height = Math.max(height, this.height);
      this.expect('in');
      const over = this.level(OR);
      height = Math.max(height, this.height);
      const conditions: Expr[] = [];
      while (this.skip('if')) {
        conditions.push(this.isKind(NAME) && this.tokens.words[this.at + 1] === ':=' ? this.named() : this.level(OR));
        height = Math.max(height, this.height);
      }
      clauses.push({ target, over, conditions });
    }
    if (close !== null) this.expect(close);
    const read = elements.map((one) => (one.type === 'Star' ? one.value : one));
    return this.made({ type: 'Comprehension', start, end: this.end, kind, elements: read, clauses }, height);
  }

  /** What a `for` gives its values to. */
  protected targets(): Expr {
    const { start } = this;
    const first = this.target();
    if (!this.is(',')) return first;
    const items = [first];
    let { height } = this;
    while (this.skip(',') && !this.is('in')) {
      items.push(this.target());
      height = Math.max(height, this.height);
    }
    return this.made({ type: 'Tuple', start, end: this.end, items }, height);
  }

  private target(): Expr {
    return this.is('*') ? this.starred() : this.level(VALUE);
  }

  protected yielded(): Expr {
    const { start } = this;
    this.expect('yield');
    this.skip('from');
    this.height = 0;
    const value = this.isOver() ? null : this.list();
    return this.made({ type: 'Yield', start, end: this.end, value }, this.height);
  }

  /** Arguments up to the bracket, which is read too. */
  protected args(): readonly Argument[] {
    const found: Argument[] = [];
    let height = 0;
    while (!this.skip(')')) {
      found.push(this.argument());
      height = Math.max(height, this.height);
      if (!this.is(')')) this.expect(',');
    }
    this.height = height;
    return found;
  }

  private argument(): Argument {
    const { word } = this;
    if (this.isKind(SIGN) && (word === '*' || word === '**')) {
      this.at += 1;
      return { name: null, star: word, value: this.single() };
    }
    if (this.isKind(NAME) && this.tokens.words[this.at + 1] === '=') {
      this.at += 2;
      return { name: word, star: '', value: this.single() };
    }
    const value = this.named();
    if (!this.is('for') && !this.is('async')) return { name: null, star: '', value };
    return { name: null, star: '', value: this.comprehension('(', [value], value.start, null) };
  }

  /** What stands in the brackets behind a value, with the closing one. */
  private index(): readonly Expr[] {
    const found: Expr[] = [];
    let height = 0;
    while (!this.skip(']')) {
      found.push(this.part());
      height = Math.max(height, this.height);
      if (!this.is(']')) this.expect(',');
    }
    this.height = height;
    return found;
  }

  private part(): Expr {
    const { start } = this;
    this.height = 0;
    const first = this.is(':') ? null : this.starred();
    if (first !== null && !this.is(':')) return first;
    const bounds = [first];
    let { height } = this;
    while (this.skip(':')) {
      const isOpen = this.is(':') || this.is(',') || this.is(']');
      bounds.push(isOpen ? null : this.single());
      height = Math.max(height, this.height);
    }
    return this.made({ type: 'Slice', start, end: this.end, parts: bounds }, height);
  }

  private lambda(start: number): Expr {
    const params = this.params(':');
    const body = this.single();
    return this.made({ type: 'Lambda', start, end: this.end, params, body }, this.height);
  }

  /** Parameters up to what closes them, which is read too. */
  protected params(close: ')' | ':'): readonly Parameter[] {
    const found: Parameter[] = [];
    while (!this.skip(close)) {
      const star = this.skip('**') ? '**' : this.skip('*') ? '*' : '';
      if (!(star === '' && this.skip('/')) && !(star === '*' && (this.is(',') || this.is(close)))) {
        const name = this.name();
        const annotation = close === ')' && this.skip(':') ? this.starred() : null;
        const fallback = this.skip('=') ? this.single() : null;
        found.push({ name, star, annotation, fallback });
      }
      if (!this.is(close)) this.expect(',');
    }
    return found;
  }

  /** Strings side by side are one. */
  private string(start: number): Expr {
    const found: (string | Expr)[] = [];
    let [bytes, height] = [false, 0];
    for (this.at -= 1; this.isKind(STRING); this.at += 1) {
      const text = this.text.slice(this.start, this.tokens.ends[this.at]);
      const prefix = /^[a-zA-Z]*/.exec(text)?.[0].toLowerCase() ?? '';
      const quotes = text.startsWith((text[prefix.length] as string).repeat(3), prefix.length) && text.length > prefix.length + 5 ? 3 : 1;
      if (prefix.includes('b')) bytes = true;
      const place = { start: this.start + prefix.length + quotes, end: this.start + text.length - quotes };
      const raw = prefix.includes('r');
      if (prefix.includes('f') || prefix.includes('t')) height = Math.max(height, this.filled(found, place, raw, quotes === 3));
      else found.push(decodeString(this.text.slice(place.start, place.end), raw));
    }
    const { end } = this;
    this.height = 0;
    if (found.every((part) => typeof part === 'string')) return { type: 'String', start, end, value: found.join(''), bytes };
    return this.made({ type: 'Format', start, end, parts: found }, height);
  }

  /** The parts of a string that holds expressions. */
  private filled(found: (string | Expr)[], { start, end }: { start: number; end: number }, raw: boolean, isLong: boolean): number {
    let [from, at, height] = [start, start, 0];
    while (at < end) {
      const sign = this.text[at];
      if (sign === '\\') at += escapeLength(this.text, at, !raw, true);
      else if (sign !== '{' || this.text[at + 1] === '{') at += sign === '{' ? 2 : 1;
      else {
        const hole = holeAt(this.text, at, this.holes, isLong);
        if (hole === null) break;
        found.push(decodeString(this.text.slice(from, at), raw));
        const inner = new ExpressionReading(this.text, hole.tokens, this.holes + 1);
        const value = inner.given();
        height = Math.max(height, inner.height);
        found.push(value);
        const spec = this.text.slice(value.end, hole.to - 1).trim();
        if (spec !== '') found.push(`:${spec}`);
        from = hole.to;
        at = hole.to;
      }
    }
    found.push(decodeString(this.text.slice(from, end), raw));
    return height;
  }
}

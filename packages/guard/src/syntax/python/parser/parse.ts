// Makes the syntax tree of a Python file: expressions by precedence of their operators, then statements. Text that is no Python gives a tree
// of what could be read, and a problem.

import { BROKEN, decodeString, DEDENT, END, escapeLength, holeAt, INDENT, Lexer, NAME, NEWLINE, NUMBER, SIGN, STRING } from './tokens.js';
import type { Tokens } from './tokens.js';
import type { Argument, Clause, Expr, Handler, ImportedName, Parameter, Stmt, Tree } from './tree.js';

export function parsePython(text: string): Tree {
  const tokens = new Lexer(text).file();
  if (tokens.isTooDeep) return { body: [], comments: [], problem: 'it is nested too deeply' };
  const reading = new Reading(text, tokens);
  const body = reading.file();
  const { fault } = reading;
  const problem = fault < 0 ? null : `line ${text.slice(0, fault).split('\n').length} is no Python`;
  return { body, comments: tokens.comments, problem };
}

/** Deeper than this nothing is read. */
const DEEPEST = 120;

/** What stands there is no Python. */
class NoPython extends Error {
  constructor(readonly at: number) {
    super('no Python');
  }
}

const OR = 1;
const AND = 2;
const NOT = 3;
const COMPARE = 4;
/** Of what may be the target of a `for`: its `in` is none of these. */
const VALUE = 5;
const LEVELS: ReadonlyMap<string, number> = new Map([
  ['or', OR],
  ['and', AND],
  ...['<', '>', '==', '>=', '<=', '!=', '<>', 'in', 'is', 'not'].map((sign) => [sign, COMPARE] as const),
  ['|', VALUE],
  ['^', 6],
  ['&', 7],
  ['<<', 8],
  ['>>', 8],
  ['+', 9],
  ['-', 9],
  ...['*', '/', '//', '%', '@'].map((sign) => [sign, 10] as const),
] as const);

/** No expression begins with them. */
const ENDS: ReadonlySet<string> = new Set([')', ']', '}', '=', ':', ';', 'in', 'for', 'async', 'if', 'else', 'as', 'from', ',']);

/** While it is made a node may still change. */
type Fresh<Node> = { -readonly [Key in keyof Node]: Node[Key] };

type Context = Extract<Stmt, { type: 'With' }>['items'][number];

class Reading {
  /** The first place that is no Python. */
  fault = -1;
  /** The token that comes next. */
  private at = 0;
  private depth = 0;
  /** Levels of the expression that was read last. */
  private height = 0;

  constructor(
    private readonly text: string,
    private readonly tokens: Tokens,
    private readonly holes = 0,
  ) {}

  private get word(): string {
    return this.tokens.words[this.at] as string;
  }

  private get kind(): number {
    return this.tokens.kinds[this.at] as number;
  }

  private isKind(kind: number): boolean {
    return this.tokens.kinds[this.at] === kind;
  }

  private get start(): number {
    return this.tokens.starts[this.at] as number;
  }

  /** Where the token ends that was read last. */
  private get end(): number {
    return this.tokens.ends[this.at - 1] ?? 0;
  }

  private is(word: string): boolean {
    return this.tokens.words[this.at] === word && this.tokens.kinds[this.at] === SIGN;
  }

  private skip(word: string): boolean {
    if (!this.is(word)) return false;
    this.at += 1;
    return true;
  }

  private expect(word: string): void {
    if (!this.skip(word)) throw this.noPython();
  }

  private noPython(): NoPython {
    return new NoPython(this.start);
  }

  /** After a fault everything starts afresh. */
  private restart(): void {
    this.depth = 0;
  }

  private name(): string {
    if (!this.isKind(NAME)) throw this.noPython();
    const { word } = this;
    this.at += 1;
    return word;
  }

  /** One expression, or several with commas between them, which make a tuple. */
  private list(): Expr {
    const { start } = this;
    const first = this.starred();
    if (!this.is(',')) return first;
    const items = [first];
    let { height } = this;
    while (this.skip(',')) {
      if (this.isOver()) break;
      items.push(this.starred());
      height = Math.max(height, this.height);
    }
    return this.made({ type: 'Tuple', start, end: this.end, items }, height);
  }

  /** What an assignment gives. */
  private given(): Expr {
    return this.is('yield') ? this.yielded() : this.list();
  }

  /** Nothing that begins an expression comes next. */
  private isOver(): boolean {
    const { kind, word } = this;
    if (kind === NEWLINE || kind === END || kind === DEDENT || kind === INDENT) return true;
    return kind === SIGN && ENDS.has(word);
  }

  private made(node: Expr, below: number): Expr {
    this.height = below + 1;
    if (this.height <= DEEPEST) return node;
    this.height = 0;
    return this.unknown(node.start, node.end);
  }

  private unknown(start: number, end: number): Expr {
    return { type: 'Unknown', start, end, text: this.text.slice(start, end) };
  }

  private starred(): Expr {
    if (!this.is('*') && !this.is('**')) return this.named();
    const { start } = this;
    this.at += 1;
    const value = this.level(VALUE);
    return this.made({ type: 'Star', start, end: this.end, value }, this.height);
  }

  private named(): Expr {
    if (!this.isKind(NAME) || this.tokens.words[this.at + 1] !== ':=') return this.single();
    const { start, word } = this;
    this.at += 2;
    const value = this.single();
    return this.made({ type: 'Named', start, end: this.end, name: word, value }, this.height);
  }

  /** An expression without commas around it. */
  private single(): Expr {
    if (this.depth > DEEPEST) return this.passed();
    this.depth += 1;
    const body = this.level(OR);
    if (!this.is('if')) {
      this.depth -= 1;
      return body;
    }
    let { height } = this;
    this.at += 1;
    const test = this.level(OR);
    height = Math.max(height, this.height);
    this.expect('else');
    const other = this.single();
    this.depth -= 1;
    return this.made({ type: 'Conditional', start: body.start, end: this.end, test, body, other }, Math.max(height, this.height));
  }

  /** What is nested too deeply, as text. */
  private passed(): Expr {
    const { start } = this;
    for (let [open, lambdas] = [0, 0]; ; this.at += 1) {
      const { kind, word } = this;
      if (kind === NEWLINE || kind === END || kind === BROKEN) break;
      if (kind !== SIGN) continue;
      if (word === '(' || word === '[' || word === '{') open += 1;
      else if (word === ')' || word === ']' || word === '}') {
        if (open === 0) break;
        open -= 1;
      } else if (word === 'lambda' && open === 0) lambdas += 1;
      else if (open === 0 && word === ':' && lambdas > 0) lambdas -= 1;
      else if (open === 0 && (word === ',' || word === ':' || word === '=')) break;
    }
    this.height = 0;
    return this.unknown(start, this.end);
  }

  /** An expression of operators that bind at least so much. */
  private level(least: number): Expr {
    let left = this.is('not') ? this.negated() : this.unary();
    for (;;) {
      const level = this.isKind(SIGN) ? LEVELS.get(this.word) : undefined;
      if (level === undefined || level < least) return left;
      if (level === COMPARE) {
        if (this.is('not') && this.tokens.words[this.at + 1] !== 'in') return left;
        left = this.compared(left);
      } else {
        const { height } = this;
        const op = this.word;
        this.at += 1;
        const right = this.level(level + 1);
        left = this.made(
          level <= AND
            ? joinBoolean(op as 'and' | 'or', left, right)
            : { type: 'Binary', start: left.start, end: right.end, op, left, right },
          Math.max(height, this.height),
        );
      }
    }
  }

  private negated(): Expr {
    const { start } = this;
    if (this.depth > DEEPEST) return this.passed();
    this.depth += 1;
    this.at += 1;
    const operand = this.level(NOT);
    this.depth -= 1;
    return this.made({ type: 'Unary', start, end: operand.end, op: 'not', operand }, this.height);
  }

  private compared(left: Expr): Expr {
    const ops: string[] = [];
    const rights: Expr[] = [];
    let { height } = this;
    while (this.isKind(SIGN) && LEVELS.get(this.word) === COMPARE) {
      let op = this.word;
      this.at += 1;
      if (op === 'not') {
        this.expect('in');
        op = 'not in';
      } else if (op === 'is' && this.skip('not')) op = 'is not';
      ops.push(op);
      rights.push(this.level(VALUE));
      height = Math.max(height, this.height);
    }
    return this.made({ type: 'Compare', start: left.start, end: this.end, left, ops, rights }, height);
  }

  private unary(): Expr {
    const { start, word } = this;
    if (!this.isKind(SIGN) || (word !== '-' && word !== '+' && word !== '~')) return this.power();
    if (this.depth > DEEPEST) return this.passed();
    this.depth += 1;
    this.at += 1;
    const operand = this.unary();
    this.depth -= 1;
    return this.made({ type: 'Unary', start, end: operand.end, op: word, operand }, this.height);
  }

  private power(): Expr {
    const left = this.is('await') ? this.awaited() : this.primary();
    if (!this.is('**')) return left;
    const { height } = this;
    this.at += 1;
    if (this.depth > DEEPEST) return this.passed();
    this.depth += 1;
    const right = this.is('not') ? this.negated() : this.unary();
    this.depth -= 1;
    return this.made({ type: 'Binary', start: left.start, end: right.end, op: '**', left, right }, Math.max(height, this.height));
  }

  private awaited(): Expr {
    const { start } = this;
    if (this.depth > DEEPEST) return this.passed();
    this.depth += 1;
    this.at += 1;
    const value = this.is('await') ? this.awaited() : this.primary();
    this.depth -= 1;
    return this.made({ type: 'Await', start, end: value.end, value }, this.height);
  }

  /** A name, a literal or something in brackets, with what is called, taken or asked of it. */
  private primary(): Expr {
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
  private targets(): Expr {
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

  private yielded(): Expr {
    const { start } = this;
    this.expect('yield');
    this.skip('from');
    this.height = 0;
    const value = this.isOver() ? null : this.list();
    return this.made({ type: 'Yield', start, end: this.end, value }, this.height);
  }

  /** Arguments up to the bracket, which is read too. */
  private args(): readonly Argument[] {
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
  private params(close: ')' | ':'): readonly Parameter[] {
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
        const inner = new Reading(this.text, hole.tokens, this.holes + 1);
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

  file(): readonly Stmt[] {
    const found: Stmt[] = [];
    while (!this.isKind(END)) this.statement(found);
    return found;
  }

  /** Where a block ends: with the line of its last statement, and a comment there. */
  private get last(): number {
    const { kinds, starts } = this.tokens;
    let index = this.at - 1;
    while (kinds[index] === NEWLINE || kinds[index] === DEDENT || kinds[index] === INDENT) index -= 1;
    let end = starts[index + 1] ?? 0;
    while (end > 0 && /\s/.test(this.text[end - 1] as string)) end -= 1;
    return end;
  }

  /** One statement, or a line of them; what is none is passed over, to the end of its line. */
  private statement(found: Stmt[]): void {
    const [from, start] = [this.at, this.start];
    try {
      this.compound(found);
    } catch (error) {
      if (!(error instanceof NoPython)) throw error;
      if (this.fault < 0) this.fault = error.at;
      this.restart();
      while (!this.isKind(NEWLINE) && !this.isKind(END) && !this.isKind(INDENT) && !this.isKind(DEDENT)) this.at += 1;
      found.push({ type: 'Other', start, end: Math.max(start, this.last) });
      if (this.isKind(NEWLINE) || this.at === from) this.at += this.isKind(END) ? 0 : 1;
      if (this.isKind(INDENT)) this.indented(found);
    }
  }

  private indented(found: Stmt[]): void {
    this.at += 1;
    while (!this.isKind(DEDENT) && !this.isKind(END)) this.statement(found);
    if (this.isKind(DEDENT)) this.at += 1;
  }

  private block(): readonly Stmt[] {
    const found: Stmt[] = [];
    this.expect(':');
    if (!this.isKind(NEWLINE)) this.line(found);
    else {
      this.at += 1;
      if (!this.isKind(INDENT)) throw this.noPython();
      this.indented(found);
    }
    return found;
  }

  private compound(found: Stmt[]): void {
    const { start, word } = this;
    if (this.isKind(SIGN))
      switch (word) {
        case 'if':
          return void found.push(this.choice(start));
        case 'while':
          this.at += 1;
          return void found.push({ type: 'While', start, test: this.named(), body: this.block(), other: this.otherwise(), end: this.last });
        case 'try':
          return void found.push(this.attempt(start));
        case '@':
          return void found.push(this.decorated(start));
        case 'for':
        case 'with':
        case 'def':
        case 'class':
        case 'async':
          return void found.push(this.opened(start, []));
      }
    else if (this.isKind(NAME) && word === 'match' && this.isMatch()) return void found.push(this.match(start));
    this.line(found);
  }

  /** Statements that may be `async`, and `class`. */
  private opened(start: number, decorators: readonly Expr[]): Stmt {
    const at = this.start;
    const isAsync = this.skip('async');
    if (this.skip('for')) return this.loop(start);
    if (this.skip('with')) return this.context(start);
    if (this.skip('class')) return this.type(start, decorators);
    this.expect('def');
    const name = this.name();
    this.typeParams();
    this.expect('(');
    const params = this.params(')');
    const head = { start: at, end: this.end };
    const returns = this.skip('->') ? this.list() : null;
    const body = this.block();
    return { type: 'Function', start, end: this.last, name, params, returns, decorators, body, async: isAsync, head };
  }

  private type(start: number, decorators: readonly Expr[]): Stmt {
    const name = this.name();
    this.typeParams();
    const bases = this.skip('(') ? this.args() : [];
    const body = this.block();
    return { type: 'Class', start, end: this.last, name, bases, decorators, body };
  }

  /** `[T: int]` behind the name of a function or class: nobody asks. */
  private typeParams(): void {
    if (!this.is('[')) return;
    for (let open = 0; !this.isKind(NEWLINE);) {
      if (this.is('[')) open += 1;
      else if (this.is(']')) open -= 1;
      this.at += 1;
      if (open === 0) return;
    }
    throw this.noPython();
  }

  private decorated(start: number): Stmt {
    const decorators: Expr[] = [];
    while (this.is('@')) {
      const at = this.start;
      this.at += 1;
      decorators.push({ ...this.named(), start: at });
      if (!this.isKind(NEWLINE)) throw this.noPython();
      this.at += 1;
    }
    if (!this.is('def') && !this.is('class') && !this.is('async')) throw this.noPython();
    return this.opened(start, decorators);
  }

  private loop(start: number): Stmt {
    const target = this.targets();
    this.expect('in');
    const over = this.list();
    const body = this.block();
    return { type: 'For', start, target, over, body, other: this.otherwise(), end: this.last };
  }

  private otherwise(): readonly Stmt[] {
    return this.skip('else') ? this.block() : [];
  }

  private choice(start: number): Stmt {
    const branches: { test: Expr | null; body: readonly Stmt[] }[] = [];
    while (this.skip(branches.length === 0 ? 'if' : 'elif')) {
      const test = this.named();
      branches.push({ test, body: this.block() });
    }
    if (this.skip('else')) branches.push({ test: null, body: this.block() });
    return { type: 'If', start, end: this.last, branches };
  }

  private attempt(start: number): Stmt {
    this.at += 1;
    const body = this.block();
    const handlers: Handler[] = [];
    while (this.skip('except')) {
      const from = this.start;
      this.skip('*');
      const caught = this.is(':') ? null : this.list();
      const name = this.skip('as') ? this.name() : null;
      const inner = this.block();
      handlers.push({ start: from, end: this.last, caught, name, body: inner });
    }
    const other = this.otherwise();
    const final = this.skip('finally') ? this.block() : [];
    if (handlers.length === 0 && final.length === 0) throw this.noPython();
    return { type: 'Try', start, end: this.last, body, handlers, other, final };
  }

  private context(start: number): Stmt {
    const items = (this.is('(') && this.isWhole() ? this.bracketedItems() : null) ?? this.contexts();
    return { type: 'With', start, items, body: this.block(), end: this.last };
  }

  private contexts(): readonly Context[] {
    const items: Context[] = [];
    do {
      if (items.length > 0 && this.is(')')) break;
      items.push({ value: this.single(), target: this.skip('as') ? this.bound() : null });
    } while (this.skip(','));
    return items;
  }

  /** Null where what stands in the brackets is one expression: a `yield`, or a list of more than contexts. */
  private bracketedItems(): readonly Context[] | null {
    const from = this.at;
    this.at += 1;
    try {
      const items = this.contexts();
      if (this.skip(')')) return items;
    } catch (error) {
      if (!(error instanceof NoPython)) throw error;
      this.restart();
    }
    this.at = from;
    return null;
  }

  /** The bracket that comes next is closed right in front of the colon. */
  private isWhole(): boolean {
    const { kinds, words } = this.tokens;
    let open = 0;
    for (let index = this.at; kinds[index] !== NEWLINE && kinds[index] !== END; index += 1) {
      if (kinds[index] !== SIGN) continue;
      const word = words[index] as string;
      if (word === '(' || word === '[' || word === '{') open += 1;
      else if (word === ')' || word === ']' || word === '}') open -= 1;
      if (open === 0) return words[index + 1] === ':';
    }
    return false;
  }

  /** What a `with` gives its value to, as it is written: `self.file` is one name. */
  private bound(): Expr {
    const { start } = this;
    const target = this.starred();
    const { end } = this;
    const name = this.text.slice(start, end);
    if (target.type !== 'Tuple') return { type: 'Name', start, end, name };
    const items = (name.match(/[\w.]+/g) ?? []).map((one): Expr => ({ type: 'Name', start, end, name: one }));
    return { type: 'Tuple', start, end, items };
  }

  /** `match` is a name as well: a statement has cases below it. */
  private isMatch(): boolean {
    const { kinds, words } = this.tokens;
    let index = this.at;
    while (kinds[index] !== NEWLINE && kinds[index] !== END) index += 1;
    return words[index - 1] === ':' && index - 1 > this.at + 1 && kinds[index + 1] === INDENT && words[index + 2] === 'case';
  }

  private match(start: number): Stmt {
    this.at += 1;
    const subject = this.list();
    this.expect(':');
    this.at += 2;
    const cases: (readonly Stmt[])[] = [];
    while (this.isKind(NAME) && this.word === 'case') {
      for (let open = 0; open > 0 || !this.is(':'); this.at += 1) {
        if (this.isKind(NEWLINE) || this.isKind(END)) throw this.noPython();
        if (this.is('(') || this.is('[') || this.is('{')) open += 1;
        else if (this.is(')') || this.is(']') || this.is('}')) open -= 1;
      }
      cases.push(this.block());
    }
    if (!this.isKind(DEDENT)) throw this.noPython();
    this.at += 1;
    return { type: 'Match', start, end: this.last, subject, cases };
  }

  /** Statements up to the end of the line. */
  private line(found: Stmt[]): void {
    do {
      if (this.isKind(NEWLINE)) break;
      found.push(this.simple());
    } while (this.skip(';'));
    if (!this.isKind(NEWLINE)) throw this.noPython();
    this.at += 1;
  }

  private simple(): Stmt {
    const { start, word } = this;
    if (this.isKind(SIGN))
      switch (word) {
        case 'return':
          this.at += 1;
          return { type: 'Return', start, value: this.isEnded() ? null : this.given(), end: this.end };
        case 'raise':
          return this.raised(start);
        case 'assert':
          return this.asserted(start);
        case 'del':
          return this.deleted(start);
        case 'import':
        case 'from':
          return this.imported(start);
        case 'pass':
        case 'break':
        case 'continue':
          this.at += 1;
          return { type: word === 'pass' ? 'Pass' : word === 'break' ? 'Break' : 'Continue', start, end: this.end };
        case 'global':
        case 'nonlocal':
          return this.passedOver(start);
      }
    else if (this.isKind(NAME) && this.isOther()) return this.passedOver(start);
    return this.assigned(start);
  }

  private isEnded(): boolean {
    return this.isKind(NEWLINE) || this.isKind(END) || this.is(';');
  }

  /** `type Pair = …`, and `print` of the Python that was. */
  private isOther(): boolean {
    const next = this.tokens.kinds[this.at + 1];
    if (this.word === 'type') return next === NAME;
    return this.word === 'print' && (next === NAME || next === STRING || next === NUMBER);
  }

  private passedOver(start: number): Stmt {
    while (!this.isEnded()) this.at += 1;
    return { type: 'Other', start, end: this.end };
  }

  private raised(start: number): Stmt {
    this.at += 1;
    const value = this.isEnded() ? null : this.single();
    if (this.skip('from')) this.single();
    // `raise Error, 'text'` of the Python that was.
    while (this.skip(',')) this.single();
    return { type: 'Raise', start, value, end: this.end };
  }

  private asserted(start: number): Stmt {
    this.at += 1;
    const test = this.named();
    const message = this.skip(',') && !this.isEnded() ? this.single() : null;
    return { type: 'Assert', start, test, message, end: this.end };
  }

  private deleted(start: number): Stmt {
    this.at += 1;
    const targets: Expr[] = [];
    do if (!this.isEnded()) targets.push(this.single());
    while (this.skip(','));
    return { type: 'Delete', start, targets, end: this.end };
  }

  private assigned(start: number): Stmt {
    const first = this.given();
    if (this.is('=')) return this.values(start, first, null);
    if (this.skip(':')) {
      const annotation = this.single();
      if (this.is('=')) return this.values(start, first, annotation);
      return { type: 'Assign', start, targets: [first], annotation, value: null, end: this.end };
    }
    if (!this.isKind(SIGN) || !UPDATES.has(this.word)) return { type: 'Expression', start, value: first, end: this.end };
    this.at += 1;
    return { type: 'Update', start, target: first, value: this.given(), end: this.end };
  }

  private values(start: number, first: Expr, annotation: Expr | null): Stmt {
    const targets = [first];
    while (this.skip('=')) targets.push(this.given());
    return { type: 'Assign', start, annotation, value: targets.pop() as Expr, targets, end: this.end };
  }

  private imported(start: number): Stmt {
    const from = this.word === 'from';
    this.at += 1;
    let [level, module] = [0, ''];
    if (from) {
      for (; this.is('.') || this.is('...'); this.at += 1) level += this.word.length;
      if (level === 0 || this.isKind(NAME)) module = this.dotted();
      this.expect('import');
    }
    const isBracketed = from && this.skip('(');
    const names: ImportedName[] = [];
    do {
      if (isBracketed && this.is(')')) break;
      const name = from && this.skip('*') ? '*' : this.dotted();
      names.push({ name, local: this.skip('as') ? this.name() : name });
    } while (this.skip(','));
    if (isBracketed) this.expect(')');
    return { type: 'Import', start, end: this.end, module, level, from, names };
  }

  private dotted(): string {
    let text = this.name();
    while (this.skip('.')) text += `.${this.name()}`;
    return text;
  }
}

function joinBoolean(op: 'and' | 'or', left: Expr, right: Expr): Expr {
  const values: Expr[] = [];
  for (const node of [left, right]) {
    if (node.type === 'Bool' && node.op === op) values.push(...node.values);
    else values.push(node);
  }
  return { type: 'Bool', start: left.start, end: right.end, op, values };
}

const UPDATES: ReadonlySet<string> = new Set(['+=', '-=', '*=', '/=', '//=', '%=', '@=', '&=', '|=', '^=', '>>=', '<<=', '**=']);

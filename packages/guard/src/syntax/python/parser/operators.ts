// Reads expressions of Python out of tokens: operators by precedence. What they stand between is python/expressions.ts's.

import { BROKEN, DEDENT, END, INDENT, NAME, NEWLINE, SIGN } from './tokens.js';
import type { Tokens } from './tokens.js';
import type { Expr } from './tree.js';

/** Deeper than this nothing is read. */
const DEEPEST = 120;

/** What stands there is no Python. */
export class NoPython extends Error {
  constructor(readonly at: number) {
    super('no Python');
  }
}

export const OR = 1;
const AND = 2;
const NOT = 3;
const COMPARE = 4;
/** Of what may be the target of a `for`: its `in` is none of these. */
export const VALUE = 5;
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

export abstract class OperatorReading {
  /** The token that comes next. */
  protected at = 0;
  private depth = 0;
  /** Levels of the expression that was read last. */
  protected height = 0;

  constructor(
    protected readonly text: string,
    protected readonly tokens: Tokens,
    protected readonly holes = 0,
  ) {}

  protected get word(): string {
    return this.tokens.words[this.at] as string;
  }

  protected get kind(): number {
    return this.tokens.kinds[this.at] as number;
  }

  protected isKind(kind: number): boolean {
    return this.tokens.kinds[this.at] === kind;
  }

  protected get start(): number {
    return this.tokens.starts[this.at] as number;
  }

  /** Where the token ends that was read last. */
  protected get end(): number {
    return this.tokens.ends[this.at - 1] ?? 0;
  }

  protected is(word: string): boolean {
    return this.tokens.words[this.at] === word && this.tokens.kinds[this.at] === SIGN;
  }

  protected skip(word: string): boolean {
    if (!this.is(word)) return false;
    this.at += 1;
    return true;
  }

  protected expect(word: string): void {
    if (!this.skip(word)) throw this.noPython();
  }

  protected noPython(): NoPython {
    return new NoPython(this.start);
  }

  /** After a fault everything starts afresh. */
  protected restart(): void {
    this.depth = 0;
  }

  protected name(): string {
    if (!this.isKind(NAME)) throw this.noPython();
    const { word } = this;
    this.at += 1;
    return word;
  }

  /** A name, a literal or something in brackets, with what is called, taken or asked of it. */
  protected abstract primary(): Expr;

  protected abstract yielded(): Expr;

  /** One expression, or several with commas between them, which make a tuple. */
  list(): Expr {
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
  protected given(): Expr {
    return this.is('yield') ? this.yielded() : this.list();
  }

  /** Nothing that begins an expression comes next. */
  protected isOver(): boolean {
    const { kind, word } = this;
    if (kind === NEWLINE || kind === END || kind === DEDENT || kind === INDENT) return true;
    return kind === SIGN && ENDS.has(word);
  }

  protected made(node: Expr, below: number): Expr {
    this.height = below + 1;
    if (this.height <= DEEPEST) return node;
    this.height = 0;
    return this.unknown(node.start, node.end);
  }

  private unknown(start: number, end: number): Expr {
    return { type: 'Unknown', start, end, text: this.text.slice(start, end) };
  }

  protected starred(): Expr {
    if (!this.is('*') && !this.is('**')) return this.named();
    const { start } = this;
    this.at += 1;
    const value = this.level(VALUE);
    return this.made({ type: 'Star', start, end: this.end, value }, this.height);
  }

  protected named(): Expr {
    if (!this.isKind(NAME) || this.tokens.words[this.at + 1] !== ':=') return this.single();
    const { start, word } = this;
    this.at += 2;
    const value = this.single();
    return this.made({ type: 'Named', start, end: this.end, name: word, value }, this.height);
  }

  /** An expression without commas around it. */
  protected single(): Expr {
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
  protected level(least: number): Expr {
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
}

function joinBoolean(op: 'and' | 'or', left: Expr, right: Expr): Expr {
  const values: Expr[] = [];
  for (const node of [left, right]) {
    if (node.type === 'Bool' && node.op === op) values.push(...node.values);
    else values.push(node);
  }
  return { type: 'Bool', start: left.start, end: right.end, op, values };
}

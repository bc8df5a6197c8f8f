// Makes the syntax tree of a Python file; expressions are python/expressions.ts's. Text that is no Python gives a tree of what could be
// read, and a problem.

import { ExpressionReading } from './expressions.js';
import { NoPython } from './operators.js';
import { DEDENT, END, INDENT, Lexer, NAME, NEWLINE, NUMBER, SIGN, STRING } from './tokens.js';
import type { Expr, Handler, ImportedName, Stmt, Tree } from './tree.js';

export function parseTree(file: string, text: string): Tree {
  const lines = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  const tokens = new Lexer(text).file();
  if (tokens.isTooDeep) return { file, text, body: [], lines, comments: [], problem: 'it is nested too deeply' };
  const reading = new Reading(text, tokens);
  const body = reading.file();
  const { fault } = reading;
  const problem = fault < 0 ? null : `line ${text.slice(0, fault).split('\n').length} is no Python`;
  return { file, text, body, lines, comments: tokens.comments, problem };
}

type Context = Extract<Stmt, { type: 'With' }>['items'][number];

class Reading extends ExpressionReading {
  /** The first place that is no Python. */
  fault = -1;

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

const UPDATES: ReadonlySet<string> = new Set(['+=', '-=', '*=', '/=', '//=', '%=', '@=', '&=', '|=', '^=', '>>=', '<<=', '**=']);

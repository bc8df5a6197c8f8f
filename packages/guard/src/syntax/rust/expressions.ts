// Bodies of Rust functions, made into the tree of all languages. Types, patterns and macros of others are read as far as tests need it: what is
// not understood is a name that holds its words, so that two versions of it can be compared.

import type { Argument, Entry, FunctionValue, Parameter, Place, Statement, Value } from '../nodes.js';
import { conditionOf } from './conditions.js';
import type { Token } from './tokens.js';

class NotRead extends Error {}

/** Statements and values nested deeper than people write. */
const DEEPEST = 200;

const OPERATORS: Readonly<Record<string, readonly [number, string]>> = {
  '=': [1, '='],
  '..': [2, '..'],
  '..=': [2, '..='],
  '||': [3, 'or'],
  '&&': [4, 'and'],
  '==': [5, '=='],
  '!=': [5, '!='],
  '<': [5, '<'],
  '>': [5, '>'],
  '<=': [5, '<='],
  '>=': [5, '>='],
  '|': [6, '|'],
  '^': [7, '^'],
  '&': [8, '&'],
  '+': [10, '+'],
  '-': [10, '-'],
  '*': [11, '*'],
  '/': [11, '/'],
  '%': [11, '%'],
};
const CAST = 12;
const PREFIX = 13;

/** Macros that check, by what they ask. `debug_` and `prop_` before the name change nothing. */
const CHECKS: Readonly<Record<string, '==' | '!=' | 'holds' | 'matches'>> = {
  assert: 'holds',
  assert_eq: '==',
  assert_ne: '!=',
  assert_matches: 'matches',
};
const FAILS: ReadonlySet<string> = new Set(['panic', 'unreachable', 'todo', 'unimplemented']);
const ITEM_WORDS: ReadonlySet<string> = new Set('use struct enum union impl trait mod type macro_rules extern'.split(' '));

/** Of the tokens from `first` up to `last`. */
export function readBody(tokens: readonly Token[], first: number, last: number): readonly Statement[] {
  return new BodyReader(tokens, first, last).block(last);
}

/** The names of parameters, in their order: `&self, n: u8`. */
export function readParameters(tokens: readonly Token[], first: number, last: number): readonly Parameter[] {
  let open = first;
  while (open < last && tokens[open]?.value !== '(') open += 1;
  const close = tokens[open]?.partner ?? open;
  return splitAtCommas(tokens, open + 1, close).map(([from, to]) => {
    let end = from;
    while (end < to && tokens[end]?.value !== ':') end += 1;
    return { names: patternNames(tokens.slice(from, end)), fallback: null, isRest: false };
  });
}

function splitAtCommas(tokens: readonly Token[], first: number, last: number): readonly (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = [];
  let from = first;
  for (let at = first; at < last; at += 1) {
    const token = tokens[at] as Token;
    if (token.partner > at) at = token.partner;
    else if (token.kind === 'sign' && token.value === ',') {
      parts.push([from, at]);
      from = at + 1;
    }
  }
  if (from < last) parts.push([from, last]);
  return parts;
}

/** What a pattern binds: names in small letters that are no path. */
function patternNames(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap(({ kind, value }, index) => {
    const isPath = tokens[index + 1]?.value === '::' || tokens[index - 1]?.value === '::';
    const isBound = kind === 'name' && /^[a-z_]/.test(value) && !isPath && !/^(?:mut|ref|box|_|true|false|in)$/.test(value);
    return isBound && tokens[index + 1]?.value !== '(' ? [value] : [];
  });
}

class BodyReader {
  private depth = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private at: number,
    private readonly end: number,
  ) {}

  block(last: number): readonly Statement[] {
    const statements: Statement[] = [];
    while (this.at < last) {
      const begin = this.at;
      const { depth } = this;
      try {
        statements.push(...this.statement(last));
      } catch (error) {
        if (!(error instanceof NotRead)) throw error;
        this.at = begin;
        this.depth = depth;
        this.skipTo([';'], last);
        statements.push({ ...this.placeFrom(begin), kind: 'expression', value: this.words(begin, this.at) });
      }
      if (this.at === begin) this.at += 1;
    }
    return statements;
  }

  private statement(last: number): readonly Statement[] {
    const begin = this.at;
    const token = this.token();
    if (token === undefined || token.value === ';' || token.kind === 'doc') {
      this.at += 1;
      return [];
    }
    if (token.value === '#' && this.isGroup(1, '[')) {
      const open = this.at + 1;
      this.at = (this.tokens[open]?.partner ?? open) + 1;
      const condition = conditionOf(this.tokens, open + 1, this.at - 1);
      const inner = this.at < last ? this.statement(last) : [];
      return condition === null ? inner : [{ ...this.placeFrom(begin), kind: 'if', test: condition, then: inner, other: [] }];
    }
    if (token.kind === 'lifetime' && this.token(1)?.value === ':') {
      this.at += 2;
      return this.statement(last);
    }
    if (token.kind === 'name') {
      const special = this.statementOf(token.value, last, begin);
      if (special !== null) return special;
    }
    if (token.value === '{' && token.kind === 'sign') return [{ kind: 'block', body: this.group(), ...this.placeFrom(begin) }];
    const value = this.expression(0, true);
    this.endStatement(last);
    // A check or a branch is a statement here.
    if (value.kind === 'call' && value.callee.kind === 'function' && value.args.length === 0) return value.callee.body;
    return [{ ...this.placeFrom(begin), kind: 'expression', value }];
  }

  private statementOf(word: string, last: number, begin: number): readonly Statement[] | null {
    const next = this.token(1);
    switch (word) {
      case 'let':
        return this.let(last, begin);
      case 'if':
      case 'match':
      case 'while':
      case 'loop':
      case 'for':
        return this.control();
      case 'unsafe':
      case 'async':
        if (next?.value !== '{') return next?.value === 'fn' || next?.value === 'move' ? this.functionItem(last, begin) : null;
        this.at += 1;
        return [{ kind: 'block', body: this.group(), ...this.placeFrom(begin) }];
      case 'return': {
        this.at += 1;
        const value = this.isEndOfStatement(last) ? null : this.expression(0, true);
        this.endStatement(last);
        return [{ kind: 'return', value, ...this.placeFrom(begin) }];
      }
      case 'break':
      case 'continue':
        this.skipTo([';'], last);
        this.at += 1;
        return [{ kind: 'jump', ...this.placeFrom(begin) }];
      case 'fn':
      case 'pub':
        return this.functionItem(last, begin);
      case 'const':
      case 'static': {
        if (next?.value === 'fn') return this.functionItem(last, begin);
        const name = next?.value === 'mut' ? this.token(2) : next;
        this.skipTo(['='], last);
        this.at += 1;
        const value = this.expression(0, true);
        this.endStatement(last);
        const target: Value = { kind: 'name', name: name?.value ?? '', from: name?.from ?? 0, to: name?.to ?? 0 };
        return [{ kind: 'assign', targets: [target], op: '=', value, ...this.placeFrom(begin) }];
      }
      default:
        if (ITEM_WORDS.has(word) && (next?.kind === 'name' || next?.value === '<' || word === 'use' || word === 'macro_rules')) {
          while (this.at < last && this.token()?.value !== ';' && this.token()?.value !== '{') this.step();
          this.step();
          return [];
        }
        return null;
    }
  }

  private let(last: number, begin: number): readonly Statement[] {
    this.at += 1;
    const from = this.at;
    let bound = -1;
    // The type behind the pattern holds angle brackets, and no other `=`.
    while (this.at < last && this.token()?.value !== '=' && this.token()?.value !== ';') {
      if (this.token()?.value === ':' && bound < 0) bound = this.at;
      this.step();
    }
    const names = patternNames(this.tokens.slice(from, bound < 0 ? this.at : bound));
    const place = this.placeFrom(from);
    const end = this.at;
    const targets = names.map((name): Value => ({ ...place, kind: 'name', name }));
    if (this.token()?.value !== '=') {
      this.at += 1;
      return [{ kind: 'assign', targets, op: '=', value: null, ...this.placeFrom(begin) }];
    }
    this.at += 1;
    const value = this.expression(0, true);
    const otherwise: Statement[] = [];
    if (this.token()?.value === 'else') {
      this.at += 1;
      otherwise.push({ kind: 'if', test: this.words(from, this.at), then: this.group(), other: [], ...this.placeFrom(begin) });
    }
    this.endStatement(last);
    // What may change is not what it was made of: `let mut buffer = Vec::new()`.
    const op = this.tokens.slice(from, bound < 0 ? end : bound).some((token) => token.value === 'mut') ? 'mut=' : '=';
    const target: readonly Value[] =
      targets.length === 1 && this.tokens[from]?.kind === 'name' ? targets : [{ ...place, kind: 'list', type: 'tuple', items: targets }];
    return [{ kind: 'assign', targets: target, op, value, ...this.placeFrom(begin) }, ...otherwise];
  }

  private functionItem(last: number, begin: number): readonly Statement[] | null {
    let at = this.at;
    while (at < last && /^(?:pub|const|unsafe|async|extern)$/.test(this.tokens[at]?.value ?? '')) at += 1;
    if (this.tokens[at]?.value !== 'fn') return null;
    const name = this.tokens[at + 1];
    const start = at + 2;
    this.at = start;
    while (this.at < last && this.token()?.value !== '{' && this.token()?.value !== ';') this.step();
    if (this.token()?.value !== '{' || name === undefined) throw new NotRead();
    const params = readParameters(this.tokens, start, this.at);
    const body = this.group();
    const place = this.placeFrom(begin);
    const value: FunctionValue = { kind: 'function', params, body, isAsync: false, ...place };
    return [{ kind: 'function', name: name.value, value, decorators: [], head: { from: place.from, to: name.to }, ...place }];
  }

  /** `if`, `match` and loops, as statements. */
  private control(): readonly Statement[] {
    return this.deeper(() => this.branches());
  }

  private branches(): readonly Statement[] {
    const begin = this.at;
    const word = this.next().value;
    if (word === 'if') {
      const test = this.condition();
      const then = this.group();
      let other: readonly Statement[] = [];
      if (this.token()?.value === 'else') {
        this.at += 1;
        other = this.token()?.value === 'if' ? this.control() : this.group();
      }
      return [{ kind: 'if', test, then, other, ...this.placeFrom(begin) }];
    }
    if (word === 'match') return this.match(begin);
    if (word === 'for') {
      const from = this.at;
      this.skipTo(['in'], this.end);
      const place = this.placeFrom(from);
      const items = patternNames(this.tokens.slice(from, this.at)).map((name): Value => ({ ...place, kind: 'name', name }));
      this.at += 1;
      const over = this.expression(0, false);
      const body = this.group();
      const target: Value = items.length === 1 ? (items[0] as Value) : { ...place, kind: 'list', type: 'tuple', items };
      return [{ kind: 'loop', target, over, body, ...this.placeFrom(begin) }];
    }
    const over = word === 'while' ? this.condition() : null;
    return [{ kind: 'loop', target: null, over, body: this.group(), ...this.placeFrom(begin) }];
  }

  /** Arms are branches: each runs where the ones before it do not. */
  private match(begin: number): readonly Statement[] {
    const subject = this.expression(0, false);
    const open = this.at;
    const close = this.tokens[open]?.partner ?? -1;
    if (this.token()?.value !== '{' || close < open) throw new NotRead();
    this.at += 1;
    const arms: { readonly test: Value; readonly body: readonly Statement[] }[] = [];
    while (this.at < close) {
      const from = this.at;
      this.skipTo(['=>'], close);
      const pattern = this.words(from, this.at);
      this.at += 1;
      const body = this.isGroup(0, '{') ? this.group() : this.arm(close);
      if (this.token()?.value === ',' && this.at < close) this.at += 1;
      const callee: Value = { kind: 'name', name: 'matches', from: pattern.from, to: pattern.to };
      arms.push({ test: this.makeCall(callee, [subject, pattern], pattern), body });
    }
    this.at = close + 1;
    const place = this.placeFrom(begin);
    const last = arms.pop();
    if (last === undefined) return [{ kind: 'expression', value: subject, ...place }];
    return arms.reduceRight<readonly Statement[]>(
      (other, { test, body }) => [{ kind: 'if', test, then: body, other, ...place }],
      arms.length === 0 ? [{ kind: 'block', body: last.body, ...place }] : last.body,
    );
  }

  private arm(close: number): readonly Statement[] {
    const from = this.at;
    let at = from;
    while (at < close && this.tokens[at]?.value !== ',') at = Math.max(at, this.tokens[at]?.partner ?? 0) + 1;
    const reader = new BodyReader(this.tokens, from, at);
    reader.depth = this.depth;
    const body = reader.block(at);
    this.at = at;
    return body;
  }

  /** `if let Some(x) = y && z`. */
  private condition(): Value {
    if (this.token()?.value !== 'let') return this.expression(0, false);
    const begin = this.at;
    this.at += 1;
    const from = this.at;
    this.skipTo(['='], this.end);
    const pattern = this.words(from, this.at);
    this.at += 1;
    const subject = this.expression(4, false);
    const place = this.placeFrom(begin);
    const callee: Value = { ...place, kind: 'name', name: 'matches' };
    const left = this.makeCall(callee, [subject, pattern], place);
    if (this.token()?.value !== '&&') return left;
    this.at += 1;
    const right = this.condition();
    return { kind: 'binary', op: 'and', left, right, ...this.placeFrom(begin) };
  }

  /** The statements of a `{ … }` that stands here. */
  private group(): readonly Statement[] {
    const close = this.tokens[this.at]?.partner ?? -1;
    if (this.token()?.value !== '{' || close < this.at) throw new NotRead();
    this.at += 1;
    const body = this.deeper(() => this.block(close));
    this.at = close + 1;
    return body;
  }

  private deeper<Made>(read: () => Made): Made {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new NotRead();
    const made = read();
    this.depth -= 1;
    return made;
  }

  /** `structs`: `Name { … }` is a value here; behind `if` and its kin the bracket opens the block. */
  private expression(least: number, structs: boolean): Value {
    return this.deeper(() => this.operators(least, structs));
  }

  private operators(least: number, structs: boolean): Value {
    const begin = this.at;
    let left = this.prefix(structs);
    for (;;) {
      const token = this.token();
      if (token === undefined || this.at >= this.end) return left;
      if (token.kind === 'name' && token.value === 'as' && CAST >= least) {
        this.at += 1;
        const from = this.at;
        this.skipType();
        left = { kind: 'binary', op: 'as', left, right: this.words(from, this.at), ...this.placeFrom(begin) };
        continue;
      }
      if (token.kind !== 'sign') return left;
      const next = this.token(1);
      const isJoined = next !== undefined && next.from === token.to;
      if (isJoined && (token.value === '<' || token.value === '>') && next.value === token.value) {
        if (least > 9) return left;
        const isSet = this.token(2)?.value === '=';
        this.at += isSet ? 3 : 2;
        left = { kind: 'binary', op: token.value.repeat(2), left, right: this.expression(10, structs), ...this.placeFrom(begin) };
        continue;
      }
      if (/^[-+*/%^&|]=$/.test(token.value)) {
        if (least > 1) return left;
        this.at += 1;
        left = { kind: 'assign', target: left, op: token.value, value: this.expression(1, structs), ...this.placeFrom(begin) };
        continue;
      }
      const [strength, op] = OPERATORS[token.value] ?? [-1, ''];
      if (strength < Math.max(least, 1)) return left;
      this.at += 1;
      if (op === '=') {
        left = { kind: 'assign', target: left, op, value: this.expression(1, structs), ...this.placeFrom(begin) };
        continue;
      }
      const isOpen = strength === 2 && this.isEndOfValue(structs);
      const right: Value = isOpen ? this.words(this.at, this.at) : this.expression(strength + 1, structs);
      left = { kind: 'binary', op, left, right, ...this.placeFrom(begin) };
    }
  }

  private prefix(structs: boolean): Value {
    const begin = this.at;
    const token = this.token();
    if (token === undefined || this.at >= this.end) throw new NotRead();
    if (token.kind === 'sign') {
      switch (token.value) {
        case '-':
        case '!': {
          this.at += 1;
          const operand = this.expression(PREFIX, structs);
          return { kind: 'unary', op: token.value === '!' ? 'not' : '-', operand, ...this.placeFrom(begin) };
        }
        case '*':
        case '&':
        case '&&':
          // What a reference refers to is what is compared.
          this.at += 1;
          if (this.token()?.kind === 'lifetime') this.at += 1;
          if (this.token()?.value === 'mut') this.at += 1;
          return this.expression(PREFIX, structs);
        case '..':
        case '..=': {
          this.at += 1;
          const right = this.isEndOfValue(structs) ? this.words(this.at, this.at) : this.expression(3, structs);
          return { kind: 'unary', op: token.value, operand: right, ...this.placeFrom(begin) };
        }
        case '|':
        case '||':
          return this.closure(begin);
        default:
      }
    }
    return this.postfix(this.primary(structs), begin);
  }

  private closure(begin: number): Value {
    const token = this.next();
    const from = this.at;
    if (token.value === '|') {
      while (this.at < this.end && this.token()?.value !== '|') this.step();
      this.at += 1;
    }
    const params = splitAtCommas(this.tokens, from, Math.max(from, this.at - 1)).map(([first, last]): Parameter => {
      const bound = this.tokens.slice(first, last).findIndex(({ value }) => value === ':');
      return { names: patternNames(this.tokens.slice(first, bound < 0 ? last : first + bound)), fallback: null, isRest: false };
    });
    if (this.token()?.value === '->') {
      while (this.at < this.end && this.token()?.value !== '{') this.step();
    }
    const body = this.isGroup(0, '{') ? this.group() : this.closureValue();
    return { kind: 'function', params, body, isAsync: false, ...this.placeFrom(begin) };
  }

  private closureValue(): readonly Statement[] {
    const begin = this.at;
    const value = this.expression(1, true);
    if (value.kind === 'call' && value.callee.kind === 'function' && value.args.length === 0) return value.callee.body;
    return [{ kind: 'expression', value, ...this.placeFrom(begin) }];
  }

  private primary(structs: boolean): Value {
    const begin = this.at;
    const token = this.next();
    const place = { from: token.from, to: token.to };
    if (token.kind === 'text') return { ...place, kind: 'text', value: token.value };
    if (token.kind === 'number') return readNumber(token);
    if (token.kind === 'lifetime' && this.token()?.value === ':') {
      this.at += 1;
      return this.primary(structs);
    }
    if (token.kind === 'sign') return this.bracketed(token, begin);
    if (token.kind !== 'name') throw new NotRead();
    switch (token.value) {
      case 'true':
      case 'false':
        return { ...place, kind: 'constant', value: token.value };
      case 'if':
      case 'match':
      case 'loop':
      case 'while':
      case 'for':
        this.at = begin;
        return this.asValue(this.control(), begin);
      case 'unsafe':
      case 'async':
      case 'const':
        if (this.token()?.value === 'move') this.at += 1;
        if (this.token()?.value === '|' || this.token()?.value === '||') return this.closure(this.at);
        return this.asValue(this.group(), begin);
      case 'move':
        return this.closure(this.at);
      case 'return':
      case 'break':
      case 'continue':
        if (!this.isEndOfValue(structs)) this.expression(0, structs);
        return this.asValue([token.value === 'return' ? { kind: 'return', value: null, ...place } : { kind: 'jump', ...place }], begin);
      default:
    }
    let value: Value = { ...place, kind: 'name', name: token.value.replace(/^r#/, '') };
    while (this.token()?.value === '::') {
      this.at += 1;
      if (this.token()?.value === '<') this.skipAngles();
      else value = { kind: 'member', object: value, name: this.next().value, ...this.placeFrom(begin) };
    }
    if (this.token()?.value === '!' && this.token(1)?.kind === 'sign' && (this.tokens[this.at + 1]?.partner ?? -1) > this.at)
      return this.macro(value, begin);
    if (structs && this.isGroup(0, '{') && /^[A-Z]/.test(value.kind === 'member' ? value.name : token.value))
      return this.struct(value, begin);
    return value;
  }

  private bracketed({ value, partner, from }: Token, begin: number): Value {
    if (value === '<') {
      // `<T as Default>::default()`
      this.at = begin;
      this.skipAngles();
      let made = this.words(begin, this.at);
      while (this.token()?.value === '::') {
        this.at += 1;
        made = { kind: 'member', object: made, name: this.next().value, ...this.placeFrom(begin) };
      }
      return made;
    }
    if (partner < begin) throw new NotRead();
    if (value === '{') {
      this.at = begin;
      return this.asValue(this.group(), begin);
    }
    if (this.hasSemicolon(begin)) {
      this.at = partner + 1;
      return this.words(begin, this.at);
    }
    const parts = splitAtCommas(this.tokens, begin + 1, partner);
    const items = parts.map(([first, last]) => this.whole(first, last));
    this.at = partner + 1;
    const [only] = items;
    if (value === '(' && only !== undefined && items.length === 1 && this.tokens[partner - 1]?.value !== ',') return only;
    return { kind: 'list', type: value === '(' ? 'tuple' : 'list', items, from, to: this.tokens[partner]?.to ?? from };
  }

  /** `[0; 10]`, not `[{ a; }]`. */
  private hasSemicolon(open: number): boolean {
    const close = this.tokens[open]?.partner ?? open;
    for (let at = open + 1; at < close; at = Math.max(at, this.tokens[at]?.partner ?? 0) + 1)
      if (this.tokens[at]?.value === ';') return true;
    return false;
  }

  private postfix(start: Value, begin: number): Value {
    let value = start;
    for (;;) {
      const token = this.token();
      if (token === undefined || this.at >= this.end || token.kind !== 'sign') return value;
      if (token.value === '?') {
        this.at += 1;
        value = { kind: 'unary', op: '?', operand: value, ...this.placeFrom(begin) };
      } else if (token.value === '.') {
        this.at += 1;
        const name = this.next();
        if (name.value === 'await') value = { kind: 'await', value, ...this.placeFrom(begin) };
        else {
          value = { kind: 'member', object: value, name: name.value, ...this.placeFrom(begin) };
          if (this.token()?.value === '::') {
            this.at += 1;
            this.skipAngles();
          }
        }
      } else if (token.value === '(') value = this.makeCall(value, this.arguments(), this.placeFrom(begin), begin);
      else if (token.value === '[') {
        const [index] = this.arguments();
        if (index === undefined) throw new NotRead();
        value = { kind: 'index', object: value, index, ...this.placeFrom(begin) };
      } else return value;
    }
  }

  private arguments(): readonly Value[] {
    const open = this.at;
    const close = this.tokens[open]?.partner ?? -1;
    if (close < open) throw new NotRead();
    const values = splitAtCommas(this.tokens, open + 1, close).map(([first, last]) => this.whole(first, last));
    this.at = close + 1;
    return values;
  }

  /** All tokens of a part as one value, else their words. */
  private whole(first: number, last: number): Value {
    const reader = new BodyReader(this.tokens, first, last);
    reader.depth = this.depth;
    try {
      const value = reader.expression(0, true);
      if (reader.at === last) return value;
    } catch (error) {
      if (!(error instanceof NotRead)) throw error;
    }
    return this.words(first, last);
  }

  private macro(callee: Value, begin: number): Value {
    this.at += 1;
    const open = this.at;
    const args = this.arguments();
    const place = this.placeFrom(begin);
    const name = callee.kind === 'name' || callee.kind === 'member' ? callee.name : '';
    const plain = name.replace(/^(?:debug|prop)_/, '');
    const [first, second] = args;
    const asked = CHECKS[plain];
    if (asked !== undefined && first !== undefined) {
      const test: Value | null =
        asked === 'holds'
          ? first
          : second === undefined
            ? null
            : asked === 'matches'
              ? this.makeCall({ ...place, kind: 'name', name: 'matches' }, [first, second], place)
              : { ...place, kind: 'binary', op: asked, left: first, right: second };
      if (test !== null) return this.asValue([{ ...place, kind: 'assert', test }], begin);
    }
    if (FAILS.has(plain)) return this.asValue([{ ...place, kind: 'raise', value: callee }], begin);
    if (name === 'vec' && !this.hasSemicolon(open)) return { ...place, kind: 'list', type: 'list', items: args };
    return this.makeCall(callee, args, place);
  }

  private struct(type: Value, begin: number): Value {
    const open = this.at;
    const close = this.tokens[open]?.partner ?? -1;
    if (close < open) throw new NotRead();
    const entries = splitAtCommas(this.tokens, open + 1, close).map(([first, last]): Entry => {
      const name = this.tokens[first] as Token;
      if (name.value === '..') return { key: null, value: this.whole(first + 1, last) };
      const key: Value = { kind: 'text', value: name.value, from: name.from, to: name.to };
      if (this.tokens[first + 1]?.value === ':') return { key, value: this.whole(first + 2, last) };
      return { key, value: this.whole(first, last) };
    });
    this.at = close + 1;
    const place = this.placeFrom(begin);
    const record: Value = { ...place, kind: 'record', entries };
    return this.makeCall(type, [record], place);
  }

  /** A block or branch where a value is asked for; one check alone stands for itself. */
  private asValue(body: readonly Statement[], begin: number): Value {
    const place = this.placeFrom(begin);
    const run: FunctionValue = { ...place, kind: 'function', params: [], body, isAsync: false };
    return { ...place, kind: 'call', callee: run, args: [], isNew: false };
  }

  private makeCall(callee: Value, values: readonly Value[], place: Place, begin?: number): Value {
    const args = values.map((value): Argument => ({ name: null, value }));
    return {
      ...(begin === undefined ? { from: place.from, to: place.to } : this.placeFrom(begin)),
      kind: 'call',
      callee,
      args,
      isNew: false,
    };
  }

  /** What nobody reads, as a name that holds its words. */
  private words(first: number, last: number): Value {
    const taken = this.tokens.slice(first, last);
    const name = taken.map(({ kind, value }) => (kind === 'text' ? JSON.stringify(value) : value)).join(' ');
    const from = taken[0]?.from ?? this.tokens[first]?.from ?? 0;
    return { kind: 'name', name, from, to: taken.at(-1)?.to ?? from };
  }

  private skipType(): void {
    while (this.at < this.end && /^(?:&|&&|\*|mut|const|dyn|impl)$/.test(this.token()?.value ?? '')) this.at += 1;
    if (this.token()?.kind === 'lifetime') this.at += 1;
    if (this.token()?.value === '(' || this.token()?.value === '[') {
      this.step();
      return;
    }
    while (this.at < this.end && this.token()?.kind === 'name') {
      this.at += 1;
      if (this.token()?.value === '<' && this.token(1)?.value !== '<') this.skipAngles();
      if (this.token()?.value !== '::') return;
      this.at += 1;
    }
  }

  private skipAngles(): void {
    let depth = 0;
    do {
      const { value } = this.token() ?? {};
      if (value === undefined || this.at >= this.end || value === ';') throw new NotRead();
      depth += value === '<' ? 1 : value === '>' ? -1 : 0;
      this.step();
    } while (depth > 0);
  }

  private skipTo(signs: readonly string[], last: number): void {
    while (this.at < last && !signs.includes(this.token()?.value ?? '')) this.step();
  }

  private isEndOfStatement(last: number): boolean {
    return this.at >= last || this.token()?.value === ';' || this.token()?.value === '}';
  }

  private isEndOfValue(structs: boolean): boolean {
    const { value = '', kind } = this.token() ?? {};
    return this.at >= this.end || (kind === 'sign' && (/^[)\]},;]$|^=>$/.test(value) || (value === '{' && !structs)));
  }

  private endStatement(last: number): void {
    if (this.at >= last) return;
    if (this.token()?.value === ';') this.at += 1;
    else if (this.tokens[this.at - 1]?.value !== '}') throw new NotRead();
  }

  private isGroup(ahead: number, bracket: string): boolean {
    const token = this.token(ahead);
    return token?.kind === 'sign' && token.value === bracket && token.partner > this.at;
  }

  private placeFrom(begin: number): Place {
    const from = this.tokens[begin]?.from ?? 0;
    return { from, to: Math.max(from, this.tokens[this.at - 1]?.to ?? from) };
  }

  private token(ahead = 0): Token | undefined {
    return this.tokens[this.at + ahead];
  }

  private next(): Token {
    const token = this.token();
    if (token === undefined || this.at >= this.end) throw new NotRead();
    this.at += 1;
    return token;
  }

  private step(): void {
    this.at = Math.max(this.at, this.token()?.partner ?? 0) + 1;
  }
}

/** The type behind a number says nothing of its value. */
function readNumber({ value: written, from, to }: Token): Value {
  const plain = written.replaceAll('_', '').replace(/(?<=[\da-fA-F])(?:[iu](?:8|16|32|64|128|size)|f(?:32|64))$/, '');
  const value = Number(plain.replace(/\.$/, ''));
  return Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value))
    ? { kind: 'number', value, from, to }
    : { kind: 'name', name: plain, from, to };
}

// Reads expressions out of tokens: precedence of `not`, chained comparisons and joined strings are settled here.

import type { Argument, Clause, Expr, Parameter } from './tree.js';
import { decoded } from './strings.js';
import type { Token } from './tokens.js';

/** Deeper than this nothing is read. */
export const DEEPEST = 120;
const COMPARES: ReadonlySet<string> = new Set(['CompareOp', 'in', 'not', 'is']);

interface Place {
  readonly start: number;
  readonly end: number;
}

export class ExpressionReading {
  constructor(protected readonly text: string) {}

  protected slice(token: Token): string {
    return this.text.slice(token.from, token.to);
  }

  /** One expression, or several with commas between them, which make a tuple. */
  list(tokens: readonly Token[], depth: number): Expr {
    const groups = split(tokens);
    const items = groups.map((group) => this.starred(group, depth));
    const [first] = items;
    const start = tokens[0]?.from ?? 0;
    const end = tokens.at(-1)?.to ?? start;
    if (first === undefined) return { type: 'Unknown', start, end, text: this.text.slice(start, end) };
    const tuple = groups.length > 1 || tokens.at(-1)?.name === ',';
    return tuple ? { type: 'Tuple', start, end, items } : first;
  }

  private starred(group: readonly Token[], depth: number): Expr {
    const [first, second] = group;
    if (first === undefined) return { type: 'Unknown', start: 0, end: 0, text: '' };
    if ((first.name === '*' || first.name === '**') && second !== undefined) {
      return { type: 'Star', start: first.from, end: second.to, value: this.expr(second, depth) };
    }
    return this.expr(first, depth);
  }

  protected yielded(tokens: readonly Token[], depth: number): Expr | null {
    const values = tokens.filter(({ name, isError }) => name !== 'yield' && name !== 'from' && !isError);
    return values.length === 0 ? null : this.list(values, depth);
  }

  expr(token: Token, depth: number): Expr {
    const place = { start: token.from, end: token.to };
    if (depth > DEEPEST) return { type: 'Unknown', ...place, text: this.slice(token) };
    switch (token.name) {
      case 'VariableName':
        return { type: 'Name', ...place, name: this.slice(token) };
      case 'Number':
        return { type: 'Number', ...place, text: this.slice(token) };
      case 'Boolean':
      case 'None':
        return { type: 'Constant', ...place, name: this.slice(token) as 'None' | 'True' | 'False' };
      case 'Ellipsis':
        return { type: 'Constant', ...place, name: '...' };
      case 'String':
      case 'FormatString':
      case 'ContinuedString':
        return this.string(token, depth + 1);
      default:
        return this.larger(token, token.children, depth + 1);
    }
  }

  private larger(token: Token, tokens: readonly Token[], depth: number): Expr {
    const place = { start: token.from, end: token.to };
    const inside = tokens.filter(({ name, isError }) => !/^[()[\]{}]$/.test(name) && !isError);
    switch (token.name) {
      case 'ParenthesizedExpression':
        return { ...this.starred(inside, depth), ...place };
      case 'TupleExpression':
      case 'ArrayExpression':
      case 'SetExpression': {
        const items = split(inside).map((group) => this.starred(group, depth));
        return { type: token.name === 'TupleExpression' ? 'Tuple' : token.name === 'SetExpression' ? 'Set' : 'List', ...place, items };
      }
      case 'DictionaryExpression': {
        const entries = split(inside).map((group) => {
          const at = group.findIndex(({ name }) => name === ':');
          if (at < 0) return { key: null, value: this.list(group.slice(1), depth) };
          return { key: this.list(group.slice(0, at), depth), value: this.list(group.slice(at + 1), depth) };
        });
        return { type: 'Dict', ...place, entries };
      }
      case 'CallExpression': {
        const [callee, list] = tokens;
        if (callee === undefined || list === undefined) break;
        return { type: 'Call', ...place, callee: this.expr(callee, depth), args: this.args(list, depth) };
      }
      case 'MemberExpression':
        return this.member(token, tokens, depth);
      case 'UnaryExpression': {
        const [op, operand] = tokens;
        if (op === undefined || operand === undefined) break;
        return this.unary(this.slice(op), operand, place, depth);
      }
      case 'BinaryExpression':
        return this.binary(tokens, place, depth);
      case 'ConditionalExpression': {
        const [body, , test, , other] = tokens;
        if (body === undefined || test === undefined || other === undefined) break;
        return {
          type: 'Conditional',
          ...place,
          test: this.expr(test, depth),
          body: this.expr(body, depth),
          other: this.expr(other, depth),
        };
      }
      case 'LambdaExpression': {
        const list = tokens.find(({ name }) => name === 'ParamList');
        return {
          type: 'Lambda',
          ...place,
          params: list === undefined ? [] : this.params(list, depth),
          body: this.list(tokens.slice(-1), depth),
        };
      }
      case 'AwaitExpression':
        return { type: 'Await', ...place, value: this.list(tokens.slice(1), depth) };
      case 'YieldExpression':
        return { type: 'Yield', ...place, value: this.yielded(tokens, depth) };
      case 'NamedExpression': {
        const [name, , value] = tokens;
        if (name === undefined || value === undefined) break;
        return { type: 'Named', ...place, name: this.slice(name), value: this.expr(value, depth) };
      }
      default:
        if (token.name.endsWith('ComprehensionExpression') || token.name === 'ComprehensionExpression')
          return this.comprehension(inside, place, kindOf(token), depth);
    }
    return { type: 'Unknown', ...place, text: this.slice(token) };
  }

  private member(token: Token, tokens: readonly Token[], depth: number): Expr {
    const place = { start: token.from, end: token.to };
    const [owner, sign, ...rest] = tokens;
    if (owner === undefined) return { type: 'Unknown', ...place, text: this.slice(token) };
    const object = this.expr(owner, depth);
    if (sign?.name === '.') {
      if (object.type === 'Number') return { type: 'Number', ...place, text: `${object.text}.` };
      return { type: 'Attribute', ...place, object, name: rest[0] === undefined ? '' : this.slice(rest[0]) };
    }
    const inner = rest.filter(({ name }) => name !== ']');
    const index = split(inner).map((group): Expr => {
      if (!group.some(({ name }) => name === ':'))
        return this.starred(
          group.filter(({ isError }) => !isError),
          depth,
        );
      const bounds: (Expr | null)[] = [null];
      for (const part of group) {
        if (part.name === ':') bounds.push(null);
        else bounds[bounds.length - 1] = this.expr(part, depth);
      }
      return { type: 'Slice', start: group[0]?.from ?? 0, end: group.at(-1)?.to ?? 0, parts: bounds };
    });
    return { type: 'Subscript', ...place, object, index };
  }

  /** The parser takes `not a and b` for `not (a and b)`: here `not` binds to `a` alone. */
  private unary(op: string, operand: Token, place: Place, depth: number): Expr {
    if (op === 'not' && operand.name === 'BinaryExpression' && depth < DEEPEST) {
      const [left, sign, right] = operand.children;
      if (left !== undefined && right !== undefined && (sign?.name === 'and' || sign?.name === 'or')) {
        const first = this.unary(op, left, { start: place.start, end: left.to }, depth + 1);
        return joined(sign.name, first, this.expr(right, depth), place);
      }
    }
    return { type: 'Unary', ...place, op, operand: this.expr(operand, depth) };
  }

  private binary(tokens: readonly Token[], place: Place, depth: number): Expr {
    const [first, sign] = tokens;
    const last = tokens.at(-1);
    if (first === undefined || sign === undefined || last === undefined)
      return { type: 'Unknown', ...place, text: this.text.slice(place.start, place.end) };
    const right = this.expr(last, depth);
    const left = this.expr(first, depth);
    if (sign.name === 'and' || sign.name === 'or') return joined(sign.name, left, right, place);
    const op = tokens
      .slice(1, -1)
      .map((token) => this.slice(token))
      .join(' ');
    if (!COMPARES.has(sign.name)) return { type: 'Binary', ...place, op, left, right };
    if (left.type === 'Compare' && first.name === 'BinaryExpression')
      return { ...left, ...place, ops: [...left.ops, op], rights: [...left.rights, right] };
    return { type: 'Compare', ...place, left, ops: [op], rights: [right] };
  }

  private comprehension(tokens: readonly Token[], place: Place, kind: string, depth: number): Expr {
    const from = tokens.findIndex(({ name }) => name === 'for' || name === 'async');
    const elements = tokens.slice(0, Math.max(from, 0)).filter(({ name }) => name !== ':' && !/^\*+$/.test(name));
    const clauses: { target: Expr; over: Expr; conditions: Expr[] }[] = [];
    let at = Math.max(from, 0);
    while (at < tokens.length) {
      const name = tokens[at]?.name;
      let next = at + 1;
      while (next < tokens.length && !['for', 'if', 'async'].includes(tokens[next]?.name ?? '')) next += 1;
      const group = tokens.slice(at + 1, next);
      if (name === 'for') {
        const middle = group.findIndex((token) => token.name === 'in');
        clauses.push({
          target: this.list(group.slice(0, Math.max(middle, 0)), depth),
          over: this.list(group.slice(middle + 1), depth),
          conditions: [],
        });
      } else if (name === 'if') clauses.at(-1)?.conditions.push(this.list(group, depth));
      at = next;
    }
    return {
      type: 'Comprehension',
      ...place,
      kind,
      elements: elements.map((token) => this.expr(token, depth)),
      clauses: clauses satisfies Clause[],
    };
  }

  protected args(list: Token, depth: number): readonly Argument[] {
    const inside = list.children.filter(({ name, isError }) => name !== '(' && name !== ')' && !isError);
    // A bare generator is the only argument: commas in it are of its targets.
    const groups = inside.some(({ name }) => name === 'for') ? [inside] : split(inside);
    return groups.flatMap((group): readonly Argument[] => {
      const [first, second] = group;
      if (first === undefined) return [];
      if ((first.name === '*' || first.name === '**') && second !== undefined)
        return [{ name: null, star: first.name, value: this.expr(second, depth) }];
      if (group.some(({ name }) => name === 'for')) {
        const place = { start: first.from, end: group.at(-1)?.to ?? first.to };
        return [{ name: null, star: '', value: this.comprehension(group, place, '(', depth) }];
      }
      if (second?.name === 'AssignOp')
        return [{ name: this.slice(second) === '=' ? this.slice(first) : null, star: '', value: this.list(group.slice(2), depth) }];
      return [{ name: null, star: '', value: this.expr(first, depth) }];
    });
  }

  private string(token: Token, depth: number): Expr {
    const place = { start: token.from, end: token.to };
    const pieces = token.name === 'ContinuedString' ? token.children : [token];
    const found: (string | Expr)[] = [];
    let bytes = false;
    for (const piece of pieces) {
      const text = this.slice(piece);
      const prefix = /^[a-zA-Z]*/.exec(text)?.[0].toLowerCase() ?? '';
      const quote = text.slice(prefix.length, prefix.length + 3) === text[prefix.length]?.repeat(3) ? 3 : 1;
      const raw = prefix.includes('r');
      if (prefix.includes('b')) bytes = true;
      let at = piece.from + prefix.length + quote;
      const end = Math.max(at, piece.to - quote);
      for (const hole of piece.name === 'FormatString' ? piece.children : []) {
        if (hole.name !== 'FormatReplacement') continue;
        found.push(decoded(this.text.slice(at, hole.from), raw));
        const inner = hole.children.find(({ name }) => /^[A-Z]/.test(name) && !name.startsWith('Format'));
        if (inner !== undefined) found.push(this.expr(inner, depth));
        const spec = this.slice(hole).slice(inner === undefined ? 1 : inner.to - hole.from, -1);
        if (spec.trim() !== '') found.push(`:${spec.trim()}`);
        at = hole.to;
      }
      found.push(decoded(this.text.slice(at, end), raw));
    }
    if (found.every((part) => typeof part === 'string')) return { type: 'String', ...place, value: found.join(''), bytes };
    return { type: 'Format', ...place, parts: found };
  }

  protected params(list: Token, depth: number): readonly Parameter[] {
    const found: Parameter[] = [];
    for (const group of split(list.children.filter(({ name }) => name !== '(' && name !== ')'))) {
      const name = group.find((token) => token.name === 'VariableName');
      if (name === undefined) continue;
      const type = group.find((token) => token.name === 'TypeDef');
      const inner = type === undefined ? undefined : type.children.at(-1);
      const at = group.findIndex((token) => token.name === 'AssignOp');
      const star = group[0]?.name === '*' ? '*' : group[0]?.name === '**' ? '**' : '';
      const annotation = inner === undefined || inner.name === ':' ? null : this.expr(inner, depth);
      found.push({ name: this.slice(name), star, annotation, fallback: at < 0 ? null : this.list(group.slice(at + 1), depth) });
    }
    return found;
  }
}

export function split(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const groups: Token[][] = [[]];
  for (const token of tokens) {
    if (token.name === ',') groups.push([]);
    else groups.at(-1)?.push(token);
  }
  return groups.filter((group) => group.length > 0);
}

function joined(op: 'and' | 'or', left: Expr, right: Expr, place: Place): Expr {
  const flat = (node: Expr): readonly Expr[] => (node.type === 'Bool' && node.op === op ? node.values : [node]);
  return { type: 'Bool', ...place, op, values: [...flat(left), ...flat(right)] };
}

function kindOf(token: Token): string {
  return token.name.startsWith('Array') ? '[' : token.name.startsWith('Comprehension') ? '(' : '{';
}

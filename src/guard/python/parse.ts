// Makes the syntax tree of a Python file out of its tokens; expressions are python/expressions.ts's. Text that is no Python gives a tree of what could be read, and a problem.

import type { Expr, FunctionStmt, Handler, ImportedName, Stmt, Tree } from './tree.js';
import { DEEPEST, ExpressionReading, split } from './expressions.js';
import { tokensOf } from './tokens.js';
import type { Token } from './tokens.js';

export function parseTree(file: string, text: string): Tree {
  const lines = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  const tokens = tokensOf(text);
  if (tokens === null) return { file, text, body: [], lines, comments: [], problem: 'it is nested too deeply' };
  const { top, comments, problem } = tokens;
  return { file, text, body: new Reading(text).statements(top, 0), lines, comments, problem };
}

class Reading extends ExpressionReading {
  statements(token: Token, depth: number): readonly Stmt[] {
    if (depth > DEEPEST) return [];
    const found: Stmt[] = [];
    for (const child of token.all) {
      if (child.name === 'StatementGroup') found.push(...this.statements(child, depth + 1));
      else {
        const statement = this.statement(child, depth + 1, []);
        if (statement !== null) found.push(statement);
      }
    }
    return found;
  }

  private statement(token: Token, depth: number, decorators: readonly Expr[]): Stmt | null {
    const place = { start: token.from, end: token.to };
    const tokens = token.children;
    switch (token.name) {
      case 'ExpressionStatement':
        return { type: 'Expression', ...place, value: this.list(tokens, depth) };
      case 'YieldStatement':
        return { type: 'Expression', ...place, value: { type: 'Yield', ...place, value: this.yielded(tokens, depth) } };
      case 'AssignStatement':
        return this.assignment(tokens, place, depth);
      case 'UpdateStatement': {
        const at = tokens.findIndex(({ name }) => name === 'UpdateOp');
        return { type: 'Update', ...place, target: this.list(tokens.slice(0, at), depth), value: this.list(tokens.slice(at + 1), depth) };
      }
      case 'ReturnStatement':
        return { type: 'Return', ...place, value: tokens.length > 1 ? this.list(tokens.slice(1), depth) : null };
      case 'RaiseStatement':
        return { type: 'Raise', ...place, value: tokens[1] === undefined ? null : this.expr(tokens[1], depth) };
      case 'AssertStatement': {
        const [test, message] = split(tokens.slice(1)).map((group) => this.list(group, depth));
        return test === undefined ? null : { type: 'Assert', ...place, test, message: message ?? null };
      }
      case 'DeleteStatement':
        return { type: 'Delete', ...place, targets: split(tokens.slice(1)).map((group) => this.list(group, depth)) };
      case 'ImportStatement':
        return { type: 'Import', ...place, ...this.imported(tokens) };
      case 'PassStatement':
        return { type: 'Pass', ...place };
      case 'BreakStatement':
        return { type: 'Break', ...place };
      case 'ContinueStatement':
        return { type: 'Continue', ...place };
      default:
        return token.isError || /^\W+$/.test(token.name) ? null : this.compound(token, tokens, depth, decorators);
    }
  }

  private compound(token: Token, tokens: readonly Token[], depth: number, decorators: readonly Expr[]): Stmt | null {
    const place = { start: token.from, end: endOf(token, this.text) };
    const blocks = tokens.filter(({ name }) => name === 'Body');
    // Read where it is asked for: each block once, however deep they are nested.
    const block = (index: number): readonly Stmt[] => {
      const found = blocks[index];
      return found === undefined ? [] : this.statements(found, depth);
    };
    const hasElse = tokens.some(({ name }) => name === 'else');
    switch (token.name) {
      case 'IfStatement':
        return { type: 'If', ...place, branches: this.branches(tokens, depth) };
      case 'WhileStatement':
        return { type: 'While', ...place, test: this.list(tokens.slice(1, 2), depth), body: block(0), other: block(1) };
      case 'ForStatement': {
        const from = tokens.findIndex(({ name }) => name === 'for') + 1;
        const middle = tokens.findIndex(({ name }) => name === 'in');
        const end = tokens.findIndex(({ name }) => name === 'Body');
        const over = this.list(tokens.slice(middle + 1, end < 0 ? tokens.length : end), depth);
        const target = this.list(tokens.slice(from, middle), depth);
        return { type: 'For', ...place, target, over, body: block(0), other: hasElse ? block(1) : [] };
      }
      case 'TryStatement':
        return { type: 'Try', ...place, ...this.attempt(tokens, depth) };
      case 'WithStatement':
        return { type: 'With', ...place, items: this.items(tokens, depth), body: block(0) };
      case 'MatchStatement': {
        const clauses = (tokens.find(({ name }) => name === 'MatchBody') ?? token).children.filter(({ name }) => name === 'MatchClause');
        const cases = clauses.map((clause) =>
          clause.children.filter(({ name }) => name === 'Body').flatMap((one) => this.statements(one, depth)),
        );
        return { type: 'Match', ...place, subject: this.list(tokens.slice(1, 2), depth), cases };
      }
      case 'DecoratedStatement': {
        const marks = tokens.filter(({ name }) => name === 'Decorator').map((one) => this.decorator(one, depth));
        const inner = tokens.find(({ name }) => name === 'FunctionDefinition' || name === 'ClassDefinition');
        const statement = inner === undefined ? null : this.statement(inner, depth + 1, marks);
        return statement === null ? null : { ...statement, start: token.from };
      }
      case 'FunctionDefinition':
        return this.definition(tokens, place, block(0), decorators, depth);
      case 'ClassDefinition': {
        const list = tokens.find(({ name }) => name === 'ArgList');
        const bases = list === undefined ? [] : this.args(list, depth);
        return { type: 'Class', ...place, name: this.nameIn(tokens), bases, decorators, body: block(0) };
      }
      default:
        return { type: 'Other', ...place };
    }
  }

  private nameIn(tokens: readonly Token[]): string {
    const name = tokens.find((token) => token.name === 'VariableName');
    return name === undefined ? '' : this.slice(name);
  }

  private definition(
    tokens: readonly Token[],
    place: { start: number; end: number },
    body: readonly Stmt[],
    decorators: readonly Expr[],
    depth: number,
  ): FunctionStmt {
    const list = tokens.find(({ name }) => name === 'ParamList');
    const type = tokens.find(({ name }) => name === 'TypeDef');
    const returns = type === undefined ? null : (type.children.findLast(({ name }) => /^\w/.test(name)) ?? null);
    return {
      type: 'Function',
      ...place,
      name: this.nameIn(tokens),
      params: list === undefined ? [] : this.params(list, depth),
      returns: returns === null ? null : this.expr(returns, depth),
      decorators,
      body,
      async: tokens[0]?.name === 'async',
      head: { start: place.start, end: list?.to ?? place.start + 3 },
    };
  }

  private decorator(token: Token, depth: number): Expr {
    const tokens = token.children;
    const list = tokens.find(({ name }) => name === 'ArgList');
    let callee: Expr | null = null;
    for (const name of tokens) {
      if (name.name !== 'VariableName') continue;
      const place: { start: number; end: number } = { start: callee?.start ?? name.from, end: name.to };
      callee =
        callee === null
          ? { type: 'Name', ...place, name: this.slice(name) }
          : { type: 'Attribute', ...place, object: callee, name: this.slice(name) };
    }
    const place = { start: token.from, end: list?.to ?? callee?.end ?? token.to };
    if (callee === null) return { type: 'Unknown', ...place, text: this.slice(token) };
    return list === undefined ? { ...callee, start: token.from } : { type: 'Call', ...place, callee, args: this.args(list, depth) };
  }

  private branches(tokens: readonly Token[], depth: number): readonly { readonly test: Expr | null; readonly body: readonly Stmt[] }[] {
    const found: { test: Expr | null; body: readonly Stmt[] }[] = [];
    let test: Expr | null = null;
    for (const token of tokens) {
      if (token.name === 'Body') {
        found.push({ test, body: this.statements(token, depth) });
        test = null;
      } else if (!['if', 'elif', 'else'].includes(token.name) && !token.isError) test = this.expr(token, depth);
    }
    return found;
  }

  private attempt(tokens: readonly Token[], depth: number): Pick<Extract<Stmt, { type: 'Try' }>, 'body' | 'handlers' | 'other' | 'final'> {
    const found = { body: [] as readonly Stmt[], handlers: [] as Handler[], other: [] as readonly Stmt[], final: [] as readonly Stmt[] };
    let part = 'try';
    let head: Token[] = [];
    for (const token of tokens) {
      if (['try', 'except', 'else', 'finally'].includes(token.name)) [part, head] = [token.name, []];
      else if (token.name !== 'Body') head.push(token);
      else if (part === 'except') {
        const at = head.findIndex(({ name }) => name === 'as');
        const caught = head.slice(0, at < 0 ? head.length : at).filter(({ name }) => name !== '*');
        const local = at < 0 ? undefined : head[at + 1];
        const handler = {
          caught: caught.length === 0 ? null : this.list(caught, depth),
          name: local === undefined ? null : this.slice(local),
        };
        found.handlers.push({ start: head[0]?.from ?? token.from, end: token.to, ...handler, body: this.statements(token, depth) });
      } else if (part === 'else') found.other = this.statements(token, depth);
      else if (part === 'finally') found.final = this.statements(token, depth);
      else found.body = this.statements(token, depth);
    }
    return found;
  }

  private items(tokens: readonly Token[], depth: number): readonly { readonly value: Expr; readonly target: Expr | null }[] {
    const found: { value: Expr; target: Expr | null }[] = [];
    let named = false;
    for (const token of tokens) {
      if (token.name === 'Body') break;
      if (token.name === 'as') named = true;
      else if (/^(async|with|,)$/.test(token.name) || token.isError) named = false;
      else if (named) {
        const last = found.at(-1);
        const name = this.slice(token);
        const place = { start: token.from, end: token.to };
        const names = name.startsWith('(') ? (name.match(/[\w.]+/g) ?? []) : [];
        const items = names.map((one): Expr => ({ type: 'Name', ...place, name: one }));
        if (last !== undefined && !token.isBeforeError)
          last.target = items.length > 0 ? { type: 'Tuple', ...place, items } : { type: 'Name', ...place, name };
        named = false;
      } else {
        const value = this.expr(token, depth);
        if (value.type === 'Tuple') found.push(...value.items.map((item) => ({ value: item, target: null })));
        else found.push({ value, target: null });
      }
    }
    return found;
  }

  private assignment(tokens: readonly Token[], place: { start: number; end: number }, depth: number): Stmt {
    const type = tokens.find(({ name }) => name === 'TypeDef');
    const groups: Token[][] = [[]];
    for (const token of tokens) {
      if (token.name === 'AssignOp') groups.push([]);
      else if (token.name !== 'TypeDef') groups.at(-1)?.push(token);
    }
    const values = groups.map((group) => this.list(group, depth));
    const inner = type === undefined ? undefined : type.children.at(-1);
    const annotation = inner === undefined || inner.name === ':' ? null : this.expr(inner, depth);
    if (values.length === 1) return { type: 'Assign', ...place, targets: values, annotation, value: null };
    return { type: 'Assign', ...place, targets: values.slice(0, -1), annotation, value: values.at(-1) ?? null };
  }

  private imported(tokens: readonly Token[]): {
    readonly module: string;
    readonly level: number;
    readonly from: boolean;
    readonly names: readonly ImportedName[];
  } {
    const from = tokens[0]?.name === 'from';
    const at = tokens.findIndex(({ name }) => name === 'import');
    const head = from ? tokens.slice(1, at) : [];
    const first = head.findIndex(({ name }) => name === 'VariableName');
    const dots = head.slice(0, first < 0 ? head.length : first).map((token) => this.slice(token));
    const module =
      first < 0
        ? ''
        : head
            .slice(first)
            .map((token) => this.slice(token))
            .join('');
    const names = split(tokens.slice(at + 1).filter(({ name }) => name !== '(' && name !== ')')).map((group) => {
      const as = group.findIndex(({ name }) => name === 'as');
      const name = group
        .slice(0, as < 0 ? group.length : as)
        .map((token) => this.slice(token))
        .join('');
      const local = as < 0 ? name : this.slice(group[as + 1] ?? (group[as] as Token));
      return { name, local };
    });
    return { module, level: dots.join('').length, from, names };
  }
}

/** Blocks end where their last line does, not where the next statement starts. */
function endOf(token: Token, text: string): number {
  let end = token.to;
  while (end > token.from && /\s/.test(text[end - 1] ?? '')) end -= 1;
  return end;
}

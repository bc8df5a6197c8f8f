// Makes the syntax tree of a Python file out of the parser's tokens; expressions are python/expressions.ts's. Text that is no Python gives a tree of what could be read, and a problem.

import { parser } from '@lezer/python';
import type { Comment, Expr, FunctionStmt, Handler, ImportedName, Stmt, Tree } from './tree.js';
import { childrenOf, DEEPEST, ExpressionReading, split } from './expressions.js';
import type { Token } from './expressions.js';

export function parseTree(file: string, text: string): Tree {
  const lines = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  const topNode = topOf(text);
  if (topNode === null) return { file, text, body: [], lines, comments: [], problem: 'it is nested too deeply' };
  const reading = new Reading(text);
  const body = reading.statements(topNode, 0);
  return { file, text, body, lines, ...reading.leaves(topNode) };
}

/** The parser calls itself for what is nested, and gives up on what is nested without end. */
function topOf(text: string): Token | null {
  try {
    return parser.parse(masked(text)).topNode;
  } catch {
    return null;
  }
}

/** `with x as (a, b):` is Python that the parser does not know: the names become one of the same length. So do form feeds. */
function masked(text: string): string {
  return text
    .replaceAll('\f', ' ')
    .replace(
      / as \((\s{0,99}[\w.]+(?:,\s{0,99}[\w.]+){0,9},?\s{0,99})\)(?=[:,])/g,
      (_all, names: string) => ` as _${names.replace(/\W/g, '_')}_`,
    );
}

class Reading extends ExpressionReading {
  /** Comments, and the first thing that is no Python. */
  leaves(top: Token): { readonly comments: readonly Comment[]; readonly problem: string | null } {
    const comments: Comment[] = [];
    let problem: string | null = null;
    const cursor = top.cursor();
    const parents: string[] = [];
    cursor.iterate(
      (token) => {
        if (token.name === 'Comment') comments.push({ value: this.text.slice(token.from, token.to), start: token.from, end: token.to });
        else if (token.type.isError && problem === null && !tolerated(parents))
          problem = `line ${this.text.slice(0, token.from).split('\n').length} is no Python`;
        parents.push(token.name);
      },
      () => {
        parents.pop();
      },
    );
    return { comments, problem };
  }

  statements(token: Token, depth: number): readonly Stmt[] {
    if (depth > DEEPEST) return [];
    const found: Stmt[] = [];
    for (let child = token.firstChild; child !== null; child = child.nextSibling) {
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
    const tokens = childrenOf(token);
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
        return token.type.isError || /^\W+$/.test(token.name) ? null : this.compound(token, tokens, depth, decorators);
    }
  }

  private compound(token: Token, tokens: readonly Token[], depth: number, decorators: readonly Expr[]): Stmt | null {
    const place = { start: token.from, end: endOf(token, this.text) };
    const bodies = tokens.filter(({ name }) => name === 'Body').map((body) => this.statements(body, depth));
    const hasElse = tokens.some(({ name }) => name === 'else');
    const [body = [], other = []] = bodies;
    switch (token.name) {
      case 'IfStatement':
        return { type: 'If', ...place, branches: this.branches(tokens, depth) };
      case 'WhileStatement':
        return { type: 'While', ...place, test: this.list(tokens.slice(1, 2), depth), body, other };
      case 'ForStatement': {
        const from = tokens.findIndex(({ name }) => name === 'for') + 1;
        const middle = tokens.findIndex(({ name }) => name === 'in');
        const end = tokens.findIndex(({ name }) => name === 'Body');
        const over = this.list(tokens.slice(middle + 1, end < 0 ? tokens.length : end), depth);
        return { type: 'For', ...place, target: this.list(tokens.slice(from, middle), depth), over, body, other: hasElse ? other : [] };
      }
      case 'TryStatement':
        return { type: 'Try', ...place, ...this.attempt(tokens, depth) };
      case 'WithStatement':
        return { type: 'With', ...place, items: this.items(tokens, depth), body };
      case 'MatchStatement': {
        const clauses = childrenOf(tokens.find(({ name }) => name === 'MatchBody') ?? token).filter(({ name }) => name === 'MatchClause');
        const cases = clauses.map((clause) =>
          childrenOf(clause)
            .filter(({ name }) => name === 'Body')
            .flatMap((one) => this.statements(one, depth)),
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
        return this.definition(tokens, place, body, decorators, depth);
      case 'ClassDefinition': {
        const list = tokens.find(({ name }) => name === 'ArgList');
        const bases = list === undefined ? [] : this.args(list, depth);
        return { type: 'Class', ...place, name: this.nameIn(tokens), bases, decorators, body };
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
    const returns = type === undefined ? null : (childrenOf(type).findLast(({ name }) => /^\w/.test(name)) ?? null);
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
    const tokens = childrenOf(token);
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
      } else if (!['if', 'elif', 'else'].includes(token.name) && !token.type.isError) test = this.expr(token, depth);
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
      else if (/^(async|with|,)$/.test(token.name) || token.type.isError) named = false;
      else if (named) {
        const last = found.at(-1);
        const name = this.slice(token);
        const place = { start: token.from, end: token.to };
        const names = name.startsWith('(') ? (name.match(/[\w.]+/g) ?? []) : [];
        const items = names.map((one): Expr => ({ type: 'Name', ...place, name: one }));
        if (last !== undefined && token.nextSibling?.type.isError !== true)
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
    const inner = type === undefined ? undefined : childrenOf(type).at(-1);
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

/** Python that the parser does not know: targets of `with`, decorators that are expressions, `5.`, a bare yield. */
function tolerated(parents: readonly string[]): boolean {
  const [last = '', above = ''] = [parents.at(-1), parents.at(-2)];
  if (['WithStatement', 'Decorator', 'YieldExpression', 'YieldStatement', 'MemberExpression'].includes(last)) return true;
  return above === 'WithStatement' && ['ParenthesizedExpression', 'TupleExpression'].includes(last);
}

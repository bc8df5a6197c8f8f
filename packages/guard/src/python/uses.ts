// Which tests feel a replacement, and what they use: the test that it stands in, or those that come by the fixture or helper around it.

import type { TestFact } from '../facts.js';
import { isSurround } from './fixtures.js';
import { fixtureMark, isAutomatic } from './names.js';
import type { Module } from './scope.js';
import type { Expr, FunctionStmt, Stmt } from './tree.js';
import { descend, dotted, expressionsOf, lastName, parts, positional, settled, statementsIn, textOf } from './tree.js';

/** Asked of a mock, they look at how it was used, or tell it what to answer: the real one is not called. */
const OF_MOCKS =
  /^(assert_\w+|called|awaited|(call|await)_(count|args|args_list)|mock_calls|method_calls|return_value|side_effect|reset_mock)$/;

interface Span {
  readonly start: number;
  readonly end: number;
}

export class TestUses {
  private readonly functions: readonly FunctionStmt[];
  private readonly direct = new Map<FunctionStmt, ReadonlySet<string>>();
  private readonly closed = new Map<FunctionStmt, ReadonlySet<string>>();

  constructor(
    private readonly module: Module,
    private readonly tests: readonly TestFact[],
  ) {
    this.functions = [...statementsIn(module.tree.body, false)].flatMap((statement) =>
      statement.type === 'Class' ? statement.body.filter(isFunction) : isFunction(statement) ? [statement] : [],
    );
  }

  /** A test that gets what stands at `place` uses `name`; null where every test of the file may get it. */
  has(name: string, place: Span): boolean | null {
    const around = this.functions.find((fn) => isWithin(place, fn) || fn.decorators.some((decorator) => isWithin(place, decorator)));
    if (around === undefined || isSurround(around.name)) return null;
    if (this.isTest(around)) return this.usedBy(around).has(name);
    const mark = fixtureMark(around, this.module.env);
    if (mark !== null && (isAutomatic(mark) || this.shared().has(around.name))) return null;
    return this.functions.some((fn) => this.isTest(fn) && this.usedBy(fn).has(around.name) && this.usedBy(fn).has(name));
  }

  /** The test around `place` calls `name` itself and asserts on the answer. */
  asserts(name: string, place: Span): boolean {
    const around = this.functions.find((fn) => isWithin(place, fn) && this.isTest(fn));
    if (around === undefined) return false;
    const calls = (node: Expr): boolean => node.type === 'Call' && dotted(node.callee) === name;
    const answers = new Set<string>();
    for (const statement of statementsIn(around.body, false)) {
      const inner = statement.type === 'Assign' && statement.value !== null ? settled(statement.value) : null;
      if (inner !== null && calls(inner)) for (const target of targetsOf(statement)) answers.add(dotted(target));
      const asked = statement.type === 'Assert' ? statement.test : statement.type === 'Expression' ? statement.value : null;
      const asserting = statement.type === 'Assert' || (asked?.type === 'Call' && lastName(asked.callee).startsWith('assert'));
      if (asked !== null && asserting && [...descend(asked)].some((node) => calls(node) || answers.has(dotted(node)))) return true;
    }
    return false;
  }

  /** Fixtures that a whole class or file asks for by name. */
  private shared(): ReadonlySet<string> {
    const marks = [...statementsIn(this.module.tree.body, true)].flatMap((statement) =>
      statement.type === 'Class' ? statement.decorators : statement.type === 'Assign' && statement.value !== null ? [statement.value] : [],
    );
    return new Set(marks.flatMap(fixturesNamed));
  }

  private isTest(fn: FunctionStmt): boolean {
    return this.tests.some(({ span }) => span.file === this.module.tree.file && span.from <= fn.start && fn.end <= span.to);
  }

  /** With what the helpers and fixtures use that it comes by. */
  private usedBy(fn: FunctionStmt): ReadonlySet<string> {
    const known = this.closed.get(fn);
    if (known !== undefined) return known;
    const all = new Set<string>();
    const open = [fn];
    const seen = new Set<FunctionStmt>(open);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const name of this.usedIn(next)) {
        if (all.has(name)) continue;
        all.add(name);
        for (const other of this.functions)
          if (other.name === name && !seen.has(other) && !this.isTest(other)) {
            seen.add(other);
            open.push(other);
          }
      }
    }
    this.closed.set(fn, all);
    return all;
  }

  private usedIn(fn: FunctionStmt): ReadonlySet<string> {
    const known = this.direct.get(fn);
    if (known !== undefined) return known;
    const own = new Set(fn.params.map(({ name }) => name));
    const uses = new Set<string>([...own, ...fn.decorators.flatMap(fixturesNamed)]);
    for (const statement of statementsIn(fn.body, true))
      for (const target of targetsOf(statement)) if (target.type === 'Name') own.add(target.name);
    for (const statement of statementsIn(fn.body, true)) {
      const targets = targetsOf(statement);
      for (const expression of expressionsOf(statement)) {
        const put = targets.includes(expression) && expression.type === 'Attribute';
        look(put ? expression.object : expression, own, uses);
      }
    }
    this.direct.set(fn, uses);
    return uses;
  }
}

function isFunction(statement: Stmt): statement is FunctionStmt {
  return statement.type === 'Function';
}

function isWithin(inner: Span, outer: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** `pytest.mark.usefixtures('a', 'b')`. */
function fixturesNamed(mark: Expr): readonly string[] {
  return [...descend(mark)].flatMap((node) =>
    node.type === 'Call' && lastName(node.callee) === 'usefixtures' ? positional(node.args).flatMap((one) => textOf(one) ?? []) : [],
  );
}

function targetsOf(statement: Stmt): readonly Expr[] {
  const all =
    statement.type === 'Assign'
      ? statement.targets
      : statement.type === 'For'
        ? [statement.target]
        : statement.type === 'With'
          ? statement.items.flatMap(({ target }) => target ?? [])
          : [];
  return all.flatMap((target) => (target.type === 'Tuple' || target.type === 'List' ? target.items : [target]));
}

/** Names and members that are called or read; a variable of the test is no use of what bears its name elsewhere. */
function look(node: Expr, own: ReadonlySet<string>, uses: Set<string>): void {
  if (node.type === 'Name' && !own.has(node.name)) uses.add(node.name);
  if (node.type === 'Attribute') {
    const asked = OF_MOCKS.test(node.name) ? node.object : null;
    if (asked?.type === 'Attribute') return look(asked.object, own, uses);
    if (asked?.type === 'Name') return;
    uses.add(node.name);
  }
  for (const part of parts(node)) look(part, own, uses);
}

/** Every name that is called or read; what is only written to is not used. */
export function usesIn(body: readonly Stmt[]): ReadonlySet<string> {
  const uses = new Set<string>();
  const look = (node: Expr): void => {
    for (const below of descend(node)) if (below.type === 'Attribute' || below.type === 'Name') uses.add(below.name);
  };
  for (const statement of statementsIn(body, true)) {
    if (statement.type !== 'Assign') expressionsOf(statement).forEach(look);
    else {
      if (statement.value !== null) look(statement.value);
      for (const target of statement.targets) if (target.type === 'Attribute' || target.type === 'Subscript') look(target.object);
    }
  }
  return uses;
}

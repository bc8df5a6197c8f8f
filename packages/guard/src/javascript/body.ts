// Walks through a test's body as it would run, without running it: helpers are entered, loops over literals written out, and every
// assertion is noted with how it is reached, who waits for it and what becomes of its failure.

import { ALWAYS, assertionOf } from './assertion.js';
import { UNCALLED, awaitedLater, failsInside, isPassedOn, leaves, passesOn } from './callbacks.js';
import { ExpressionWalk, MOST_ROWS, MOST_WORK } from './expressions.js';
import { START, waitedFor } from './place.js';
import type { Place } from './place.js';
import { guardsOf, leftBy } from './guards.js';
import { keptIn, mayBeEmpty } from './loops.js';
import { bindOwn } from './print.js';
import { callbackIndex } from './runner-callback.js';
import { rowsOf } from './rows.js';
import { patternNames } from './names.js';
import { bind, declareStatement, valueOf } from './scope.js';
import type { Env, Value } from './scope.js';
import { at, bare, someNode, isFunction, isLiteral, listAt, nameOf, ownNodes, propertyName, settled, spanOf, textAt } from './tree.js';
import type { Node } from './tree.js';

const MOST_ASSERTIONS = 300;
/** Functions within functions that are followed. */
const DEEPEST_CALL = 12;

const LEAVING: ReadonlySet<string> = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement']);

/** Everything seen in one test, or in one helper. */
export class BodyWalk extends ExpressionWalk {
  /** Tries behind which the test fails: who gets by without a throw has failed. */
  private readonly failing = new Set<Node>();
  /** The names around the test. */
  private outside: Env | null = null;

  /** Walks the function with its parameters bound to `args`. */
  run(fn: Value, args: readonly Value[] | null, open = false, never: string | null = null): void {
    this.enter(fn, args, { ...START, open, waited: true, reach: never === null ? 'always' : 'never', why: never }, true);
    if (!this.isEarly) return;
    for (const [index, fact] of this.assertions.entries())
      if (fact.reachWhy === UNCALLED) this.assertions[index] = { ...fact, waiting: 'floating' };
  }

  /** Hooks that run around the test: what they assert is asserted for it. */
  around(hooks: readonly Value[]): void {
    for (const hook of hooks) this.enter(hook, null, START);
  }

  protected override enter(fn: Value, args: readonly Value[] | null, place: Place, own = false): void {
    const node = fn.node;
    if (node === null || place.depth > DEEPEST_CALL) return;
    this.outside ??= fn.env;
    const env = fn.env.child();
    const params = listAt(node, 'params');
    params.forEach((parameter, index) => this.parameter(parameter, index, args, env));
    // The test itself, or a hook.
    const callback = own || place === START ? nameOf(params[callbackIndex(node, args, place.open)] ?? null) : '';
    if (callback !== '') env.set(callback, { node: null, env, text: callback, ends: true });
    this.entered.add(node);
    const body = at(node, 'body');
    if (body === null) return;
    if (body.type !== 'BlockStatement') this.visit(body, env, waitedFor(place));
    else this.block(listAt(body, 'body'), env, waitedFor(place, false), own);
  }

  protected parameter(parameter: Node, index: number, args: readonly Value[] | null, env: Env): void {
    if (parameter.type === 'RestElement' && args !== null) {
      const elements = args.slice(index).map((value) => value.node ?? { type: 'Identifier', start: 0, end: 0, name: value.text ?? '' });
      const rest: Node = { type: 'ArrayExpression', start: parameter.start, end: parameter.end, elements };
      const inner = at(parameter, 'argument');
      if (inner !== null) bind(inner, { node: rest, env: args[index]?.env ?? env }, env);
      return;
    }
    const value = args?.[index];
    if (value !== undefined) bind(parameter, value, env, value.row === true);
    else if (args !== null && parameter.type === 'AssignmentPattern') {
      const right = at(parameter, 'right');
      if (right !== null) bind(parameter, valueOf(right, env), env);
    } else bindOwn(parameter, env);
  }

  protected block(statements: readonly Node[], env: Env, place: Place, own: boolean): void {
    for (const statement of statements)
      if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') declareStatement(statement, env);
    let current = place;
    for (const [index, statement] of statements.entries()) {
      const count = this.assertions.length;
      if (statement.type === 'TryStatement' && fallsThrough(statements[index + 1], env)) this.failing.add(statement);
      const skipped = statement.type === 'ReturnStatement' && isSkip(at(statements[index - 1] ?? null, 'expression'));
      this.statement(statement, env, current, own && !skipped);
      if (statement.type === 'TryStatement') this.turned(statement, statements[index + 1] ?? null, count, env);
      current = this.afterwards(statement, current, own);
    }
    for (const statement of statements) this.uncalled(statement, env, place);
  }

  /** How what follows a statement is reached. */
  protected afterwards(statement: Node, place: Place, own: boolean): Place {
    if (LEAVING.has(statement.type)) return { ...place, reach: 'never', why: 'after a return' };
    if (endsProcess(statement)) return { ...place, reach: 'never', why: 'after the process has ended' };
    return statement.type === 'IfStatement' && turnsAway(statement, own) ? this.maybe(place, 'after a condition that leaves') : place;
  }

  /** A try that wants its own assertions to fail: it fails when they pass, or keeps the failure for later. */
  protected turned(node: Node, next: Node | null, count: number, env: Env): void {
    const inside = this.assertions.slice(count).some((fact) => fact.swallowed !== null && fact.tautology === null);
    const body = at(at(node, 'handler'), 'body');
    if (!inside || body === null) return;
    const kept = [...ownNodes(body)].some((below) => below.type === 'AssignmentExpression');
    const fails = next !== null && (next.type === 'ThrowStatement' || (next.type === 'ExpressionStatement' && failsInside(next, env)));
    if (kept || fails) this.reversed.push(spanOf(env.module.tree, node.start, node.end));
  }

  /** A function of the test that asserts and is never called: its checks never run. */
  protected uncalled(statement: Node, env: Env, place: Place): void {
    const functions =
      statement.type === 'FunctionDeclaration'
        ? [statement]
        : statement.type === 'VariableDeclaration'
          ? listAt(statement, 'declarations').flatMap((declarator) => at(declarator, 'init') ?? [])
          : [];
    for (const node of functions) {
      const inner = bare(node);
      if (!isFunction(inner) || this.entered.has(inner)) continue;
      const name = nameOf(at(inner, 'id')) || nameOf(holderOf(statement, node));
      const depth = place.depth + 1;
      if (!isPassedOn(this.root, name, inner))
        this.enter({ node: inner, env }, null, { ...place, depth, reach: 'never', why: 'in a function that is never called' });
      else if (!someNode(inner, (below) => this.entered.has(below)))
        this.enter({ node: inner, env }, null, { ...this.maybe(place, UNCALLED), depth, heard: true });
    }
  }

  protected statement(node: Node, env: Env, place: Place, own: boolean): void {
    if (this.assertions.length > MOST_ASSERTIONS || (this.work += 1) > MOST_WORK) return;
    switch (node.type) {
      case 'VariableDeclaration':
        return this.declaration(node, env, place);
      case 'ExpressionStatement':
        return this.expression(at(node, 'expression'), env, place);
      case 'ReturnStatement': {
        const value = at(node, 'argument');
        if (value !== null) this.visit(value, env, waitedFor(place));
        if (own && !isSkip(value)) this.pending.push(node);
        return;
      }
      case 'IfStatement':
        return this.branches(node, env, place, own);
      case 'BlockStatement':
        return this.block(listAt(node, 'body'), env.child(), place, own);
      case 'ForOfStatement':
        return this.loop(at(node, 'left'), at(node, 'right'), at(node, 'body'), env, place, own);
      case 'TryStatement':
        return this.attempt(node, env, place, own);
      case 'LabeledStatement':
        return this.inner(at(node, 'body'), env, place, own);
      case 'ForStatement':
      case 'ForInStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        return this.inner(at(node, 'body'), env, { ...this.within(node, env, place), open: true }, own);
      case 'SwitchStatement':
        for (const one of listAt(node, 'cases'))
          this.block(listAt(one, 'consequent'), env.child(), this.maybe(place, 'in one case of a switch'), own);
        return;
      default:
        return;
    }
  }

  protected within(node: Node, env: Env, place: Place): Place {
    const test = bare(at(node, 'test'));
    if (isLiteral(test) && test['value'] === false) return { ...place, reach: 'never', why: 'in a loop that never runs' };
    if (node.type === 'DoWhileStatement' || (node.type === 'ForStatement' && countsToKnown(test, env))) return place;
    return this.maybe(place, 'in a loop that may not run');
  }

  protected inner(body: Node | null, env: Env, place: Place, own: boolean): void {
    if (body === null) return;
    if (body.type === 'BlockStatement') this.block(listAt(body, 'body'), env.child(), place, own);
    else this.statement(body, env, place, own);
  }

  protected declaration(node: Node, env: Env, place: Place): void {
    const declarators = listAt(node, 'declarations');
    for (const declarator of declarators) {
      const init = at(declarator, 'init');
      const names = patternNames(at(declarator, 'id'));
      if (init !== null && !isFunction(bare(init))) {
        const text = env.module.tree.text.slice(init.start, init.end);
        const waited = !/expect|assert|should|\.then\(/.test(text) || names.some((name) => awaitedLater(this.root, name));
        this.visit(init, env, waitedFor(place, waited));
        this.count(init);
      }
      declareStatement(declarators.length === 1 ? node : { ...node, declarations: [declarator] }, env);
      for (const name of names) this.since.set(name, this.calls);
    }
  }

  protected expression(node: Node | null, env: Env, place: Place): void {
    if (node === null) return;
    const inner = settled(node);
    this.alone = inner;
    this.visit(node, env, waitedFor(place, false));
    if (place.depth === 0 && place.reach === 'always') this.own.note(inner, env, this.calls);
    if (inner?.type === 'AssignmentExpression' && textAt(inner, 'operator') === '=') {
      const left = at(inner, 'left');
      const right = at(inner, 'right');
      if (left?.type === 'Identifier' && right !== null) env.assignWithin(nameOf(left), valueOf(right, env), this.outside ?? env);
    }
    this.count(node);
  }

  /** Calls that are no assertion may change what variables stand for. */
  protected count(node: Node): void {
    if (someNode(node, isOtherCall)) this.calls += 1;
  }

  protected branches(node: Node, env: Env, place: Place, own: boolean): void {
    const test = bare(at(node, 'test'));
    const known = isLiteral(test) ? Boolean(test['value']) : null;
    if (test !== null) this.visit(test, env, place);
    const heard = place.reach === 'always' && place.swallowed === null && !place.floating;
    for (const draft of heard ? guardsOf(node) : []) {
      const standing = { ...ALWAYS, open: place.open };
      const fact = assertionOf(draft, env, spanOf(env.module.tree, node.start, node.end), standing);
      this.assertions.push({ ...fact, tautology: null, guard: true });
    }
    const never: Place = { ...place, reach: 'never', why: 'under a condition that is never true' };
    const then = known === null ? this.maybe(place, 'under a condition') : known ? place : never;
    const first = this.assertions.length;
    this.inner(at(node, 'consequent'), env, then, own);
    const second = this.assertions.length;
    this.inner(at(node, 'alternate'), env, known === true ? never : this.maybe(place, 'under a condition'), own);
    if (known === null && place.reach === 'always') this.eitherWay(first, second);
  }

  /** What both branches ask in the same words is asked whichever way is taken. */
  private eitherWay(first: number, second: number): void {
    const [one, other] = [this.assertions.slice(first, second), this.assertions.slice(second)].map(
      (facts) => new Set(facts.filter(({ reachWhy }) => reachWhy === 'under a condition').map(({ span }) => span.text)),
    );
    for (let index = first; index < this.assertions.length; index += 1) {
      const fact = this.assertions[index];
      if (fact === undefined || fact.reachWhy !== 'under a condition') continue;
      if (one?.has(fact.span.text) === true && other?.has(fact.span.text) === true)
        this.assertions[index] = { ...fact, reach: 'always', reachWhy: null };
    }
  }

  protected loop(left: Node | null, right: Node | null, body: Node | null, env: Env, place: Place, own: boolean): void {
    const pattern = left?.type === 'VariableDeclaration' ? at(listAt(left, 'declarations')[0], 'id') : left;
    const rows = rowsOf(right, env);
    if (rows === null || rows.length > MOST_ROWS) {
      const inner = env.child();
      if (pattern !== null) bindOwn(pattern, inner);
      const computed = rows === null && mayBeEmpty(right, env, this.assertions);
      const kept = keptIn(right, pattern, env);
      const open = { ...place, open: true, kept: kept ?? place.kept };
      return this.inner(body, inner, computed ? this.maybe(open, 'in a loop that may have nothing to walk over') : open, own);
    }
    if (rows.length === 0) {
      const inner = env.child();
      if (pattern !== null) bindOwn(pattern, inner);
      return this.inner(body, inner, { ...place, reach: 'never', why: 'in a loop over an empty list' }, own);
    }
    for (const row of rows) {
      const inner = env.child();
      if (pattern !== null) bind(pattern, row, inner, true);
      this.inner(body, inner, place, own);
    }
  }

  protected attempt(node: Node, env: Env, place: Place, own: boolean): void {
    const block = at(node, 'block');
    const handler = at(node, 'handler');
    const body = at(handler, 'body');
    const lost = leaves(at(node, 'finalizer'))
      ? 'in a try whose finally throws the failure away'
      : handler !== null && !passesOn(body, env, this.done, patternNames(at(handler, 'param')))
        ? 'in a try whose catch lets it go'
        : place.swallowed;
    const count = this.assertions.length;
    if (lost !== place.swallowed) for (const [name, texts] of leftBy(block, body, env)) this.fallbacks.set(name, texts);
    const lostAt = lost === place.swallowed ? place.lostAt : spanOf(env.module.tree, node.start, node.end);
    this.inner(block, env, { ...place, swallowed: lost, lostAt }, own);
    const asks = this.assertions.slice(count).some(({ kind, expected }) => kind !== 'custom' || expected !== 'fail');
    if (handler !== null && lost !== place.swallowed && asks && failsInside(block, env))
      this.reversed.push(spanOf(env.module.tree, node.start, node.end));
    if (body !== null) {
      const fails = failsInside(block, env);
      const caught = env.child();
      const parameter = at(handler, 'param');
      if (parameter !== null) bindOwn(parameter, caught);
      const lostFail = fails && lost !== place.swallowed ? 'in the catch that also takes the failure of the test' : place.swallowed;
      const reached = fails || this.failing.has(node) ? place : this.maybe(place, 'in a catch that need not be reached');
      this.inner(body, caught, { ...reached, swallowed: lostFail }, own);
    }
    this.inner(at(node, 'finalizer'), env, place, own);
  }
}

/** A throw, or a call that fails: nobody gets past it. */
function fallsThrough(next: Node | undefined, env: Env): boolean {
  return next !== undefined && (next.type === 'ThrowStatement' || (next.type === 'ExpressionStatement' && failsInside(next, env)));
}

/** `i < 10`, `i < rows.length`, where the rows are known. */
function countsToKnown(test: Node | null, env: Env): boolean {
  const limit = bare(at(test, 'right'));
  if (isLiteral(limit)) return true;
  if (limit?.type !== 'MemberExpression' || propertyName(limit) !== 'length') return false;
  return (rowsOf(at(limit, 'object'), env)?.length ?? 0) > 0;
}

/** The name of the variable that a declaration puts a value into. */
function holderOf(statement: Node, init: Node): Node | null {
  return at(listAt(statement, 'declarations').find((declarator) => at(declarator, 'init') === init) ?? null, 'id');
}

/** A call that is no assertion, nor a part of one. */
function isOtherCall(node: Node): boolean {
  if (node.type === 'AwaitExpression') return true;
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
  const callee = bare(at(node, 'callee'));
  const name = callee?.type === 'MemberExpression' ? propertyName(callee) : nameOf(callee);
  return name !== 'expect' && name !== 'assert' && !(callee?.type === 'MemberExpression' && /^(to|deep|strict|equal|ok)/.test(name));
}

/** `return t.skip('why')`: a skip, and told as one. */
function isSkip(node: Node | null): boolean {
  const call = settled(node);
  const callee = call?.type === 'CallExpression' ? bare(at(call, 'callee')) : null;
  return callee?.type === 'MemberExpression' && /^(skip|todo)$/.test(propertyName(callee));
}

function endsProcess(statement: Node): boolean {
  const call = statement.type === 'ExpressionStatement' ? settled(at(statement, 'expression')) : null;
  const callee = call?.type === 'CallExpression' ? bare(at(call, 'callee')) : null;
  return (
    callee?.type === 'MemberExpression' && nameOf(at(callee, 'object')) === 'process' && /^(exit|abort|kill)$/.test(propertyName(callee))
  );
}

/** An if that leaves the loop, or the helper, before what follows. */
function turnsAway(node: Node, own: boolean): boolean {
  const leaving = own ? ['ContinueStatement', 'BreakStatement'] : ['ContinueStatement', 'BreakStatement', 'ReturnStatement'];
  for (const below of ownNodes(node)) if (leaving.includes(below.type)) return true;
  return false;
}

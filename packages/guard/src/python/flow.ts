// What becomes of a failure in Python code: who catches it, who lets it go, what may raise at all.

import { customCall, draft, parseCall, raisingOf } from './checks.js';
import { isConstant, isTrue } from './constants.js';
import { skipOf } from './names.js';
import { print } from './print.js';
import { questions } from './questions.js';
import { classOf, functionOf, isOfTests, methodOf } from './scope.js';
import type { Callable, Env } from './scope.js';
import type { Expr, FunctionStmt, Handler, Stmt } from './tree.js';
import { descend, dotted, expressionsIn, keyword, lastName, positional, settled, statementsIn } from './tree.js';

const CATCH_ALL: ReadonlySet<string> = new Set(['AssertionError', 'Exception', 'BaseException', 'Failed', 'failureException']);

/** The failure of an assertion is among what is caught. */
export function caughtBy(caught: Expr | null, env: Env): boolean {
  if (caught === null) return true;
  if (caught.type === 'Tuple' || caught.type === 'List') return caught.items.some((item) => caughtBy(item, env));
  if (caught.type === 'Name') {
    const value = env.find(caught.name);
    if (value?.node?.type === 'Tuple' || value?.node?.type === 'Name') return caughtBy(value.node, value.env);
  }
  return CATCH_ALL.has(lastName(caught));
}

const WEAK: ReadonlySet<string> = new Set(['truthy', 'exists', 'falsy']);

/** An except that does not pass the failure on: it neither raises, fails nor asks something of the error. */
export function letsGo(handler: Handler, env: Env): boolean {
  for (const statement of statementsIn(handler.body, false)) {
    if (statement.type === 'Raise') return false;
    if (statement.type === 'Assert') {
      const asked = questions(draft('truthy', statement.test, null, env));
      const free = isConstant(statement.test) ? !/^(False|None|0)$/.test(textOf(statement.test)) : false;
      if (
        !free &&
        asked.some((one) => one.tautology === null && !(WEAK.has(one.kind) && handler.name !== null && mentions(one.subject, handler.name)))
      )
        return false;
    }
    if (statement.type !== 'Expression') continue;
    const inner = settled(statement.value);
    if (inner.type !== 'Call') continue;
    const parsed = parseCall(inner, env);
    if (parsed !== null && (parsed.fails || parsed.drafts.some(({ kind }) => !WEAK.has(kind)))) return false;
    if (KEEPING.test(lastName(inner.callee)) && keepsError(inner, handler.name)) return false;
    if (parsed === null && handler.caught !== null && /^_?assert/.test(lastName(inner.callee))) return false;
    if (dotted(inner.callee) === 'sys.exit') return false;
  }
  return true;
}

const KEEPING = /^(append|put|put_nowait|set_exception|fail|error|call_soon|call_soon_threadsafe)$/;

/** `errors.append(error)`, `errors.append(format_exc())`: the failure is kept, and may be looked at later. */
function keepsError(node: Extract<Expr, { type: 'Call' }>, name: string | null): boolean {
  return node.args.some(({ value }) =>
    [...descend(value)].some((below) => (name !== null && dotted(below) === name) || /^(format_exc|exc_info)$/.test(lastName(below))),
  );
}

function textOf(node: Expr): string {
  return node.type === 'Constant' ? node.name : node.type === 'Number' ? node.text : '';
}

function mentions(node: Expr | null, name: string): boolean {
  if (node === null) return false;
  return dotted(node).split('.')[0] === name;
}

/** A part of the program that may not be there: what needs it is checked where it is. Skips are told by themselves. */
export function isMissing(handler: Handler, env: Env): boolean {
  const { caught } = handler;
  const types = caught === null ? [] : caught.type === 'Tuple' ? caught.items : [caught];
  if (types.length > 0 && types.every((type) => /^(ImportError|ModuleNotFoundError)$/.test(lastName(type)))) return true;
  return [...expressionsIn(handler.body, false)].some((node) => node.type === 'Call' && skipOf(node, env) !== null);
}

/** The block can only be left by an error: it fails by itself. */
export function failsInside(body: readonly Stmt[]): boolean {
  for (const statement of statementsIn(body, false)) {
    if (statement.type === 'Raise') return true;
    if (statement.type === 'Assert' && statement.test.type === 'Constant' && statement.test.name === 'False') return true;
    const inner = statement.type === 'Expression' ? settled(statement.value) : null;
    if (inner?.type === 'Call' && lastName(inner.callee) === 'fail') return true;
  }
  return false;
}

const HARMLESS: ReadonlySet<string> = new Set('len str isinstance print repr list dict set sorted tuple int range enumerate'.split(' '));

/** Something in it is called that may raise. */
export function mayRaise(body: readonly Stmt[]): boolean {
  for (const expression of expressionsIn(body, false)) {
    if (expression.type === 'Call' && !HARMLESS.has(lastName(expression.callee)) && !lastName(expression.callee).startsWith('assert'))
      return true;
    if (expression.type === 'Subscript' || expression.type === 'Binary') return true;
  }
  return body.some(
    (statement) =>
      statement.type === 'Delete' ||
      statement.type === 'Raise' ||
      (statement.type === 'Assign' && statement.targets.some(({ type }) => type === 'Attribute')),
  );
}

/** A try that asserts nothing and goes on whether there was an error or not. */
export function forgives({ body, handlers, other }: Extract<Stmt, { type: 'Try' }>, env: Env): boolean {
  if (handlers.length === 0 || failsInside(body) || failsInside(other)) return false;
  const asking = [...body, ...other, ...handlers.flatMap((handler) => handler.body)].some((statement) => asserts(statement, env));
  return !asking && handlers.every((handler) => letsGo(handler, env));
}

/** The statement asserts, at whatever depth. */
export function asserts(statement: Stmt, env: Env): boolean {
  for (const one of statementsIn([statement], false)) {
    if (one.type === 'Assert') return true;
    const inner = one.type === 'Expression' ? settled(one.value) : null;
    if (inner?.type === 'Call' && (parseCall(inner, env)?.drafts.length ?? 0) > 0) return true;
    if (inner?.type === 'Call' && customCall(inner, env) !== null) return true;
  }
  return false;
}

/** A block that checks something by itself. */
export function checksIn(body: readonly Stmt[], env: Env): boolean {
  for (const statement of statementsIn(body, false)) {
    if (statement.type === 'With' && statement.items.some(({ value }) => raisingOf(settled(value)) !== null)) return true;
    if (statement.type === 'Assert' && isConstant(statement.test)) continue;
    if (asserts(statement, env)) return true;
    const inner = statement.type === 'Expression' ? settled(statement.value) : null;
    if (inner?.type === 'Call' && /^_?(check|verify|test)_?/.test(lastName(inner.callee))) return true;
  }
  return false;
}

/** The block does nothing but fail. */
export function failsAtOnce(body: readonly Stmt[]): boolean {
  const last = body.at(-1);
  if (last === undefined || body.some(({ type }) => type === 'Return' || type === 'Break')) return false;
  if (last.type === 'Raise')
    return last.value !== null && /AssertionError$|Failed$/.test(lastName(last.value.type === 'Call' ? last.value.callee : last.value));
  const inner = last.type === 'Expression' ? settled(last.value) : null;
  return inner?.type === 'Call' && lastName(inner.callee) === 'fail';
}

/** A loop that is left when its condition is met, or by a failure. */
export function failsLate(body: readonly Stmt[]): boolean {
  let fails = false;
  for (const statement of statementsIn(body, false)) {
    if (statement.type === 'Break' || statement.type === 'Return') return false;
    if (statement.type === 'Assert' || statement.type === 'Raise') fails = true;
    const inner = statement.type === 'Expression' ? settled(statement.value) : null;
    if (inner?.type === 'Call' && lastName(inner.callee) === 'fail') fails = true;
  }
  return fails;
}

/** `for …: if done: break` with an `else` that fails: what must come true. */
export function soughtIn(node: Extract<Stmt, { type: 'For' }>): Expr | null {
  if (!failsAtOnce(node.other)) return null;
  for (const statement of node.body) {
    if (statement.type !== 'If') continue;
    const leaving = statement.branches.find(({ body }) => body.some(({ type }) => type === 'Break'));
    if (leaving !== undefined) return leaving.test;
  }
  return null;
}

const WAITING = /wait|poll|eventually|until|retry/i;

/** `wait_until(lambda: done)`: what it waits for, where it fails if that never comes. */
export function waitedFor(node: Extract<Expr, { type: 'Call' }>, target: Callable | null): Expr | null {
  if (!WAITING.test(lastName(node.callee))) return null;
  const lambda = node.args.map(({ value }) => value).find(({ type }) => type === 'Lambda');
  if (lambda?.type !== 'Lambda') return null;
  return target === null || (target.node.type === 'Function' && insists(target.node)) ? lambda.body : null;
}

/** It fails by itself, or goes on asking until the answer is yes: whoever is back from it has seen that. */
function insists({ body, params }: FunctionStmt): boolean {
  if (failsInside(body)) return true;
  const asked = new Set(params.map(({ name }) => name));
  return [...statementsIn(body, false)].some(
    (statement) =>
      statement.type === 'While' &&
      statement.test.type === 'Unary' &&
      statement.test.op === 'not' &&
      [...descend(statement.test.operand)].some((node) => node.type === 'Call' && asked.has(dotted(node.callee))) &&
      ![...statementsIn(statement.body, false)].some(({ type }) => type === 'Break' || type === 'Return'),
  );
}

/** `await asyncio.gather(…, return_exceptions=True)` and `asyncio.wait(…)` hand failures back, and nobody takes them. */
export function forgets(node: Expr): boolean {
  const inner = settled(node);
  if (inner.type !== 'Call') return false;
  const name = dotted(inner.callee);
  const kept = keyword(inner.args, 'return_exceptions');
  return name === 'asyncio.wait' || (/(^|\.)gather$/.test(name) && kept?.type === 'Constant' && kept.name === 'True');
}

/** A function that is given back or put somewhere may be called by others. */
export function handsOut(statements: readonly Stmt[], name: string): boolean {
  return statements.some((statement) => {
    const value =
      statement.type === 'Return' || statement.type === 'Assign'
        ? statement.value
        : statement.type === 'Expression' && statement.value.type === 'Yield'
          ? statement.value.value
          : null;
    return value !== null && [...descend(value)].some((node) => node.type === 'Name' && node.name === name);
  });
}

/** Whether a condition is always or never true; null where that depends. */
export function constantTruth(test: Expr): boolean | null {
  if (isConstant(test) && test.type !== 'Compare') return isTrue(test);
  if (test.type === 'Unary' && test.op === 'not') {
    const inner = constantTruth(test.operand);
    return inner === null ? null : !inner;
  }
  if (/(^|\.)TYPE_CHECKING$/.test(dotted(test))) return false;
  if (test.type === 'Compare' && dotted(test.left) === '__name__') return false;
  if (test.type === 'Bool' && test.op === 'and' && test.values.some((value) => constantTruth(value) === false)) return false;
  return test.type === 'Bool' && test.op === 'or' && test.values.some((value) => constantTruth(value) === true) ? true : null;
}

/** Says of a name whether it is a parameter: what it holds is what the call hands over. */
export type IsGiven = (name: string) => boolean;

/** Whether a condition on a column of the row at hand, or on what a helper is given, is true: `if wanted is None`. Else null. */
export function truthOfRow(test: Expr, env: Env, given: IsGiven): boolean | null {
  if (test.type === 'Unary' && test.op === 'not') {
    const inner = truthOfRow(test.operand, env, given);
    return inner === null ? null : !inner;
  }
  if (test.type === 'Name') {
    const held = knownAs(test, env, given);
    return held !== null && isConstant(held) ? isTrue(held) : null;
  }
  if (test.type !== 'Compare' || test.ops.length !== 1) return null;
  const [held, wanted = null] = [knownAs(test.left, env, given), ...test.rights];
  if (held === null || wanted === null || !isConstant(wanted)) return null;
  const op = test.ops[0] ?? '';
  const none = wanted.type === 'Constant' && wanted.name === 'None';
  if (!isConstant(held)) return none && MADE.has(held.type) ? op === 'is not' || op === '!=' : null;
  const same = print(held, env) === print(wanted, env);
  return op === 'is' || op === '==' ? same : op === 'is not' || op === '!=' ? !same : null;
}

/** Written out, though not of constants alone: it is not None. */
const MADE: ReadonlySet<string> = new Set(['Dict', 'List', 'Set', 'Tuple', 'Format', 'Lambda', 'Comprehension']);

function knownAs(node: Expr, env: Env, given: IsGiven): Expr | null {
  const value = node.type === 'Name' ? env.find(node.name) : null;
  if (value === null || node.type !== 'Name' || !(value.row === true || given(node.name))) return null;
  const { node: held } = value;
  return held === null || held.type === 'Function' || held.type === 'Class' || value.label !== undefined ? null : held;
}

/** The last call of a block: what must raise. */
export function lastCall(body: readonly Stmt[]): Expr | null {
  const last = body.findLast((statement) => mayRaise([statement]));
  if (last === undefined) return null;
  if (last.type === 'Expression') return last.value;
  if (last.type === 'Assign' && last.value !== null) return last.value;
  for (const expression of expressionsIn([last], false)) if (expression.type === 'Call') return expression;
  return null;
}

/** Where the last statement with a call of its own stands: that is the one that is meant to raise. */
export function lastRaising(body: readonly Stmt[]): number {
  return body.findLastIndex((statement) => mayRaise([statement]) && statement.type !== 'Assert');
}

/** `warnings.simplefilter('error')`: the block must not warn. */
export function makesErrors(body: readonly Stmt[]): boolean {
  return body.some((statement) => {
    const call = statement.type === 'Expression' ? statement.value : null;
    if (call?.type !== 'Call' || !/^(simplefilter|filterwarnings)$/.test(lastName(call.callee))) return false;
    const [first] = positional(call.args);
    return first?.type === 'String' && first.value === 'error';
  });
}

export function isOwnAssertion(statement: Stmt, env: Env): boolean {
  if (statement.type !== 'Expression') return false;
  const inner = settled(statement.value);
  return inner.type === 'Call' && (parseCall(inner, env)?.drafts.length ?? 0) > 0;
}

/** A context of the tests that keeps every failure to itself: `__exit__` answers True, or a generator lets go what it caught. */
export function eats(node: Extract<Expr, { type: 'Call' }>, env: Env): boolean {
  const type = classOf(node, env);
  if (type !== null) {
    const exit = methodOf(type, '__exit__') ?? methodOf(type, '__aexit__');
    if (exit?.node.type !== 'Function' || !isOfTests(exit.env.module.tree.file)) return false;
    return [...statementsIn(exit.node.body, false)].some(
      (statement) => statement.type === 'Return' && statement.value !== null && isConstant(statement.value) && isTrue(statement.value),
    );
  }
  const target = functionOf(node.callee, env);
  if (target?.node.type !== 'Function') return false;
  for (const statement of statementsIn(target.node.body, false)) {
    if (statement.type !== 'Try' || ![...expressionsIn(statement.body, false)].some((expression) => expression.type === 'Yield')) continue;
    if (statement.handlers.some((handler) => caughtBy(handler.caught, target.env) && letsGo(handler, target.env))) return true;
  }
  return false;
}

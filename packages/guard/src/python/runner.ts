// What pytest and unittest take for a test, and what a decorator of the tests puts in its place.

import type { BodyWalk } from './body.js';
import { fixtureMark } from './names.js';
import { classOf, functionOf } from './scope.js';
import type { Callable, Env, TypeValue, Value } from './scope.js';
import type { FunctionStmt, Stmt } from './tree.js';
import { descend, dotted, expressionsIn, keyword, lastName, positional, statementsIn } from './tree.js';

/** The function that a decorator of the tests puts in a test's place; it may call the test, or not. */
export function decorated(fn: Callable, walk: BodyWalk, args: ReadonlyMap<string, Value>, home: Env): Callable | null {
  if (fn.node.type !== 'Function') return null;
  for (const decorator of fn.node.decorators.toReversed()) {
    const maker = functionOf(decorator.type === 'Call' ? decorator.callee : decorator, home);
    if (maker?.node.type !== 'Function' || fixtureMark(maker.node, maker.env) !== null) continue;
    const first = decorator.type === 'Call' ? returned(maker) : maker;
    const wrapper = first === null ? null : returnedFor(first, { node: fn.node, env: fn.env });
    if (wrapper === null) continue;
    walk.preset(fn.node, args);
    return wrapper;
  }
  return null;
}

function returned(fn: Callable): Callable | null {
  if (fn.node.type !== 'Function') return null;
  const names = new Set(fn.node.body.map((statement) => (statement.type === 'Return' ? dotted(statement.value) : '')));
  const inner = fn.node.body.find((statement): statement is FunctionStmt => statement.type === 'Function' && names.has(statement.name));
  return inner === undefined ? null : { node: inner, env: fn.env.child(), bound: 0 };
}

function returnedFor(fn: Callable, test: Value): Callable | null {
  const inner = returned(fn);
  const [first] = fn.node.params;
  if (inner === null || first === undefined) return null;
  inner.env.set(first.name, test);
  return inner;
}

export function isTestName(name: string): boolean {
  return name.startsWith('test');
}

export function isSetter(statement: Stmt): boolean {
  return (
    statement.type === 'Function' &&
    statement.decorators.some((decorator) => /\.(setter|getter|deleter)$|overload$|\.register$/.test(dotted(decorator)))
  );
}

export function headOf(node: Stmt): { readonly start: number; readonly end: number } {
  if (node.type === 'Function') return node.head;
  if (node.type !== 'Class') return node;
  return {
    start: node.start,
    end: Math.max(node.start + 5, Math.min(node.end, (node.bases.at(-1)?.value.end ?? node.start + 6 + node.name.length) + 1)),
  };
}

/** Names that a statement takes away again: `del test_x`, `test_x = None`. */
export function unmade(statement: Stmt): readonly (readonly [string, Stmt])[] {
  const targets =
    statement.type === 'Delete' ? statement.targets : statement.type === 'Assign' && statement.value !== null ? statement.targets : [];
  return targets.flatMap((target) => (target.type === 'Name' ? [[target.name, statement] as const] : []));
}

/** `del TestA.test_a`, and `TestA.test_a = other`: the runner has the test no more. What is made of it is still the test. */
export function takesAway(statement: Stmt, name: string): boolean {
  if (statement.type === 'Delete') return statement.targets.some((target) => dotted(target) === name);
  if (statement.type !== 'Assign' || statement.value === null) return false;
  return statement.targets.some((target) => dotted(target) === name) && !descend(statement.value).some((node) => dotted(node) === name);
}

/** What a class is to the runners. */
export function kindOf(type: TypeValue, depth = 0): 'case' | 'async' | 'plain' | 'none' {
  for (const { name, value } of type.node.bases) {
    if (name !== null) continue;
    const base = lastName(value);
    if (/^(IsolatedAsyncio|Async|AsyncHTTP|Asynctest)\w*TestCase$/.test(base)) return 'async';
    const known = classOf(value, type.env);
    const kind = known === null || known.node === type.node || depth > 5 ? null : kindOf(known, depth + 1);
    if (kind === 'case' || kind === 'async') return kind;
    if (kind === null && /TestCase$|^TestBase$|TransactionTestCase|LiveServerTestCase/.test(base)) return 'case';
  }
  const made = type.node.body.some((statement) => statement.type === 'Function' && statement.name === '__init__');
  return type.node.name.startsWith('Test') && !made ? 'plain' : 'none';
}

/** A function, or a method of a class that only pytest knows: no base of it runs coroutines. */
export function isOfPytest(type: TypeValue | null): boolean {
  return type === null || (kindOf(type) === 'plain' && type.node.bases.length === 0);
}

/** Every name that is used somewhere in the file. */
export function usedNames(body: readonly Stmt[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of expressionsIn(body, true)) {
    if (node.type === 'Name' || node.type === 'Attribute') names.add(node.name);
    if (node.type === 'Call') for (const argument of [keyword(node.args, 'target')]) if (argument !== null) names.add(lastName(argument));
  }
  for (const statement of statementsIn(body, true))
    if (statement.type === 'Function') for (const { name } of statement.params) names.add(name);
  return names;
}

/** What `load_tests` hands to unittest: classes as a whole, and tests by name. */
export interface Chosen {
  readonly node: FunctionStmt;
  readonly words: ReadonlySet<string>;
  readonly wholes: ReadonlySet<string>;
}

/** Null where there is no `load_tests`, or where it gives back what it was given. */
export function chosenBy(node: Value['node']): Chosen | null {
  if (node?.type !== 'Function') return null;
  const given = node.params[1]?.name ?? '';
  if (node.body.some((statement) => statement.type === 'Return' && statement.value !== null && dotted(statement.value) === given))
    return null;
  const words = new Set<string>();
  const wholes = new Set<string>();
  for (const expression of expressionsIn(node.body, true)) {
    if (expression.type === 'String') for (const word of expression.value.split(/[.:]+/)) words.add(word);
    if (expression.type !== 'Call' || !/^(loadTestsFromTestCase|makeSuite)$/.test(lastName(expression.callee))) continue;
    for (const one of positional(expression.args)) if (dotted(one) !== '') wholes.add(lastName(one));
  }
  return { node, words, wholes };
}

/** In doubt, where nothing is named, every test is. */
export function isChosen({ words, wholes }: Chosen, suite: string, name: string): boolean {
  if (wholes.has(suite) || words.has(name)) return true;
  const named = wholes.size > 0 || [...words].some((word) => isTestName(word));
  return !named || (words.has(suite) && ![...words].some((word) => isTestName(word)));
}

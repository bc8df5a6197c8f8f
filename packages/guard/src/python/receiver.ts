// The object that a method of the tests' own classes is called on: what its constructor put into `self`, and fields of plain records.

import { bind, classOf, declare, functionOf, isOfTests, methodOf, valueOf } from './scope.js';
import type { Callable, Env, TypeValue, Value } from './scope.js';
import type { Expr, Stmt } from './tree.js';
import { keyword, lastName, positional, settled, statementsIn, textOf } from './tree.js';

type Call = Extract<Expr, { type: 'Call' }>;

/** The call that made the object: of `Check(cart).has(1).lacks(2)` that is `Check(cart)`. */
function makerOf(node: Expr, env: Env): { readonly call: Call; readonly type: TypeValue; readonly env: Env } | null {
  let inner = settled(node);
  let around = env;
  for (let depth = 0; depth < 12; depth += 1) {
    if (inner.type === 'Name') {
      const value = around.find(inner.name);
      if (value?.node === undefined || value.node === null || value.node.type === 'Function' || value.node.type === 'Class') return null;
      [inner, around] = [settled(value.node), value.env];
    } else if (inner.type === 'Attribute') inner = settled(inner.object);
    else if (inner.type !== 'Call') return null;
    else if (inner.callee.type === 'Attribute' && classOf(inner.callee, around) === null) inner = settled(inner.callee.object);
    else {
      const type = classOf(inner.callee, around);
      if (type !== null) return { call: inner, type, env: around };
      const made = returnedBy(inner, around);
      if (made?.node?.type !== 'Call') return null;
      [inner, around] = [made.node, made.env];
    }
  }
  return null;
}

/** The class of what a chain of methods ends in, where each gives back `self`. */
export function chainedClass(node: Expr, env: Env): TypeValue | null {
  return makerOf(node, env)?.type ?? null;
}

/** What `self.…` holds in the methods of an object. */
export function selfOf(node: Expr, env: Env): ReadonlyMap<string, Value> {
  const made = makerOf(node, env);
  const init = made === null ? null : methodOf(made.type, '__init__');
  if (made === null || init === null || init.node.type !== 'Function') return new Map();
  const inner = init.env.child();
  const plain = positional(made.call.args);
  for (const [index, { name, fallback }] of init.node.params.slice(1).entries()) {
    const given = plain[index] ?? keyword(made.call.args, name);
    if (given !== null && given !== undefined) inner.set(name, valueOf(given, made.env));
    else if (fallback !== null) inner.set(name, { node: fallback, env: init.env });
  }
  for (const statement of statementsIn(init.node.body, false)) {
    if (statement.type === 'Assign' && statement.value !== null)
      for (const target of statement.targets) bind(target, valueOf(statement.value, inner), inner);
    else declare(statement, inner);
  }
  return inner.under('self.');
}

/** A field of a record that was written down: `case.text` of `Case('a', 1)`. */
export function fieldOf(value: Value, name: string): Value | null {
  const { node, env } = value;
  if (node?.type !== 'Call' || !(value.row === true || isRecord(node, env))) return null;
  const given = keyword(node.args, name);
  if (given !== null) return valueOf(given, env);
  if (node.args.some(({ star }) => star !== '')) return null;
  const fields = fieldsOf(node, env);
  const index = fields.findIndex((field) => field.name === name);
  if (index < 0) return null;
  const plain = positional(node.args)[index];
  if (plain !== undefined) return valueOf(plain, env);
  const fallback = fields[index]?.fallback ?? null;
  return fallback === null ? null : { node: fallback.node, env: fallback.env };
}

/** Made by a class of the tests, or by one that only keeps what it is given; what others do with it is their business. */
function isRecord({ callee }: Call, env: Env): boolean {
  if (/^(SimpleNamespace|Namespace|namedtuple)$/.test(lastName(callee))) return true;
  const type = classOf(callee, env);
  if (type !== null) return isOfTests(type.env.module.tree.file);
  const made = callee.type === 'Name' ? env.find(callee.name)?.node : null;
  return made?.type === 'Call' && lastName(made.callee) === 'namedtuple';
}

interface Field {
  readonly name: string;
  readonly fallback: { readonly node: Expr; readonly env: Env } | null;
}

/** The fields of a record that a call makes, by name; none where it makes no record. */
export function fieldNames(node: Call, env: Env): readonly string[] {
  return isRecord(node, env) ? fieldsOf(node, env).map(({ name }) => name) : [];
}

function fieldsOf(node: Call, env: Env): readonly Field[] {
  const type = classOf(node.callee, env);
  if (type !== null) {
    if (type.node.body.some((statement) => statement.type === 'Function' && statement.name === '__init__')) return [];
    return type.node.body.flatMap((statement): readonly Field[] => {
      const [target] = statement.type === 'Assign' && statement.annotation !== null ? statement.targets : [];
      if (target?.type !== 'Name' || statement.type !== 'Assign') return [];
      return [{ name: target.name, fallback: statement.value === null ? null : { node: statement.value, env: type.env } }];
    });
  }
  const made = node.callee.type === 'Name' ? env.find(node.callee.name)?.node : null;
  if (made?.type !== 'Call' || lastName(made.callee) !== 'namedtuple') return [];
  return tupleNames(positional(made.args)[1] ?? null).map((name) => ({ name, fallback: null }));
}

function tupleNames(node: Expr | null): readonly string[] {
  const text = textOf(node);
  if (text !== null) return text.split(/[, ]+/).filter((name) => name !== '');
  return node?.type === 'List' || node?.type === 'Tuple' ? node.items.flatMap((item) => textOf(item) ?? []) : [];
}

/** A decorator of the unit or a library decides what a call gives. */
function isWrapped(node: Callable['node']): boolean {
  return (
    node.type === 'Function' &&
    node.decorators.some((one) => !/^(static|class)method$|^property$|fixture$/.test(lastName(one.type === 'Call' ? one.callee : one)))
  );
}

/** What a function of the tests gives back, where it does nothing but make it: the names in it hold what the call hands over. */
export function returnedBy(node: Call, env: Env): Value | null {
  const target = functionOf(node.callee, env);
  if (target === null || isWrapped(target.node) || node.args.some(({ star }) => star !== '')) return null;
  const inner = target.env.child();
  if (target.bound > 0) for (const [name, value] of env.under('self.')) inner.set(name, value);
  const plain = positional(node.args);
  for (const [index, { name, star, fallback }] of target.node.params.slice(target.bound).entries()) {
    if (star === '**') return null;
    if (star === '*') {
      inner.set(name, { node: { type: 'Tuple', start: node.start, end: node.end, items: plain.slice(index) }, env });
      continue;
    }
    const given = plain[index] ?? keyword(node.args, name);
    if (given !== null && given !== undefined) inner.set(name, valueOf(given, env));
    else if (fallback !== null) inner.set(name, { node: fallback, env: target.env });
    else return null;
  }
  if (target.node.type === 'Lambda') return { node: target.node.body, env: inner };
  for (const statement of target.node.body) {
    if (statement.type === 'Return') return statement.value === null ? null : valueOf(statement.value, inner);
    if (statement.type === 'Assign') declare(statement, inner);
    else if (!goesOn(statement)) return null;
  }
  return null;
}

/** Whatever comes of it, what the function gives back is the same: it only checks or calls something. */
function goesOn(statement: Stmt): boolean {
  if (statement.type === 'Expression') return statement.value.type !== 'Yield';
  if (statement.type === 'Raise')
    return /^AssertionError\b/.test(lastName(statement.value?.type === 'Call' ? statement.value.callee : statement.value));
  if (statement.type === 'Assert' || statement.type === 'Pass') return true;
  return statement.type === 'If' && statement.branches.every(({ body }) => body.every(goesOn));
}

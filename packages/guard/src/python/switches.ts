// Conditions that tests are skipped by: whether they are settled, because the names in them were given a constant, here or in a file
// that they are imported from.

import { constantTruth } from './flow.js';
import { isSkipError, skipOf } from './names.js';
import { classOf, follow, memberOf } from './scope.js';
import type { Env } from './scope.js';
import type { Expr, Stmt } from './tree.js';
import { dotted, expressionsIn, statementsIn } from './tree.js';

const DEEPEST = 6;

/** A branch that skips, and that every run takes. */
export function isSwitchedOff(test: Expr, body: readonly Stmt[], env: Env): boolean {
  return body.some((one) => isSkip(one, env)) && settledTruth(test, env) === true;
}

function isSkip(one: Stmt, env: Env): boolean {
  if (one.type === 'Raise') return one.value !== null && isSkipError(one.value, env);
  return one.type === 'Expression' && one.value.type === 'Call' && skipOf(one.value, env) !== null;
}

/** Names in a function that hold True, False or None for good, with what they hold. */
export function switchesIn(body: readonly Stmt[], env: Env): readonly string[] {
  const named = new Map(expressionsIn(body, true).map((one) => [dotted(one), one] as const));
  return [...named].flatMap(([name, node]) => {
    const held = name === '' ? null : givenOnce(node, env)?.node;
    return held?.type === 'Constant' ? [`${name}=${held.name}`] : [];
  });
}

/** Whether the condition always or never holds; null where that is only known when tests run. */
export function settledTruth(node: Expr, env: Env, depth = 0): boolean | null {
  if (depth > DEEPEST) return null;
  const deeper = (one: Expr) => settledTruth(one, env, depth + 1);
  if (node.type === 'Unary' && node.op === 'not') {
    const inner = deeper(node.operand);
    return inner === null ? null : !inner;
  }
  if (node.type === 'Bool') {
    const [all, decides] = [node.values.map(deeper), node.op === 'or'];
    if (all.includes(decides)) return decides;
    return all.includes(null) ? null : !decides;
  }
  // pytest takes a text for code.
  if (node.type === 'String' && depth === 0) return namedIn(node.value, node, env);
  const compared = node.type === 'Compare' ? comparison(node, env) : null;
  const held = node.type === 'Name' || node.type === 'Attribute' ? givenOnce(node, env) : null;
  return compared ?? (held === null ? constantTruth(node) : settledTruth(held.node, held.env, depth + 1));
}

interface Held {
  readonly node: Expr;
  readonly env: Env;
}

function namedIn(text: string, { start, end }: Expr, env: Env): boolean | null {
  const [, not = '', name = ''] = /^\s*(not\s+)?([A-Za-z_]\w*)\s*$/.exec(text) ?? [];
  if (name === '') return null;
  const held = settledTruth({ type: 'Name', start, end, name }, env, 1);
  return held === null || not === '' ? held : !held;
}

/** `MODE == "off"`, `RUN is False`. */
function comparison(node: Extract<Expr, { type: 'Compare' }>, env: Env): boolean | null {
  const [op = '', ...more] = node.ops;
  const [left, right] = [literal(node.left, env), literal(node.rights[0] ?? null, env)];
  if (more.length > 0 || left === null || right === null) return null;
  if (op === '==' || op === 'is') return left === right;
  return op === '!=' || op === 'is not' ? left !== right : null;
}

function literal(node: Expr | null, env: Env): string | null {
  if (node?.type === 'Name' || node?.type === 'Attribute') {
    const held = givenOnce(node, env);
    return held === null || held.node.type === 'Name' ? null : literal(held.node, held.env);
  }
  if (node?.type === 'String') return `text ${node.value}`;
  return node?.type === 'Number' ? node.text : node?.type === 'Constant' ? node.name : null;
}

/** What a name was given, where there is but one place that gives it something, and every run comes by it. */
function givenOnce(node: Expr, env: Env): Held | null {
  const value = env.find(dotted(node)) ?? memberOf(node, env);
  const target = value === null ? null : follow(value);
  if (target !== null && target.node !== null && target.node.type !== 'Function' && target.node.type !== 'Class') {
    const given = onlyGiven(target.env.module.tree.body, target.node);
    return given === null ? null : { node: given, env: target.env };
  }
  const type = node.type === 'Attribute' ? classOf(node.object, env) : null;
  const own = type?.node.body.filter((one) => targetsOf(one).includes(node.type === 'Attribute' ? node.name : '')) ?? [];
  const [only] = own;
  return type !== null && own.length === 1 && only?.type === 'Assign' && only.value !== null ? { node: only.value, env: type.env } : null;
}

/** The value of the one statement at the top that gives a name its value; null where a branch or another statement may give it another. */
function onlyGiven(body: readonly Stmt[], value: Expr): Expr | null {
  const at = body.find((one) => one.type === 'Assign' && one.value === value);
  const [name, ...more] = at === undefined ? [] : targetsOf(at);
  if (name === undefined || more.length > 0) return null;
  return statementsIn(body, true).every((one) => one === at || !targetsOf(one).includes(name)) ? value : null;
}

function targetsOf(one: Stmt): readonly string[] {
  if (one.type === 'Assign')
    return one.targets.flatMap((target) => (target.type === 'Tuple' || target.type === 'List' ? target.items : [target])).map(dotted);
  if (one.type === 'Update') return [dotted(one.target)];
  if (one.type === 'For') return [dotted(one.target)];
  if (one.type === 'Import') return one.names.map(({ local }) => local);
  return one.type === 'Delete' ? one.targets.map(dotted) : [];
}

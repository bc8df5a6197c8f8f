// Whether a function that is handed over will run, and whether somebody waits for it.

import { at, bare, descend, isFunction, isLiteral, isNode, listAt, nameOf, ownNodes, propertyName } from './tree.js';
import type { Node } from './tree.js';
import type { Env } from './scope.js';
import { rootName } from './answers.js';
import { parseAssertion } from './checks.js';

/** Functions that run what they are given, or fail. */
const RUNS: ReadonlySet<string> = new Set(
  (
    'waitFor waitUntil waitForExpect waitForElementToBeRemoved act assert property asyncProperty check step run batch doesNotThrow retry poll ' +
    'eventually tryUntil transaction forEach map flatMap filter every some find findIndex reduce sort call apply exercise use_ within session measure'
  ).split(' '),
);

const TIMERS: ReadonlySet<string> = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'nextTick',
  'queueMicrotask',
  'requestAnimationFrame',
]);

/** Functions that try what they are given again and again: who does not wait for them does not hear of a failure. */
export const TRIES = /^(waitFor|waitUntil|waitForExpect|eventually|tryUntil|retry|poll)$/;

export const ITERATIONS: ReadonlySet<string> = new Set(['forEach', 'map', 'flatMap', 'filter', 'every', 'some', 'find', 'reduce']);

export const UNCALLED = 'in a callback that may never be called';

export interface Calling {
  /** Null: it runs. Else why it may not. */
  readonly why: string | null;
  readonly later: boolean;
}

/** How `callee` treats a function that it is given. */
export function callingOf(callee: Node | null, constructed: boolean): Calling {
  const inner = bare(callee);
  const member = inner?.type === 'MemberExpression';
  const name = member ? propertyName(inner) : nameOf(inner);
  if (TIMERS.has(name)) return { why: null, later: true };
  if (constructed) return { why: name === 'Promise' ? null : UNCALLED, later: false };
  if (RUNS.has(name)) return { why: null, later: false };
  if (member || /^on[A-Z]/.test(name)) return { why: UNCALLED, later: false };
  return { why: null, later: false };
}

/** A function that a helper was handed and calls back: from several places, but for one event. */
export function isHanded(callee: Node | null, env: Env): boolean {
  const name = nameOf(bare(callee));
  const value = name === '' ? null : env.find(name);
  return value !== null && value.label === undefined && value.source === undefined && isFunction(bare(value.node));
}

/** The function calls one of `names`: `done()`, `resolve(value)`. */
export function signals(node: Node, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  for (const below of descend(node)) {
    if (below.type === 'CallExpression' && names.has(nameOf(bare(at(below, 'callee'))))) return true;
  }
  return false;
}

const WEAK: ReadonlySet<string> = new Set(['truthy', 'exists', 'falsy']);

/** A catch that passes the failure on: it throws, fails, rejects, tells `done`, or asks something of the error. */
export function passesOn(body: Node | null, env: Env, names: ReadonlySet<string>, caught: readonly string[]): boolean {
  if (body === null) return false;
  const text = env.module.tree.text.slice(body.start, body.end);
  if (/AssertionError|ERR_ASSERTION|matcherResult/.test(text)) return false;
  const reached = (node: Node) =>
    node.type !== 'IfStatement' || caught.length === 0 || caught.some((one) => mentions(at(node, 'test') ?? node, one));
  for (const node of descend(body, (below) => !isFunction(below) && reached(below))) {
    if (node.type === 'ThrowStatement') return true;
    if (node.type === 'AssignmentExpression' && thrownLater(node, env, caught)) return true;
    if (node.type !== 'CallExpression') continue;
    const callee = bare(at(node, 'callee'));
    const name = callee?.type === 'MemberExpression' ? propertyName(callee) : nameOf(callee);
    if (['reject', 'fail', 'unreachable', 'next'].includes(name)) return true;
    if (names.has(name) && listAt(node, 'arguments').length > 0) return true;
    if (handsOver(node, callee, env, names, caught)) return true;
    const parsed = parseAssertion(node, env);
    const about = caught.length === 0 || caught.some((one) => mentions(node, one));
    if (
      about &&
      !/expected|assert|fail/i.test(literals(parsed?.drafts.flatMap((draft) => draft.expected) ?? [])) &&
      parsed?.drafts.some((draft) => !WEAK.has(draft.kind) && !ofBaseError(draft.kind, draft.expected)) === true
    )
      return true;
  }
  return false;
}

/** The error goes to an object that the handler itself was given, such as the answer to a request: who waits for that hears of it. */
function handsOver(call: Node, callee: Node | null, env: Env, names: ReadonlySet<string>, caught: readonly string[]): boolean {
  const owner = callee?.type === 'MemberExpression' ? rootName(callee) : '';
  if (owner === '' || owner === 't' || names.has(owner) || env.find(owner)?.text !== owner) return false;
  return listAt(call, 'arguments').some((argument) => caught.includes(nameOf(bare(argument))));
}

/** `.catch(done)`, `.catch(t.assert.fail)`, `.catch(assert.ifError)`: it fails when it is told of an error. */
export function failsGiven(handler: Node | null, names: ReadonlySet<string>): boolean {
  const inner = bare(handler);
  if (inner?.type !== 'MemberExpression') return names.has(nameOf(inner));
  const owner = rootName(inner);
  return /^(fail|ifError|error|threw|reject)$/.test(propertyName(inner)) && owner !== '' && !/^(console|log|logger)$/.test(owner);
}

/** The failure is kept in a variable that is thrown in the end. */
function thrownLater(node: Node, env: Env, caught: readonly string[]): boolean {
  const name = nameOf(at(node, 'left'));
  return (
    name !== '' &&
    caught.includes(nameOf(bare(at(node, 'right')))) &&
    new RegExp(`throw ${name.replace(/\$/g, '\\$')}\\b`).test(env.module.tree.text)
  );
}

/** The texts of wanted values: one that speaks of assertions fits the failure itself. */
function literals(nodes: readonly Node[]): string {
  return nodes.map((node) => String(bare(node)?.['raw'] ?? '')).join(' ');
}

function ofBaseError(kind: string, expected: readonly Node[]): boolean {
  return kind === 'type' && nameOf(bare(expected[0] ?? null)) === 'Error';
}

/** The block ends by failing: what comes after it is only reached by a throw. */
export function failsInside(block: Node | null, env: Env): boolean {
  if (block === null) return false;
  for (const node of ownNodes(block)) {
    if (node.type === 'ThrowStatement') return true;
    if (node.type === 'CallExpression' && parseAssertion(node, env)?.fails === true) return true;
  }
  return false;
}

/** `return`, `break` or `continue` in a finally throws the failure away. */
export function leaves(block: Node | null): boolean {
  if (block === null) return false;
  for (const node of ownNodes(block)) if (['ReturnStatement', 'BreakStatement', 'ContinueStatement'].includes(node.type)) return true;
  return false;
}

/** A variable that holds a promise is waited for somewhere in the function. */
export function awaitedLater(scope: Node, name: string): boolean {
  for (const node of descend(scope)) {
    const waits = node.type === 'AwaitExpression' || node.type === 'ReturnStatement' || node.type === 'YieldExpression';
    const handed = node.type === 'CallExpression';
    if (!waits && !handed) continue;
    const inside = waits ? at(node, 'argument') : null;
    const nodes = handed ? listAt(node, 'arguments') : inside === null ? [] : [inside];
    if (nodes.some((part) => mentions(part, name))) return true;
  }
  return false;
}

export function mentions(node: Node, name: string): boolean {
  for (const below of descend(node, (inner) => !isFunction(inner))) if (nameOf(below) === name) return true;
  return false;
}

/** Where a function that is only named is not used: by itself, as what is asked for a property. */
const IDLE: ReadonlySet<string> = new Set(['ExpressionStatement', 'UnaryExpression', 'MemberExpression', 'SequenceExpression']);

/** A function of the test is called, handed over, returned or kept somewhere, by its name: others may call it. */
export function isPassedOn(root: Node, name: string, fn: Node): boolean {
  if (name === '') return true;
  for (const node of descend(root, (below) => below !== fn)) {
    if (IDLE.has(node.type) || node === fn) continue;
    for (const [key, value] of Object.entries(node)) {
      if (key === 'id' || key === 'left' || (key === 'key' && node['computed'] !== true) || (key === 'params' && isFunction(node)))
        continue;
      const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (parts.some((part) => isNode(part) && nameOf(bare(part)) === name)) return true;
    }
  }
  return false;
}

/** The test says how many checks must run, so one that is not reached fails it. */
export function planned(body: Node): boolean {
  for (const node of descend(body)) {
    if (node.type !== 'CallExpression') continue;
    const callee = bare(at(node, 'callee'));
    if (callee?.type !== 'MemberExpression') continue;
    const name = propertyName(callee);
    if (name === 'hasAssertions') return true;
    const [count] = listAt(node, 'arguments');
    if ((name === 'assertions' || name === 'plan') && count !== undefined && !(isLiteral(count) && Number(count['value']) <= 0))
      return true;
  }
  return false;
}

// Writes an assertion fact out: texts, tolerances, what is thrown, and whether it can fail at all.

import type { AssertionFact, Span } from '../facts.js';
import type { Draft } from './checks.js';
import { rangeOperator } from './checks.js';
import { at, bare, isFunction, isLiteral, keyName, listAt, nameOf, propertyName, settled, soleExpression } from './tree.js';
import type { Node } from './tree.js';
import { bind, functionOf, valueOf } from './scope.js';
import type { Env } from './scope.js';
import { partsIn } from '../properties.js';
import { ownAnswer } from './constants.js';
import { isMaker } from './names.js';
import { resolved } from './copies.js';
import { print } from './print.js';
import type { Printing } from './print.js';
import { isEcho, tautologyOf } from './tautologies.js';
import { fitsAll, isRegex, letters } from './patterns.js';
import { isConstant, partsOf, question } from './questions.js';
import { asymmetric, wildcardsIn } from './placeholders.js';

/** Where an assertion stands, as the walk through the body knows it. */
export interface Standing {
  readonly reach: AssertionFact['reach'];
  readonly reachWhy: string | null;
  readonly swallowed: string | null;
  readonly swallowedAt: Span | null;
  readonly waiting: AssertionFact['waiting'];
  readonly open: boolean;
  /** Says whether a variable still holds what it was given: nothing was called in between. */
  readonly fresh: (name: string) => boolean;
}

/** It is reached, and its failure is heard of. */
export const ALWAYS: Standing = {
  reach: 'always',
  reachWhy: null,
  swallowed: null,
  swallowedAt: null,
  waiting: 'sync',
  open: true,
  fresh: () => false,
};

export function assertionOf(draft: Draft, outer: Env, span: Span, standing: Standing): AssertionFact {
  const opened = throughHelper(draft, outer);
  const env = opened.env;
  const asked = turned(question(filledIn(opened.draft, env)), env);
  const filled = { template: false, seen: { rows: false } };
  const around = kept(asked.subject, env);
  const { kind, subject, expected } = ofCalls(
    asked.kind,
    print(asked.subject, around, filled) + asked.suffix,
    expectedText(asked, env, filled),
  );
  const template = filled.seen.rows
    ? `${print(asked.subject, around, { template: true })}${asked.suffix} ${asked.kind} ${expectedText(asked, env, { template: true }) ?? ''}`
    : `${subject} ${kind} ${expected ?? ''}`;
  const throwing = asked.kind === 'throws';
  const wanted = resolved(asked.expected[0] ?? null, env);
  // The compiler looks at a check of types wherever it stands, and tells of its failure.
  const { waiting, reach, reachWhy, swallowed, swallowedAt } = asked.matcher === 'type' ? ALWAYS : standing;
  const fact: AssertionFact = {
    span,
    kind,
    subject,
    expected: throwing ? null : expected,
    template,
    open: standing.open,
    wildcards: wildcardsOf(throwing ? asked.expected.flatMap(shapeOf) : asked.expected, env),
    parts: spreads(wanted) ? partsIn(expected ?? '') : partsOf(wanted),
    tolerance: asked.kind === 'close' || asked.matcher === 'within' ? toleranceOf(asked, env) : null,
    bound: asked.kind === 'range' ? boundOf(asked, env) : null,
    thrown: throwing ? thrownBy(asked, env) : null,
    waiting,
    reach,
    reachWhy,
    swallowed,
    tautology: ownAnswer(asked, env, span) ?? tautologyOf(asked, env, { subject, expected }, standing.fresh),
  };
  const loose = asked.loose === true && ['equal', 'differs', 'calledWith'].includes(asked.kind);
  const echo = kind === 'equal' && isEcho(asked, env, { subject, expected }, standing.fresh, span);
  if (!loose && !echo && swallowedAt === null) return fact;
  return { ...fact, ...(loose ? { loose } : {}), ...(swallowedAt === null ? {} : { swallowedAt }), ...(echo ? { echo } : {}) };
}

function spreads(node: Node | null): boolean {
  return node?.type === 'ObjectExpression' && listAt(node, 'properties').some((property) => property.type === 'SpreadElement');
}

/** A list or object that the test made and hands to others is known by its name: what it holds now is not what it was made of. */
function kept(subject: Node | null, env: Env): Env {
  let inner = settled(subject);
  for (let depth = 0; depth < 20 && inner !== null && inner.type !== 'Identifier'; depth += 1) {
    inner = settled(at(inner, inner.type === 'MemberExpression' ? 'object' : inner.type === 'CallExpression' ? 'callee' : ''));
  }
  const name = nameOf(inner);
  const value = name === '' ? null : env.find(name);
  const made = value === null || value.row === true || value.source !== undefined ? null : bare(value.node);
  if (made === null || !['ObjectExpression', 'ArrayExpression', 'Literal'].includes(made.type)) return env;
  const around = env.child();
  around.set(name, { node: null, env, text: name });
  return around;
}

/** A yes or no that a small function of the tests answers: `assert.ok(near(a, b))` asks what `near` asks. */
function throughHelper(draft: Draft, env: Env): { readonly draft: Draft; readonly env: Env } {
  const subject = settled(draft.subject);
  if (subject?.type !== 'CallExpression' || draft.suffix !== '') return { draft, env };
  const fn = functionOf(at(subject, 'callee'), env);
  const body = bare(soleExpression(at(fn?.node, 'body')));
  if (fn === null || body === null || !QUESTIONS.has(body.type)) return { draft, env };
  const yesNo =
    draft.kind === 'truthy' ||
    draft.kind === 'falsy' ||
    (draft.kind === 'equal' && /^(true|false)$/.test(expectedText(draft, env, { template: false }) ?? ''));
  if (!yesNo) return { draft, env };
  const inner = fn.env.child();
  const args = listAt(subject, 'arguments');
  for (const [index, parameter] of listAt(fn.node, 'params').entries()) {
    const argument = args[index];
    if (argument !== undefined) bind(parameter, valueOf(argument, env), inner);
  }
  return { draft: { ...draft, subject: body }, env: inner };
}

/** A constant on the wrong side: `assert.equal(WANTED, f(x))`. */
function turned(draft: Draft, env: Env): Draft {
  const [only] = draft.expected;
  if (draft.kind !== 'equal' || only === undefined || draft.expected.length > 1 || draft.suffix !== '') return draft;
  const subject = resolved(draft.subject, env);
  const named = bare(draft.subject)?.type === 'Identifier' && subject !== bare(draft.subject);
  return named && isConstant(subject) && !isConstant(resolved(only, env)) && settled(only)?.type === 'CallExpression'
    ? { ...draft, subject: only, expected: [draft.subject as Node] }
    : draft;
}

const QUESTIONS: ReadonlySet<string> = new Set(['BinaryExpression', 'UnaryExpression', 'LogicalExpression']);

/** A variable that holds a question (`const has = list.includes(x)`) or a placeholder is looked through. */
function filledIn(draft: Draft, env: Env): Draft {
  if (draft.kind === 'throws' || draft.kind === 'silent') {
    const called = calledThrough(bare(draft.subject), env);
    return called === null ? draft : { ...draft, subject: called };
  }
  const subject = behind(settled(draft.subject), env) ?? callsOf(settled(draft.subject), env);
  const asking = subject !== null && (QUESTIONS.has(subject.type) || isPredicate(subject) || isChoice(draft, subject) || isCalls(subject));
  const expected = draft.expected.map((node) => {
    const inner = behind(bare(node), env);
    return inner !== null && asymmetric(inner) !== null ? inner : node;
  });
  return { ...draft, expected, ...(asking ? { subject } : {}) };
}

/** All that a spy of sinon was called with, as other spies name it: of `spy.args` it is `spy.mock.calls`. */
function callsOf(node: Node | null, env: Env): Node | null {
  const spy = node?.type === 'MemberExpression' && propertyName(node) === 'args' ? bare(at(node, 'object')) : null;
  const made = spy?.type === 'Identifier' ? env.find(nameOf(spy))?.node : null;
  if (node === null || spy === null || made === undefined || made === null || !isMaker(made)) return null;
  const member = (object: Node, name: string): Node => {
    const property: Node = { type: 'Identifier', start: node.start, end: node.end, name };
    return { type: 'MemberExpression', start: node.start, end: node.end, object, property, computed: false };
  };
  return member(member(spy, 'mock'), 'calls');
}

function isCalls(node: Node): boolean {
  return node.type === 'MemberExpression' && propertyName(node) === 'calls' && propertyName(bare(at(node, 'object')) ?? node) === 'mock';
}

/** `const read = () => parse(x)` and `expect(read).toThrow()`: it is the call that must throw. */
function calledThrough(node: Node | null, env: Env): Node | null {
  const fn = node?.type === 'Identifier' ? functionOf(node, env) : null;
  if (fn === null || fn.env.module !== env.module || listAt(fn.node, 'params').length > 0) return null;
  return soleExpression(at(fn.node, 'body'));
}

function behind(node: Node | null, env: Env): Node | null {
  if (node?.type !== 'Identifier') return null;
  const value = env.find(nameOf(node));
  if (value === null || value.node === null || value.named === true || value.source !== undefined || value.env.module !== env.module)
    return null;
  return settled(value.node);
}

/** `assert.include(letters, pick(letters))`: one of the values that the list was written with. */
function isChoice({ kind, expected }: Draft, list: Node): boolean {
  const answered = kind === 'contain' && expected.length === 1 && settled(expected[0] ?? null)?.type === 'CallExpression';
  return answered && list.type === 'ArrayExpression' && listAt(list, 'elements').length > 0 && isConstant(list);
}

function isPredicate(node: Node): boolean {
  if (node.type === 'MemberExpression') return /^(length|size)$/.test(propertyName(node));
  const callee = node.type === 'CallExpression' ? bare(at(node, 'callee')) : null;
  return callee?.type === 'MemberExpression' && /^(includes|some|startsWith|endsWith|isArray|isInteger)$/.test(propertyName(callee));
}

/** An error by its shape, `expect.objectContaining({ code: 4 })`, is no less than one by its text. */
function shapeOf(node: Node): readonly Node[] {
  const loose = asymmetric(node);
  return loose?.name === 'objectContaining' ? loose.args : [node];
}

const PLACEHOLDERS = /any|anything|Containing|Matching|arrayOf/;

function wildcardsOf(nodes: readonly Node[], env: Env): number {
  const { text } = env.module.tree;
  let count = 0;
  for (const node of nodes) {
    if (PLACEHOLDERS.test(text.slice(node.start, node.end))) count += wildcardsIn([node]);
    count += wildcardsBehind(node, env);
  }
  return count;
}

function wildcardsBehind(node: Node, env: Env): number {
  const inner = bare(node)?.type === 'Identifier' ? behind(bare(node), env) : null;
  return inner === null || asymmetric(inner) !== null ? 0 : wildcardsIn([inner]);
}

const CALLS =
  /^(.+?)\.(mock\.(calls|lastCall)|(first|second|third|last)Call\.args|getCall\([0-9]+\)\.args|calls\.(mostRecent\(\)\.args|argsFor\([0-9]+\)))(?![\w(])/;

/** When a spy was called. */
const ORDER = /\.mock\.invocationCallOrder\[0\]$/;

/** What a spy wrote down of its calls is a question about the calls; the layout of a snapshot says nothing. */
function ofCalls(
  kind: AssertionFact['kind'],
  subject: string,
  expected: string | null,
): { readonly kind: AssertionFact['kind']; readonly subject: string; readonly expected: string | null } {
  if (kind === 'equal' && (expected === '[]' || expected === '{}' || expected === '""')) return { kind, subject, expected: 'empty' };
  if (kind === 'size' && expected === '0') return { kind: 'equal', subject, expected: 'empty' };
  if (kind === 'snapshot' && expected === '"\\"\\""') return { kind: 'equal', subject, expected: 'empty' };
  if (kind === 'snapshot') return { kind, subject, expected: expected?.replace(/\\n|\s+/g, ' ').replace(/ +/g, ' ') ?? null };
  if (kind === 'range') return { kind, subject: subject.replace(ORDER, ''), expected: expected?.replace(ORDER, '') ?? null };
  const spy = kind === 'equal' || kind === 'calledWith' ? CALLS.exec(subject)?.[1] : undefined;
  if (spy === undefined) return { kind, subject, expected };
  return { kind: 'calledWith', subject: spy, expected: expected?.startsWith('[') === true ? expected.slice(1, -1) : expected };
}

function expectedText(draft: Draft, env: Env, how: Printing): string | null {
  const texts = draft.expected.map((node) => print(node, env, how));
  if (draft.constant !== null) texts.unshift(draft.constant);
  return texts.length === 0 ? null : texts.join(',');
}

function numberOf(node: Node | null, env: Env): number | null {
  if (node === null) return null;
  const text = print(node, env);
  if (text === 'Number.EPSILON') return Number.EPSILON;
  const value = Number(text);
  return text === '' || Number.isNaN(value) ? null : value;
}

function toleranceOf(draft: Draft, env: Env): number | null {
  if (draft.matcher === 'within') {
    const [low, high] = [numberOf(draft.expected[0] ?? null, env), numberOf(draft.expected[1] ?? null, env)];
    return low === null || high === null ? null : high - low;
  }
  if (draft.matcher !== 'toBeCloseTo') return numberOf(draft.delta, env);
  const digits = draft.delta === null ? 2 : numberOf(draft.delta, env);
  return digits === null ? null : 0.5 * 10 ** -digits;
}

function boundOf(draft: Draft, env: Env): AssertionFact['bound'] {
  const op = rangeOperator(draft.matcher);
  const value = numberOf(draft.expected[0] ?? null, env);
  return op === null || value === null ? null : { op, value };
}

function thrownBy(draft: Draft, env: Env): { readonly type: string | null; readonly detail: string | null } {
  let type: string | null = null;
  const details: string[] = [];
  for (const node of draft.expected) {
    const { type: named, detail } = wantedError(node, env);
    if (named !== null) type = named;
    if (detail !== null) details.push(detail);
  }
  return { type, detail: details.length === 0 ? null : details.join(' ') };
}

const ANY_ERROR: ReadonlySet<string> = new Set(['Error', 'Object', 'undefined']);

function wantedError(node: Node, env: Env): { readonly type: string | null; readonly detail: string | null } {
  const inner = settled(node);
  const none = { type: null, detail: null };
  if (inner === null) return none;
  const loose = asymmetric(inner);
  if (loose !== null) {
    const [first] = loose.args;
    if (first === undefined) return none;
    const shown = loose.name === 'any' || bare(first)?.type === 'ObjectExpression';
    return shown ? wantedError(first, env) : { type: null, detail: print(first, env) };
  }
  if (isRegex(inner)) return errorPattern((inner['regex'] as { pattern?: string }).pattern ?? '', print(inner, env));
  if (isLiteral(inner)) return { type: null, detail: inner['value'] === '' || inner['value'] === null ? null : print(inner, env) };
  if (inner.type === 'NewExpression') {
    const args = listAt(inner, 'arguments').map((argument) => print(argument, env));
    return { type: className(at(inner, 'callee'), env), detail: args.length === 0 ? null : args.join(',') };
  }
  if (inner.type === 'ObjectExpression') {
    const properties = listAt(inner, 'properties');
    const named = properties.find((property) => keyName(property) === 'name');
    const name = named === undefined ? '' : print(at(named, 'value'), env).slice(1, -1);
    const rest = properties.filter((property) => property !== named).map((property) => print(at(property, 'value'), env));
    return { type: name === '' || ANY_ERROR.has(name) ? null : name, detail: rest.length === 0 ? null : rest.join(',') };
  }
  if (isFunction(inner)) return { type: null, detail: print(soleExpression(at(inner, 'body')), env) === 'true' ? null : print(inner, env) };
  const name = className(inner, env);
  if (name !== null || ANY_ERROR.has(print(inner, env))) return { type: name, detail: null };
  return { type: null, detail: print(inner, env) };
}

/** A pattern over the printed error may begin with its class: `/^TypeError: no name/`. */
function errorPattern(pattern: string, text: string): { readonly type: string | null; readonly detail: string | null } {
  const named = /^\^?((?:[A-Z]\w*)?(?:Error|Exception)):\s?/.exec(pattern);
  const rest = named === null ? pattern : pattern.slice(named[0].length);
  const type = named === null || ANY_ERROR.has(named[1] ?? '') ? null : (named[1] ?? null);
  return { type, detail: letters(rest) === '' || fitsAll(rest) ? null : named === null ? text : `/${rest}/` };
}

/** The name of an error class; null for the base class, and for what is no class. */
function className(node: Node | null, env: Env): string | null {
  const inner = bare(node);
  if (inner === null) return null;
  const name = inner.type === 'MemberExpression' ? propertyName(inner) : nameOf(inner) === '' ? '' : print(inner, env);
  return /^[A-Z]\w*$/.test(name) && !ANY_ERROR.has(name) ? name : null;
}

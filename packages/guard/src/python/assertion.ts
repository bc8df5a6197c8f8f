// Writes a fact about a Python assertion out: texts, tolerances, what is raised, and whether it can fail at all.

import { NEVER_FREE, type AssertionFact, type Span } from '../facts.js';
import type { Draft, Tolerance } from './checks.js';
import { ANY_ERROR, depthOfError } from './matchers.js';
import { fullName } from './names.js';
import { print } from './print.js';
import { isConstant, isTrue } from './constants.js';
import { returnedBy } from './receiver.js';
import { areTwo, asksSameness, equalOf } from './sameness.js';
import { basesOf, classOf, follow, functionOf, isOfTests } from './scope.js';
import type { Env, TypeValue } from './scope.js';
import type { Expr } from './tree.js';
import { descend, dotted, lastName, positional, settled } from './tree.js';

/** Where an assertion stands, as the walk through the body knows it. */
export interface Standing {
  readonly reach: AssertionFact['reach'];
  readonly reachWhy: string | null;
  readonly swallowed: string | null;
  readonly waiting: AssertionFact['waiting'];
  readonly open: boolean;
  /** Says whether a variable still holds what it was given: nothing was called in between. */
  readonly fresh: (name: string) => boolean;
  /** What the test itself wrote into the file that an expression reads; null where it wrote none. */
  readonly wrote: (text: string, wanted?: Expr) => string | null;
  /** A flag that a block within the test may set, or what a caller hands over: no constant of the test. */
  readonly varied: (name: string) => boolean;
  /** An error was wanted before: what is asked now may be that it changed nothing. */
  readonly raised: boolean;
  /** Its place lets it go, but by a way that is usual: told only where it stands for a check that was lost. */
  readonly reserved: boolean;
}

const SAME = 'both sides are the same';
const TEXT = /^"(?:[^"\\]|\\.)+"$/s;

export function assertionOf(asked: Draft, span: Span, standing: Standing): AssertionFact {
  const { env } = asked;
  const subject = subjectText(asked, env);
  const expected = expectedText(asked, env, false);
  const template = `${print(asked.subject, env, { template: true })}${asked.suffix} ${asked.kind} ${expectedText(asked, env, true) ?? ''}`;
  const throws = asked.kind === 'throws';
  // A text within something, also where a name or a column holds that text.
  const kind = asked.kind === 'contain' && TEXT.test(expected ?? '') ? 'match' : asked.kind;
  const forgotten = isForgotten(asked, env);
  const tautology = asked.tautology ?? (forgotten ? null : tautologyOf(asked, { subject, expected }, standing));
  return {
    span,
    kind,
    subject,
    expected: throws ? null : expected,
    template,
    open: standing.open || asked.over !== null,
    wildcards: asked.loose + choicesIn(asked) + (throws ? breadthOf(asked, env) : wildcardsIn(asked.expected, env)),
    parts: countedParts(asked, resolved(asked.expected[0] ?? null, env)),
    tolerance: asked.kind === 'close' ? toleranceOf(asked.tolerance, expected, env) : null,
    bound: asked.kind === 'range' ? boundOf(asked, env) : null,
    thrown: throws ? thrownBy(asked, env) : null,
    waiting: forgotten ? 'floating' : standing.waiting,
    reach: standing.reach,
    reachWhy: standing.reachWhy,
    swallowed: standing.swallowed,
    tautology,
    ...(standing.reserved || (tautology === SAME && asksSameness(asked)) ? { marker: true } : {}),
    ...((asked.kind === 'equal' || asked.kind === 'close') &&
    (isSameCall(asked, { subject, expected }) || isComputed(asked, subject)) &&
    !(standing.raised && asked.expected[0]?.type === 'Name')
      ? { echo: true }
      : {}),
  };
}

function subjectText(asked: Draft, env: Env): string {
  return print(asked.subject, env) + asked.suffix;
}

function resolved(node: Expr | null, env: Env): Expr | null {
  if (node?.type !== 'Name') return node;
  const value = env.find(node.name);
  const target = value === null ? null : follow(value);
  if (target === null || target.node === null || target.node.type === 'Function' || target.node.type === 'Class') return node;
  return target.label === undefined ? target.node : node;
}

function expectedText(asked: Draft, env: Env, template: boolean): string | null {
  const texts = asked.expected.map((node) => print(unescaped(node), env, { template }));
  if (asked.constant !== null && asked.kind !== 'throws') texts.unshift(asked.constant);
  return texts.length === 0 ? null : texts.join(',');
}

/** Of `re.escape(text)` the text; a pattern without the anchors at its ends. */
function unescaped(node: Expr, pattern = false): Expr {
  const inner = settled(node);
  if (pattern && inner.type === 'String') return { ...inner, value: inner.value.replace(/^\^|(?<!\\)\$$/g, '') };
  return inner.type === 'Call' && dotted(inner.callee) === 're.escape' ? (positional(inner.args)[0] ?? node) : node;
}

function numberOf(node: Expr | number | null, env: Env): number | null {
  if (node === null || typeof node === 'number') return node;
  const text = print(node, env);
  const call = /^(?:\w+\.)*(?:Decimal|timedelta|float|int)\((?:\w+=)?"?([\d.e+-]+)"?\)$/.exec(text);
  const value = Number(call?.[1] ?? text);
  return text === '' || Number.isNaN(value) ? null : value;
}

function toleranceOf(tolerance: Tolerance | null, expected: string | null, env: Env): number | null {
  if (tolerance === null) return null;
  const places = numberOf(tolerance.places, env);
  if (tolerance.places !== null) return places === null ? null : 0.5 * 10 ** -places;
  const wanted = Math.abs(Number(expected ?? '')) || 1;
  const relative = numberOf(tolerance.relative, env);
  const absolute = numberOf(tolerance.absolute, env);
  if (relative === null && absolute === null) return null;
  return Math.max((relative ?? 0) * wanted, absolute ?? 0);
}

function boundOf(asked: Draft, env: Env): AssertionFact['bound'] {
  const value = numberOf(asked.expected[0] ?? null, env);
  const op = asked.op;
  return value === null || (op !== '<' && op !== '<=' && op !== '>' && op !== '>=') ? null : { op, value };
}

function typesOf(asked: Draft): readonly Expr[] {
  return asked.expected.slice(0, Number(asked.constant ?? 0));
}

function thrownBy(asked: Draft, env: Env): { readonly type: string | null; readonly detail: string | null } {
  const types = typesOf(asked);
  const names = types.map((type) => print(type, env).split('.').at(-1) ?? '').toSorted();
  const detail = asked.expected[types.length] ?? null;
  return {
    type: names.length === 0 || names.some((name) => ANY_ERROR.has(name)) ? null : names.join('|'),
    detail: detail === null ? null : print(unescaped(detail, true), env),
  };
}

/** How many errors fit, roughly: the higher in the tree of classes, and the more classes, the more. */
function breadthOf(asked: Draft, env: Env): number {
  const types = typesOf(asked);
  const depths = types.map((type) => depthOf(type, env));
  return Math.max(0, 8 - Math.min(8, ...depths)) + Math.max(0, types.length - 1);
}

function depthOf(node: Expr, env: Env): number {
  const known = depthOfError(lastName(node));
  if (known !== null) return known;
  const type = classOf(node, env);
  return type === null ? 2 : depthOfClass(type, 0);
}

function depthOfClass(type: TypeValue, level: number): number {
  if (level > 6) return 2;
  const bases = type.node.bases.filter(({ name }) => name === null).map(({ value }) => depthOfError(lastName(value)));
  const named = bases.filter((depth) => depth !== null);
  const above = [...named, ...basesOf(type).map((base) => depthOfClass(base, level + 1))];
  return above.length === 0 ? 2 : Math.max(...above) + 1;
}

function wildcardsIn(nodes: readonly Expr[], env: Env): number {
  let count = 0;
  const takesAll = (below: Expr) =>
    lastName(below) === 'ANY' ||
    (below.type === 'Constant' && below.name === '...') ||
    (below.type === 'Name' && equalOf(below, env) !== null);
  for (const node of nodes) for (const below of descend(node)) if (takesAll(below)) count += 1;
  return count;
}

/** Texts that a pattern takes besides the first: `match='a|b'`. */
function choicesIn(asked: Draft): number {
  const pattern = asked.kind === 'throws' ? asked.expected[typesOf(asked).length] : asked.kind === 'match' ? asked.expected[0] : undefined;
  if (pattern?.type !== 'String' || (asked.kind === 'match' && asked.op !== 're')) return 0;
  return pattern.value.replace(/\\./g, '').split('|').length - 1;
}

/** A list that is wanted as a whole has no parts that could be asked for one by one under names. */
function countedParts(asked: Draft, node: Expr | null): number | null {
  if (asked.kind === 'calledWith') return asked.expected.length;
  return asked.kind === 'equal' && node?.type !== 'Dict' ? null : partsOf(node);
}

function partsOf(node: Expr | null): number | null {
  if (node === null) return null;
  if (node.type === 'List' || node.type === 'Tuple' || node.type === 'Set') return node.items.length;
  if (node.type !== 'Dict') return null;
  return node.entries.reduce((sum, { value }) => sum + Math.max(1, partsOf(value) ?? 1), 0);
}

/** A coroutine that nobody waits for is asked about, in place of its result. */
function isForgotten(asked: Draft, env: Env): boolean {
  if (asked.subject === null || ['throws', 'silent', 'custom'].includes(asked.kind)) return false;
  if (asked.kind === 'type' && asked.expected.some((type) => /(Coroutine|Awaitable|Task|Future)(Type)?$/.test(lastName(type))))
    return false;
  return isCoroutine(asked.subject, env, 0);
}

/** A call of an `async def` without `await`. */
export function isCoroutine(node: Expr, env: Env, depth: number): boolean {
  if (node.type === 'Name' && depth < 4) {
    const value = env.find(node.name);
    if (value === null || value.node === null || value.node.type === 'Function' || value.node.type === 'Class') return false;
    return value.node.type === 'Name' ? false : isCoroutine(value.node, value.env, depth + 1);
  }
  if (node.type !== 'Call') return false;
  const target = functionOf(node.callee, env, true);
  return target !== null && target.node.type === 'Function' && target.node.async && !yields(target.node.body);
}

function yields(body: readonly { readonly type: string }[]): boolean {
  return body.some((statement) => statement.type === 'Expression' && (statement as { value?: { type?: string } }).value?.type === 'Yield');
}

interface Texts {
  readonly subject: string;
  readonly expected: string | null;
}

function tautologyOf(asked: Draft, texts: Texts, standing: Standing): string | null {
  const { env } = asked;
  const [only] = asked.expected;
  const strict = asked.kind === 'range' && (asked.op === '<' || asked.op === '>');
  if (isSameRead(texts) && !strict && (only?.type !== 'Name' || standing.fresh(only.name))) return SAME;
  if (asked.subject === null || NEVER_FREE.has(asked.kind)) return null;
  const subject = settled(asked.subject);
  if (isConstant(subject)) return holds(asked, subject) ? 'it compares a constant with itself' : null;
  const weak = asked.kind === 'exists' || asked.kind === 'truthy' || asked.kind === 'type';
  if (weak && asked.suffix === '') {
    const behind = resolved(subject, env);
    const none = behind?.type === 'Constant' && behind.name === 'None';
    const sure = behind !== null && behind !== subject && isConstant(behind) && !none && !standing.varied(dotted(subject));
    if (sure && (asked.kind !== 'truthy' || isTrue(behind))) return 'its value is a constant of the test';
    if (asked.kind !== 'type' && isDefinition(subject, env)) return 'a function or class is always true';
  }
  const told = subject.type === 'Call' || (subject.type === 'Attribute' && (texts.subject === texts.expected || isAnswer(subject, env)));
  if (told && isToldMock(subject, env)) return 'it asks a mock for what the mock was told';
  const [wanted] = asked.expected;
  if (wanted === undefined || asked.expected.length !== 1) return null;
  if (gluedOn(asked, resolved(subject, env), wanted)) return 'the test itself wrote the wanted text';
  if (asked.kind === 'oneOf' && asked.op !== 'or' && !standing.varied(dotted(subject)) && listed(wanted, texts.subject, env))
    return 'the value is on its own list';
  const wrote = texts.expected === null ? null : standing.wrote(texts.expected, settled(wanted));
  if (wrote !== null && (wrote === texts.subject || (texts.subject.includes('(') && wrote.includes(texts.subject))))
    return 'the test itself wrote the wanted value';
  if (standing.wrote(texts.subject) === texts.expected && texts.expected !== null && asked.kind === 'equal')
    return 'the test itself wrote the value';
  if (strict || !sameMoment(subject, wanted, env, standing) || areTwo(subject, wanted, env)) return null;
  const ownHelper = subject.type === 'Call' && functionOf(subject.callee, env) !== null && returnedBy(subject, env) === null;
  if (texts.subject !== '' && texts.subject === texts.expected && asked.suffix === '' && !ownHelper) return isSameHome(asked) ? SAME : null;
  return asked.op !== 'or' && builtFrom(wanted, texts.subject, env) ? 'the wanted value is read off the actual one' : null;
}

/** `len(x) == len(x)`, `mock.call_count == mock.call_count`: what was taken off one side stands on the other. */
function isSameRead({ subject, expected }: Texts): boolean {
  if (expected === null || subject === '') return false;
  const rest = expected.startsWith(subject) ? expected.slice(subject.length) : null;
  return expected === `len(${subject})` || (rest !== null && /^\.((call|await)_(count|args|args_list)|mock_calls)$/.test(rest));
}

/** `'<a>' + html` is asked whether `'<a>'` is in it. */
function gluedOn({ kind, op }: Draft, subject: Expr | null, wanted: Expr): boolean {
  if ((kind !== 'match' && kind !== 'contain') || op === 're' || wanted.type !== 'String' || wanted.value === '') return false;
  if (subject?.type !== 'Binary' && subject?.type !== 'Format') return false;
  const texts =
    subject.type === 'Format' ? subject.parts : [...descend(subject)].map((part) => (part.type === 'String' ? part.value : part));
  return texts.some((text) => typeof text === 'string' && text.includes(wanted.value));
}

function isSameCall(asked: Draft, { subject, expected }: Texts): boolean {
  return subject.includes('(') && subject === expected && isSameHome(asked);
}

/** The wanted value is worked out by functions of the unit from what the test works with. Of constants they make one, as a class does. */
function isComputed({ expected: [wanted], env }: Draft, subject: string): boolean {
  if (wanted === undefined || isConstant(wanted)) return false;
  const held = wanted.type === 'Name' ? env.find(wanted.name) : null;
  const node = held === null ? wanted : held.label === undefined ? held.node : null;
  if (node === null || node.type === 'Function' || node.type === 'Class') return false;
  const around = held?.env ?? env;
  let root = settled(node);
  while (root.type === 'Attribute' || root.type === 'Subscript') root = settled(root.object);
  const target = root.type === 'Call' ? functionOf(root.callee, around, true) : null;
  if (root.type !== 'Call' || target?.node.type !== 'Function' || isOfTests(target.env.module.tree.file)) return false;
  return root.args.some(({ value }) => !isConstant(resolved(value, around)) || isShared(print(value, around), subject));
}

/** A constant of some length that the actual value is worked out from as well. */
function isShared(text: string, subject: string): boolean {
  return text.length > 3 && subject.includes(text);
}

/** Functions of one name may come from two modules: `quantile(x)` of the unit and `np.quantile(x)`. */
function isSameHome({ subject, expected: [wanted], env }: Draft): boolean {
  const [left, right] = [subject, wanted ?? null].map((node) => {
    const inner = node === null ? null : resolved(settled(node), env);
    return inner?.type === 'Call' ? fullName(inner.callee, env) : '';
  });
  return left === '' || right === '' || left === right;
}

function isDefinition(node: Expr, env: Env): boolean {
  if (node.type === 'Lambda') return true;
  if (node.type !== 'Name') return false;
  const value = env.find(node.name);
  const target = value === null ? null : follow(value);
  return target?.node?.type === 'Function' || target?.node?.type === 'Class';
}

/** `client.get('/').status_code`, also where a variable holds what the call gave, and the test told the mock so. */
function isAnswer(node: Extract<Expr, { type: 'Attribute' }>, env: Env): boolean {
  const object = resolved(settled(node.object), env);
  if (object?.type !== 'Call' || /^(call_|await_|mock_calls|called|return_value)/.test(node.name)) return false;
  return new RegExp(`\\breturn_value\\.${node.name}\\s*=[^=]|\\b${node.name}=[^=]`).test(env.module.tree.text);
}

/** A call of a mock that was made in the test itself. */
function isToldMock(node: Expr, env: Env, depth = 0): boolean {
  let root: Expr = node;
  while (root.type === 'Call' || (root.type === 'Attribute' && env.find(dotted(root)) === null))
    root = root.type === 'Call' ? root.callee : root.object;
  if (root === node && root.type === 'Attribute') return isToldMock(root.object, env);
  const value = env.find(dotted(root));
  const inner =
    value?.node === undefined || value.node === null || value.node.type === 'Function' || value.node.type === 'Class'
      ? null
      : settled(value.node);
  if (inner !== null && inner.type === 'Call' && inner.callee.type === 'Attribute' && value !== null && depth < 4)
    return isToldMock(inner, value.env, depth + 1);
  return value?.node?.type === 'Call' && /^(Async|Magic|NonCallable)?Mock$/.test(lastName(value.node.callee));
}

function listed(wanted: Expr, subject: string, env: Env): boolean {
  if (wanted.type !== 'List' && wanted.type !== 'Tuple' && wanted.type !== 'Set') return false;
  return wanted.items.some((item) => print(item, env) === subject);
}

/** Two variables were filled on purpose; one that was filled before other calls may hold an older state. */
function sameMoment(subject: Expr, wanted: Expr, env: Env, standing: Standing): boolean {
  const names = [dotted(subject), dotted(wanted)];
  if (names[0] !== '' && names[0] === names[1]) return true;
  if (names[0] !== '' && names[1] !== '' && names[0] !== names[1]) {
    const other = resolved(wanted, env);
    if (other === null || ((other.type === 'Call' || other.type === 'Await') && !copies(other, names[0] ?? ''))) return false;
  }
  return names.every((name) => name === '' || env.find(name) === null || standing.fresh(name));
}

/** `dict(result)`: a copy of what is asked about. */
function copies(node: Expr, name: string): boolean {
  if (node.type !== 'Call' || !/^(copy|deepcopy|list|dict)$/.test(lastName(node.callee))) return false;
  const [first] = positional(node.args);
  return name !== '' && dotted(first ?? (node.callee.type === 'Attribute' ? node.callee.object : null)) === name;
}

function holds(asked: Draft, subject: Expr): boolean {
  if (asked.kind === 'truthy') return isTrue(subject);
  if (asked.kind === 'falsy') return !isTrue(subject);
  if (asked.kind === 'exists') return !(subject.type === 'Constant' && subject.name === 'None');
  if (['type', 'range', 'size', 'close', 'match', 'contain', 'oneOf'].includes(asked.kind)) return asked.expected.every(isConstant);
  const [wanted] = asked.expected;
  if (wanted === undefined) return asked.constant !== null && subject.type === 'Constant' && subject.name === asked.constant;
  return isConstant(wanted) && print(wanted, asked.env) === print(subject, asked.env);
}

/** Every entry of a dictionary or list literal is read off `subject`, or a copy of it. */
function builtFrom(node: Expr, subject: string, env: Env): boolean {
  const inner = resolved(node, env);
  if (inner === null || !subject.includes('(')) return false;
  const from = (below: Expr): boolean => {
    const text = print(below, env);
    return text === subject || text === `*${subject}` || text.startsWith(`${subject}.`) || text.startsWith(`${subject}[`);
  };
  if (inner.type === 'Dict') return inner.entries.length > 0 && inner.entries.every(({ value }) => from(value));
  if (inner.type === 'List' || inner.type === 'Tuple') return inner.items.length > 0 && inner.items.every(from);
  if (inner.type !== 'Call' || !['copy', 'deepcopy', 'list', 'dict'].includes(lastName(inner.callee))) return false;
  const [first] = positional(inner.args);
  const source = first ?? (inner.callee.type === 'Attribute' ? inner.callee.object : null);
  return source !== null && print(source, env) === subject;
}

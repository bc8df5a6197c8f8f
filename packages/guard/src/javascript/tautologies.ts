// Checks that compare a value with itself, with a copy of it or with what is read off it: they hold whatever the code does.

import { NEVER_FREE, type Span } from '../facts.js';
import type { Draft } from './checks.js';
import { rangeOperator } from './checks.js';
import { builtFrom, originOf, resolved, uncopied } from './copies.js';
import { isMoved } from './givings.js';
import { filledFrom } from './own-values.js';
import { print, squeeze } from './print.js';
import { isConstant } from './questions.js';
import type { Env } from './scope.js';
import { at, bare, descend, holesAt, isLiteral, listAt, nameOf, propertyName, settled, textAt } from './tree.js';
import type { Node } from './tree.js';

/** Says whether a variable still holds what it was given: nothing was called in between. */
type Fresh = (name: string) => boolean;

interface Texts {
  readonly subject: string;
  readonly expected: string | null;
}

/** Why the check cannot fail, whatever the code does; else null. */
export function tautologyOf(asked: Draft, env: Env, texts: Texts, fresh: Fresh): string | null {
  const subject = settled(asked.subject);
  if (subject === null || NEVER_FREE.has(asked.kind)) return null;
  if (isConstant(subject)) return holds(asked, subject) ? 'it compares a constant with itself' : null;
  const weak = ['exists', 'truthy', 'type'].includes(asked.kind);
  const constant = weak ? resolved(subject, env) : null;
  if (
    isConstant(constant) &&
    (asked.kind === 'type' || holds(asked, constant)) &&
    !isMoved(env.module.tree, nameOf(subject), subject.start, subject.end)
  )
    return 'its value is a constant of the test';
  if (weak && subject.type === 'ObjectExpression') return 'an object written down in the test is always there';
  if (alwaysThere(asked, subject)) return 'it holds for every value';
  if (asked.kind === 'oneOf' && asked.expected.some((node) => takesEverything(node, texts.subject, env)))
    return 'one side of the or is always true';
  if (subject.type === 'LogicalExpression' && isFilledIn(asked, subject, texts.expected, env))
    return 'a missing value is filled in with the wanted one';
  if (texts.expected === 'true' || asked.kind === 'truthy') {
    const sifted = /\.filter\((.*)\)\.every\((.*)\)$/s.exec(texts.subject);
    if (sifted !== null && sifted[1] === sifted[2]) return 'only what fits was picked out before';
  }
  if (asked.expected.length !== 1) return null;
  const wanted = settled(asked.expected[0] ?? null);
  if (wanted === null) return null;
  // A thenable and what it settles to are two things.
  if (isAwaited(asked.subject) !== isAwaited(asked.expected[0] ?? null) && writtenAlike(subject, wanted, env)) return null;
  if (isOneValue(subject, wanted, env)) return 'both names stand for one value';
  if (asked.suffix === '' && sharedOrigin(subject, wanted, env, fresh) === 'value') return 'both sides are the same';
  if (isReadOff(asked, subject, wanted, texts, env)) return 'the wanted value is read off the actual one';
  const same =
    (texts.subject !== '' && texts.subject === texts.expected && (texts.subject.includes('(') || writtenAlike(subject, wanted, env))) ||
    (!isConstant(wanted) && asked.suffix === '' && texts.subject.includes('(') && copiesAlike(subject, wanted, env));
  const atOnce = same && writtenAlike(subject, wanted, env);
  if ((!same && !builtFrom(resolved(wanted, env), texts.subject, env)) || !(atOnce || sameMoment(subject, wanted, env, fresh))) return null;
  return same ? 'both sides are the same' : 'the wanted value is read off the actual one';
}

/** Both sides come from one call, or one of them from JSON of the other, or parts of the wanted value are read off the actual one. */
export function isEcho(asked: Draft, env: Env, texts: Texts, fresh: Fresh, span: Span): boolean {
  if (asked.kind !== 'equal') return false;
  if (asked.suffix === '' && isOverwritten(resolved(asked.subject, env), texts.expected, env)) return true;
  if (!texts.subject.includes('(')) return false;
  if (texts.subject === texts.expected) return true;
  const [subject, wanted] = [settled(asked.subject), settled(asked.expected[0] ?? null)];
  if (subject === null || wanted === null || asked.suffix !== '') return false;
  if (filledFrom(subject, wanted, env, span) !== null) return true;
  return sharedOrigin(subject, wanted, env, fresh) !== null || builtFrom(resolved(wanted, env), texts.subject, env, true);
}

/** `Object.assign(result, wanted)`, `{ ...result, ...wanted }`: the wanted value lies over the actual one. */
function isOverwritten(node: Node | null, expected: string | null, env: Env): boolean {
  if (node?.type === 'ObjectExpression') {
    const last = listAt(node, 'properties').at(-1);
    return last?.type === 'SpreadElement' && print(at(last, 'argument'), env) === expected;
  }
  const callee = node?.type === 'CallExpression' ? bare(at(node, 'callee')) : null;
  const assigns =
    callee?.type === 'MemberExpression' && nameOf(bare(at(callee, 'object'))) === 'Object' && propertyName(callee) === 'assign';
  const last = assigns ? listAt(node, 'arguments').slice(1).at(-1) : undefined;
  return last !== undefined && print(last, env) === expected;
}

/** What both sides are copies of: one value, or one that went through JSON. Copies of an older state are none. */
function sharedOrigin(subject: Node, wanted: Node, env: Env, fresh: Fresh): 'value' | 'data' | null {
  const [left, right] = [originOf(subject, env), originOf(wanted, env)];
  if (left.node === null || left.node !== right.node || left.names.length === 0 || right.names.length === 0) return null;
  if (isConstant(left.node)) return null;
  if (left.steps !== right.steps) return !left.copied && !right.copied && left.inPlace !== right.inPlace ? 'value' : null;
  if (!left.copied && !right.copied) return null;
  if (![left, right].every(({ names }) => names.slice(0, -1).every(fresh))) return null;
  return left.soft || right.soft ? 'data' : 'value';
}

function copiesAlike(subject: Node, wanted: Node, env: Env): boolean {
  const [left, right] = [originOf(subject, env), originOf(wanted, env)];
  return !left.soft && !right.soft && uncopied(left) === uncopied(right);
}

/** `list` is asked for `list[0]`, a text for a piece of itself: of a variable, so that both are one value. */
function isReadOff(asked: Draft, subject: Node, wanted: Node, { subject: text, expected }: Texts, env: Env): boolean {
  if (expected === null || subject.type !== 'Identifier' || asked.suffix !== '') return false;
  if (asked.kind !== 'contain' && asked.kind !== 'match') return false;
  const written = squeeze(env.module.tree.text.slice(wanted.start, wanted.end));
  const name = nameOf(subject);
  const pattern = /^new RegExp\(([\w$]+)\)$/.exec(written)?.[1];
  return pattern === name || (text.includes('(') && new RegExp(`^${escaped(name)}(\\[|\\.(at|slice|substring|substr)\\()`).test(written));
}

function escaped(name: string): string {
  return name.replaceAll('$', '\\$');
}

const COMPLEMENTS: Readonly<Record<string, string>> = { '===': '!==', '==': '!=', '>': '<=', '<': '>=' };

/** A list of values with the actual one in it; an `or` with a `true`, or with a question and its opposite. */
function takesEverything(node: Node, subject: string, env: Env): boolean {
  const inner = bare(node);
  if (/(^|\|\|)true$/.test(print(inner, env))) return true;
  if (inner?.type === 'ArrayExpression')
    return holesAt(inner, 'elements').some((element) => element !== null && !isConstant(element) && print(element, env) === subject);
  const sides = sidesOf(inner);
  const texts = sides.map((side) => print(side, env));
  if (sides.length > 1 && sides.some((side, index) => isConstant(side) && !FALSY.has(texts[index] ?? ''))) return true;
  return sides.some((side, index) => {
    if (side.type === 'UnaryExpression') return texts.includes(print(at(side, 'argument'), env)) && textAt(side, 'operator') === '!';
    const operator = side.type === 'BinaryExpression' ? textAt(side, 'operator') : '';
    const opposite = COMPLEMENTS[operator];
    if (opposite === undefined) return false;
    const [left, right] = [print(at(side, 'left'), env), print(at(side, 'right'), env)];
    return texts.some((text, other) => other !== index && text === `${left}${opposite}${right}`);
  });
}

const FALSY: ReadonlySet<string> = new Set(['null', 'undefined', 'NaN', 'false', '0', '""']);

/** The questions of `a || b || c`. */
function sidesOf(node: Node | null): readonly Node[] {
  const inner = bare(node);
  if (inner === null) return [];
  if (inner.type !== 'LogicalExpression' || textAt(inner, 'operator') !== '||') return [inner];
  return [...sidesOf(at(inner, 'left')), ...sidesOf(at(inner, 'right'))];
}

/** `found ?? wanted`, `found || {}` where anything will do. */
function isFilledIn(asked: Draft, subject: Node, expected: string | null, env: Env): boolean {
  const operator = textAt(subject, 'operator');
  const right = bare(at(subject, 'right'));
  if (operator === '&&' || right === null) return false;
  if (expected !== null) return asked.expected.length === 1 && print(right, env) === expected;
  const there = isConstant(right) && !FALSY.has(print(right, env));
  return there && (asked.kind === 'exists' || (asked.kind === 'truthy' && operator === '||'));
}

/** Two names for one value: the one was assigned from the other. */
function isOneValue(left: Node, right: Node, env: Env): boolean {
  const names = [nameOf(left), nameOf(right)] as const;
  if (names[0] === '' || names[1] === '' || names[0] === names[1]) return false;
  const value = env.find(names[0]);
  if (value?.node === undefined || value.node === null || value.row === true || value !== env.find(names[1])) return false;
  const { tree } = env.module;
  return !isMoved(tree, names[0], left.start, left.end) && !isMoved(tree, names[1], right.start, right.end);
}

function isAwaited(node: Node | null): boolean {
  return bare(node)?.type === 'AwaitExpression';
}

function writtenAlike(left: Node, right: Node, env: Env): boolean {
  const { text } = env.module.tree;
  return squeeze(text.slice(left.start, left.end)) === squeeze(text.slice(right.start, right.end));
}

/** Two variables were filled on purpose; one that was filled before other calls may hold an older state. */
function sameMoment(subject: Node, wanted: Node, env: Env, fresh: Fresh): boolean {
  const names = [nameOf(subject), nameOf(wanted)];
  if (names[0] !== '' && names[1] !== '' && names[0] !== names[1]) {
    const other = resolved(wanted, env);
    if (other === null || other.type === 'CallExpression' || other.type === 'NewExpression' || other.type === 'AwaitExpression')
      return false;
  }
  const used = [subject, wanted].flatMap((node) => [...descend(node)].map(nameOf)).filter((name) => name !== '');
  return used.every((name) => fresh(name) || !isHeld(env, name));
}

/** A variable that holds what a call gave back. */
function isHeld(env: Env, name: string): boolean {
  const value = env.find(name);
  if (value === null || value.source !== undefined || value.named === true || value.text !== undefined || value.row === true) return false;
  return settled(value.node)?.type !== 'NewExpression';
}

function holds(asked: Draft, subject: Node | null): boolean {
  const value = isLiteral(subject) ? subject['value'] : true;
  if (asked.kind === 'truthy') return Boolean(value);
  if (asked.kind === 'falsy') return !value;
  if (asked.kind === 'exists') return value !== null;
  if (asked.kind === 'type' || asked.kind === 'range' || asked.kind === 'size') return true;
  const wanted = bare(asked.expected[0] ?? null);
  if (asked.constant !== null) return asked.constant === String(value);
  if (isLiteral(subject) && isLiteral(wanted)) return subject['value'] === wanted['value'];
  return wanted !== null && isConstant(wanted) && !isLiteral(subject);
}

/** `x.length >= 0`, `typeof x` that is there at all. */
function alwaysThere(asked: Draft, subject: Node): boolean {
  const name = subject.type === 'MemberExpression' ? propertyName(subject) : '';
  if (asked.kind === 'range' && (name === 'length' || name === 'size')) {
    const bound = bare(asked.expected[0] ?? null);
    const operator = rangeOperator(asked.matcher);
    const value = isLiteral(bound) ? Number(bound['value']) : bound?.type === 'UnaryExpression' ? -1 : null;
    return (operator === '>=' && value !== null && value <= 0) || (operator === '>' && value !== null && value < 0);
  }
  const typed = subject.type === 'UnaryExpression' && subject['operator'] === 'typeof';
  return typed && (asked.kind === 'exists' || asked.kind === 'truthy');
}

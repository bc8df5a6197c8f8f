// Checks that ask nothing of the code: of a variable that holds a constant of the test, of a choice whose ways are alike, of a throw that
// the test does itself. Other ways in which a check cannot fail are javascript/assertion.ts's.

import { NEVER_FREE, OWN_CONSTANT, type Span } from '../facts.js';
import type { Draft } from './checks.js';
import { givingsOf, isMoved } from './givings.js';
import { filledFrom, ownConstant } from './own-values.js';
import { print } from './print.js';
import { isConstant } from './questions.js';
import type { Env } from './scope.js';
import { at, bare, isFunction, isLiteral, listAt, nameOf, propertyName, settled, textAt } from './tree.js';
import type { Node, Tree } from './tree.js';

/** Why the check asks a constant of the test alone, else null. */
export function ownAnswer(asked: Draft, env: Env, span: Span): string | null {
  if (asked.suffix !== '') return null;
  if (asked.kind === 'throws') return throwsItself(asked.subject, env) ? 'the test itself throws what it wants' : null;
  const subject = settled(asked.subject);
  if (subject === null) return null;
  if (asked.kind === 'silent') return doesNothing(subject) ? 'a function that does nothing cannot fail' : null;
  if (NEVER_FREE.has(asked.kind) || asked.expected.length > 1) return null;
  const own = ownConstant(subject, env, span);
  if (own !== null && (asked.kind !== 'equal' || print(own.node, own.env) === wantedText(asked, env))) return OWN_CONSTANT;
  const taken = asked.kind === 'equal' && asked.expected[0] !== undefined ? filledFrom(subject, asked.expected[0], env, span) : null;
  if (taken === 'all') return 'the wanted value is read off the actual one';
  return asked.kind === 'equal' ? plainAnswer(asked, subject, env, span) : null;
}

function wantedText(asked: Draft, env: Env): string {
  return asked.constant ?? print(asked.expected[0] ?? null, env);
}

function plainAnswer(asked: Draft, subject: Node, env: Env, span: Span): string | null {
  const wanted = asked.constant ?? plainText(bare(asked.expected[0] ?? null), env, span);
  if (wanted === null) return null;
  if (subject.type === 'ConditionalExpression') {
    const ways = [at(subject, 'consequent'), at(subject, 'alternate')].map((way) => plainText(bare(way), env, span));
    return ways.every((way) => way === wanted) ? 'both ways of the choice give the wanted value' : null;
  }
  if (subject.type === 'SequenceExpression')
    return plainText(bare(listAt(subject, 'expressions').at(-1) ?? null), env, span) === wanted ? OWN_CONSTANT : null;
  if (subject.type === 'BinaryExpression' && wanted === '0' && textAt(subject, 'operator') === '-')
    return print(at(subject, 'left'), env) === print(at(subject, 'right'), env) ? 'both sides are the same' : null;
  return subject.type === 'Identifier' && plainText(subject, env, span) === wanted ? OWN_CONSTANT : null;
}

/** `() => {}`, `() => undefined`. */
function doesNothing(node: Node): boolean {
  if (!isFunction(node)) return false;
  const body = at(node, 'body');
  return body?.type === 'BlockStatement' ? listAt(body, 'body').length === 0 : isConstant(body);
}

/** The text of a plain value, also of a variable that holds nothing else where the check stands. */
function plainText(node: Node | null, env: Env, span: Span): string | null {
  if (node?.type === 'Identifier' && nameOf(node) !== 'undefined') {
    const value = env.find(nameOf(node));
    const held = value === null || value.row === true || value.source !== undefined ? null : bare(value.node);
    if (value === null || held === null || value.env.module !== env.module || span.file !== env.module.tree.file) return null;
    if (!isPlain(held) || isMoved(env.module.tree, nameOf(node), span.from, span.to)) return null;
    return isSettled(env.module.tree, nameOf(node), held, span) ? print(held, env) : null;
  }
  return isPlain(node) ? print(node, env) : null;
}

/** A number, a text, a boolean: what nobody can change from outside. */
function isPlain(node: Node | null): boolean {
  if (node?.type === 'UnaryExpression') return textAt(node, 'operator') === '-' && isLiteral(bare(at(node, 'argument')));
  return isLiteral(node) && (node['regex'] === undefined || node['regex'] === null);
}

/** The variable was last given `held`, in a block around the check, and nothing gives it another value later or from elsewhere. */
function isSettled(tree: Tree, name: string, held: Node, span: Span): boolean {
  const around = (givingsOf(tree).get(name) ?? []).filter(({ block }) => block.start <= span.from && span.to <= block.end);
  const home = around.findLast(({ declares }) => declares);
  if (home === undefined) return false;
  const all = (givingsOf(tree).get(name) ?? []).filter(({ block }) => block.start >= home.block.start && block.end <= home.block.end);
  const last = all.at(-1);
  return last?.value === held && held.end <= span.from && all.every((one) => around.includes(one));
}

/** `() => { throw new SyntaxError('x') }`, `Promise.reject(new Error('x'))`: errors of the language, which no code under test made. */
function throwsItself(subject: Node | null, env: Env): boolean {
  const inner = settled(subject);
  if (inner?.type === 'CallExpression') {
    const callee = bare(at(inner, 'callee'));
    const rejects =
      callee?.type === 'MemberExpression' && nameOf(bare(at(callee, 'object'))) === 'Promise' && propertyName(callee) === 'reject';
    if (rejects) return isBuiltInError(listAt(inner, 'arguments')[0] ?? null, env);
    return isFunction(callee) && throwsItself(callee, env);
  }
  if (!isFunction(inner)) return false;
  const statements = listAt(at(inner, 'body'), 'body');
  const thrown = statements.find(({ type }) => type === 'ThrowStatement');
  if (thrown === undefined) return false;
  const error = bare(at(thrown, 'argument'));
  // What is thrown behind a call is there for the call that should have thrown.
  const behind = statements.some((one) => one.type === 'ExpressionStatement' && settled(at(one, 'expression'))?.type === 'CallExpression');
  return isBuiltInError(error, env) || (behind && error?.type === 'NewExpression');
}

function isBuiltInError(node: Node | null, env: Env): boolean {
  const made = bare(node);
  if (made?.type !== 'NewExpression' && made?.type !== 'CallExpression') return false;
  const name = nameOf(bare(at(made, 'callee')));
  return (
    /^(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/.test(name) &&
    env.find(name) === null &&
    listAt(made, 'arguments').every(isPlain)
  );
}

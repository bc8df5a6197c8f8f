// Small questions about calls and functions: what they start with, and whether they answer the same whatever they are given.

import { squeeze } from './print.js';
import type { Module } from './scope.js';
import { at, bare, descend, isFunction, isLiteral, keyName, listAt, nameOf, soleExpression, textAt } from './tree.js';
import type { Node } from './tree.js';

/** The name that a chain of members and calls starts with. */
export function rootName(node: Node | null): string {
  let inner = bare(node);
  for (let depth = 0; depth < 50 && inner !== null && inner.type !== 'Identifier'; depth += 1) {
    inner = bare(at(inner, inner.type === 'MemberExpression' ? 'object' : 'callee'));
  }
  return nameOf(inner);
}

export function calleeText(call: Node, module: Module): string {
  const callee = at(call, 'callee');
  return callee === null ? '' : squeeze(module.tree.text.slice(callee.start, callee.end));
}

/** Functions that answer the same whatever they are given. */
export function givesConstant(node: Node): boolean {
  for (const below of descend(node)) {
    if (!isFunction(below)) continue;
    const only = bare(soleExpression(at(below, 'body')));
    if (isLiteral(only) && only['value'] !== false && only['value'] !== null) return true;
  }
  return false;
}

/** Functions that answer `true` out of hand in some case: a tester of equality compares, or leaves it to others. */
export function saysYes(node: Node): boolean {
  const isYes = (answer: Node | null): boolean => {
    const inner = bare(answer);
    return isLiteral(inner) && inner['value'] === true;
  };
  for (const below of descend(node)) {
    if (below.type === 'ConditionalExpression' && (isYes(at(below, 'consequent')) || isYes(at(below, 'alternate')))) return true;
    if (below.type === 'ReturnStatement' && isYes(at(below, 'argument'))) return true;
  }
  return false;
}

/** A matcher of the project that answers `pass: true` whatever it is given. */
export function alwaysPasses(node: Node | null): boolean {
  if (node === null) return false;
  const answers = [...descend(node)].filter((below) => below.type === 'Property' && keyName(below) === 'pass');
  return answers.length > 0 && answers.every(isPass);
}

function isPass(answer: Node): boolean {
  const value = bare(at(answer, 'value'));
  const last = value?.type === 'LogicalExpression' && textAt(value, 'operator') === '||' ? bare(at(value, 'right')) : value;
  return isLiteral(last) && last['value'] === true;
}

/** An `assert` of the project that throws where its first argument does not hold. */
export function throwsUnless(node: Node | null): boolean {
  const [held] = isFunction(node) ? listAt(node, 'params') : [];
  const name = nameOf(held ?? null);
  if (node === null || name === '') return false;
  return [...descend(node)].some((below) => {
    const test = below.type === 'IfStatement' ? bare(at(below, 'test')) : null;
    const refused = test?.type === 'UnaryExpression' && textAt(test, 'operator') === '!' && nameOf(bare(at(test, 'argument'))) === name;
    const then = at(below, 'consequent');
    return refused && then !== null && [...descend(then)].some(({ type }) => type === 'ThrowStatement');
  });
}

/** A listener that checks ask about: a spy, or a function that writes into what is asked about. */
export function isAskedAbout(listener: Node | null, text: string): boolean {
  const inner = bare(listener);
  const written = [...(isFunction(inner) ? descend(inner) : [])].map((node) =>
    rootName(node.type === 'AssignmentExpression' ? at(node, 'left') : node.type === 'CallExpression' ? at(node, 'callee') : null),
  );
  const names = [nameOf(inner), ...written].filter((name) => /^[\w$]+$/.test(name));
  return names.some((name) => new RegExp(`\\b(expect|assert[\\w.]*)\\(\\s*${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text));
}

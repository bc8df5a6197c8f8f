// Names and specifiers that a piece of syntax holds by itself: of patterns, declarations, imports and makers of doubles. What they stand for
// is javascript/scope.ts's to follow.

import { at, bare, isFunction, isLiteral, listAt, nameOf, ownNodes, propertyName, settled, textAt } from './tree.js';
import type { Node } from './tree.js';

/** Makers of functions that record their calls: what they give is known by its name. */
const MAKERS: ReadonlySet<string> = new Set(['fn', 'spyOn', 'spy', 'stub', 'fake', 'mock', 'mocked', 'method', 'createSpy', 'replace']);

export function isMaker(node: Node): boolean {
  let inner: Node | null = settled(node);
  for (let depth = 0; depth < 8 && inner?.type === 'CallExpression'; depth += 1) {
    const callee = bare(at(inner, 'callee'));
    if (callee?.type !== 'MemberExpression') return false;
    if (MAKERS.has(propertyName(callee)) && bare(at(callee, 'object'))?.type !== 'CallExpression') return true;
    inner = bare(at(callee, 'object'));
  }
  return false;
}

/** `require('x')` or `await import('x')`: the specifier. */
export function importedBy(node: Node | null): string | null {
  const inner = settled(node);
  if (inner?.type === 'ImportExpression') return literalText(at(inner, 'source'));
  if (inner?.type !== 'CallExpression' || nameOf(at(inner, 'callee')) !== 'require') return null;
  return literalText(listAt(inner, 'arguments')[0] ?? null);
}

function literalText(node: Node | null): string | null {
  return isLiteral(node) && typeof node['value'] === 'string' ? node['value'] : null;
}

export function declaredNames(statement: Node): readonly string[] {
  if (statement.type === 'VariableDeclaration') {
    return listAt(statement, 'declarations').flatMap((declarator) => patternNames(at(declarator, 'id')));
  }
  const name = nameOf(at(statement, 'id'));
  return name === '' ? [] : [name];
}

export function patternNames(pattern: Node | null): readonly string[] {
  if (pattern === null) return [];
  if (pattern.type === 'Identifier') return [nameOf(pattern)];
  if (pattern.type === 'AssignmentPattern') return patternNames(at(pattern, 'left'));
  if (pattern.type === 'RestElement') return patternNames(at(pattern, 'argument'));
  if (pattern.type === 'ArrayPattern') return listAt(pattern, 'elements').flatMap(patternNames);
  if (pattern.type === 'TSParameterProperty') return patternNames(at(pattern, 'parameter'));
  return listAt(pattern, 'properties').flatMap((property) => patternNames(property.type === 'Property' ? at(property, 'value') : property));
}

/** The function of a hook that runs around tests. */
export function hookOf(statement: Node): { readonly name: string; readonly fn: Node } | null {
  const call = statement.type === 'ExpressionStatement' ? settled(at(statement, 'expression')) : null;
  const name = call?.type === 'CallExpression' ? nameOf(bare(at(call, 'callee'))) : '';
  const fn = /^(before|after|setup|teardown)/.test(name) ? listAt(call, 'arguments').map(bare).find(isFunction) : undefined;
  return fn === undefined ? null : { name, fn };
}

/** What a hook that runs before tests puts into variables. */
export function hookAssignments(statement: Node): readonly { readonly name: string; readonly right: Node }[] {
  const hook = hookOf(statement);
  if (hook === null || !/^(before|setup)/.test(hook.name)) return [];
  return [...ownNodes(hook.fn)].flatMap((node) => {
    if (node.type !== 'AssignmentExpression' || textAt(node, 'operator') !== '=') return [];
    const [left, right] = [at(node, 'left'), at(node, 'right')];
    return left?.type === 'Identifier' && right !== null ? [{ name: nameOf(left), right }] : [];
  });
}

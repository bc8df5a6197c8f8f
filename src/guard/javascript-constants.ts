// Checks that ask nothing of the code: of a variable that holds a constant of the test, of a choice whose ways are alike, of a throw that
// the test does itself. Other ways in which a check cannot fail are javascript-assertion.ts's.

import type { Span } from './facts.js';
import type { Draft } from './javascript-checks.js';
import { patternNames } from './javascript-names.js';
import { print } from './javascript-print.js';
import type { Env } from './javascript-scope.js';
import { at, bare, childrenOf, isFunction, isLiteral, listAt, nameOf, propertyName, settled, textAt } from './javascript-tree.js';
import type { Node, Tree } from './javascript-tree.js';

/** Why the check asks a constant of the test alone, else null. */
export function ownAnswer(asked: Draft, env: Env, span: Span): string | null {
  if (asked.suffix !== '') return null;
  if (asked.kind === 'throws') return throwsItself(asked.subject, env) ? 'the test itself throws what it wants' : null;
  const subject = settled(asked.subject);
  if (asked.kind !== 'equal' || subject === null) return null;
  const wanted = asked.constant ?? plainText(bare(asked.expected[0] ?? null), env, span);
  if (wanted === null || asked.expected.length > 1) return null;
  if (subject.type === 'ConditionalExpression') {
    const ways = [at(subject, 'consequent'), at(subject, 'alternate')].map((way) => plainText(bare(way), env, span));
    return ways.every((way) => way === wanted) ? 'both ways of the choice give the wanted value' : null;
  }
  if (subject.type === 'SequenceExpression')
    return plainText(bare(listAt(subject, 'expressions').at(-1) ?? null), env, span) === wanted
      ? 'its value is a constant of the test'
      : null;
  return subject.type === 'Identifier' && plainText(subject, env, span) === wanted ? 'its value is a constant of the test' : null;
}

/** The text of a plain value, also of a variable that holds nothing else where the check stands. */
function plainText(node: Node | null, env: Env, span: Span): string | null {
  if (node?.type === 'Identifier' && nameOf(node) !== 'undefined') {
    const value = env.find(nameOf(node));
    const held = value === null || value.row === true || value.source !== undefined ? null : bare(value.node);
    if (value === null || held === null || value.env.module !== env.module || span.file !== env.module.tree.file) return null;
    return isPlain(held) && isSettled(env.module.tree, nameOf(node), held, span) ? print(held, env) : null;
  }
  return isPlain(node) ? print(node, env) : null;
}

/** A number, a text, a boolean: what nobody can change from outside. */
function isPlain(node: Node | null): boolean {
  if (node?.type === 'UnaryExpression') return textAt(node, 'operator') === '-' && isLiteral(bare(at(node, 'argument')));
  return isLiteral(node) && (node['regex'] === undefined || node['regex'] === null);
}

/** Where a variable is given a value: the block around, and the value where it is given as a whole. */
interface Giving {
  readonly block: Node;
  readonly value: Node | null;
  readonly declares: boolean;
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

const known = new WeakMap<Tree, ReadonlyMap<string, readonly Giving[]>>();

/** All places of a file where variables are given values, in the order they are written. */
function givingsOf(tree: Tree): ReadonlyMap<string, readonly Giving[]> {
  const before = known.get(tree);
  if (before !== undefined) return before;
  const found = new Map<string, Giving[]>();
  const open: (readonly [Node, Node])[] = [[tree.program, tree.program]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, outer] = next;
    const block = BLOCKS.has(node.type) || isFunction(node) ? node : outer;
    const { names, value } = given(node);
    for (const name of names) {
      const list = found.get(name) ?? [];
      list.push({ block, value, declares: node.type === 'VariableDeclarator' });
      found.set(name, list);
    }
    for (const child of childrenOf(node).toReversed()) open.push([child, block]);
  }
  known.set(tree, found);
  return found;
}

/** What need not run, or runs again, is a block of its own, braces or not. */
const BLOCKS: ReadonlySet<string> = new Set([
  'BlockStatement',
  'StaticBlock',
  'SwitchStatement',
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'ConditionalExpression',
  'LogicalExpression',
]);

function given(node: Node): { readonly names: readonly string[]; readonly value: Node | null } {
  if (node.type === 'VariableDeclarator') {
    const id = at(node, 'id');
    return { names: patternNames(id), value: id?.type === 'Identifier' ? bare(at(node, 'init')) : null };
  }
  if (node.type === 'AssignmentExpression') {
    const left = bare(at(node, 'left'));
    const whole = left?.type === 'Identifier' && textAt(node, 'operator') === '=';
    return { names: left?.type === 'MemberExpression' ? [] : patternNames(left), value: whole ? bare(at(node, 'right')) : null };
  }
  if (node.type === 'UpdateExpression') return { names: [nameOf(bare(at(node, 'argument')))], value: null };
  if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') {
    const left = at(node, 'left');
    return { names: left?.type === 'Identifier' || left?.type.endsWith('Pattern') === true ? patternNames(left) : [], value: null };
  }
  return { names: [], value: null };
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
  const [first, ...more] = listAt(at(inner, 'body'), 'body');
  return first?.type === 'ThrowStatement' && more.length === 0 && isBuiltInError(at(first, 'argument'), env);
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

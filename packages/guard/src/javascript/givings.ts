// Where variables of a file are given values, and which of them others than the test's own lines give one: callbacks, hooks, handlers.

import { patternNames } from './names.js';
import { at, bare, childrenOf, isFunction, nameOf, pushTurned, textAt } from './tree.js';
import type { Node, Tree } from './tree.js';

/** Where a variable is given a value: the block and the function around, and the value where it is given as a whole. */
export interface Giving {
  readonly block: Node;
  readonly fn: Node;
  readonly from: number;
  readonly value: Node | null;
  readonly declares: boolean;
}

/**
 * The variable that is asked about from `from` to `to` may hold another value than the lines above it say: a function within the one that
 * declares it gives it values, or it is given several and asked about in such a function; or one of them under a condition, or further down.
 */
export function isMoved(tree: Tree, name: string, from: number, to: number): boolean {
  const givings = givingsOf(tree).get(name) ?? [];
  if (givings.length < 2) return false;
  const home = givings.findLast(({ declares, block }) => declares && block.start <= from && to <= block.end);
  if (home === undefined) return false;
  const within = ({ block }: Giving) => home.block.start <= block.start && block.end <= home.block.end;
  const own = givings.filter((giving) => giving === home || (!giving.declares && within(giving)));
  if (own.length < 2) return false;
  const apart = ({ fn, block, from: start }: Giving) => fn !== home.fn || start > from || !(block.start <= from && to <= block.end);
  return own.some(apart) || functionAround(home.fn, from, to) !== home.fn;
}

/** The innermost function below `outer` that holds the place; `outer` where there is none. */
function functionAround(outer: Node, from: number, to: number): Node {
  let [inner, current]: [Node, Node | undefined] = [outer, outer];
  while (current !== undefined) {
    current = childrenOf(current).find((child) => child.start <= from && to <= child.end);
    if (current !== undefined && isFunction(current)) inner = current;
  }
  return inner;
}

const known = new WeakMap<Tree, ReadonlyMap<string, readonly Giving[]>>();

/** All places of a file where variables are given values, in the order they are written. */
export function givingsOf(tree: Tree): ReadonlyMap<string, readonly Giving[]> {
  const before = known.get(tree);
  if (before !== undefined) return before;
  const found = new Map<string, Giving[]>();
  // Beside each node that is open the block and the function around it.
  const [open, blocks, functions]: [Node[], Node[], Node[]] = [[tree.program], [tree.program], [tree.program]];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const outer = blocks.pop() as Node;
    const around = functions.pop() as Node;
    const fn = isFunction(node) ? node : around;
    const block = fn === node || BLOCKS.has(node.type) ? node : outer;
    const { names, value } = given(node);
    for (const name of names) {
      const list = found.get(name) ?? [];
      list.push({ block, fn, from: node.start, value, declares: node.type === 'VariableDeclarator' });
      found.set(name, list);
    }
    pushTurned(node, open);
    while (blocks.length < open.length) {
      blocks.push(block);
      functions.push(fn);
    }
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
  return NOTHING;
}

const NOTHING: ReturnType<typeof given> = { names: [], value: null };

// Whether a function of the tests has no effects, and whether a list or object that they hold is changed somewhere: what may be worked
// out by javascript/working-out.ts. Both are asked often, and kept.

import { at, bare, descend, listAt, nameOf } from './tree.js';
import type { Node, Tree } from './tree.js';
import { follow } from './scope.js';
import type { Env } from './scope.js';

const pure = new WeakMap<Node, boolean>();
const EFFECTS =
  /^(?:Await|Yield|Assignment|Update|This|TaggedTemplate|Import|Sequence)Expression$|^(?:Throw|Try|While|DoWhile|For|ForOf|ForIn|Switch|Expression)Statement$|^(?:JSX|Class)/;

/** Nothing in the function is of a kind that is not followed; most helpers of tests call what is tested. */
export function isPure(fn: Node, env: Env): boolean {
  const known = pure.get(fn);
  if (known !== undefined) return known;
  let found = true;
  for (const node of descend(fn)) {
    if (EFFECTS.test(node.type) || (node.type === 'CallExpression' && isImported(bare(at(node, 'callee')), env))) {
      found = false;
      break;
    }
  }
  pure.set(fn, found);
  return found;
}

function isImported(callee: Node | null, env: Env): boolean {
  const value = callee?.type === 'Identifier' ? env.find(nameOf(callee)) : null;
  return value?.source !== undefined && follow(value) === null;
}

const changing = new WeakMap<Tree, Map<string, boolean>>();

/** A list or object that is filled or changed somewhere: what it holds depends on when it is looked at. */
export function isChanging(node: Node, name: string, tree: Tree): boolean {
  if (node.type !== 'ArrayExpression' && node.type !== 'ObjectExpression') return false;
  if (listAt(node, node.type === 'ArrayExpression' ? 'elements' : 'properties').length === 0) return true;
  const known = changing.get(tree) ?? new Map<string, boolean>();
  changing.set(tree, known);
  const told = known.get(name) ?? changes(name, tree.text);
  known.set(name, told);
  return told;
}

function changes(name: string, text: string): boolean {
  for (let from = text.indexOf(name); from >= 0; from = text.indexOf(name, from + 1)) {
    if (/[\w$.]/.test(text[from - 1] ?? '')) continue;
    if (CHANGE.test(text.slice(from + name.length, from + name.length + 60))) return true;
  }
  return false;
}

const CHANGE =
  /^(?:\.(?:push|unshift|splice|pop|shift|sort|reverse|fill|copyWithin)\(|(?:\.[\w$]+|\[[^\]\n]*\])+\s*(?:[-+*/|&?]{0,2}=(?![=>])|\+\+|--))/;

// Python expressions made of literals alone, and whether they count as true.

import type { Expr } from './tree.js';

/** Made of literals alone. */
export function isConstant(node: Expr | null): boolean {
  if (node === null) return false;
  switch (node.type) {
    case 'Number':
    case 'String':
    case 'Constant':
      return true;
    case 'Unary':
      return isConstant(node.operand);
    case 'List':
    case 'Tuple':
    case 'Set':
      return node.items.every(isConstant);
    case 'Dict':
      return node.entries.every(({ key, value }) => isConstant(key) && isConstant(value));
    case 'Binary':
      return isConstant(node.left) && isConstant(node.right);
    case 'Compare':
      return isConstant(node.left) && node.rights.every(isConstant);
    case 'Attribute':
    case 'Await':
    case 'Bool':
    case 'Call':
    case 'Comprehension':
    case 'Conditional':
    case 'Format':
    case 'Lambda':
    case 'Name':
    case 'Named':
    case 'Slice':
    case 'Star':
    case 'Subscript':
    case 'Unknown':
    case 'Yield':
      return false;
  }
}

/** Whether a constant counts as true. */
export function isTrue(node: Expr): boolean {
  switch (node.type) {
    case 'Number':
      return Number(node.text) !== 0;
    case 'String':
      return node.value !== '';
    case 'Constant':
      return node.name === 'True' || node.name === '...';
    case 'List':
    case 'Tuple':
    case 'Set':
      return node.items.length > 0;
    case 'Dict':
      return node.entries.length > 0;
    case 'Unary':
      return node.op === 'not' ? !isTrue(node.operand) : true;
    case 'Attribute':
    case 'Await':
    case 'Binary':
    case 'Bool':
    case 'Call':
    case 'Compare':
    case 'Comprehension':
    case 'Conditional':
    case 'Format':
    case 'Lambda':
    case 'Name':
    case 'Named':
    case 'Slice':
    case 'Star':
    case 'Subscript':
    case 'Unknown':
    case 'Yield':
      return true;
  }
}

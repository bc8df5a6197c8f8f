// Walks the tree of our Python parser.

import type { Expr, Stmt } from '@umpire/guard/syntax/python/parser/tree.js';

const STATEMENTS: ReadonlySet<string> = new Set(
  'Expression Assign Update Return Raise Assert Delete If While For Try With Match Import Pass Break Continue Other Function Class'.split(
    ' ',
  ),
);

export function isStatement(node: Expr | Stmt): node is Stmt {
  return STATEMENTS.has(node.type);
}

/** Nodes and all below them, outer ones first. `below`: what of a node is walked; by default everything. */
export function walkTree(value: unknown, below: (node: Expr | Stmt) => unknown = (node) => Object.values(node)): readonly (Expr | Stmt)[] {
  if (Array.isArray(value)) return value.flatMap((item) => walkTree(item, below));
  if (typeof value !== 'object' || value === null) return [];
  if (!('type' in value)) return walkTree(Object.values(value), below);
  return [value as Expr | Stmt, ...walkTree(below(value as Expr | Stmt), below)];
}

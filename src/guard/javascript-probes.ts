// Statements that are there for the compiler alone: it must refuse them. `@ts-expect-error` over one is the check itself.

import { at, bare, descend, listAt, nameOf } from './javascript-tree.js';
import type { Node, Tree } from './javascript-tree.js';

/** A file that asks about types by name: only there an expected error is known to be meant as a check. */
const ASKS_TYPES = /\b(expectTypeOf|assertType|expectType|expectAssignable)\b/;

const CHECKING = /^(expect|assert|should|t)$/;

/** Where comments end that stand over such a statement. */
export function probesOf(tree: Tree): ReadonlySet<number> {
  const ends = new Set<number>();
  if (!ASKS_TYPES.test(tree.text)) return ends;
  for (const block of descend(tree.program)) {
    if (block.type !== 'BlockStatement') continue;
    const statements = listAt(block, 'body');
    for (const [index, statement] of statements.entries()) {
      const expression = statement.type === 'ExpressionStatement' ? bare(at(statement, 'expression')) : null;
      if (expression === null || !isProbe(expression, statements, index, tree)) continue;
      const from = statements[index - 1]?.end ?? block.start;
      for (const comment of tree.comments) if (comment.start >= from && comment.end <= statement.start) ends.add(comment.end);
    }
  }
  return ends;
}

/** Its value is dropped, it asserts nothing, and what it may do to variables of the test is not looked at afterwards. */
function isProbe(expression: Node, statements: readonly Node[], index: number, tree: Tree): boolean {
  if (!['CallExpression', 'NewExpression', 'MemberExpression'].includes(expression.type)) return false;
  const names = new Set([...descend(expression)].map(nameOf).filter((name) => name !== ''));
  if ([...names].some((name) => CHECKING.test(name))) return false;
  const own = statements
    .slice(0, index)
    .flatMap(declared)
    .filter((name) => names.has(name));
  const rest = tree.text.slice(expression.end, statements.at(-1)?.end ?? expression.end);
  return !own.some((name) => new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(rest));
}

function declared(statement: Node): readonly string[] {
  return listAt(statement, 'declarations').flatMap((declaration) => {
    const pattern = at(declaration, 'id');
    return pattern === null ? [] : [...descend(pattern)].map(nameOf).filter((name) => name !== '');
  });
}

// Statements that are there for the compiler alone: it must refuse them. `@ts-expect-error` over one is the check itself.

import { at, bare, descend, isFunction, listAt, nameOf, nodesOf, propertyName } from './tree.js';
import type { Node, Tree } from './tree.js';

/** A file that asks about types by name: only there an expected error is known to be meant as a check. */
const ASKS_TYPES = /\b(expectTypeOf|assertType|expectType|expectAssignable)\b/;

const CHECKING = /^(expect|assert|should|t)$/;

/** Where comments end that stand over such a statement, or over a part of it. */
export function probesOf(tree: Tree): ReadonlySet<number> {
  const ends = new Set<number>();
  if (!ASKS_TYPES.test(tree.text)) return ends;
  for (const block of nodesOf(tree)) {
    if (block.type !== 'BlockStatement') continue;
    const statements = listAt(block, 'body');
    for (const [index, statement] of statements.entries()) {
      const from = statements[index - 1]?.end ?? block.start;
      const above = tree.comments.filter(
        (comment) => comment.start >= from && comment.end <= statement.end && EXPECTED.test(comment.value),
      );
      if (above.length > 0 && isProbe(statement, statements, index, tree)) for (const comment of above) ends.add(comment.end);
    }
  }
  return ends;
}

/** Its value is dropped or must not come about, and what it may do to variables of the test is not looked at afterwards. */
function isProbe(statement: Node, statements: readonly Node[], index: number, tree: Tree): boolean {
  const expression = statement.type === 'ExpressionStatement' ? bare(at(statement, 'expression')) : null;
  if (expression !== null && mustThrow(expression)) return true;
  const made = statement.type === 'VariableDeclaration' ? declared(statement) : [];
  if (made.length === 0 && !['CallExpression', 'NewExpression', 'MemberExpression'].includes(expression?.type ?? '')) return false;
  const names = new Set([...descend(statement)].map(nameOf).filter((name) => name !== ''));
  if ([...names].some((name) => CHECKING.test(name))) return false;
  const own = [
    ...made,
    ...statements
      .slice(0, index)
      .flatMap(declared)
      .filter((name) => names.has(name)),
  ];
  if (own.length === 0) return true;
  const rest = statements.slice(index + 1).filter((later, after) => !isRefused(later, statements[index + after]?.end ?? 0, tree));
  const text = rest.map(({ start, end }) => tree.text.slice(start, end)).join('\n');
  return !own.some((name) => new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text));
}

const EXPECTED = /^[\s*/]*@ts-expect-error\b/;

/** The compiler must refuse the statement as well. */
function isRefused({ start }: Node, from: number, { comments }: Tree): boolean {
  return comments.some((comment) => comment.start >= from && comment.end <= start && EXPECTED.test(comment.value));
}

/** `expect(() => f(wrong)).toThrow()`: what the compiler refuses is refused at run time too. */
function mustThrow(expression: Node): boolean {
  const callee = expression.type === 'CallExpression' ? bare(at(expression, 'callee')) : null;
  const asked = callee?.type === 'MemberExpression' && /^toThrow(Error)?$/.test(propertyName(callee)) ? bare(at(callee, 'object')) : null;
  const [refused = null] =
    asked?.type === 'CallExpression' && nameOf(bare(at(asked, 'callee'))) === 'expect' ? listAt(asked, 'arguments') : [];
  return isFunction(bare(refused));
}

function declared(statement: Node): readonly string[] {
  return listAt(statement, 'declarations').flatMap((declaration) => {
    const pattern = at(declaration, 'id');
    return pattern === null ? [] : [...descend(pattern)].map(nameOf).filter((name) => name !== '');
  });
}

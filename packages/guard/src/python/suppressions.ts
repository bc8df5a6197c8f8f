// Comments and types in Python that keep a tool from looking: the type checker, a linter, the coverage report.

import type { SuppressionFact } from '../facts.js';
import type { Expr, Stmt, Tree } from './tree.js';
import { descend, dotted, expressionsIn, lastName, spanOf, statementsIn } from './tree.js';

const KINDS: readonly (readonly [RegExp, SuppressionFact['kind']])[] = [
  [
    /^type:\s*ignore\b|^(pyright|pyre|ty|pyrefly|zuban):\s*(ignore|basic|strict=false)|^pyrefly:\s*ignore-errors|^mypy:\s*(ignore|disable|allow)|^pyre-(ignore|fixme)|^pytype:\s*(disable|skip)/i,
    'type',
  ],
  [
    /^noqa\b|^(flake8|ruff|isort|pydocstyle|pycodestyle):\s*(noqa|skip|skip_file|skip-file|off)|^ruff:\s*disable|^pylint:\s*(disable|skip)|^nosec\b|^bandit:|^NOSONAR\b|^lint:\s*ignore/i,
    'lint',
  ],
  [/^pragma:?\s*(no\s*cover|no\s*branch|nocover)/i, 'coverage'],
];

export function suppressionsOf(tree: Tree): readonly SuppressionFact[] {
  const facts: SuppressionFact[] = [];
  for (const comment of tree.comments) {
    for (const piece of comment.value.split('#')) {
      const words = piece.replace(/\s+/g, ' ').trim();
      const kind = KINDS.find(([pattern]) => pattern.test(words))?.[1];
      if (kind !== undefined) facts.push({ kind, key: keyOf(words), span: spanOf(tree, comment.start, comment.end) });
    }
  }
  if (!/\bAny\b|no_type_check/.test(tree.text)) return facts;
  return [...facts, ...anyUses(tree)];
}

/** The codes that are switched off, without what is said beside them. */
function keyOf(words: string): string {
  const head =
    /^[\w: -]*?(?:ignore|noqa|disable(?:-next|-line|-error-code)?|no cover|no branch|nosec|skip(?:-file|_file)?)\b(?:\s*[:=]?\s*(?:\[[\w\-, ]*\]|[A-Z]+[0-9]+(?:[, ]+[A-Z]+[0-9]+)*|=\s*[\w\-, ]+))?/i.exec(
      words,
    );
  return (head?.[0] ?? words).replace(/\s+/g, '').toLowerCase();
}

/** Places where a value may be anything: a type that is `Any` itself, and casts to it. */
function anyUses(tree: Tree): readonly SuppressionFact[] {
  const found: SuppressionFact[] = [];
  const add = (node: { readonly start: number; readonly end: number }, key: string, kind: SuppressionFact['kind'] = 'any'): void => {
    found.push({ kind, key, span: spanOf(tree, node.start, node.end) });
  };
  for (const statement of statementsIn(tree.body, true)) {
    for (const annotation of annotationsOf(statement)) if (isAny(annotation)) add(annotation, 'Any');
    if (statement.type === 'Function' || statement.type === 'Class') {
      for (const decorator of statement.decorators) if (lastName(decorator) === 'no_type_check') add(decorator, 'no_type_check', 'type');
    }
  }
  for (const node of expressionsIn(tree.body, true)) {
    if (node.type !== 'Call' || lastName(node.callee) !== 'cast') continue;
    const [first] = node.args;
    if (first !== undefined && [...descend(first.value)].some(isAny)) add(node, 'cast(Any)');
  }
  return found;
}

function annotationsOf(statement: Stmt): readonly Expr[] {
  if (statement.type === 'Assign') return statement.annotation === null ? [] : [statement.annotation];
  if (statement.type !== 'Function') return [];
  const types = statement.params.flatMap(({ annotation, star }) => (annotation === null || star !== '' ? [] : [annotation]));
  return statement.returns === null ? types : [...types, statement.returns];
}

/** `Any`, or a union or option of it: a list or dictionary of anything still says something. */
function isAny(node: Expr): boolean {
  if (node.type === 'String') return node.value === 'Any' || node.value === 'typing.Any';
  if (node.type === 'Binary' && node.op === '|') return isAny(node.left) || isAny(node.right);
  if (node.type === 'Subscript' && /(^|\.)(Optional|Union)$/.test(dotted(node.object))) return node.index.some(isAny);
  return /^(typing\.|t\.)?Any$/.test(dotted(node));
}

// Comments and types that keep a tool from looking: the compiler, a linter, the coverage report.

import type { SuppressionFact } from './facts.js';
import { at, bare, descend, spanOf } from './javascript-tree.js';
import type { Comment, Tree } from './javascript-tree.js';

const LINT =
  /^(eslint-disable|eslint-disable-line|eslint-disable-next-line|oxlint-disable|oxlint-disable-line|oxlint-disable-next-line|tslint:disable|tslint:disable-next-line|tslint:disable-line|deno-lint-ignore|deno-lint-ignore-file|biome-ignore|biome-ignore-all|biome-ignore-start|jshint ignore|jscs:disable|standard-disable|xo-disable|stylelint-disable|rslint-disable)(?![\w])/;
const COVERAGE =
  /^(istanbul|v8|c8)\s+ignore\b|^node:coverage\s+(ignore|disable)\b|^@?codeCoverageIgnore|^@preserve (istanbul|v8|c8) ignore/i;
const RULE_OFF = /^eslint\s+.*:\s*(\[\s*)?['"]?(off|0)\b/;

/** The words of a comment, its stars and slashes taken off. */
function wordsOf(comment: Comment): string {
  return comment.value
    .slice(0, 400)
    .replace(/^[*!/\s]+/, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function suppressionIn(words: string): { readonly kind: SuppressionFact['kind']; readonly key: string } | null {
  const type = /^@ts-(ignore|expect-error|nocheck)\b/.exec(words);
  if (type !== null) return { kind: 'type', key: type[0] };
  if (/^(@flow-ignore|\$FlowFixMe|\$FlowIgnore)\b/.test(words)) return { kind: 'type', key: 'flow' };
  if (LINT.test(words) || RULE_OFF.test(words)) return { kind: 'lint', key: words.split(/ --| :/)[0] ?? words };
  return COVERAGE.test(words) ? { kind: 'coverage', key: words.slice(0, 40).toLowerCase() } : null;
}

export function suppressionsOf(tree: Tree): readonly SuppressionFact[] {
  const facts: SuppressionFact[] = [];
  for (const comment of tree.comments) {
    const found = suppressionIn(wordsOf(comment));
    if (found !== null) facts.push({ ...found, span: spanOf(tree, comment.start, comment.end) });
  }
  if (!/\.[cm]?tsx?$/.test(tree.file) || !/\bany\b|\bunknown\b/.test(tree.text)) return facts;
  for (const node of descend(tree.program)) {
    if (node.type === 'TSAnyKeyword') facts.push({ kind: 'any', key: 'any', span: spanOf(tree, node.start, node.end) });
    else if (node.type === 'TSAsExpression') {
      const inner = bareCast(at(node, 'expression'));
      if (inner?.type === 'TSAsExpression' && at(inner, 'typeAnnotation')?.type === 'TSUnknownKeyword') {
        facts.push({ kind: 'any', key: 'as unknown as', span: spanOf(tree, node.start, node.end) });
      }
    }
  }
  return facts;
}

function bareCast(node: ReturnType<typeof at>): ReturnType<typeof at> {
  return node?.type === 'ParenthesizedExpression' ? bare(node) : node;
}

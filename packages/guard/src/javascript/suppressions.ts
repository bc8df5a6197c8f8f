// Comments and types that keep a tool from looking: the compiler, a linter, the coverage report.

import type { SuppressionFact } from '../facts.js';
import { roleOf } from '../paths.js';
import { probesOf } from './probes.js';
import { at, bare, descend, listAt, nameOf, nodesOf, spanOf } from './tree.js';
import type { Comment, Node, Tree } from './tree.js';

const LINT =
  /^(eslint-disable|eslint-disable-line|eslint-disable-next-line|oxlint-disable|oxlint-disable-line|oxlint-disable-next-line|tslint:disable|tslint:disable-next-line|tslint:disable-line|deno-lint-ignore|deno-lint-ignore-file|biome-ignore|biome-ignore-all|biome-ignore-start|jshint ignore|jscs:disable|standard-disable|xo-disable|stylelint-disable|rslint-disable)(?![\w])/;
const COVERAGE =
  /^(istanbul|v8|c8)\s+ignore\b|^node:coverage\s+(ignore|disable)\b|^@?codeCoverageIgnore|^@preserve (istanbul|v8|c8) ignore/i;
/** The counters of Istanbul, written by hand. Tools that only collect them read them. */
const COUNTED =
  /\.(?:s|f|b|statementMap|fnMap|branchMap)\b\s*\[[^\]\n]+\](?:\[[^\]\n]+\])?\s*(?:=(?!=)|\+\+|\+=)|\b__coverage__\s*=(?!=)\s*(?:\{\}|undefined|null)|\bdelete\b[^;\n]*__coverage__/;
const RULE_OFF = /^eslint\s+.*:\s*(\[\s*)?['"]?(off|0)\b/;

/** The words of a comment, its stars and slashes taken off. A comment within one, as in code that is commented out, does nothing. */
function wordsOf(comment: Comment): string {
  const value = comment.value.slice(0, 400);
  return (value.includes('\n') ? value.replace(/^[*!/\s]+/, '') : value.replace(/^[*!/]*\s*/, '')).replace(/\s+/g, ' ').trim();
}

const LINT_ORDERS: Readonly<Record<string, string>> = {
  'biome-ignore': 'disable-next-line',
  'biome-ignore-all': 'disable',
  'deno-lint-ignore': 'disable-next-line',
  'deno-lint-ignore-file': 'disable',
};

/** What a linter is told, the same for each linter: `disable-next-line no-explicit-any`. */
function lintKey(words: string): string {
  const [said = words] = words.split(/ --| :|: /);
  const [order = '', ...rest] = said.replace(/^tslint:(disable(-next-line|-line)?):/, '$1 ').split(/[\s,]+/);
  const told = LINT_ORDERS[order] ?? order.replace(/^(eslint|oxlint|tslint|rslint)[-:]/, '');
  const names = rest.map((name) => (name.split('/').at(-1) ?? name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  return [told, ...names.toSorted()].join(' ');
}

function suppressionIn(words: string): { readonly kind: SuppressionFact['kind']; readonly key: string } | null {
  const type = /^@ts-(ignore|expect-error|nocheck)\b/.exec(words);
  if (type !== null) return { kind: 'type', key: type[0] };
  if (/^(@flow-ignore|\$FlowFixMe|\$FlowIgnore)\b/.test(words)) return { kind: 'type', key: 'flow' };
  if (LINT.test(words)) return { kind: 'lint', key: lintKey(words) };
  if (RULE_OFF.test(words)) return { kind: 'lint', key: words };
  return COVERAGE.test(words) ? { kind: 'coverage', key: words.slice(0, 40).toLowerCase() } : null;
}

export function suppressionsOf(tree: Tree): readonly SuppressionFact[] {
  const facts: SuppressionFact[] = [];
  let probes: ReadonlySet<number> | null = null;
  for (const comment of tree.comments) {
    const found = suppressionIn(wordsOf(comment));
    if (found === null) continue;
    const checks = found.key === '@ts-expect-error' && (probes ??= probesOf(tree)).has(comment.end);
    facts.push({ ...found, span: spanOf(tree, comment.start, comment.end), ...(checks ? { checks } : {}) });
  }
  const counted = tree.text.includes('__coverage__') ? COUNTED.exec(tree.text) : null;
  if (counted !== null && roleOf(tree.file) !== 'source')
    facts.push({ kind: 'coverage', key: '__coverage__', span: spanOf(tree, counted.index, counted.index + counted[0].length) });
  return /\.[cm]?tsx?$/.test(tree.file) && /\bany\b|\bunknown\b/.test(tree.text) ? [...facts, ...holesIn(tree)] : facts;
}

const TYPE_CHECKS = /^(expectTypeOf|assertType|expectType|expectNotType|expectAssignable|expectNotAssignable)$/;

/** Types that let everything through. A bound is none: what is within it keeps its own type. */
function holesIn(tree: Tree): readonly SuppressionFact[] {
  const facts: SuppressionFact[] = [];
  const bounds = new Set<Node>();
  const casts = new Set<Node>();
  for (const node of nodesOf(tree)) {
    const bound =
      node.type === 'TSTypeParameter' ? at(node, 'constraint') : node.type === 'TSConditionalType' ? at(node, 'extendsType') : null;
    if (bound !== null) for (const inner of descend(bound)) if (inner.type === 'TSAnyKeyword') bounds.add(inner);
    if (node.type === 'CallExpression' && TYPE_CHECKS.test(nameOf(bare(at(node, 'callee'))))) {
      for (const argument of listAt(node, 'arguments')) {
        const cast = argument.type === 'TSAsExpression' ? at(argument, 'typeAnnotation') : null;
        if (cast !== null) casts.add(cast);
      }
    }
    if (node.type === 'TSAnyKeyword') {
      if (!bounds.has(node))
        facts.push({ kind: 'any', key: casts.has(node) ? 'checked as any' : 'any', span: spanOf(tree, node.start, node.end) });
    } else if (node.type === 'TSAsExpression') {
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

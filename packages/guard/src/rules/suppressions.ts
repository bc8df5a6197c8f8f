// Rules about comments that keep a tool from looking: the type checker, a linter, the coverage report.

import type { FileChange } from '../change.js';
import type { Evidence } from '../evidence.js';
import { spanOf } from '../findings/finding.js';
import type { Sighting } from '../findings/finding.js';
import { addedLines, codeOf } from '../project/changed-code.js';
import { roleOf } from '../project/paths.js';
import type { Source, Comment } from '../syntax/nodes.js';
import type { Rule } from './rule.js';

interface CommentRow extends Omit<Rule, 'find'> {
  readonly kind: SuppressionKind;
}

const COMMENTS: readonly CommentRow[] = [
  {
    name: 'type-suppressed',
    severity: 'medium',
    message: 'A comment keeps the type checker from looking.',
    honest: 'Give the value the type it has.',
    levels: 'A note, unless it is in a test that also lost a check.',
    example: {
      cheat: '+ // @ts-expect-error\n- expect(total("1")).toBe(1)',
      honest: '+ // @ts-expect-error\n+ expect(() => total("1")).toThrow()',
    },
    isBreachInTesting: true,
    kind: 'type',
  },
  {
    name: 'lint-disabled',
    severity: 'medium',
    message: 'A comment keeps the linter from looking.',
    honest: 'Write it so that the rule holds.',
    levels: 'A note, unless it is in a test that also lost a check.',
    example: {
      cheat: '+ // eslint-disable-next-line jest/expect-expect\n- expect(f()).toBe(1)',
      honest: '+ // eslint-disable-next-line no-console',
    },
    isBreachInTesting: true,
    kind: 'lint',
  },
  {
    name: 'coverage-ignored',
    severity: 'high',
    message: 'A comment takes code out of the coverage report.',
    honest: 'Write a test that runs the code.',
    levels: 'A breach where it covers lines that the change added; lines that only some platforms or type checkers run are a note.',
    example: {
      cheat: '+ /* c8 ignore next 3 */\n+ if (amount < 0) {\n+   return refund(amount)\n+ }',
      honest: '+ if TYPE_CHECKING:  # pragma: no cover',
    },
    isBreachInTesting: true,
    kind: 'coverage',
  },
];

const WORDS: Readonly<Record<SuppressionKind, RegExp>> = {
  type: /@ts-|Flow|type:\s*ignore|pyright|pyre|mypy|pytype/,
  lint: /disable|ignore|noqa|nosec|NOSONAR|eslint/i,
  coverage: /ignore|pragma|coverage/i,
};

export const SUPPRESSION_RULES: readonly Rule[] = COMMENTS.map(({ kind, ...words }) => ({
  ...words,
  find: (evidence) =>
    evidence.files.flatMap(({ change }): readonly Sighting[] => {
      const now = WORDS[kind].test(evidence.addedText(change)) ? evidence.after.source(change.path) : null;
      if (now === null) return [];
      const old = change.before === null ? null : evidence.before.source(change.renamedFrom ?? change.path);
      return newSuppressions(old, now, kind).map((found) => {
        const isBreach = (kind === 'coverage' && hidesAddedLines(change, found)) || isInWeakenedTest(evidence, found, now);
        return { file: change.path, level: isBreach ? 'breach' : 'note', before: null, after: spanOf(now, found.comment) };
      });
    }),
}));

/** The comment stands in a test that lost a check. */
function isInWeakenedTest(evidence: Evidence, { comment }: Suppression, source: Source): boolean {
  return evidence.pairing.pairs.some((pair) => {
    if (pair.after.source.path !== source.path || comment.from < pair.after.from || comment.to > pair.after.to || !evidence.isTouched(pair))
      return false;
    const { losses, lost, gained } = evidence.compare(pair);
    return losses.length > 0 && gained < lost;
  });
}

/** Of a comment on a line with code, that line; else the lines below it, as many as it says. */
function hidesAddedLines(change: FileChange, { comment }: Suppression): boolean {
  if (roleOf(change.path) !== 'source' || change.after === null || /no\s*branch/.test(comment.words)) return false;
  const lines = change.after.split('\n');
  const at = change.after.slice(0, comment.from).split('\n').length - 1;
  const own = codeOf(lines[at] ?? '');
  const hidden = own === '' ? lines.slice(at + 1, at + 1 + hiddenBelow(comment.words, lines.slice(at + 1))) : [lines[at] ?? ''];
  if (hidden.some((line) => UNTESTABLE.test(line))) return false;
  const added = addedLines(change);
  return hidden.some((line) => added.has(codeOf(line)));
}

const UNTESTABLE =
  /TYPE_CHECKING|ImportError|ModuleNotFoundError|__main__|version_info|NotImplemented|platform|@overload|@abstractmethod|\bis None\b|^\s*pass\b|unreachable|assert_never|^\s*\.\.\.|never\b|default:|abstract/i;

/** How many lines a comment on a line of its own keeps out of coverage. */
function hiddenBelow(mark: string, below: readonly string[]): number {
  if (/\bfile\b/.test(mark)) return below.length;
  if (/\bstart\b|\bdisable\b/.test(mark)) {
    const end = below.findIndex((line) => /\b(?:stop|end|enable)\b/.test(line));
    return end < 0 ? below.length : end;
  }
  return Number(/\bnext\s+(\d+)/.exec(mark)?.[1] ?? 1);
}

export type SuppressionKind = 'type' | 'lint' | 'coverage';

const KINDS: readonly (readonly [RegExp, SuppressionKind])[] = [
  [/^@ts-(ignore|expect-error|nocheck)\b|^(@flow-ignore|\$FlowFixMe|\$FlowIgnore)\b/, 'type'],
  [
    /^(eslint|oxlint|tslint|rslint|stylelint|xo|standard|jscs)[-:]disable\b|^deno-lint-ignore|^biome-ignore|^jshint ignore|^eslint\s+.*:\s*(\[\s*)?['"]?(off|0)\b/,
    'lint',
  ],
  [/^(istanbul|v8|c8)\s+ignore\b|^node:coverage\s+(ignore|disable)\b|^@?codeCoverageIgnore/i, 'coverage'],
  [/^type:\s*ignore\b|^(pyright|pyre|ty|pyrefly|mypy|pytype):\s*(ignore|basic|disable|skip|allow)|^pyre-(ignore|fixme)/i, 'type'],
  [/^noqa\b|^(flake8|ruff|isort|pydocstyle):\s*(noqa|skip|off|disable)|^pylint:\s*(disable|skip)|^nosec\b|^NOSONAR\b/i, 'lint'],
  [/^pragma:?\s*(no\s*cover|no\s*branch|nocover)/i, 'coverage'],
];

export interface Suppression {
  readonly kind: SuppressionKind;
  readonly comment: Comment;
  /** The same for the same order. */
  readonly key: string;
}

export function suppressionsIn(source: Source | null, kind: SuppressionKind): readonly Suppression[] {
  if (source === null) return [];
  return source.comments.flatMap((comment) =>
    comment.words.split(/\s*#\s*/).flatMap((words) => {
      const found = KINDS.find(([pattern]) => pattern.test(words));
      return found?.[1] === kind
        ? [
            {
              kind,
              comment,
              key:
                words
                  .split(/ --| - /)[0]
                  ?.toLowerCase()
                  .replace(/\s+/g, '') ?? '',
            },
          ]
        : [];
    }),
  );
}

/** Those of the new version that the old one does not have as often. */
export function newSuppressions(before: Source | null, after: Source | null, kind: SuppressionKind): readonly Suppression[] {
  const left = suppressionsIn(before, kind).map(({ key }) => key);
  return suppressionsIn(after, kind).filter(({ key }) => {
    const at = left.indexOf(key);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

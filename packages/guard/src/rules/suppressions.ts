// Rules about comments that keep a tool from looking: the type checker, a linter, the coverage report.

import { spanOf } from '../findings/finding.js';
import type { Sighting } from '../findings/finding.js';
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
    example: {
      cheat: '+ // @ts-expect-error\n- expect(total("1")).toBe(1)',
      honest: '+ // @ts-expect-error\n+ expect(() => total("1")).toThrow()',
    },
    isSuspicion: true,
    kind: 'type',
  },
  {
    name: 'lint-disabled',
    severity: 'medium',
    message: 'A comment keeps the linter from looking.',
    honest: 'Write it so that the rule holds.',
    example: {
      cheat: '+ // eslint-disable-next-line jest/expect-expect\n- expect(f()).toBe(1)',
      honest: '+ // eslint-disable-next-line no-console',
    },
    isSuspicion: true,
    kind: 'lint',
  },
  {
    name: 'coverage-ignored',
    severity: 'high',
    message: 'A comment takes code out of the coverage report.',
    honest: 'Write a test that runs the code.',
    example: {
      cheat: '+ /* c8 ignore next 3 */\n+ if (amount < 0) {\n+   return refund(amount)\n+ }',
      honest: '+ if TYPE_CHECKING:  # pragma: no cover',
    },
    isSuspicion: true,
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
      return newSuppressions(old, now, kind).map(({ comment }) => ({ file: change.path, before: null, after: spanOf(now, comment) }));
    }),
}));

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

// Comments that keep a tool from looking: the compiler, a linter, the coverage report.

import type { Comment, Source } from '../syntax/nodes.js';

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

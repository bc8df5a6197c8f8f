// Marks in source that keep a type checker, a linter or a coverage tool from looking. The old judge looks without the added ones.

/** Words after the start of a comment. */
const WORDS =
  '@ts-(?:ignore|expect-error|nocheck)|@phpstan-ignore|@psalm-suppress|phpcs:(?:ignore|disable)|@codeCoverageIgnore|(?:eslint|oxlint|tslint|stylelint|jshint)[-:]disable|eslint\\s+[\\w/-]+\\s*:\\s*(?:0|off)|jshint ignore|biome-ignore|prettier-ignore|deno-lint-ignore|(?:istanbul|c8|v8|node:coverage) (?:ignore|disable)|noqa|(?:type|pyright|mypy|ty|pyrefly|ruff|flake8|isort):\\s*(?:ignore|noqa|disable|skip)|pylint:\\s*(?:disable|skip)|pragma: no (?:cover|branch)|nosec|NOSONAR|nolint|lint:ignore|rubocop:(?:disable|todo)|:nocov:|shellcheck disable|NOLINT|cppcheck-suppress|fmt: (?:off|skip)|yapf: disable';

const COMMENT = new RegExp(
  [
    `/\\*+\\s*(?:${WORDS})(?:(?!\\*/)[\\s\\S]){0,500}\\*/`,
    `(?://+|#|--|;)\\s*(?:${WORDS})[^\\n]{0,500}`,
    `<!--\\s*(?:${WORDS})(?:(?!-->)[\\s\\S]){0,500}-->`,
  ].join('|'),
  'g',
);

/** Attributes and casts of languages that say it in code. */
const ATTRIBUTE =
  /#!?\[(?:cfg_attr\([^\]\n]{0,100})?(?:allow|expect)\([^\]\n]{0,200}\)\]|#\[coverage\(off\)\]|@SuppressWarnings\([^)\n]{0,200}\)|\s+as\s+(?:any|never|unknown\s+as\s+[\w.]+(?:<[^>\n]{0,100}>)?)(?![\w.])|<any>(?=[\w(])|\[SuppressMessage\([^)\n]{0,200}\)\]/g;

function marksIn(text: string): readonly string[] {
  return [...(text.match(COMMENT) ?? []), ...(text.match(ATTRIBUTE) ?? [])];
}

/** The text without marks that the version before does not have as often. */
export function withoutNewMarks(before: string | null, after: string): string {
  const known = new Map<string, number>();
  for (const mark of marksIn(before ?? '')) known.set(mark, (known.get(mark) ?? 0) + 1);
  const strip = (mark: string): string => {
    const count = known.get(mark) ?? 0;
    if (count === 0) return mark.replace(/[^\n]/g, '');
    known.set(mark, count - 1);
    return mark;
  };
  return after.replace(COMMENT, strip).replace(ATTRIBUTE, strip);
}

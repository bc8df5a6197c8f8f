// Which files of a change judge the code, and which are judged. The retrial takes the judges of one commit and the source of another.

import type { FileChange } from '../change.js';
import type { InlinePart } from '../inline/inline-text.js';
import { hasInlineTests, productOf, spliceJudge, splitInlineTests } from '../inline/split.js';
import { isManifest, judgingPart, mergeManifests } from './manifests.js';
import { withoutNewMarks } from './marks.js';
import { roleOf } from '../project/paths.js';
import type { FileRole } from '../project/paths.js';

const JUDGES: ReadonlySet<FileRole> = new Set(['test', 'support', 'fixture', 'snapshot', 'scripts', 'package']);

/** Tests by the customs of languages that the guard does not parse. */
const OTHER_TESTS =
  /(?:^|\/)test\w*\.(?:h|hh|hpp)$|(?:^|\/)tests?(?:[-_][\w-]*)?\.(?:c|cc|cpp|cxx|h|sh|bash|rb|php|pl|lua|go|exs?|swift)$|[-_]tests?\.(?:sh|bash|php)$|_(?:test|spec)\.(?:go|rb|exs|dart|c|cc|cpp|lua)$|(?:Tests?|Spec|IT)\.(?:java|kt|kts|scala|groovy|cs|fs|vb|swift|php)$|\.(?:bats|t)$/;

/** Of the settings, those of bundlers, servers and installers: they make the product. */
const PRODUCT_SETTINGS =
  /(?:^|\/)(?:(?:rollup|webpack|tsup|metro|next|nuxt|svelte|astro)\.(?:config|conf)\b[^/]*|nodemon\.jsonc?|Dockerfile|setup\.py|\.nvmrc|\.node-version)$/;

/** What builds a project says which tests there are, too. */
const BUILDS =
  /(?:^|\/)(?:CMakeLists\.txt|[^/]+\.cmake|meson\.build|Makefile\.(?:am|in)|BUILD(?:\.bazel)?|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|mix\.exs|(?:site|user)customize\.py)$/;

/** The number of a version in such a file, of the project or of what it needs. */
const VERSION = /(version(?:_(?:major|minor|patch))?\b[^\n\d]{0,20}?)\d+(?:[.+-]\w+)*/gi;

/** True: the file stays as it is at the base when the old tests run on new code. Of `package.json` only the judging parts stay. */
export function isJudge(path: string): boolean {
  return JUDGES.has(roleOf(path)) || isManifest(path) || OTHER_TESTS.test(path) || isRunnerSetting(path);
}

/** What of a version of a file judges: all of it, or the tests inside it. Null: nothing does. */
export function judgeText(path: string, text: string | null): string | null {
  if (text !== null && isManifest(path)) return judgingPart(path, text) ?? text;
  if (text !== null && BUILDS.test(path)) return text.replace(VERSION, '$1#');
  if (text === null || isJudge(path)) return text;
  if (!hasInlineTests(path, text)) return null;
  const split = splitInlineTests(path, text);
  // Tests that nobody can find may be anywhere in it.
  return split === null ? text : split.parts.map(({ from, to }) => text.slice(from, to)).join('');
}

/** What of a version of a file is judged. Null: nothing is. */
export function sourceText(path: string, text: string | null): string | null {
  if (text === null || isJudge(path)) return null;
  return productOf(path, text);
}

/** The change touches what judges: a test file, settings of tests, tests inside a source file, or marks that silence a check. */
export function changesJudge({ path, before, after, renamedFrom = path, isRun = false }: FileChange): boolean {
  if ((isManifest(path) || BUILDS.test(path)) && before !== null && after !== null)
    return isRun || judgeText(renamedFrom, before) !== judgeText(path, after);
  const isMarked = after !== null && withoutNewMarks(before, after) !== after;
  return isRun || isMarked || isJudge(path) || isJudge(renamedFrom) || judgeText(renamedFrom, before) !== judgeText(path, after);
}

/** The change touches what is judged. */
export function changesSource({ path, before, after, renamedFrom = path }: FileChange): boolean {
  return renamedFrom !== path || sourceText(renamedFrom, before) !== sourceText(path, after);
}

/** A file with what judges of one version and the rest of another. */
export interface Merged {
  /** Null: it cannot be made. */
  readonly text: string | null;
  /** Tests whose place is gone. */
  readonly unplaced: readonly string[];
}

/** Null: the file has one part only, so that it is taken whole from one side or the other. `source` is null where it has no such file. */
export function mergeVersions(path: string, judge: string | null, source: string | null): Merged | null {
  if (isManifest(path)) {
    const text = judge === null || source === null ? null : mergeManifests(path, judge, source);
    return text === null ? null : { text, unplaced: [] };
  }
  if (isJudge(path) || ![judge, source].some((text) => text !== null && hasInlineTests(path, text))) return null;
  const tests = judge === null ? [] : (splitInlineTests(path, judge)?.parts ?? []);
  if (source === null) return { text: null, unplaced: tests.flatMap(namesOf) };
  const spliced = spliceJudge(path, source, judge ?? '');
  if (spliced === null) return { text: null, unplaced: tests.length === 0 ? [path] : tests.flatMap(namesOf) };
  return { text: spliced.text, unplaced: spliced.unplaced.flatMap(namesOf) };
}

/** New source as the old judge looks at it: with its own tests, and without marks that came with it. Null: it is taken as it is. */
export function underOldJudge(path: string, before: string | null, after: string | null): Merged | null {
  const merged = mergeVersions(path, before, after);
  if (isJudge(path)) return merged;
  const text = merged === null ? after : merged.text;
  const bare = text === null ? null : withoutNewMarks(before, text);
  return bare === text ? merged : { text: bare, unplaced: merged?.unplaced ?? [] };
}

function namesOf({ key, tests }: InlinePart): readonly string[] {
  return tests.length === 0 ? [key] : tests.map(({ name }) => name);
}

export function isTestFile(path: string): boolean {
  return roleOf(path) === 'test' || OTHER_TESTS.test(path);
}

/** Says which tests run, and checks nothing itself. */
export function isRunnerSetting(path: string): boolean {
  const role = roleOf(path);
  if (role === 'config') return !PRODUCT_SETTINGS.test(path);
  return role === 'package' || isManifest(path) || role === 'scripts' || role === 'ci' || BUILDS.test(path);
}

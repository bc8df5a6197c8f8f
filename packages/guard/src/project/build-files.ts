// Files that say how a project is built, in which a few lines say which of its tests run and when they fail. The rest of such a file belongs to
// the product: new code may need new packages and new source files. One row a tool.

import type { FileChange } from '../change.js';

interface BuildFile {
  /** The file's name. */
  readonly name: RegExp;
  /** Lines about tests. */
  readonly tests: RegExp;
}

const BUILD_FILES: readonly BuildFile[] = [
  {
    name: /^Cargo\.toml$/,
    tests: /^\s*(?:test|doctest|harness|autotests|required-features|default-members)\s*=|^\s*\[\[test\]\]|^\s*\[profile\.test/,
  },
  {
    name: /^pom\.xml$/,
    tests:
      /skipTests|skipITs|maven\.test\.|[fF]ailureIgnore|<(?:excludes?|includes?|groups|excludedGroups|skip|minimum)>|surefire|failsafe|jacoco/,
  },
  {
    name: /\.gradle(?:\.kts)?$|^gradle\.properties$/,
    tests: /\b(?:useJUnit\w*|ignoreFailures|failOn\w+|(?:in|ex)cludeT\w+|onlyIf|enabled|filter|jacoco\w*|minimum)\b|\btests?\b.*\{/,
  },
  {
    name: /^CMakeLists\.txt$|^CMakePresets\.json$|\.cmake$/,
    tests:
      /\b(?:add_test|enable_testing|set_tests_properties|\w*discover_tests|\w+_add_tests)\b|\b(?:DISABLED|WILL_FAIL)\b|\w+_REGULAR_EXPRESSION|SKIP_RETURN_CODE|"(?:exclude|include|filter)"/i,
  },
  {
    name: /\.(?:cs|fs|vb)proj$|\.slnx?$|^Directory\.Build\.(?:props|targets)$/,
    tests: /IsTestProject|VSTest|Compile\s+Remove|Threshold|RunSettings|CollectCoverage|Test.*proj/,
  },
  { name: /^mix\.exs$/, tests: /\btest_\w+:|\btest:|preferred_cli_env|elixirc_paths/ },
  { name: /^composer\.json$/, tests: /"(?:pre-|post-)?(?:test|tests|check|ci)[\w:-]*"\s*:|\bphpunit\b/ },
];

function findTestLines(path: string, text: string | null): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const row = BUILD_FILES.find((each) => each.name.test(name));
  if (row === undefined) return null;
  const lines = (text ?? '').split('\n').flatMap((line) => (row.tests.test(line) ? [line.trim()] : []));
  return lines.join('\n');
}

export function isBuildFile(path: string): boolean {
  return findTestLines(path, null) !== null;
}

/** Lines about tests that were there are others now, or gone. New ones beside them add tests. */
export function changesTestLines({ path, before, after }: FileChange): boolean {
  const [old, now] = [findTestLines(path, before), findTestLines(path, after)];
  if (before === null || old === null || now === null || old === now) return false;
  const left = new Set(now.split('\n'));
  const known = new Set(old.split('\n'));
  const added = now.split('\n').filter((line) => !known.has(line));
  return old.split('\n').some((line) => !left.has(line)) || added.some((line) => LEAVES_OUT.test(line));
}

/** A line that is new and takes tests away, or lets them pass. */
const LEAVES_OUT =
  /exclu|skip|ignore|disabled|will_fail|regular_expression|Remove|(?:test|doctest|harness|autotests|enabled|IsTestProject)\W+(?:=\s*)?false|onlyIf/i;

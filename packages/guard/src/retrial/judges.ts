// Which files of a change judge the code, and which are judged. The retrial takes the judges of one commit and the source of another.

import { roleOf } from '../project/paths.js';
import type { FileRole } from '../project/paths.js';

const JUDGES: ReadonlySet<FileRole> = new Set(['test', 'support', 'fixture', 'snapshot', 'scripts', 'package']);

/** Tests by the customs of languages that the guard does not parse. */
const OTHER_TESTS =
  /_(?:test|spec)\.(?:go|rb|exs|dart|c|cc|cpp|lua)$|(?:Tests?|Spec|IT)\.(?:java|kt|kts|scala|groovy|cs|fs|vb|swift|php)$|\.(?:bats|t)$/;

/** Settings that say which tests run and how. Those of compilers and bundlers belong to the source: new code may need them. */
const RUNNER_SETTINGS =
  /(?:^|\/)(?:(?:vitest|jest|mocha|karma|ava|playwright|cypress|wdio|jasmine|web-test-runner|rstest|cucumber|nyc|c8)\b[^/]*|\.(?:mocharc|nycrc|c8rc|taprc|jestrc|jasminerc|coveragerc)[^/]*|mocha\.opts|\.?pytest\.(?:ini|toml)|tox\.(?:ini|toml)|setup\.cfg|pyproject\.toml|hatch\.toml|bunfig\.toml)$/;

/** True: the file stays as it is at the base when the old tests run on new code. Of `package.json` only the judging parts stay. */
export function isJudge(path: string): boolean {
  const role = roleOf(path);
  return JUDGES.has(role) || OTHER_TESTS.test(path) || isRunnerSetting(path);
}

export function isTestFile(path: string): boolean {
  return roleOf(path) === 'test' || OTHER_TESTS.test(path);
}

/** Says which tests run, and checks nothing itself. */
export function isRunnerSetting(path: string): boolean {
  const role = roleOf(path);
  return role === 'package' || role === 'scripts' || (role === 'config' && RUNNER_SETTINGS.test(path));
}

export function isManifest(path: string): boolean {
  return roleOf(path) === 'package';
}

/** Parts of a `package.json` that say which tests run and how. Its other parts, such as `type` and `exports`, belong to the source. */
const JUDGING_PARTS = ['scripts', 'jest', 'vitest', 'mocha', 'ava', 'tap', 'c8', 'nyc'];

/** The manifest of `source` with the judging parts of `judge`. Null where one of them is no object: then the judge's file is taken whole. */
export function mergeManifests(judge: string, source: string): string | null {
  const [ours, theirs] = [readManifest(judge), readManifest(source)];
  if (ours === null || theirs === null) return null;
  const merged = { ...theirs };
  for (const part of JUDGING_PARTS) {
    delete merged[part];
    if (Object.hasOwn(ours, part)) merged[part] = ours[part];
  }
  return `${JSON.stringify(merged, null, 2)}\n`;
}

function readManifest(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

// Compares test runs of the base's and the change's tests on the base's and the change's code, and says what the change hides. Pure: the
// caller runs the tests.

import type { Change, FileChange } from '../change.js';
import { findingOf } from '../findings/finding.js';
import type { GuardFinding } from '../findings/finding.js';
import { roleOf } from '../project/paths.js';
import { fileOf } from '../change.js';
import { changesJudge, changesSource, isJudge, isRunnerSetting, isTestFile } from './judges.js';
import { lacksAnything, lacksWhatIsGone } from './lacks.js';
import { RETRIAL_RULES } from './words.js';
import type { RetrialRule } from './words.js';
import { blockOf, readTestTitle } from './test-text.js';
import { byId, Files, hasFailed, NewVersions, titlesOf } from './versions.js';
import type { TrialResult } from './versions.js';

export interface TrialRun {
  /** Null: the tests could not be run, or did not end in time. */
  readonly passed: boolean | null;
  /** Null: only the exit status is known. */
  readonly results: readonly TrialResult[] | null;
  /** The end of what was printed. */
  readonly output: string;
}

export interface TrialRules {
  /** Behaviour must not change: a changed expectation is a breach. */
  readonly behaviourIsFixed: boolean;
  /** The change is to make failing tests pass: a failing test that is gone with its code is a breach. */
  readonly failuresAreGoal: boolean;
  /** A test that ran at the base and does not run now is a breach, unless what it tests is gone. */
  readonly keepsTests: boolean;
}

export interface Trial {
  readonly change: Change;
  readonly rules: TrialRules;
  readonly base: TrialRun;
  /** The base's tests on the new code. */
  readonly oldTests: TrialRun;
  /** The new tests on the new code. Null: not needed (see `needsNewTests`), or not run. */
  readonly newTests: TrialRun | null;
  /** The new tests on the base's code. Null: not run. */
  readonly onOldCode: TrialRun | null;
}

/** How a test did at the base. */
export type Before = 'passed' | 'failed' | 'unknown';
/** How its old version does on the new code. `stuck`: it needs code that the change removed, or did not run. */
export type Old = 'passes' | 'fails' | 'stuck';
/**
 * How it does in the change. `gone`: deleted, skipped or no longer found. `passes unchanged`: only settings of the runner changed. `passes on
 * both`: on the old code too, so it no longer tells the new code from the old.
 */
export type Now = 'passes' | 'passes on both' | 'passes unchanged' | 'fails' | 'fails unchanged' | 'gone';

/**
 * `fixed`: a breach where behaviour must not change. `goal`: a breach where failing tests are to pass. Both are notes elsewhere. `kept`: a
 * breach where tests must be kept, and nothing elsewhere.
 */
type Weight = 'breach' | 'fixed' | 'goal' | 'kept' | 'note';

interface Row {
  readonly rule: RetrialRule;
  readonly weight: Weight;
  /** What it is called where failing tests are to pass: a breach there. */
  readonly asGoal?: RetrialRule;
}

const nothing = null;
const hidden: Row = { rule: 'regression-hidden', weight: 'breach' };
const removed: Row = { rule: 'failing-test-removed', weight: 'breach' };
const removedWithCode: Row = { rule: 'failing-test-removed', weight: 'goal' };
const changed: Row = { rule: 'expectation-changed', weight: 'fixed' };
const changedGoal: Row = { ...changed, asGoal: 'goal-test-changed' };
const stuck: Row = { rule: 'old-tests-fail', weight: 'note' };
const stuckGoal: Row = { ...stuck, asGoal: 'goal-test-changed' };
/** It passes on the new code, and nobody ran it: where tests need not be kept, that is tidying up. */
const lost: Row = { rule: 'test-lost', weight: 'kept' };
const clear = {
  passes: nothing,
  'passes on both': nothing,
  'passes unchanged': nothing,
  fails: nothing,
  'fails unchanged': nothing,
  gone: lost,
} as const;

/** A test whose old version passes on the new code hides nothing. One that fails, unchanged, is a failing test and nothing is hidden. */
const TABLE: Readonly<Record<Exclude<Before, 'unknown'>, Readonly<Record<Old, Readonly<Record<Now, Row | null>>>>>> = {
  passed: {
    passes: clear,
    fails: {
      passes: changed,
      'passes on both': hidden,
      'passes unchanged': hidden,
      fails: hidden,
      'fails unchanged': nothing,
      gone: hidden,
    },
    stuck: { passes: stuck, 'passes on both': stuck, 'passes unchanged': stuck, fails: stuck, 'fails unchanged': nothing, gone: stuck },
  },
  failed: {
    passes: clear,
    fails: {
      passes: changedGoal,
      'passes on both': changedGoal,
      'passes unchanged': stuckGoal,
      fails: nothing,
      'fails unchanged': nothing,
      gone: removed,
    },
    stuck: {
      passes: stuck,
      'passes on both': stuck,
      'passes unchanged': stuck,
      fails: nothing,
      'fails unchanged': nothing,
      gone: removedWithCode,
    },
  },
};

export function findRow(before: Before, old: Old, now: Now): Row | null {
  return before === 'unknown' ? null : TABLE[before][old][now];
}

/** The row under these rules; null where it says nothing there. `isUntouched`: the test's file is as it was, so that nobody tidied up. */
function weighRow(row: Row | null, { failuresAreGoal, keepsTests }: TrialRules, isUntouched: boolean): Row | null {
  if (row === null || (row.weight === 'kept' && !keepsTests && !isUntouched)) return null;
  return failuresAreGoal && row.asGoal !== undefined ? { rule: row.asGoal, weight: 'goal' } : row;
}

function levelOf(weight: Weight, { behaviourIsFixed, failuresAreGoal }: TrialRules): GuardFinding['level'] {
  const isBreach =
    weight === 'breach' || weight === 'kept' || (weight === 'fixed' && behaviourIsFixed) || (weight === 'goal' && failuresAreGoal);
  return isBreach ? 'breach' : 'note';
}

/** Does the retrial have anything to say of a change? It runs programs, so it is not asked in vain. */
export function touchesJudges({ files }: Change): boolean {
  return files.some(changesJudge);
}

/** Does the change take lines away from what judges, so that a test may be lost? */
export function mayLoseTests({ files }: Change): boolean {
  return files.some((file) => {
    if (!changesJudge(file) || file.before === null) return false;
    if (file.after === null || isRunnerSetting(file.path)) return true;
    const lines = new Set(file.after.split('\n').map((line) => line.trim()));
    return file.before.split('\n').some((line) => line.search(DECLARATION) >= 0 && !lines.has(line.trim()));
  });
}

/** Do the old tests on the new code leave a question that only the new tests can answer? */
export function needsNewTests({ base, oldTests }: Pick<Trial, 'base' | 'oldTests'>): boolean {
  if (base.results === null || oldTests.results === null) return oldTests.passed === false;
  const old = new Map(byId(oldTests.results));
  return [...byId(base.results)].some(([id, { status }]) => status !== 'skipped' && old.get(id)?.status !== 'passed');
}

/** Does a test whose old version fails on the new code pass in its new version? Then the old code says whether it still asks as much. */
export function needsOldCode({ base, oldTests, newTests }: Pick<Trial, 'base' | 'oldTests' | 'newTests'>): boolean {
  if (newTests === null || newTests.passed === null || !needsNewTests({ base, oldTests })) return false;
  return newTests.passed || newTests.results !== null;
}

/** Ids of tests that passed at the base and do not with the old tests on the new code: they may be flaky. */
export function worseTests({ base, oldTests }: Pick<Trial, 'base' | 'oldTests'>): readonly string[] {
  const old = new Map(byId(oldTests.results ?? []));
  return [...byId(base.results ?? [])].flatMap(([id, { status }]) => (status === 'passed' && old.get(id)?.status !== 'passed' ? [id] : []));
}

/** The run did not pass, and nothing says which test is to blame. One that ran out of time is no better: new code may hang on old tests. */
export function failsWithoutNames({ passed, results }: Pick<TrialRun, 'passed' | 'results'>): boolean {
  return passed !== true && results === null;
}

export function compareRuns(trial: Trial): readonly GuardFinding[] {
  const { base, oldTests } = trial;
  const hasNames = base.results !== null && oldTests.results !== null;
  return [...(hasNames ? compareNamed(trial) : compareStatuses(trial)), ...provesNothing(trial)];
}

function compareNamed(trial: Trial): readonly GuardFinding[] {
  const { change, rules, base, oldTests, newTests } = trial;
  const before = byId(base.results ?? []);
  const old = byId(oldTests.results ?? []);
  const files = new Files(change);
  const versions = newTests?.results === undefined || newTests.results === null ? null : new NewVersions(newTests.results, before, files);
  // A wanted change of behaviour is shown by a test that needs it. Others may then get new inputs that suit the old code as well.
  const isShown = showsBehaviour(trial, before, files);
  const blind = new Set(isShown ? [] : blindTests(trial).map(({ id }) => id));
  const found: GuardFinding[] = [];
  const stuckTests = new Map<string, string[]>();
  for (const [id, test] of before) {
    if (test.status === 'skipped') continue;
    const how = oldResult(test, old, files);
    const version = versions?.of(test) ?? null;
    const now = nowOf(version, newTests, files, test, blind);
    if (now === null) continue;
    const isUntouched = test.file !== null && !files.isChanged(test);
    const row = weighRow(findRow(hasFailed(test) ? 'failed' : 'passed', how, now), rules, isUntouched);
    if (row === null) continue;
    const level = levelOf(row.weight, rules);
    const file = files.placeOf(test);
    if (row.rule === 'old-tests-fail') {
      stuckTests.set(file, [...(stuckTests.get(file) ?? []), readTestTitle(test)]);
      continue;
    }
    const texts = { before: blockOf(files.before(file), readTestTitle(test)), after: versions?.blockOf(version) ?? null };
    const message = how === 'passes' ? null : (old.get(id)?.message ?? null);
    const said = (message ?? '').split('\n', 1)[0]?.trim().slice(0, SHOWN_MESSAGE) ?? '';
    const state = row.rule === 'failing-test-removed' || row.rule === 'test-lost' ? '' : GONE_WORDS[now];
    const why = [state, said === '' ? '' : `the old version says "${said}"`].filter((part) => part !== '').join('; ');
    found.push(findingOf(RETRIAL_RULES[row.rule], { file, level, ...texts, test: titlesOf(test, file), why }));
  }
  for (const [file, titles] of stuckTests) {
    const why = `${listTitles(titles)}, because the code or the settings they need changed`;
    found.push(findingOf(RETRIAL_RULES['old-tests-fail'], { file, level: 'note', why }));
  }
  return found;
}

const GONE_WORDS: Readonly<Record<Now, string>> = {
  passes: '',
  'passes on both': 'its new version passes on the old code and on the new, so it no longer tells them apart',
  'passes unchanged': 'only the new settings of the runner make it pass',
  fails: 'in the change it fails too',
  'fails unchanged': '',
  gone: 'in the change it is deleted, skipped or not found',
};

const SHOWN_MESSAGE = 160;
const MOST_LISTED = 5;

function listTitles(titles: readonly string[]): string {
  const more = titles.length > MOST_LISTED ? ` and ${titles.length - MOST_LISTED} more` : '';
  return `${titles.slice(0, MOST_LISTED).join(', ')}${more}`;
}

export function oldResult(test: TrialResult, old: ReadonlyMap<string, TrialResult>, files: Files): Old {
  const result = old.get(test.id);
  // New code may need new settings: then it lacks something under the old ones.
  const lacksGoneCode = (message: string): boolean =>
    lacksWhatIsGone(message, files.change) || (files.onlySettings && lacksAnything(message));
  if (result?.status === 'passed') return 'passes';
  if (result !== undefined && hasFailed(result)) return lacksGoneCode(result.message ?? '') ? 'stuck' : 'fails';
  if (result?.status === 'skipped') return 'stuck';
  // A file that cannot be loaded is reported alone, without its tests.
  const broken = [...old.values()].find((other) => other.status === 'errored' && fileOf(other) === fileOf(test));
  return broken === undefined || lacksGoneCode(broken.message ?? '') ? 'stuck' : 'fails';
}

/** Does a test need the new code? One that failed at the base shows a fix, and says nothing of what else changed. */
function showsBehaviour({ newTests, onOldCode }: Trial, before: ReadonlyMap<string, TrialResult>, files: Files): boolean {
  const old = byId(onOldCode?.results ?? []);
  return [...byId(newTests?.results ?? [])].some(([id, test]) => {
    const [onOld, was] = [old.get(id), before.get(files.idBefore(test))];
    if (test.status !== 'passed' || onOld?.status !== 'failed' || (was !== undefined && hasFailed(was))) return false;
    // A test of something new fails on the old code for the lack of it.
    return was !== undefined || !lacksAnything(onOld.message ?? '');
  });
}

/** Tests that noticed the change of the code, and whose new versions pass with and without it. */
export function blindTests({ change, base, oldTests, newTests, onOldCode }: Trial): readonly TrialResult[] {
  const before = byId(base.results ?? []);
  const old = byId(oldTests.results ?? []);
  const files = new Files(change);
  const versions = new NewVersions(newTests?.results ?? [], before, files);
  const passing = new Set(onOldCode?.results?.flatMap((test) => (test.status === 'passed' ? [files.idBefore(test)] : [])));
  return [...before.values()].filter((test) => {
    if (test.status !== 'passed' || old.get(test.id)?.status === 'passed' || oldResult(test, old, files) !== 'fails') return false;
    const version = versions.of(test);
    return version?.status === 'passed' && passing.has(version.id);
  });
}

/** Tests that passed at the base and are skipped now. */
export function skippedNow({ change, base, newTests }: Pick<Trial, 'change' | 'base' | 'newTests'>): readonly TrialResult[] {
  const files = new Files(change);
  const before = byId(base.results ?? []);
  return (newTests?.results ?? []).filter((test) => test.status === 'skipped' && before.get(files.idBefore(test))?.status === 'passed');
}

/** Null: nobody knows. `blind`: ids of tests whose new versions pass on both. */
function nowOf(
  version: TrialResult | null,
  newTests: TrialRun | null,
  files: Files,
  test: TrialResult,
  blind: ReadonlySet<string>,
): Now | null {
  if (newTests === null) return null;
  if (newTests.results === null) {
    // Of a command that names its tests and names none now, none ran.
    if (newTests.passed === true || files.isGone(test)) return 'gone';
    return newTests.passed === null ? null : 'fails unchanged';
  }
  if (version === null || version.status === 'skipped') return 'gone';
  if (version.status !== 'passed') return files.isChanged(test) || newTests.passed ? 'fails' : 'fails unchanged';
  if (files.onlySettings) return 'passes unchanged';
  return blind.has(test.id) ? 'passes on both' : 'passes';
}

const STATUS_WORDS: Partial<Record<Now, string>> = {
  passes: 'they fail, and the changed tests pass. A report with the names of tests would tell more',
  'passes on both': 'the command fails with the old tests, and with the new ones it passes on the old code and on the new',
  gone: 'the command fails with the old tests and passes with the new ones, which have fewer tests',
};

/** Only exit statuses are known. */
function compareStatuses({ change, rules, base, oldTests, newTests, onOldCode }: Trial): readonly GuardFinding[] {
  if (oldTests.passed !== false || base.passed === null || newTests === null || newTests.passed === null) return [];
  const tests = change.files.filter(changesJudge);
  const [first] = tests;
  const isStuck = lacksWhatIsGone(oldTests.output, change);
  // A test file that is gone, or has fewer tests than before.
  const lost = tests.find(({ path, before, after, renamedFrom }: FileChange): boolean => {
    if (before === null || roleOf(renamedFrom ?? path) === 'snapshot') return false;
    if (after === null) return true;
    const countDeclarations = (text: string): number => text.match(DECLARATION)?.length ?? 0;
    return countDeclarations(after) < countDeclarations(before);
  });
  // Without names a failing command says nothing of which test fails: that it fails is known.
  if (first === undefined || !newTests.passed) return [];
  const now: Now | null = lost !== undefined ? 'gone' : onOldCode?.passed === true && base.passed ? 'passes on both' : null;
  // The exit status takes the place of names: the command was to pass, and passes with the new judges alone.
  if (rules.failuresAreGoal && !base.passed && !isStuck)
    return tests.map(({ path, renamedFrom = path }) =>
      findingOf(RETRIAL_RULES['goal-test-changed'], { file: renamedFrom, level: 'breach', why: STATUS_WORDS.passes as string }),
    );
  const unclear: Row = { rule: 'old-tests-fail', weight: 'fixed' };
  const row = now === null ? unclear : findRow(base.passed ? 'passed' : 'failed', isStuck ? 'stuck' : 'fails', now);
  if (row === null) return [];
  const file = lost ?? tests.find(({ path }) => isTestFile(path)) ?? first;
  const why = STATUS_WORDS[now ?? 'passes'] ?? '';
  return [findingOf(RETRIAL_RULES[row.rule], { file: file.renamedFrom ?? file.path, level: levelOf(row.weight, rules), why })];
}

/** How tests are declared, in many languages. */
const DECLARATION =
  /\bfunc (?:Test|Fuzz|Example)\w+|@(?:Parameterized|Repeated)?Test\b|#\[(?:\w+::)?test\b|\b(?:it|test|specify|scenario|testcase)\b\s*[("'{]|\bdef test_?\w+|\bfunction test\w+|\bTEST(?:_F|_P|_CASE)?\s*\(|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|^\s*@test\b|^\s*ok\(/gm;

/** New tests, and tests that failed at the base, which pass on the base's source. */
function provesNothing({ change, base, newTests, onOldCode }: Trial): readonly GuardFinding[] {
  const isSourceChanged = change.files.some((file) => roleOf(file.path) === 'source' && !isJudge(file.path) && changesSource(file));
  if (!isSourceChanged || newTests === null || onOldCode === null || onOldCode.passed === null) return [];
  const files = new Files(change);
  const byFile = new Map<string, string[]>();
  if (newTests.results !== null && onOldCode.results !== null && base.results !== null) {
    const before = byId(base.results);
    const old = byId(onOldCode.results);
    for (const [id, test] of byId(newTests.results)) {
      const was = before.get(files.idBefore(test));
      const isNew = was === undefined ? files.isChanged(test) : hasFailed(was);
      if (!isNew || test.status !== 'passed' || old.get(id)?.status !== 'passed') continue;
      const file = test.file ?? files.placeOf(test);
      byFile.set(file, [...(byFile.get(file) ?? []), readTestTitle(test)]);
    }
  } else if (base.passed === false && newTests.passed === true && onOldCode.passed) {
    const file = change.files.find(({ path }) => isTestFile(path)) ?? change.files.find(changesJudge);
    if (file !== undefined) byFile.set(file.path, ['the changed tests']);
  }
  return [...byFile].map(([file, titles]) => findingOf(RETRIAL_RULES['proves-nothing'], { file, level: 'note', why: listTitles(titles) }));
}

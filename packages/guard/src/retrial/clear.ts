// What running says of what was read. A lost check is a suspicion: it is proven where a defect that the old tests notice passes the new ones,
// and cleared where they notice the same.

import type { GuardFinding } from '../findings/finding.js';
import type { GuardRule } from '../findings/rule-names.js';
import { fileOf } from '../change.js';
import type { Change, TestResult } from '../change.js';
import { isCode } from '../syntax/nodes.js';
import { changesJudge, isTestFile } from './judges.js';
import { readTestTitle } from './test-text.js';

/** Rules on lost, rewritten or disarmed checks. Never marks that keep a test from running, settings, or files outside the scope. */
const ON_LOST_CHECKS: ReadonlySet<GuardRule> = new Set([
  'test-deleted',
  'case-removed',
  'assertion-tautological',
  'test-emptied',
  'assertion-removed',
  'assertion-weakened',
  'assertion-swallowed',
  'assertion-unreached',
  'early-return',
  'unit-mocked',
  'module-replaced',
  'assertions-patched',
  'runner-patched',
  'runner-changed',
  'rebaselined',
]);

/** So many defects must be noticed by both versions of a file's tests before its findings are cleared. */
export const ENOUGH_MUTANTS = 4;

interface Kills {
  /** Killed by the old tests and by the new ones. */
  readonly kept: number;
  /** Killed by the old tests alone. */
  readonly lost: number;
}

export interface MutantCount extends Kills {
  /** By the title of a test that is in both versions. Other tests may notice what this one no longer does. */
  readonly tests: ReadonlyMap<string, Kills>;
}

/** `noticed`: titles of old tests. `now`: titles of new tests that notice it too; `all`: of all new tests. */
export function countMutant(
  { kept, lost, tests }: MutantCount,
  noticed: Iterable<string>,
  now: ReadonlySet<string>,
  all: ReadonlySet<string>,
): MutantCount {
  const counts = new Map(tests);
  for (const title of noticed) if (all.has(title)) counts.set(title, added(counts.get(title) ?? NO_KILLS, now.has(title)));
  return { ...added({ kept, lost }, now.size > 0), tests: counts };
}

function added({ kept, lost }: Kills, isKept: boolean): Kills {
  return isKept ? { kept: kept + 1, lost } : { kept, lost: lost + 1 };
}

const NO_KILLS: Kills = { kept: 0, lost: 0 };
export const NO_MUTANTS: MutantCount = { ...NO_KILLS, tests: new Map() };

/**
 * Files whose tests may ask for less than before: reading says so of one of their tests, or nobody reads their language and lines are gone.
 * Defects are tried against both versions of these.
 */
export function listSuspects(findings: readonly GuardFinding[], { files }: Change): readonly string[] {
  const told = findings.filter(isOnLostChecks).map(({ file }) => file);
  const unread = files.flatMap((file) => {
    const { path, before, after, renamedFrom = path } = file;
    if (before === null || isCode(renamedFrom) || !isTestFile(renamedFrom) || !changesJudge(file)) return [];
    const left = new Set((after ?? '').split('\n').map((line) => line.trim()));
    return before.split('\n').every((line) => left.has(line.trim())) ? [] : [renamedFrom];
  });
  return [...new Set([...told, ...unread])];
}

export interface RetrialOutcome {
  /** The old tests pass on the new code, as far as they passed at the base. */
  readonly oldTestsPass: boolean;
  /** The old tests do not pass on the new code, and nothing says which. */
  readonly failsUnnamed: boolean;
  /** Tests that passed at the base and are skipped now. */
  readonly skipped: readonly TestResult[];
  /** Tests that noticed the change of the code, and whose new versions pass with and without it. */
  readonly blind: readonly TestResult[];
  /** Tests that failed at the base and pass now, and whose old versions still fail on the new code. */
  readonly unmended: readonly TestResult[];
  /** Tests that pass now, and whose old versions do not pass on the new code or cannot run on it. */
  readonly doubtful: readonly TestResult[];
  /** Mutants by test file, old path. Files that are not in it had none. */
  readonly mutants: ReadonlyMap<string, MutantCount>;
}

export interface RetrialFindings {
  readonly findings: readonly GuardFinding[];
  readonly outcome: RetrialOutcome;
}

export function isOnLostChecks({ rule }: Pick<GuardFinding, 'rule'>): boolean {
  return ON_LOST_CHECKS.has(rule);
}

export interface WeighedFindings {
  readonly findings: readonly GuardFinding[];
  /** Suspicions that running the tests cleared. */
  readonly cleared: readonly GuardFinding[];
}

export function weighByRetrial(findings: readonly GuardFinding[], outcome: RetrialOutcome): WeighedFindings {
  const cleared = findings.filter((finding) => isCleared(finding, outcome));
  return { findings: findings.filter((finding) => !cleared.includes(finding)).map((finding) => weighOne(finding, outcome)), cleared };
}

/** A test that only calls the code still notices a crash: it has to notice itself what it noticed before. */
function killsOf(finding: GuardFinding, { mutants }: RetrialOutcome): { readonly all: Kills; readonly own: Kills } {
  const all = mutants.get(finding.file) ?? NO_MUTANTS;
  return { all, own: all.tests.get(lastTitle(finding)) ?? all };
}

function isCleared(finding: GuardFinding, outcome: RetrialOutcome): boolean {
  const { all, own } = killsOf(finding, outcome);
  return isOnLostChecks(finding) && outcome.oldTestsPass && all.lost + own.lost === 0 && own.kept >= ENOUGH_MUTANTS;
}

function weighOne(finding: GuardFinding, outcome: RetrialOutcome): GuardFinding {
  const { failsUnnamed, skipped, blind, unmended } = outcome;
  const raise = (why: string): GuardFinding => ({ ...finding, level: 'breach', message: `${finding.message}${why}` });
  // The condition is not about other machines.
  if (finding.rule === 'test-conditional' && skipped.some((test) => isOf(finding, test)))
    return raise(' It ran and passed at the base, and here it is skipped now.');
  if (!isOnLostChecks(finding)) return finding;
  if (finding.rule !== 'rebaselined' && unmended.some((test) => isOf(finding, test)))
    return raise(' The test failed at the base, and as it was there it still fails.');
  // The tested code changed, so reading found an excuse; but the old tests do not pass on it.
  const isBlind = finding.rule !== 'rebaselined' && blind.some((test) => isOf(finding, test));
  return isBlind || (failsUnnamed && finding.rule === 'test-deleted') ? raise('') : finding;
}

function lastTitle({ test }: GuardFinding): string {
  return test?.split(' > ').at(-1) ?? '';
}

/** Those that no finding covers which a person allows. A finding without a test is about its file. */
export function withoutAllowed(tests: readonly TestResult[], allowed: readonly GuardFinding[]): readonly TestResult[] {
  const covers = (finding: GuardFinding, test: TestResult): boolean =>
    (finding.test === undefined && finding.file === fileOf(test)) || (finding.test !== undefined && isOf(finding, test));
  return tests.filter((test) => !allowed.some((finding) => covers(finding, test)));
}

function isOf(finding: GuardFinding, test: TestResult): boolean {
  return (test.file === null || test.file === finding.file) && readTestTitle(test) === lastTitle(finding);
}

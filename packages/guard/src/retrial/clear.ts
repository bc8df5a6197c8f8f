// What the retrial says of findings that came from reading alone: it clears lost checks that lost no strength, and it takes away the excuse
// that the tested code changed.

import type { GuardFinding } from '../findings/finding.js';
import type { GuardRule } from '../findings/rule-names.js';
import { fileOf } from '../change.js';
import type { TestResult } from '../change.js';
import { readTestTitle } from './test-text.js';

/** Rules on lost or rewritten checks. Never marks that keep a test from running, settings, or files outside the scope. */
const ON_LOST_CHECKS: ReadonlySet<GuardRule> = new Set([
  'test-deleted',
  'case-removed',
  'assertion-tautological',
  'test-emptied',
  'assertion-removed',
  'assertion-weakened',
  'rebaselined',
]);

/** So many mutants must be killed by both versions of a file's tests before its findings are cleared. */
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

export interface RetrialOutcome {
  /** The old tests pass on the new code, as far as they passed at the base. */
  readonly oldTestsPass: boolean;
  /** The old tests do not pass on the new code, and nothing says which. */
  readonly failsUnnamed: boolean;
  /** Tests that passed at the base and are skipped now. */
  readonly skipped: readonly TestResult[];
  /** Tests that noticed the change of the code, and whose new versions pass with and without it. */
  readonly blind: readonly TestResult[];
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

export function weighByRetrial(
  findings: readonly GuardFinding[],
  { oldTestsPass, failsUnnamed, skipped, blind, mutants }: RetrialOutcome,
): readonly GuardFinding[] {
  return findings.map((finding) => {
    // The condition is not about other machines.
    if (finding.rule === 'test-conditional' && skipped.some((test) => isOf(finding, test)))
      return { ...finding, level: 'breach', message: `${finding.message} It ran and passed at the base, and here it is skipped now.` };
    if (!isOnLostChecks(finding)) return finding;
    const all = mutants.get(finding.file) ?? NO_MUTANTS;
    // A test that only calls the code still notices a crash: it has to notice itself what it noticed before.
    const { kept, lost } = all.tests.get(lastTitle(finding)) ?? all;
    if (finding.level === 'breach' && oldTestsPass && all.lost + lost === 0 && kept >= ENOUGH_MUTANTS) {
      const message = `${finding.message} Cleared by the retrial: the old tests pass on the new code, and the new tests notice the same ${kept} defects.`;
      return { ...finding, level: 'note', message };
    }
    // The tested code changed, so reading found an excuse; but the old tests do not pass on it.
    const isBlind = finding.rule !== 'rebaselined' && blind.some((test) => isOf(finding, test));
    return isBlind || (failsUnnamed && finding.rule === 'test-deleted') ? { ...finding, level: 'breach' } : finding;
  });
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

// Findings that a project accepts for a while: each with a reason and a last day. One that is over covers nothing.

import type { GuardFinding } from './finding.js';

/** A line of the project's settings. */
export interface GuardAllowance {
  /** A rule, or a group of rules. */
  readonly rule: string;
  /** A pattern of paths. */
  readonly path: string;
  /** Titles of one test, joined by ` > `; null: every test there. */
  readonly test: string | null;
  readonly reason: string;
  /** The last day on which it holds, as YYYY-MM-DD. */
  readonly until: string;
}

export interface Weighed {
  /** Breaches that no allowance covers. */
  readonly findings: readonly GuardFinding[];
  /** Notes that no allowance covers. */
  readonly notes: readonly GuardFinding[];
  readonly allowed: readonly { readonly finding: GuardFinding; readonly allowance: GuardAllowance }[];
  /** Allowances that would cover a finding, and are over. */
  readonly expired: readonly GuardAllowance[];
  /** Suspicions that running the tests cleared. */
  readonly cleared?: readonly GuardFinding[];
}

/** `pathTest`: what a pattern means. `today`: as YYYY-MM-DD. */
export function weigh(
  all: readonly GuardFinding[],
  allowances: readonly GuardAllowance[],
  today: string,
  pathTest: (patterns: readonly string[]) => (path: string) => boolean,
): Weighed {
  const covers = allowances.map((allowance) => ({ allowance, fits: pathTest([allowance.path]) }));
  const open: GuardFinding[] = [];
  const allowed: Weighed['allowed'][number][] = [];
  const expired = new Set<GuardAllowance>();
  for (const finding of all) {
    const fitting = covers
      .filter(({ allowance, fits }) => matchesAllowance(allowance, finding) && fits(finding.file))
      .map(({ allowance }) => allowance);
    const valid = fitting.find(({ until }) => until >= today);
    if (valid !== undefined) allowed.push({ finding, allowance: valid });
    else {
      open.push(finding);
      for (const allowance of fitting) expired.add(allowance);
    }
  }
  const ofLevel = (level: GuardFinding['level']) => open.filter((finding) => finding.level === level);
  return { findings: ofLevel('breach'), notes: ofLevel('note'), allowed, expired: [...expired] };
}

function matchesAllowance({ rule, test }: GuardAllowance, finding: GuardFinding): boolean {
  return (rule === finding.rule || rule === finding.group) && (test === null || test === finding.test);
}

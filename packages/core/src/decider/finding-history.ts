// How findings change from round to round: new, persisting, fixed, came back, caused by a fix. A finding is identified by its
// fingerprint, which survives moved lines, changed numbers and another severity.

import type { Finding } from '../model/vocabulary.js';
import { addToList } from '../formats/multimap.js';

export interface RoundFindings {
  readonly round: number;
  readonly findings: readonly Finding[];
  /** The files changed by the fixes before this round; null if unknown. */
  readonly touched: readonly string[] | null;
  /** The work before this round was reverted afterwards. The next round is compared with the round before this one. */
  readonly isUndone?: boolean;
}

export type FindingChange =
  | 'new'
  | 'persisting'
  /** It was fixed in an earlier round and is there again. */
  | 'came back'
  /** It was there in the previous round and is gone. */
  | 'fixed'
  /** First seen after a fix, in a file that the fix changed. */
  | 'caused by a fix';

/** How one finding changed in one round. For a fixed one, `finding` is from the previous round. */
export interface TracedFinding {
  readonly round: number;
  readonly finding: Finding;
  readonly change: FindingChange;
  /** The round in which a finding with this fingerprint was first seen. */
  readonly first: number;
}

/**
 * Takes the rounds in order. The result lists, round by round, first the findings of the round in their order, then the fixed ones.
 * Findings with the same fingerprint are copies, and each copy has its own entry. Time is linear in the number of findings.
 */
export function traceFindings(rounds: readonly RoundFindings[]): readonly TracedFinding[] {
  const traces: TracedFinding[] = [];
  if (rounds.every(({ findings }) => findings.length === 0)) return traces;
  const first = new Map<string, number>();
  /** Copies that were fixed and have not come back, by fingerprint. */
  let gone = new Map<string, number>();
  let before: FindingsByPrint = new Map();
  rounds.forEach(({ round, findings, touched, isUndone = false }, index) => {
    const wasGone = isUndone ? new Map(gone) : gone;
    const now = groupByPrint(findings);
    const { persisting, fixed } = compare(before, now);
    const isTouched = index === 0 ? () => false : fileMatcher(touched ?? fixed.flatMap(({ artifact }) => artifact ?? []));
    const changeOf = ({ fingerprint, artifact }: Finding): FindingChange => {
      if (persisting.get(fingerprint)?.next().value === true) return 'persisting';
      const away = gone.get(fingerprint) ?? 0;
      if (away > 0) {
        gone.set(fingerprint, away - 1);
        return 'came back';
      }
      return artifact !== null && isTouched(artifact) ? 'caused by a fix' : 'new';
    };
    for (const finding of findings) {
      const { fingerprint } = finding;
      if (!first.has(fingerprint)) first.set(fingerprint, round);
      traces.push({ round, finding, change: changeOf(finding), first: first.get(fingerprint) ?? round });
    }
    for (const finding of fixed) {
      const { fingerprint } = finding;
      gone.set(fingerprint, (gone.get(fingerprint) ?? 0) + 1);
      traces.push({ round, finding, change: 'fixed', first: first.get(fingerprint) ?? round });
    }
    if (isUndone) gone = wasGone;
    else before = now;
  });
  return traces;
}

type FindingsByPrint = ReadonlyMap<string, readonly Finding[]>;

function groupByPrint(findings: readonly Finding[]): FindingsByPrint {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) addToList(groups, finding.fingerprint, finding);
  return groups;
}

interface RoundComparison {
  /** By fingerprint, one value for each copy: whether it was there before. */
  readonly persisting: ReadonlyMap<string, Iterator<boolean>>;
  readonly fixed: readonly Finding[];
}

function compare(before: FindingsByPrint, now: FindingsByPrint): RoundComparison {
  const persisting = new Map<string, Iterator<boolean>>();
  const fixed: Finding[] = [];
  for (const [fingerprint, old] of before) {
    const present = now.get(fingerprint) ?? [];
    const many = Math.min(old.length, present.length);
    persisting.set(fingerprint, pick(present, old, many).values());
    const stayed = pick(old, present, many);
    for (const [index, finding] of old.entries()) if (stayed[index] !== true) fixed.push(finding);
  }
  return { persisting, fixed };
}

/** Picks `many` of these copies: first those that share a line with one of the others, then in order. */
function pick(copies: readonly Finding[], others: readonly Finding[], many: number): readonly boolean[] {
  const lines = new Map<number | null, number>();
  for (const { line } of others) lines.set(line, (lines.get(line) ?? 0) + 1);
  let left = many;
  const picked = copies.map(({ line }) => {
    const free = lines.get(line) ?? 0;
    if (free === 0) return false;
    lines.set(line, free - 1);
    left -= 1;
    return true;
  });
  return picked.map((is) => is || left-- > 0);
}

/** Agents shorten paths or prefix them. Two paths match if one ends with all the names of the other. */
function fileMatcher(paths: readonly string[]): (artifact: string) => boolean {
  const whole = new Set(paths);
  const endings = new Set(paths.flatMap(endingsOf));
  return (artifact) => endings.has(artifact) || endingsOf(artifact).some((ending) => whole.has(ending));
}

/** `a/b/c`, `b/c`, `c` */
function endingsOf(path: string): readonly string[] {
  const out = [path];
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) out.push(path.slice(slash + 1));
  return out;
}

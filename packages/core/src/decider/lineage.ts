// What becomes of findings from round to round: new, persisting, fixed, came back, caused by a fix. A finding is known by its
// fingerprint, which outlives moved lines, changed figures and another severity. What that says of a loop is in trend.ts.

import type { Finding } from '../model.js';
import { addToList } from '../formats/multimap.js';

export interface RoundFindings {
  readonly round: number;
  readonly findings: readonly Finding[];
  /** The files that the fixes before this round changed; null where nobody knows. */
  readonly touched: readonly string[] | null;
}

export type Fate =
  | 'new'
  | 'persisting'
  /** It was there, was gone in the round before, and is there again. */
  | 'came back'
  /** It was there in the round before and is gone. */
  | 'fixed'
  /** First seen after a fix, in a file that the fix touched. */
  | 'caused by a fix';

/** What became of one finding in one round. Of a fixed one, `finding` is what it was in the round before. */
export interface Trace {
  readonly round: number;
  readonly finding: Finding;
  readonly fate: Fate;
  /** The round in which a finding with this fingerprint was first seen. */
  readonly first: number;
}

/**
 * Rounds in their order; the round before is the entry before. Traces come in that order too: first what became of the
 * round's findings, as the round lists them, then the fixed ones. Findings with one fingerprint are copies of each other, and
 * each has its own trace. Time is linear in the number of findings.
 */
export function traceFindings(rounds: readonly RoundFindings[]): readonly Trace[] {
  const traces: Trace[] = [];
  if (rounds.every(({ findings }) => findings.length === 0)) return traces;
  const first = new Map<string, number>();
  /** Copies that were fixed and have not come back, by fingerprint. */
  const gone = new Map<string, number>();
  let before: Copies = new Map();
  rounds.forEach(({ round, findings, touched }, index) => {
    const now = copiesOf(findings);
    const { persisting, fixed } = compare(before, now);
    const isTouched = index === 0 ? () => false : fileMatcher(touched ?? fixed.flatMap(({ artifact }) => artifact ?? []));
    const fateOf = ({ fingerprint, artifact }: Finding): Fate => {
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
      traces.push({ round, finding, fate: fateOf(finding), first: first.get(fingerprint) ?? round });
    }
    for (const finding of fixed) {
      const { fingerprint } = finding;
      gone.set(fingerprint, (gone.get(fingerprint) ?? 0) + 1);
      traces.push({ round, finding, fate: 'fixed', first: first.get(fingerprint) ?? round });
    }
    before = now;
  });
  return traces;
}

/** Findings by fingerprint. */
type Copies = ReadonlyMap<string, readonly Finding[]>;

function copiesOf(findings: readonly Finding[]): Copies {
  const copies = new Map<string, Finding[]>();
  for (const finding of findings) {
    addToList(copies, finding.fingerprint, finding);
  }
  return copies;
}

interface Comparison {
  /** By fingerprint, for one copy after the other: was it there before? */
  readonly persisting: ReadonlyMap<string, Iterator<boolean>>;
  /** Of the findings before: those that are gone. */
  readonly fixed: readonly Finding[];
}

function compare(before: Copies, now: Copies): Comparison {
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

/** Picks so many of these copies: first those whose line is also a line of the others, then as they come. */
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

/** Agents write paths shorter or longer than they are: a file is met where one path ends with the whole names of the other. */
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

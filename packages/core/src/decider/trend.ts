// Where a chain of rounds is going: does it gain, stall, oscillate, diverge? Reads what was measured, round by round, and
// calls it. Pure, and the same for every loop: which facts are gauges, and which way is better, the loop says.

import { bySeverity, describeCounts, describeFinding } from '../formats/finding-text.js';
import type { Direction, Facts, Progress } from '../loops/loop.js';
import { SEVERITIES } from '../model.js';
import type { Counts, Finding } from '../model.js';
import { traceFindings } from './lineage.js';
import type { RoundFindings, Trace } from './lineage.js';
import { addToList } from '../formats/multimap.js';

export interface Gauge {
  readonly name: string;
  readonly value: number;
  readonly better: Direction;
}

/** What one round came to. */
export interface Measure {
  readonly round: number;
  readonly counts: Counts;
  readonly gauges: readonly Gauge[];
  /** What became of its findings, the fixed ones included. */
  readonly traces: readonly Trace[];
}

/** A decided verdict, as far as a trend needs it. */
export interface JudgedRound extends RoundFindings {
  readonly counts: Counts;
  readonly facts: Facts;
}

export type TrendKind = 'improving' | 'stalled' | 'oscillating' | 'diverging' | 'unclear';

export interface Trend {
  readonly kind: TrendKind;
  /** Sure enough to stop the loop on it. A finding that came back is called at once, but may be one bad round of a series that gains. */
  readonly stop: boolean;
  /** A sentence with figures. */
  readonly why: string;
}

/** How many rounds without a gain are too many. */
const PATIENCE = 2;
/** A gauge is clearly worse where it lost more than this part of its value. Less is called a stall: it may be noise. */
const CLEAR = 0.02;
/** For a gain by weight: ten Lows are as bad as a Critical. */
const WEIGHTS: Counts = { critical: 10, high: 5, medium: 2, low: 1 };

/** One measure a round, oldest first. A round that was judged more than once is one round: its last verdict counts. */
export function measuresOf(progress: Progress, judged: readonly JudgedRound[]): readonly Measure[] {
  const rounds = judged.filter((entry, index) => judged[index + 1]?.round !== entry.round);
  const traces = tracesByRound(traceFindings(rounds));
  const wanted = Object.entries(progress);
  return rounds.map(({ round, counts, facts }) => {
    const gauges: Gauge[] = [];
    for (const [name, better] of wanted) {
      const value = facts[name];
      if (typeof value === 'number' && Number.isFinite(value)) gauges.push({ name, value, better });
    }
    return { round, counts, gauges, traces: traces.get(round) ?? NO_TRACES };
  });
}

const NO_TRACES: readonly Trace[] = [];

function tracesByRound(traces: readonly Trace[]): ReadonlyMap<number, readonly Trace[]> {
  const rounds = new Map<number, Trace[]>();
  for (const trace of traces) {
    addToList(rounds, trace.round, trace);
  }
  return rounds;
}

/**
 * What the rounds so far, oldest first, come to after the last of them. A round gains where a gauge is better than it ever
 * was (a first reading is no gain), the severities are lower than they ever were (fewer Critical; at equal Critical fewer
 * High; and so on), or the findings weigh less than they ever did.
 *
 * - The last round gains: `improving`; `unclear` where it also has more Critical or High findings than the one before.
 * - A finding came back and the round gains nothing: `oscillating`. It stops in the second round without a gain, or where the
 *   same finding came back before and nothing is better than it was then.
 * - No gain in two rounds: stopped, unless the last round recovers: against one of the two before it, it is better in something
 *   and clearly worse in nothing. It is `oscillating` where a finding came back in the round before; `diverging` where each of
 *   the two is worse than the one before it and the loss is clear, or both are clearly worse than the first round; else `stalled`.
 * - All else is `unclear`: the first round, one round without a gain, a recovery.
 *
 * So a series that gains at least every other round, or climbs out of a dip, is never stopped.
 */
export function trendOf(history: readonly Measure[]): Trend {
  const now = history.at(-1);
  const before = history.at(-2);
  if (now === undefined || before === undefined) return unclear('One round is no trend: there is nothing to compare it with.');
  if (!history.some(isMeasured)) return unclear('Nothing is measured that could tell: no gauge, no finding.');
  const { gains, bestAt } = gainsOf(history);
  const back = cameBack(now);
  if (gains.length > 0) return gaining(before, now, gains);
  const quiet = history.length - 1 - bestAt;
  const since = `no gain since round ${history[bestAt]?.round ?? now.round}`;
  if (back.length > 0) {
    const stop = quiet >= PATIENCE || isRepeated(history, back);
    return { kind: 'oscillating', stop, why: `Oscillating: ${describeBack(now)}, with ${since}.` };
  }
  if (quiet < PATIENCE) return unclear(`Round ${now.round} brought ${since}; one such round may happen.`);
  const recovery = recoveryOf(history);
  if (recovery !== null) return unclear(`${recovery}, still with ${since}.`);
  if (cameBack(before).length > 0) return { kind: 'oscillating', stop: true, why: `Oscillating: ${describeBack(before)}, with ${since}.` };
  const loss = lossOf(history);
  if (loss !== null) return { kind: 'diverging', stop: true, why: `Diverging: ${loss}, with ${since}.` };
  return { kind: 'stalled', stop: true, why: `Stalled: ${since}; still ${describe(now)}.` };
}

function isMeasured({ gauges, counts, traces }: Measure): boolean {
  return gauges.length > 0 || traces.length > 0 || SEVERITIES.some((severity) => counts[severity] > 0);
}

const unclear = (why: string): Trend => ({ kind: 'unclear', stop: false, why });

function gaining(before: Measure, now: Measure, gains: readonly string[]): Trend {
  const back = cameBack(now).length === 0 ? '' : ` However, ${describeBack(now)}.`;
  if (graveBelow(before.counts, now.counts)) {
    const worse = `findings went from ${describeCounts(before.counts)} to ${describeCounts(now.counts)}`;
    return unclear(`Round ${now.round} is better in one way and worse in another: ${gains.join(', ')}, but ${worse}.${back}`);
  }
  return { kind: 'improving', stop: false, why: `Improving in round ${now.round}: ${gains.join(', ')}.${back}` };
}

/** What the last round gained over all before it, and which round gained last: the first one where none did. */
function gainsOf(history: readonly Measure[]): { readonly gains: readonly string[]; readonly bestAt: number } {
  const best = new Map<string, number>();
  let counts: Counts | null = null;
  let lightest = Infinity;
  let gains: string[] = [];
  let bestAt = 0;
  history.forEach((measure, index) => {
    gains = [];
    for (const { name, value, better } of measure.gauges) {
      const record = best.get(name);
      if (record !== undefined && isBetter(record, value, better)) gains.push(describeChange(name, record, value));
      if (record === undefined || isBetter(record, value, better)) best.set(name, value);
    }
    const weight = weightOf(measure.counts);
    const lower = counts === null || severitiesBelow(measure.counts, counts);
    if (counts !== null && (lower || weight < lightest))
      gains.push(`findings went from ${describeCounts(history[index - 1]?.counts ?? counts)} to ${describeCounts(measure.counts)}`);
    if (lower) counts = measure.counts;
    lightest = Math.min(lightest, weight);
    if (gains.length > 0) bestAt = index;
  });
  return { gains, bestAt };
}

function weightOf({ critical, high, medium, low }: Counts): number {
  return WEIGHTS.critical * critical + WEIGHTS.high * high + WEIGHTS.medium * medium + WEIGHTS.low * low;
}

/** What is better and what is worse in `now`, in words. Gauges that moved by no more than `margin` of their value are neither. */
function changesOf(from: Measure, now: Measure, margin: number): { readonly better: readonly string[]; readonly worse: readonly string[] } {
  const better: string[] = [];
  const worse: string[] = [];
  const differs = severitiesBelow(now.counts, from.counts) ? better : severitiesBelow(from.counts, now.counts) ? worse : null;
  differs?.push(`findings went from ${describeCounts(from.counts)} to ${describeCounts(now.counts)}`);
  for (const gauge of now.gauges) {
    const old = from.gauges.find(({ name }) => name === gauge.name)?.value;
    if (old === undefined || Math.abs(gauge.value - old) <= margin * Math.abs(old)) continue;
    if (isBetter(old, gauge.value, gauge.better)) better.push(describeChange(gauge.name, old, gauge.value));
    if (isBetter(gauge.value, old, gauge.better)) worse.push(describeChange(gauge.name, old, gauge.value));
  }
  return { better, worse };
}

/** How the last round climbs out of a dip, or null where it does not. */
function recoveryOf(history: readonly Measure[]): string | null {
  const [now, ...earlier] = history.slice(-1 - PATIENCE).toReversed();
  if (now === undefined) return null;
  for (const from of earlier) {
    const { better } = changesOf(from, now, 0);
    if (better.length > 0 && changesOf(from, now, CLEAR).worse.length === 0)
      return `Round ${now.round} recovers from round ${from.round} (${better.join(', ')})`;
  }
  return null;
}

/** How the last rounds got worse, or null where that is not clear. */
function lossOf(history: readonly Measure[]): string | null {
  const [first] = history;
  const [start, before, now] = history.slice(-3);
  if (first === undefined || start === undefined || before === undefined || now === undefined) return null;
  const lost = (from: Measure, to: Measure, margin: number) => {
    const { better, worse } = changesOf(from, to, margin);
    return better.length === 0 && worse.length > 0 ? worse : null;
  };
  const since = (from: Measure) => {
    const worse = lost(from, now, CLEAR);
    return worse === null ? null : `round ${now.round} is worse than round ${from.round} (${worse.join(', ')})`;
  };
  if (lost(start, before, 0) !== null && lost(before, now, 0) !== null && since(start) !== null) return since(start);
  return lost(first, before, CLEAR) === null ? null : since(first);
}

const cameBack = (measure: Measure): readonly Finding[] =>
  measure.traces.filter(({ fate }) => fate === 'came back').map(({ finding }) => finding);

/** Did one of these come back before, in a round than which the last one is better in nothing? */
function isRepeated(history: readonly Measure[], back: readonly Finding[]): boolean {
  const now = history.at(-1);
  const prints = new Set(back.map(({ fingerprint }) => fingerprint));
  const earlier = history.slice(0, -1).findLast((measure) => cameBack(measure).some(({ fingerprint }) => prints.has(fingerprint)));
  return now !== undefined && earlier !== undefined && changesOf(earlier, now, 0).better.length === 0;
}

/** Fewer Critical; at equal numbers fewer High; and so on. */
function severitiesBelow(counts: Counts, than: Counts): boolean {
  if (counts.critical !== than.critical || counts.high !== than.high) return graveBelow(counts, than);
  return counts.medium === than.medium ? counts.low < than.low : counts.medium < than.medium;
}

/** The same of Critical and High alone. */
function graveBelow(counts: Counts, than: Counts): boolean {
  return counts.critical === than.critical ? counts.high < than.high : counts.critical < than.critical;
}

/** By more than arithmetic with fractions may be off. */
function isBetter(old: number, value: number, better: Direction): boolean {
  return (better === 'higher' ? value - old : old - value) > 1e-9 * Math.max(1, Math.abs(old));
}

const figure = (value: number): string => String(Number.isInteger(value) ? value : Number(value.toFixed(4)));

function describeChange(name: string, from: number, to: number): string {
  return `${name} ${to > from ? 'rose' : 'fell'} from ${figure(from)} to ${figure(to)}`;
}

function describe({ gauges, counts }: Measure): string {
  return [...gauges.map(({ name, value }) => `${name} ${figure(value)}`), `findings ${describeCounts(counts)}`].join(', ');
}

function describeBack(measure: Measure): string {
  const back = bySeverity(cameBack(measure));
  const [worst] = back;
  const named = worst === undefined ? '' : describeFinding(worst);
  const shown = named.length > 100 ? `${named.slice(0, 99)}\u2026` : named;
  return `${back.length === 1 ? '1 finding' : `${back.length} findings`} came back in round ${measure.round} (${shown})`;
}

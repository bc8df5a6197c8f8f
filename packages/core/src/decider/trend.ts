// The trend of a chain of rounds: improving, stalled, oscillating or diverging. The loop's `progress` names the facts that serve as
// gauges, and which direction is better.

import { bySeverity, describeCounts, describeFinding } from '../formats/finding-text.js';
import type { Direction, Facts, Progress } from '../loops/loop.js';
import { SEVERITIES } from '../model/vocabulary.js';
import type { Counts, Finding } from '../model/vocabulary.js';
import { traceFindings } from './finding-history.js';
import type { RoundFindings, TracedFinding } from './finding-history.js';
import { addToList } from '../formats/multimap.js';

export interface Gauge {
  readonly name: string;
  readonly value: number;
  readonly better: Direction;
}

/** The measurements of one round. */
export interface RoundMeasure {
  readonly round: number;
  readonly counts: Counts;
  readonly gauges: readonly Gauge[];
  /** How its findings changed, including the fixed ones. */
  readonly traces: readonly TracedFinding[];
}

/** The part of a decided verdict that a trend needs. */
export interface JudgedRound extends RoundFindings {
  readonly counts: Counts;
  readonly facts: Facts;
}

export type TrendKind = 'improving' | 'stalled' | 'oscillating' | 'diverging' | 'unclear';

export interface Trend {
  readonly kind: TrendKind;
  /** Certain enough to stop the loop. One finding that came back makes it oscillating, but may be one bad round of a good series. */
  readonly stop: boolean;
  /** A sentence with figures. */
  readonly why: string;
}

/** So many rounds without a gain are a stall. */
const STALL_ROUNDS = 2;
/** A gauge is clearly worse if it lost more than this share of its value. Less may be noise. */
const CLEAR_LOSS_SHARE = 0.02;
/** For a gain by weight: ten Low findings are as bad as one Critical. */
const WEIGHTS: Counts = { critical: 10, high: 5, medium: 2, low: 1 };

/** One measure for each round, oldest first. If a round was judged more than once, its last verdict counts. */
export function measuresOf(progress: Progress, judged: readonly JudgedRound[]): readonly RoundMeasure[] {
  const rounds = judged.filter((entry, index) => judged[index + 1]?.round !== entry.round);
  const traces = tracesByRound(traceFindings(rounds));
  const wanted = Object.entries(progress);
  return rounds.map(({ round, counts, facts }) => {
    const gauges: Gauge[] = [];
    for (const [name, better] of wanted) {
      const value = facts[name];
      if (typeof value === 'number' && Number.isFinite(value)) gauges.push({ name, value, better });
    }
    return { round, counts, gauges, traces: traces.get(round) ?? [] };
  });
}

function tracesByRound(traces: readonly TracedFinding[]): ReadonlyMap<number, readonly TracedFinding[]> {
  const rounds = new Map<number, TracedFinding[]>();
  for (const trace of traces) {
    addToList(rounds, trace.round, trace);
  }
  return rounds;
}

/**
 * The trend after the last of these rounds, oldest first. A round gains if one of these is better than in every round before:
 * a gauge (its first value is no gain), the severities (fewer Critical; at equal Critical fewer High; and so on), or the weight of the
 * findings.
 *
 * - The last round gains: `improving`, or `unclear` if it also has more Critical or High findings than the previous round.
 * - A finding came back and the round does not gain: `oscillating`. It stops the loop in the second round without a gain, or if the
 *   same finding came back before and nothing is better than it was then.
 * - Two rounds without a gain stop the loop, unless the last round recovers: compared with one of the two rounds before, something is
 *   better and nothing is clearly worse. `oscillating` if a finding came back in the previous round. `diverging` if each of the two
 *   rounds is worse than the one before it and the loss is clear, or if both are clearly worse than the first round. Otherwise `stalled`.
 * - Everything else is `unclear`: the first round, one round without a gain, a recovery.
 *
 * So a series that gains at least every other round, or recovers from a bad round, is never stopped.
 */
export function trendOf(history: readonly RoundMeasure[]): Trend {
  const now = history.at(-1);
  const before = history.at(-2);
  if (now === undefined || before === undefined) return unclear('No trend after one round.');
  if (!history.some(isMeasured)) return unclear('No trend: the rounds have no numbers or findings to compare.');
  const { gains, bestAt } = gainsOf(history);
  const back = cameBack(now);
  if (gains.length > 0) return gaining(before, now, gains);
  const quiet = history.length - 1 - bestAt;
  const since = `no progress since round ${history[bestAt]?.round ?? now.round}`;
  if (back.length > 0) {
    const stop = quiet >= STALL_ROUNDS || isRepeated(history, back);
    return { kind: 'oscillating', stop, why: `Oscillating: ${describeBack(now)}, with ${since}.` };
  }
  if (quiet < STALL_ROUNDS) return unclear(`No progress in round ${now.round}.`);
  const recovery = recoveryOf(history);
  if (recovery !== null) return unclear(`${recovery}, but there is ${since}.`);
  if (cameBack(before).length > 0) return { kind: 'oscillating', stop: true, why: `Oscillating: ${describeBack(before)}, with ${since}.` };
  const loss = lossOf(history);
  if (loss !== null) return { kind: 'diverging', stop: true, why: `Diverging: ${loss}, with ${since}.` };
  return { kind: 'stalled', stop: true, why: `Stalled: ${since} (${describe(now)}).` };
}

function isMeasured({ gauges, counts, traces }: RoundMeasure): boolean {
  return gauges.length > 0 || traces.length > 0 || SEVERITIES.some((severity) => counts[severity] > 0);
}

const unclear = (why: string): Trend => ({ kind: 'unclear', stop: false, why });

function gaining(before: RoundMeasure, now: RoundMeasure, gains: readonly string[]): Trend {
  const back = cameBack(now).length === 0 ? '' : ` However, ${describeBack(now)}.`;
  if (graveBelow(before.counts, now.counts)) {
    const worse = `findings went from ${describeCounts(before.counts)} to ${describeCounts(now.counts)}`;
    return unclear(`Round ${now.round} is partly better and partly worse: ${gains.join(', ')}, but ${worse}.${back}`);
  }
  return { kind: 'improving', stop: false, why: `Improving in round ${now.round}: ${gains.join(', ')}.${back}` };
}

/** The gains of the last round over all rounds before, and the index of the last round that gained (0 if none did). */
function gainsOf(history: readonly RoundMeasure[]): { readonly gains: readonly string[]; readonly bestAt: number } {
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

/** In words, what is better and worse in `now`. A gauge that moved by at most `margin` of its value is neither. */
function changesOf(
  from: RoundMeasure,
  now: RoundMeasure,
  margin: number,
): { readonly better: readonly string[]; readonly worse: readonly string[] } {
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

/** How the last round recovers from a worse one; null if it does not. */
function recoveryOf(history: readonly RoundMeasure[]): string | null {
  const [now, ...earlier] = history.slice(-1 - STALL_ROUNDS).toReversed();
  if (now === undefined) return null;
  for (const from of earlier) {
    const { better } = changesOf(from, now, 0);
    if (better.length > 0 && changesOf(from, now, CLEAR_LOSS_SHARE).worse.length === 0)
      return `Round ${now.round} recovers from round ${from.round} (${better.join(', ')})`;
  }
  return null;
}

/** How the last rounds got worse; null if that is not clear. */
function lossOf(history: readonly RoundMeasure[]): string | null {
  const [first] = history;
  const [start, before, now] = history.slice(-3);
  if (first === undefined || start === undefined || before === undefined || now === undefined) return null;
  const lost = (from: RoundMeasure, to: RoundMeasure, margin: number) => {
    const { better, worse } = changesOf(from, to, margin);
    return better.length === 0 && worse.length > 0 ? worse : null;
  };
  const since = (from: RoundMeasure) => {
    const worse = lost(from, now, CLEAR_LOSS_SHARE);
    return worse === null ? null : `round ${now.round} is worse than round ${from.round} (${worse.join(', ')})`;
  };
  if (lost(start, before, 0) !== null && lost(before, now, 0) !== null && since(start) !== null) return since(start);
  return lost(first, before, CLEAR_LOSS_SHARE) === null ? null : since(first);
}

const cameBack = (measure: RoundMeasure): readonly Finding[] =>
  measure.traces.filter(({ change }) => change === 'came back').map(({ finding }) => finding);

/** Whether one of these findings came back before, and nothing is better now than in that round. */
function isRepeated(history: readonly RoundMeasure[], back: readonly Finding[]): boolean {
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

/** The same for Critical and High only. */
function graveBelow(counts: Counts, than: Counts): boolean {
  return counts.critical === than.critical ? counts.high < than.high : counts.critical < than.critical;
}

/** By more than a rounding error. */
function isBetter(old: number, value: number, better: Direction): boolean {
  return (better === 'higher' ? value - old : old - value) > 1e-9 * Math.max(1, Math.abs(old));
}

const figure = (value: number): string => String(Number.isInteger(value) ? value : Number(value.toFixed(4)));

function describeChange(name: string, from: number, to: number): string {
  return `${name} ${to > from ? 'rose' : 'fell'} from ${figure(from)} to ${figure(to)}`;
}

function describe({ gauges, counts }: RoundMeasure): string {
  return [...gauges.map(({ name, value }) => `${name} ${figure(value)}`), `findings ${describeCounts(counts)}`].join(', ');
}

function describeBack(measure: RoundMeasure): string {
  const back = bySeverity(cameBack(measure));
  const [worst] = back;
  const named = worst === undefined ? '' : describeFinding(worst);
  const shown = named.length > 100 ? `${named.slice(0, 99)}\u2026` : named;
  return `${back.length === 1 ? '1 finding' : `${back.length} findings`} came back in round ${measure.round} (${shown})`;
}

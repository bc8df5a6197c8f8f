// Recorded series of the five loops, labelled by hand before the rule was written, and their trends.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeFinding } from '../formats/finding.js';
import type { Counts, Finding, Severity } from '../model/vocabulary.js';
import { measuresOf, trendOf } from './trend.js';
import type { Direction } from '../loops/loop.js';
import type { JudgedRound, TrendKind } from './trend.js';

/** One round: gauges by name, and findings as words, `Ca Hb Hb`: a Critical one named a, two copies of a High one named b. */
interface Round {
  readonly found?: string;
  readonly score?: number;
  readonly coverage?: number;
  readonly pass_rate?: number;
  readonly regressions?: number;
}

const PROGRESS: Readonly<Record<string, Direction>> = { score: 'higher', coverage: 'higher', pass_rate: 'higher', regressions: 'lower' };
const SEVERITY: Readonly<Record<string, Severity>> = { C: 'critical', H: 'high', M: 'medium', L: 'low' };

function findingsOf(words: string): readonly Finding[] {
  return words
    .split(' ')
    .filter(Boolean)
    .map((word) =>
      makeFinding({
        severity: SEVERITY[word.charAt(0)] ?? 'low',
        message: `finding ${word.slice(1)}`,
        artifact: `src/${word.slice(1)}.ts`,
      }),
    );
}

function judged({ found = '', ...facts }: Round, index: number): JudgedRound {
  const findings = findingsOf(found);
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const counts: Counts = { critical: count('critical'), high: count('high'), medium: count('medium'), low: count('low') };
  return { round: index + 1, counts, findings, facts: { ...facts, signal: 'x' }, touched: null };
}

function trendsOf(rounds: readonly Round[]) {
  const measures = measuresOf(PROGRESS, rounds.map(judged));
  return measures.map((_, index) => trendOf(measures.slice(0, index + 1)));
}

/** Rounds of one gauge, with the same findings in all of them unless a list is given. */
const scores = (values: readonly number[], found: string | readonly string[] = 'Ha Mb') => gauge('score', values, found);
const coverages = (values: readonly number[], found: string | readonly string[] = '') => gauge('coverage', values, found);
const foundIn = (found: readonly string[]): readonly Round[] => found.map((words) => ({ found: words }));

function gauge(name: keyof typeof PROGRESS, values: readonly number[], found: string | readonly string[]): readonly Round[] {
  return values.map((value, index) => ({ [name]: value, found: typeof found === 'string' ? found : (found[index] ?? '') }));
}

/** Series that gain slowly. None is ever stopped, at no round of it. */
const GAINS: Readonly<Record<string, readonly Round[]>> = {
  'review, a tenth of a point a round': scores([5, 5.1, 5.2, 5.3, 5.4, 5.5, 5.6, 5.7, 5.8, 5.9]),
  'testing, 0.3 percent of coverage a round': coverages([60, 60.3, 60.6, 60.9, 61.2, 61.5, 61.8, 62.1]),
  'testing, a thousandth of the pass rate a round': gauge('pass_rate', [0.9, 0.901, 0.902, 0.903, 0.904, 0.905], 'Ha'),
  'design, one Low finding fewer a round': foundIn(['La Lb Lc Ld Le', 'La Lb Lc Ld', 'La Lb Lc', 'La Lb', 'La']),
  'design, one High fewer while the score wavers': [
    { score: 6.1, found: 'Ha Hb Hc Hd' },
    { score: 5.9, found: 'Ha Hb Hc' },
    { score: 6, found: 'Ha Hb' },
    { score: 5.8, found: 'Ha' },
  ],
  'review, a round without gain, then a gain': scores([5, 5, 5.5, 5.5, 6, 6, 6.5, 6.5, 6.9]),
  'debt, a regression fewer, with pauses': gauge('regressions', [9, 8, 8, 7, 7, 6, 5, 5, 4, 3], ''),
  'brainstorm, a Critical met while two Lows appear': foundIn(['Ca Hb', 'Hb Lc Ld', 'Hb Lc', 'Hb', 'Me Lf Lg']),
  'brainstorm, severities sink while their number grows': foundIn(['Ca Cb', 'Cb Hc Hd', 'Cb Hd Me Mf', 'Hd Me Mf Mg', 'Me Mf Mg Lh Li']),
  'design, a Critical met for two Lows, a pause, a Low fewer': foundIn(['Ca', 'Lb Lc', 'Lb Lc', 'Lb', 'Lb']),
  'testing, up with a step back each time': coverages([60, 61, 60.6, 61.5, 61.2, 62.3, 62, 63]),
  'testing, a single dip and back': coverages([60, 61, 58, 60, 62, 63]),
  'testing, a deep dip and a slow way back': coverages([60, 61, 52, 54, 57, 59, 60.5, 62]),
  'testing, a dip, half the way back, a pause': coverages([60, 61, 58, 60, 60, 61.5, 62]),
  'review, a lucky first score, then a slow climb': scores([6.5, 5, 5.1, 5.2, 5.2, 5.3, 5.4, 5.4, 5.5]),
  'testing, a dip with another gauge that wavers': [
    { coverage: 60, pass_rate: 0.96 },
    { coverage: 61, pass_rate: 0.96 },
    { coverage: 58, pass_rate: 0.96 },
    { coverage: 60.5, pass_rate: 0.955 },
    { coverage: 61.5, pass_rate: 0.96 },
  ],
  'review, one bad round after two good ones': scores([4, 5, 6, 4.5, 6.5]),
  'testing, pass rate up while coverage sags': [
    { pass_rate: 0.7, coverage: 81 },
    { pass_rate: 0.74, coverage: 80.5 },
    { pass_rate: 0.79, coverage: 80.2 },
    { pass_rate: 0.83, coverage: 80.1 },
    { pass_rate: 0.88, coverage: 79 },
  ],
  'testing, coverage up while new tests fail': [
    { coverage: 60, pass_rate: 1 },
    { coverage: 66, pass_rate: 0.97, found: 'Ha' },
    { coverage: 71, pass_rate: 0.95, found: 'Ha Hb' },
    { coverage: 75, pass_rate: 0.94, found: 'Hb Hc Hd' },
  ],
  'review, the reviewer digs deeper as the score climbs': scores(
    [4, 4.5, 5, 5.5, 6],
    ['Ha Hb', 'Hc Hd Me', 'Hf Hg Mh', 'Hi Mj Mk', 'Hl Hm'],
  ),
  'review, a finding comes back once while the rest gets better': scores(
    [4, 5, 5.5, 6, 6.5],
    ['Ca Hb Hc Hd', 'Hb Hc Hd', 'Ca Hc', 'Hc', 'Me'],
  ),
  'testing, a flaky test comes and goes under rising coverage': coverages([60, 60.4, 60.8, 61.2, 61.6, 62], ['Ha', '', 'Ha', '', 'Ha', '']),
  'testing, a flaky test, and a pause when it is back': coverages([60, 60.4, 60.8, 61.2, 61.2, 61.6], ['Ha', '', 'Ha', '', 'Ha', '']),
  'testing, a dip when an old failure is back, then mended': coverages([60, 61, 58, 60.5, 62], ['Ha', '', 'Ha', '', '']),
  'debt, fewer failed checks at the same regressions': [
    { regressions: 4, found: 'Ha Hb Hc' },
    { regressions: 4, found: 'Ha Hb' },
    { regressions: 4, found: 'Ha Mb' },
    { regressions: 4, found: 'Ha' },
  ],
  'design, copies of one finding go one by one': foundIn(['Ha Ha Ha Ha', 'Ha Ha Ha', 'Ha Ha', 'Ha']),
  'design, a High appears while five Mediums go, a pause, one more goes': foundIn([
    'Ha Mb Mc Md Me Mf Mg Mh',
    'Ha Hi Mb Mc',
    'Ha Hi Mb Mc',
    'Ha Hi Mb',
  ]),
  'review, one worse round is no divergence': scores([6, 5, 6.5], ['Ha', 'Ha Hb', 'Ha']),
};

/** Series to stop: what they are called when they are first stopped, and in which round. */
const STOPS: Readonly<Record<string, readonly [TrendKind, number, readonly Round[]]>> = {
  'review, nothing changes': ['stalled', 3, scores([5, 5, 5, 5])],
  'debt, nothing changes': ['stalled', 3, gauge('regressions', [4, 4, 4], 'Ha')],
  'design, a low score and no finding': ['stalled', 3, scores([5.5, 5.5, 5.5], '')],
  'review, as many new findings as were fixed': ['stalled', 3, scores([5, 5, 5], ['Ha Hb', 'Hc Hd', 'He Hf'])],
  'testing, gains and then nothing': ['stalled', 5, coverages([60, 65, 68, 68, 68])],
  'testing, coverage wavers by a tenth': ['stalled', 4, coverages([70, 70.1, 70, 69.9, 70.1, 70])],
  'testing, coverage wavers and finds a new best by chance': ['stalled', 6, coverages([70, 69.9, 70.1, 70.2, 70.1, 69.9, 70.2])],
  'review, up and down without a finding that moves': ['stalled', 5, scores([5, 6, 5, 6, 5])],
  'brainstorm, the last two objections stay': ['stalled', 5, foundIn(['Ca Hb Hc', 'Hb Hc', 'Hb Mc', 'Hb Mc', 'Hb Mc'])],

  'review, up, down and flat': ['stalled', 4, scores([4, 6, 5, 5])],
  'review, up, flat and one bad round': ['stalled', 4, scores([5, 6, 6, 4])],
  'testing, one gauge is traded for the other': [
    'stalled',
    4,
    [
      { score: 5, coverage: 70 },
      { score: 6, coverage: 60 },
      { score: 5.5, coverage: 62 },
      { score: 5, coverage: 65 },
    ],
  ],

  'review, two findings take turns': ['oscillating', 3, scores([5, 5, 5, 5, 5], ['Ha', 'Hb', 'Ha', 'Hb', 'Ha'])],
  'review, two findings take turns and the score with them': ['oscillating', 4, scores([5, 6, 5, 6, 5], ['Ca', 'Hb', 'Ca', 'Hb', 'Ca'])],
  'brainstorm, a Critical is traded for a Low and back': ['oscillating', 4, foundIn(['Ca', 'Lb', 'Ca', 'Lb', 'Ca'])],
  'testing, a test is mended and broken again': [
    'oscillating',
    5,
    gauge('pass_rate', [0.9, 0.94, 0.9, 0.94, 0.9], ['Ha Hx', 'Hx', 'Ha Hx', 'Hx', 'Ha Hx']),
  ],
  'design, three findings take turns': ['oscillating', 4, scores([5, 5.5, 5.5, 5.5, 5.5], ['Ha', 'Hb', 'Hc', 'Ha', 'Hb'])],
  'debt, gone for two rounds and back': ['oscillating', 5, gauge('regressions', [2, 2, 1, 1, 2], ['Ha Hx', 'Ha Hx', 'Hx', 'Hx', 'Ha Hx'])],
  'review, the better half of a cycle improves, the worse does not': [
    'oscillating',
    5,
    scores([5, 6, 5, 6.2, 5], ['Ca Hx', 'Hx', 'Ca Hx', 'Hx', 'Ca Hx']),
  ],
  'review, a cycle that gets better and then no more': [
    'oscillating',
    7,
    scores([5, 6, 5, 6.2, 5.5, 6.4, 5.5], ['Ca Hx', 'Hx', 'Ca Hx', 'Hx', 'Ca Hx', 'Hx', 'Ca Hx']),
  ],
  'review, turns under a score that wavers': ['oscillating', 4, scores([5, 5.1, 4.9, 5, 5.1], ['Ha', 'Hb', 'Ha', 'Hb', 'Ha'])],
  'testing, one copy of a failure comes and goes': ['oscillating', 4, foundIn(['Ha Ha', 'Ha', 'Ha Ha', 'Ha Ha', 'Ha'])],
  'design, back and then kept': ['oscillating', 4, foundIn(['Ha Hb', 'Hb', 'Ha Hb', 'Ha Hb'])],

  'review, worse each round': ['diverging', 3, scores([6, 5, 4], ['Ha', 'Ha Hb', 'Ha Hb Cc'])],
  'testing, the pass rate falls': ['diverging', 3, gauge('pass_rate', [0.92, 0.88, 0.81], '')],
  'brainstorm, more Critical objections each round': ['diverging', 3, foundIn(['Ca', 'Ca Cb', 'Ca Cb Cc'])],
  'design, better once, then down': ['diverging', 4, scores([5, 6, 5.5, 4.5], 'Ha')],
  'testing, a little better in one thing, much worse in another': [
    'diverging',
    3,
    [
      { score: 6, coverage: 60 },
      { score: 5, coverage: 50 },
      { score: 5.5, coverage: 40 },
    ],
  ],
  'debt, never again as good as at first': ['diverging', 4, gauge('regressions', [2, 5, 4, 5], '')],
};

for (const [name, rounds] of Object.entries(GAINS)) {
  test(`never stopped: ${name}`, () => {
    expect(trendsOf(rounds).filter(({ stop }) => stop)).toEqual([]);
  });
}

for (const [name, [kind, round, rounds]] of Object.entries(STOPS)) {
  test(`${kind} by round ${round}: ${name}`, () => {
    const trends = trendsOf(rounds);
    const at = trends.findIndex(({ stop }) => stop);
    expect([trends[at]?.kind, at + 1]).toEqual([kind, round]);
  });
}

test('a finding that came back is oscillating at once, and stops the loop the second time', () => {
  const trends = trendsOf(scores([5, 6, 5, 6.2, 5], ['Ca Hx', 'Hx', 'Ca Hx', 'Hx', 'Ca Hx']));
  expect(trends).toEqual([
    { kind: 'unclear', stop: false, why: 'No trend after one round.' },
    {
      kind: 'improving',
      stop: false,
      why: 'Improving in round 2: score rose from 5 to 6, findings went from 1 Critical, 1 High to 1 High.',
    },
    {
      kind: 'oscillating',
      stop: false,
      why: 'Oscillating: 1 finding came back in round 3 (finding a (src/a.ts)), with no progress since round 2.',
    },
    { kind: 'improving', stop: false, why: 'Improving in round 4: score rose from 6 to 6.2.' },
    {
      kind: 'oscillating',
      stop: true,
      why: 'Oscillating: 1 finding came back in round 5 (finding a (src/a.ts)), with no progress since round 4.',
    },
  ]);
});

function checkLast(rounds: readonly Round[], kind: TrendKind, why: string): void {
  expect(trendsOf(rounds).at(-1)).toEqual({ kind, stop: kind !== 'improving' && kind !== 'unclear', why });
}

test('the reason contains the numbers', () => {
  checkLast(scores([5, 5, 5]), 'stalled', 'Stalled: no progress since round 1 (score 5, findings 1 High, 1 Medium).');
  checkLast(scores([5, 5]), 'unclear', 'No progress in round 2.');
  checkLast(
    coverages([60, 61, 58, 60]),
    'unclear',
    'Round 4 recovers from round 3 (coverage rose from 58 to 60), but there is no progress since round 2.',
  );
  checkLast(
    scores([6, 5, 4], ['Ha', 'Ha Hb', 'Ha Hb Cc']),
    'diverging',
    'Diverging: round 3 is worse than round 1 (findings went from 1 High to 1 Critical, 2 High, score fell from 6 to 4), with no progress since round 1.',
  );
  checkLast(
    foundIn(['Ha Mb', 'Lc', 'Ha Mb', 'Ha Mb']),
    'oscillating',
    'Oscillating: 2 findings came back in round 3 (finding a (src/a.ts)), with no progress since round 2.',
  );
  checkLast(
    coverages([60, 61, 62], ['Ha', '', 'Ha']),
    'unclear',
    'Round 3 is partly better and partly worse: coverage rose from 61 to 62, but findings went from none to 1 High. However, 1 finding came back in round 3 (finding a (src/a.ts)).',
  );
  checkLast(gauge('regressions', [0.3, 0.1 + 0.1], 'La'), 'improving', 'Improving in round 2: regressions fell from 0.3 to 0.2.');
});

test('one Critical fewer is always a gain, even with one Low more', () => {
  checkLast(
    foundIn(['Ca', Array.from('bcdefghijklm', (name) => `L${name}`).join(' ')]),
    'improving',
    'Improving in round 2: findings went from 1 Critical to 12 Low.',
  );
  checkLast(coverages([60, 61], ['Ha', 'Ha Lb']), 'improving', 'Improving in round 2: coverage rose from 60 to 61.');
});

test('a rounding error is not a gain', () => {
  checkLast(scores([0.3, 0.1 + 0.2, 0.3], ''), 'stalled', 'Stalled: no progress since round 1 (score 0.3, findings none).');
});

test('the first value of a gauge is not a gain', () => {
  checkLast([{}, {}, { coverage: 70 }], 'stalled', 'Stalled: no progress since round 1 (coverage 70, findings none).');
});

test('a round that was judged twice is one round', () => {
  const again = [judged({ score: 5 }, 0), judged({ score: 5 }, 0), judged({ score: 5 }, 0), judged({ score: 5 }, 1)];
  expect(measuresOf(PROGRESS, again).map(({ round }) => round)).toEqual([1, 2]);
});

test('a measure contains the known gauges and the changes of findings', () => {
  const [, second] = measuresOf(PROGRESS, [judged({ score: 5, found: 'Ha' }, 0), judged({ coverage: Number.NaN, found: 'Lb' }, 1)]);
  expect(second?.gauges).toEqual([]);
  expect(second?.traces.map(({ change, finding: { message } }) => [change, message])).toEqual([
    ['new', 'finding b'],
    ['fixed', 'finding a'],
  ]);
});

const words = fc.subarray(['Ca', 'Hb', 'Hc', 'Md', 'Le', 'Lf'], { minLength: 0 }).map((drawn) => drawn.join(' '));

test('a series that gains at least every other round is never stopped', () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom(0, 1), fc.double({ min: 0.01, max: 3, noNaN: true }), words, fc.integer({ min: 0, max: 9 })),
    {
      minLength: 1,
      maxLength: 14,
    },
  );
  fc.assert(
    fc.property(steps, (drawn) => {
      let coverage = 20;
      let paused = false;
      const rounds = drawn.map(([pause, step, found, score]): Round => {
        paused = pause === 1 && !paused;
        coverage += paused ? 0 : step;
        return { coverage, score, found };
      });
      expect(trendsOf(rounds).filter(({ stop }) => stop)).toEqual([]);
    }),
  );
});

test('a series that only alternates is oscillating and stopped by round five', () => {
  const phase = fc.record({ found: words, score: fc.integer({ min: 1, max: 9 }), coverage: fc.integer({ min: 1, max: 99 }) });
  fc.assert(
    fc.property(phase, phase, (one, other) => {
      const [odd, even] = [
        { ...one, found: `Hodd ${one.found}` },
        { ...other, found: `Heven ${other.found}` },
      ];
      const trends = trendsOf([odd, even, odd, even, odd]);
      expect(trends.find(({ stop }) => stop)?.kind).toBe('oscillating');
    }),
  );
});

/** The same numbers in [0, 1) for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('noise without a trend is stopped, half of it by the sixth round, all of it in the end', () => {
  const stops = Array.from({ length: 300 }, (_, seed) => {
    const random = seeded(seed);
    const values = Array.from({ length: 24 }, () => 70 + (random() - 0.5) * 0.2);
    return trendsOf(coverages(values)).findIndex(({ stop }) => stop);
  });
  expect(stops.filter((at) => at < 0)).toEqual([]);
  expect(stops.filter((at) => at < 6).length).toBeGreaterThan(150);
});

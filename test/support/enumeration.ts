// Compares a loop with its independent statement: every combination of raw facts, rounds, caps, targets and strictness, its promises on
// the same cases, and the bounds of its numbers. Reports every difference.

import { compileLoop } from '@umpire/core/loops/compile.js';
import type { CompiledLoop } from '@umpire/core/loops/compile.js';
import { compileCondition, parseCondition } from '@umpire/core/loops/condition.js';
import { extractFacts } from '@umpire/core/loops/facts.js';
import { judge } from '@umpire/core/loops/judge.js';
import type { FactSpec, Facts, FactValue, Loop } from '@umpire/core/loops/loop.js';
import type { Item, Reading, Scalar } from '@umpire/core/model/vocabulary.js';
import * as brainstorm from '../rules/brainstorm.js';
import * as debt from '../rules/debt.js';
import * as design from '../rules/design.js';
import * as review from '../rules/review.js';
import { combinations, type Limits, type Rules, type Statement, type Terms } from '../rules/statement.js';
import * as testing from '../rules/testing.js';
import * as until from '../rules/until.js';

export const CAPS = [1, 2, 3];
export const TARGETS = [60, 80];
export const STRICT = [false, true];

export const RULES: Readonly<Record<string, Rules>> = { design, testing, debt, review, brainstorm, until };

export function termsOf(): readonly Terms[] {
  const all: Terms[] = [];
  for (const cap of CAPS)
    for (const target of TARGETS)
      for (const strict of STRICT) for (let round = 0; round <= cap + 2; round += 1) all.push({ round, cap, target, strict });
  return all;
}

/** One case, and the answer of the statement. */
interface Stated {
  readonly facts: Facts;
  readonly term: Terms;
  readonly said: string;
  readonly seen: Facts | null;
  readonly promised: string;
  readonly named: RegExp | null;
  /** Did the round make things worse? */
  readonly worse: boolean;
}

const stated = new WeakMap<Rules, readonly Stated[]>();

/** Every case in which a loop is compared with its statement. */
export function casesOf(rules: Rules): readonly Stated[] {
  const known = stated.get(rules);
  if (known !== undefined) return known;
  const terms = termsOf();
  const cases = [...combinations(rules.space, rules.possible)].flatMap((facts) => terms.map((term) => stateCase(rules, facts, term)));
  stated.set(rules, cases);
  return cases;
}

function stateCase(rules: Rules, facts: Facts, term: Terms): Stated {
  const statement = rules.states(facts, term);
  const promised = rules.vows.map((vow) => (vow.when(facts, term) ? `${vow.id} ${vow.never.join(' ')}` : ''));
  const seen = 'error' in statement ? null : rules.repaired(facts);
  return {
    facts,
    term,
    said: line(statement),
    seen,
    promised: promised.join(),
    named: rules.names(facts),
    worse: seen !== null && rules.worse?.(seen) === true,
  };
}

/** How the loop differs from its statement, in at most so many cases. */
export function differences(loop: Loop, rules: Rules, most = Infinity): readonly string[] {
  const found: string[] = [];
  for (const difference of compare(loop, rules)) {
    if (found.push(difference) >= most) break;
  }
  return found;
}

/** Neighboring cases are alike, so steps of this size find a difference sooner. It is a prime, so that every case is reached. */
const STRIDE = 7919;

function* compare(loop: Loop, rules: Rules): Generator<string> {
  yield* compareLimits(loop, rules.limits);
  const compiled = compileLoop(loop);
  const vowed = vowsOf(loop);
  const cases = casesOf(rules);
  for (let n = 0; n < cases.length; n++) {
    const one = cases[(n * STRIDE) % cases.length] as Stated;
    for (const difference of compareCase(compiled, vowed, one))
      yield `${JSON.stringify(one.facts)} at ${JSON.stringify(one.term)}\n  ${difference}`;
  }
}

function* compareCase(compiled: CompiledLoop, vowed: VowsOf, expected: Stated): Generator<string> {
  const { facts, term, named } = expected;
  const { said, words, seen } = ask(compiled, facts, term);
  if (said !== expected.said) yield `specification: ${expected.said}\n  product:       ${said}`;
  else if (seen !== null && expected.seen !== null) yield* compareSeen(seen, expected.seen);
  for (const text of words) yield* flawsIn(text);
  if (named !== null && !words.some((text) => named.test(text))) yield `nothing in it speaks of ${String(named)}`;
  const worse = seen !== null && compiled.worse?.(seen, term) === true;
  if (worse !== expected.worse) yield `it made things ${expected.worse ? 'worse' : 'no worse'}, and the product says otherwise`;
  const promised = vowed(facts, term).join();
  if (promised !== expected.promised) yield `to be promised: ${expected.promised}\n  promised:       ${promised}`;
}

interface Answer {
  readonly said: string;
  readonly words: readonly string[];
  /** The facts that the table used, after the repairs. */
  readonly seen: Facts | null;
}

/** The product's answer in the form of a statement, with its texts and the facts it used. */
function ask(compiled: CompiledLoop, facts: Facts, terms: Terms): Answer {
  const answer = judge(compiled, facts, { round: terms.round, cap: terms.cap, target: terms.target, strict: terms.strict === true });
  if (!answer.ok) return { said: line({ error: answer.rule }), words: [answer.message, answer.hint], seen: null };
  const anomalies = answer.anomalies.map((anomaly) => anomaly.rule);
  const said = { rule: answer.row.id, outcome: answer.outcome, anomalies, unverified: answer.unverified };
  return { said: line(said), words: [answer.reason, ...answer.anomalies.map((anomaly) => anomaly.message)], seen: answer.facts };
}

function* flawsIn(text: string): Generator<string> {
  if (text.trim() === '') yield 'an empty sentence';
  if (/\{|\b(?:undefined|null|NaN)\b/.test(text)) yield `a hole in "${text}"`;
}

/** A key that is the same for equal statements, whatever the order of their anomalies. A repeated anomaly is a difference. */
function line(statement: Statement): string {
  if ('error' in statement) return `error ${statement.error}`;
  const { rule, outcome, anomalies, unverified } = statement;
  return `${rule} ${outcome}${unverified ? ' unverified' : ''} anomalies [${[...anomalies].sort().join(' ')}]`;
}

function* compareSeen(seen: Facts, expected: Facts): Generator<string> {
  for (const [name, value] of Object.entries(expected)) {
    if (seen[name] !== value) yield `${name} is to be taken as ${String(value)}, and is taken as ${String(seen[name])}`;
  }
}

type VowsOf = (facts: Facts, terms: Terms) => readonly string[];

/** For a case: what each promise rules out; an empty text if the promise does not apply. */
function vowsOf(loop: Loop): VowsOf {
  const vows = (loop.promises ?? []).map((vow) => ({
    text: `${vow.id} ${vow.never.join(' ')}`,
    tests: Object.entries(vow.when).map(([fact, test]) => compileCondition(parseCondition(fact, test))),
  }));
  return (facts, { round, cap, target }) =>
    vows.map(({ text, tests }) => (tests.every((holds) => holds(facts, { round, cap, target })) ? text : ''));
}

/** Just outside a bound: smaller than any plausible error in a bound. */
const HAIR = 0.001;

function* compareLimits(loop: Loop, limits: Limits): Generator<string> {
  const said = { first: loop.round.first, cap: loop.cap.default, target: loop.target?.default ?? null };
  const { first, cap, target } = limits;
  const expected = { first, cap, target };
  if (JSON.stringify(said) !== JSON.stringify(expected)) yield `limits ${JSON.stringify(said)} and not ${JSON.stringify(expected)}`;
  for (const [name, [low, high]] of Object.entries(limits.ranges)) {
    for (const [value, wanted] of [
      [low - HAIR, null],
      [low, low],
      [high, high],
      [high + HAIR, null],
    ] as const) {
      const drawn = drawOne(loop, name, value);
      if (drawn !== wanted) yield `${name}: ${value} is to be read as ${String(wanted)}, and is read as ${String(drawn)}`;
    }
  }
  for (const [name, threshold] of Object.entries(limits.thresholds)) {
    for (const [score, wanted] of [
      [threshold - HAIR, 1],
      [threshold, 0],
    ] as const) {
      const drawn = drawOne(loop, name, score);
      if (drawn !== wanted) yield `${name}: a score of ${score} is to count ${wanted}, and counts ${String(drawn)}`;
    }
  }
}

/** The fact for this number in the evidence: the value itself, or the score of the only item of its list. */
function drawOne(loop: Loop, name: string, value: number): FactValue {
  const spec = loop.facts[name];
  const place = spec === undefined ? undefined : placeOf(spec);
  if (place === undefined) return null;
  const [evidence = '', key = ''] = place.split('.');
  const values: Record<string, Scalar> = { [key]: value };
  const lists: Record<string, readonly Item[]> = { [key]: [{ name: 'x', score: value }] };
  const reading: Reading = { values, findings: [], lists, notes: [] };
  return extractFacts(loop, { [evidence]: { state: 'ok', reading } }, null)[name] ?? null;
}

function placeOf(spec: FactSpec): string | undefined {
  if ('count' in spec) return spec.count;
  return 'number' in spec ? spec.at[0] : undefined;
}

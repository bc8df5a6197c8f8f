// Holds the product's tables against the independent statements in rules/: every combination of raw facts, rounds,
// caps, targets and strictness, for every loop. What the two say must be the same; the wording of reasons is checked for holes.

import { describe, expect, it } from 'vitest';
import { builtinLoops } from '../src/loops/builtin.js';
import { compileLoop } from '../src/loops/compile.js';
import { judge } from '../src/loops/judge.js';
import type { Facts } from '../src/loops/loop.js';
import * as brainstorm from './rules/brainstorm.js';
import * as debt from './rules/debt.js';
import * as design from './rules/design.js';
import * as review from './rules/review.js';
import { combinations, type Rules, type Statement, type Terms } from './rules/statement.js';
import * as testing from './rules/testing.js';

const CAPS = [1, 2, 3];
const TARGETS = [60, 80];
const STRICT = [false, true];
const DIFFERENCES_SHOWN = 5;

/** How many combinations of facts each space holds. Written down so that a shrunken space is noticed. */
const LOOPS: readonly (readonly [string, Rules, number])[] = [
  ['design', design, 348],
  ['testing', testing, 1136],
  ['debt', debt, 92],
  ['review', review, 1922],
  ['brainstorm', brainstorm, 18],
];

function termsOf(): readonly Terms[] {
  const all: Terms[] = [];
  for (const cap of CAPS)
    for (const target of TARGETS)
      for (const strict of STRICT) for (let round = 0; round <= cap + 2; round += 1) all.push({ round, cap, target, strict });
  return all;
}

/** The product's answer in the shape of a statement, with what is wrong with its words, if anything. */
function ask(compiled: ReturnType<typeof compileLoop>, facts: Facts, terms: Terms): { said: Statement; flaw: string | null } {
  const answer = judge(compiled, facts, { round: terms.round, cap: terms.cap, target: terms.target, strict: terms.strict === true });
  if (!answer.ok) return { said: { error: answer.rule }, flaw: flawIn(answer.message) ?? flawIn(answer.hint) };
  const anomalies = answer.anomalies.map((anomaly) => anomaly.rule);
  const said = { rule: answer.row.id, outcome: answer.outcome, anomalies, unverified: answer.unverified };
  const flaws = [answer.reason, ...answer.anomalies.map((anomaly) => anomaly.message)].map(flawIn);
  return { said, flaw: flaws.find((flaw) => flaw !== null) ?? null };
}

function flawIn(text: string): string | null {
  if (text.trim() === '') return 'an empty sentence';
  if (/\{|\b(?:undefined|null|NaN)\b/.test(text)) return `a hole in "${text}"`;
  return null;
}

/** One line that two equal statements share, whatever the order of their anomalies. A row that speaks twice is a difference. */
function line(statement: Statement): string {
  if ('error' in statement) return `error ${statement.error}`;
  const { rule, outcome, anomalies, unverified } = statement;
  return `${rule} ${outcome}${unverified ? ' unverified' : ''} anomalies [${[...anomalies].sort().join(' ')}]`;
}

describe('every combination of facts', () => {
  const terms = termsOf();

  it('is walked over more than one cap, target and strictness', () => {
    const rounds = CAPS.reduce((sum, cap) => sum + cap + 3, 0);
    expect(terms.length).toBe(rounds * TARGETS.length * STRICT.length);
  });

  it('has a built-in loop behind every statement, and a statement behind every built-in loop', () => {
    expect(
      builtinLoops()
        .map((loop) => loop.loop)
        .sort(),
    ).toEqual(LOOPS.map(([name]) => name).sort());
  });

  it.each(LOOPS)('%s: the table says what the specification says', (name, rules, size) => {
    const loop = builtinLoops().find((candidate) => candidate.loop === name);
    if (loop === undefined) throw new Error(`There is no built-in loop ${name}.`);
    const compiled = compileLoop(loop);
    const differences: string[] = [];
    let covered = 0;
    for (const facts of combinations(rules.space, rules.possible)) {
      for (const term of terms) {
        covered += 1;
        const expected = line(rules.states(facts, term));
        const { said, flaw } = ask(compiled, facts, term);
        const at = `${JSON.stringify(facts)} at ${JSON.stringify(term)}`;
        if (line(said) !== expected) differences.push(`${at}\n  specification: ${expected}\n  product:       ${line(said)}`);
        if (flaw !== null) differences.push(`${at}\n  ${flaw}`);
      }
    }
    const shown = differences.slice(0, DIFFERENCES_SHOWN).join('\n');
    expect(differences.length, `${differences.length} differences in ${covered} combinations:\n${shown}`).toBe(0);
    expect(covered).toBeGreaterThan(200);
    expect(covered).toBe(size * terms.length);
    console.log(`${name}: ${covered} combinations of facts, round, cap, target and strictness agree`);
  });
});

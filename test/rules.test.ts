// Compares the tables of the built-in loops with the independent statements in rules/ for every combination of raw facts, rounds, caps,
// targets and strictness. Both must decide the same, and no reason may have a gap in its text.

import { describe, expect, it } from 'vitest';
import { builtinLoops } from '@umpire/core/loops/builtin.js';
import { CAPS, RULES, STRICT, TARGETS, casesOf, differences, termsOf } from './support/enumeration.js';

const DIFFERENCES_SHOWN = 5;

/** How many combinations of facts each space holds. Written down so that a shrunken space is noticed. */
const LOOPS: readonly (readonly [string, number])[] = [
  ['design', 666],
  ['testing', 5042],
  ['debt', 1946],
  ['review', 3842],
  ['brainstorm', 18],
  ['until', 4616],
];

describe('every combination of facts', () => {
  const terms = termsOf();

  it('is tried with several caps, targets and both kinds of strictness', () => {
    const rounds = CAPS.reduce((sum, cap) => sum + cap + 3, 0);
    expect(terms.length).toBe(rounds * TARGETS.length * STRICT.length);
  });

  it('belongs to a built-in loop, and every built-in loop has a statement', () => {
    const names = LOOPS.map(([name]) => name).sort();
    expect(
      builtinLoops()
        .map((loop) => loop.loop)
        .sort(),
    ).toEqual(names);
    expect(Object.keys(RULES).sort()).toEqual(names);
  });

  it.each(LOOPS)('%s: the table decides as the specification does', (name, size) => {
    const loop = builtinLoops().find((candidate) => candidate.loop === name);
    const rules = RULES[name];
    if (loop === undefined || rules === undefined) throw new Error(`There is no built-in loop ${name}, or no statement of it.`);
    const covered = casesOf(rules).length;
    const found = differences(loop, rules);
    const shown = found.slice(0, DIFFERENCES_SHOWN).join('\n');
    expect(found.length, `${found.length} differences in ${covered} combinations:\n${shown}`).toBe(0);
    expect(covered).toBeGreaterThan(200);
    expect(covered).toBe(size * terms.length);
    console.log(`${name}: ${covered} combinations of facts, round, cap, target and strictness agree`);
  });
});

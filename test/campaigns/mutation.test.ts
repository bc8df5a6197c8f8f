// Changes every operator, bound, word, row, repair and promise of the built-in loop files, one at a time. Loading, `check` or the
// enumeration must notice, or a listed reason says why the change has no effect.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SOAK, isSoak } from '../support/campaign.js';
import { mutantsOf } from '../support/loop-mutants.js';
import { EQUIVALENT, LOOPS, builtinMutants, fateOf, scoreOf } from '../support/mutation.js';
import type { Fate } from '../support/mutation.js';

const root = join(import.meta.dirname, '..', '..');

/** The fewest mutants of each loop, so that a broken generator is noticed. */
const LEAST: Readonly<Record<string, number>> = { design: 183, testing: 182, debt: 181, review: 229, brainstorm: 127, until: 299 };

/** `npm test` tries one change of so many; the soak tries all. */
const QUICK_STEP = 30;

describe('every change of a loop file', () => {
  const all: Fate[] = [];

  it.each(LOOPS)(
    '%s: is noticed, or has no effect',
    (loop) => {
      const mutants = builtinMutants(root, loop);
      const tried = isSoak ? mutants : mutants.filter((_, at) => at % QUICK_STEP === 0);
      const names = new Set(tried.map(({ name }) => name));
      const fates = tried.map((mutant) => fateOf(loop, mutant));
      all.push(...fates);
      expect(new Set(mutants.map((mutant) => mutant.name)).size).toBe(mutants.length);
      expect(mutants.length).toBeGreaterThanOrEqual(LEAST[loop] ?? Infinity);
      // Unnoticed: it loads, `check` passes, and it differs in no case of the whole space. These mutants must be exactly the listed
      // ones.
      const unnoticed = fates.filter((fate) => fate.caught === 'nothing').map((fate) => fate.mutant);
      const explained = Object.keys(EQUIVALENT).filter((name) => names.has(name));
      expect(unnoticed.toSorted()).toEqual(explained.toSorted());
      const { mutants: made, caught, loading, check, enumeration, equivalent } = scoreOf(loop, fates);
      const told = `${loading} by loading, ${check} by check, ${enumeration} by enumeration, ${equivalent} change nothing`;
      console.log(`${loop}: ${caught} of ${made} mutants are caught (${told})`);
    },
    900_000,
  );

  it('has a written reason if it has no effect', () => {
    const loops = new Set(Object.keys(EQUIVALENT).map((name) => name.split(':')[0] ?? ''));
    expect([...loops].filter((loop) => !LOOPS.includes(loop))).toEqual([]);
    expect(Object.values(EQUIVALENT).filter((why) => !/^[A-Z].{20,}\.$/.test(why))).toEqual([]);
  });

  it('is noticed by loading, check and enumeration alike', SOAK, () => {
    const { loading, check, enumeration } = scoreOf('all', all);
    expect({ loading: loading > 90, check: check > 400, enumeration: enumeration > 700 }).toEqual({
      loading: true,
      check: true,
      enumeration: true,
    });
  });
});

describe('the generator of mutants', () => {
  it('changes each place once, and describes the change', () => {
    const file = {
      loop: 'x',
      round: { first: 1 },
      cap: { default: 3 },
      target: { default: 80 },
      facts: { rate: { number: [0, 1] }, word: { enum: ['a', 'b'] }, low: { below: 6 }, report: { state: 'report' } },
      repairs: [
        { id: 'A', when: { word: 'absent', report: 'ok' }, set: { word: { step: 'rate', at: 0.5, below: 'a', else: 'b' } }, error: {} },
      ],
      table: [
        { id: 'B', when: { rate: '>=0.9', word: ['a', 'b'], low: 0, flag: true, round: '<cap' }, then: 'converge', waiver: 'w' },
        { id: 'C', when: { rate: '<target' }, then: 'accept' },
      ],
      promises: [{ id: 'D', when: { rate: 'present' }, never: ['converge'] }],
    };
    expect(mutantsOf(file).map((mutant) => mutant.name.slice(3))).toMatchInlineSnapshot(`
      [
        "round.first 1 -> 0",
        "cap.default 3 -> 2",
        "cap.default 3 -> 4",
        "target.default 80 -> 79",
        "target.default 80 -> 81",
        "facts rate number.0 0 -> -0.01",
        "facts rate number.0 0 -> 0.01",
        "facts rate number.1 1 -> 0.99",
        "facts rate number.1 1 -> 1.01",
        "facts word enum without a",
        "facts word enum without b",
        "facts low below 6 -> 5",
        "facts low below 6 -> 7",
        "repairs A when.word "absent" -> "present"",
        "repairs A when.word "absent" dropped",
        "repairs A when.report "ok" -> "missing"",
        "repairs A when.report "ok" -> "unreadable"",
        "repairs A when.report "ok" -> "unread"",
        "repairs A when.report "ok" dropped",
        "repairs A error dropped",
        "repairs A set.word dropped",
        "repairs A set.word.at 0.5 -> 0.49",
        "repairs A set.word.at 0.5 -> 0.51",
        "repairs A set.word.below a -> b",
        "repairs A set.word.else b -> a",
        "repairs A deleted",
        "table B when.rate ">=0.9" -> "<0.9"",
        "table B when.rate ">=0.9" -> "<=0.9"",
        "table B when.rate ">=0.9" -> ">0.9"",
        "table B when.rate ">=0.9" -> "=0.9"",
        "table B when.rate ">=0.9" -> ">=0.89"",
        "table B when.rate ">=0.9" -> ">=0.91"",
        "table B when.rate ">=0.9" dropped",
        "table B when.word ["a","b"] -> ["b"]",
        "table B when.word ["a","b"] -> ["a"]",
        "table B when.word ["a","b"] dropped",
        "table B when.low 0 -> "<0"",
        "table B when.low 0 -> "<=0"",
        "table B when.low 0 -> ">0"",
        "table B when.low 0 -> ">=0"",
        "table B when.low 0 -> "=-1"",
        "table B when.low 0 -> "=1"",
        "table B when.low 0 dropped",
        "table B when.flag true -> false",
        "table B when.flag true dropped",
        "table B when.round "<cap" -> "<=cap"",
        "table B when.round "<cap" -> ">cap"",
        "table B when.round "<cap" -> ">=cap"",
        "table B when.round "<cap" -> "=cap"",
        "table B when.round "<cap" -> "<3"",
        "table B when.round "<cap" -> "<target"",
        "table B when.round "<cap" dropped",
        "table B then converge -> revise",
        "table B then converge -> accept",
        "table B then converge -> escalate",
        "table B waiver dropped",
        "table B deleted",
        "table B swapped with C",
        "table C when.rate "<target" -> "<=target"",
        "table C when.rate "<target" -> ">target"",
        "table C when.rate "<target" -> ">=target"",
        "table C when.rate "<target" -> "=target"",
        "table C when.rate "<target" -> "<80"",
        "table C when.rate "<target" -> "<cap"",
        "table C when.rate "<target" dropped",
        "table C then accept -> converge",
        "table C then accept -> revise",
        "table C then accept -> escalate",
        "table C waiver added",
        "table C deleted",
        "promises D when.rate "present" -> "absent"",
        "promises D when.rate "present" dropped",
        "promises D never without converge",
        "promises D deleted",
      ]
    `);
  });

  it('does not change its input, and changes one place in each copy', () => {
    const file = { loop: 'x', round: { first: 0 }, cap: { default: 3 }, facts: {}, repairs: [], table: [{ id: 'A', then: 'escalate' }] };
    const before = JSON.stringify(file);
    const [first] = mutantsOf(file);
    expect(JSON.stringify(file)).toBe(before);
    expect(first).toEqual({ name: 'x: round.first 0 -> 1', file: { ...file, round: { first: 1 } } });
  });
});

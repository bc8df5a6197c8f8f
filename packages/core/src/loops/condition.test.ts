// Every kind of condition with every kind of fact. One cell never contains two answers.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileCells } from './fact-cells.js';
import { compileCondition, describeCondition, parseCondition } from './condition.js';
import type { FactValue, Test } from './loop.js';

const params = { round: 2, cap: 3, target: 80 };

function check(test: Test, holdsFor: readonly FactValue[], failsFor: readonly FactValue[], words: string): void {
  const condition = parseCondition('fact', test);
  const holds = compileCondition(condition);
  expect(holdsFor.filter((fact) => !holds({ fact }, params))).toEqual([]);
  expect(failsFor.filter((fact) => holds({ fact }, params))).toEqual([]);
  expect(describeCondition(condition)).toBe(words);
}

it('tests words, flags, presence and numbers', () => {
  check('absent', [null], ['x', 0, false], 'fact is absent');
  check('present', ['x', 0, false], [null], 'fact is present');
  check('passed', ['passed'], ['failed', null, 1], 'fact is passed');
  check(['a', 'b'], ['a', 'b'], ['c', null], 'fact is a or b');
  check(true, [true], [false, null, 'true'], 'fact is true');
  check(false, [false], [true, null, 0], 'fact is false');
  check(0, [0], [1, null, false], 'fact = 0');
  check('>=7', [7, 8], [6.99, null, '8'], 'fact >= 7');
  check('<= 7', [7, -1], [7.01, null], 'fact <= 7');
  check('>-0.5', [0], [-0.5, null], 'fact > -0.5');
  check('<cap', [2], [3, 4, null], 'fact < cap');
  check('>=target', [80], [79.9, null], 'fact >= target');
  check('= 7', [7], [8], 'fact = 7');
});

it('compares the round with the cap', () => {
  const holds = compileCondition(parseCondition('round', '<cap'));
  expect([1, 3, 4].map((round) => holds({ round: 0 }, { ...params, round }))).toEqual([true, false, false]);
});

const TESTS: readonly Test[] = [
  'absent',
  'present',
  'a',
  ['a', 'b'],
  true,
  false,
  0,
  '>0',
  '<=2',
  '>=1.5',
  '<cap',
  '>=target',
  '=3',
  '>cap',
];
const VALUES: readonly FactValue[] = [null, 'a', 'b', 'c', '', true, false, 0, 1, 1.5, 2, 3, 80, 81, -1, Number.NaN, Infinity];

it('gives facts of one cell the same answers', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('x', 'y', 'round'), fc.constantFrom(...TESTS)), { minLength: 1, maxLength: 6 }),
      fc.array(fc.record({ x: fc.constantFrom(...VALUES), y: fc.constantFrom(...VALUES), round: fc.integer({ min: 0, max: 4 }) }), {
        minLength: 2,
        maxLength: 30,
      }),
      (tests, inputs) => {
        const conditions = tests.map(([fact, test]) => parseCondition(fact, test));
        const cellOf = compileCells(conditions);
        const predicates = conditions.map(compileCondition);
        const answers = new Map<number, string>();
        for (const { x, y, round } of inputs) {
          const facts = { x, y };
          const cell = cellOf(facts, { ...params, round });
          if (cell < 0) continue;
          const answer = predicates.map((holds) => Number(holds(facts, { ...params, round }))).join('');
          expect(answers.get(cell) ?? answer).toBe(answer);
          answers.set(cell, answer);
        }
      },
    ),
    { numRuns: 3000 },
  );
});

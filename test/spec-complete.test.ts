// Every row of the specification's section 2 and of the until loop, and every refusal of its section 4, has a fixture. The lists are
// written out here: a new row of the specification is added here first.

import { describe, expect, it } from 'vitest';
import { type Fixture, readFixtures } from './support/spec-fixture.js';

const ROWS: Readonly<Record<string, number>> = { D: 11, T: 6, B: 6, R: 10, C: 6, U: 9 };
const LOOPS: Readonly<Record<string, string>> = { D: 'design', T: 'testing', B: 'debt', R: 'review', C: 'brainstorm', U: 'until' };
const REFUSALS = [
  'duplicate-id',
  'unknown-dep',
  'self-dep',
  'cycle',
  'context-not-earlier',
  'exec-mode',
  'status',
  'empty-description',
  'malformed-csv',
];

/** Whether a step of the fixture expects this row as the deciding rule or as an anomaly. */
function shows(fixture: Fixture, id: string): boolean {
  return fixture.steps.some((step) => step.json?.['rule'] === id || step.anomalies?.includes(id) === true);
}

describe('the fixtures cover the specification', () => {
  const fixtures = readFixtures();

  for (const [letter, count] of Object.entries(ROWS)) {
    for (let row = 1; row <= count; row += 1) {
      const id = `${letter}${row}`;
      it(`${id} has a fixture that shows it`, () => {
        const own = fixtures.filter((fixture) => fixture.name === id);
        expect(own.map((fixture) => fixture.loop)).toEqual([LOOPS[letter]]);
        expect(own.every((fixture) => shows(fixture, id))).toBe(true);
      });
    }
  }

  it.each(REFUSALS)('refuse-%s has a fixture that is refused', (name) => {
    const own = fixtures.find((fixture) => fixture.name === `refuse-${name}`);
    expect(own?.steps.map((step) => step.error?.code)).toEqual(['tasks-malformed']);
  });

  it('expect an error exactly if the exit status is one of an error', () => {
    const odd = fixtures.filter((fixture) => fixture.steps.some((step) => (step.error !== undefined) !== [1, 2].includes(step.exit)));
    expect(odd.map((fixture) => fixture.name)).toEqual([]);
  });
});

// Runs every fixture of fixtures/spec through the built command and holds what it prints and writes against
// expect.json, then runs it again: the same evidence must give the same bytes and write nothing.

import { describe, expect, it } from 'vitest';
import { checkInvariants, checkPrinted, checkWritten, type Run } from './support/spec-checks.js';
import {
  changes,
  decide,
  type Fixture,
  type JsonObject,
  prepare,
  readFixtures,
  snapshot,
  type Step,
  withFixture,
} from './support/spec-fixture.js';

function checkStep(fixture: Fixture, step: Step, folder: string): void {
  prepare(fixture, step, folder);
  const before = snapshot(folder);
  const args = [...(step.args ?? []), '--json'];

  const first = decide(folder, fixture.loop, args);
  const after = snapshot(folder);
  expect(first.exit, `exit status; stdout: ${first.stdout}\nstderr: ${first.stderr}`).toBe(step.exit);
  const run: Run = { printed: JSON.parse(first.stdout) as JsonObject, before, after };
  checkPrinted(step, run.printed);
  if (step.error !== undefined || step.unchanged === true) {
    expect(changes(before, after), 'the session must be as it was').toEqual([]);
  } else {
    checkInvariants(run);
    checkWritten(step, after);
  }

  const second = decide(folder, fixture.loop, args);
  expect(second.stdout, 'the second run must print the same').toBe(first.stdout);
  expect(second.exit).toBe(first.exit);
  expect(changes(after, snapshot(folder)), 'the second run must write nothing').toEqual([]);
}

describe('umpire decide, by the specification', () => {
  for (const fixture of readFixtures()) {
    it(`${fixture.name} (${fixture.loop})`, () => {
      withFixture(fixture, (folder) => {
        for (const step of fixture.steps) checkStep(fixture, step, folder);
      });
    });
  }
});

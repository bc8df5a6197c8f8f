// Judges every fixture of fixtures/spec and compares what is printed and written with expect.json. Then judges it again: the same
// evidence must give the same bytes and write nothing. The first fixture of each loop, and of each exit status, goes through the built command.

import { describe, expect, it } from 'vitest';
import { checkInvariants, checkPrinted, checkWritten, type Run } from './support/spec-checks.js';
import {
  changes,
  decide,
  decideBuilt,
  type Fixture,
  type JsonObject,
  prepare,
  readFixtures,
  snapshot,
  type Step,
  withFixture,
} from './support/spec-fixture.js';

async function checkStep(fixture: Fixture, step: Step, folder: string, judge: typeof decide | typeof decideBuilt): Promise<void> {
  prepare(fixture, step, folder);
  const before = snapshot(folder);
  const args = [...(step.args ?? []), '--json'];

  const first = await judge(folder, fixture.loop, args);
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

  const second = await judge(folder, fixture.loop, args);
  expect(second.stdout, 'the second run must print the same').toBe(first.stdout);
  expect(second.exit).toBe(first.exit);
  expect(changes(after, snapshot(folder)), 'the second run must write nothing').toEqual([]);
}

describe('umpire decide follows the specification', () => {
  const built = new Set<string>();
  for (const fixture of readFixtures()) {
    const kinds = [fixture.loop, ...fixture.steps.map(({ exit }) => `exit ${exit}`)];
    const judge = kinds.every((kind) => built.has(kind)) ? decide : decideBuilt;
    for (const kind of kinds) built.add(kind);
    it(`${fixture.name} (${fixture.loop})`, async () => {
      await withFixture(fixture, async (folder) => {
        for (const step of fixture.steps) await checkStep(fixture, step, folder, judge);
      });
    });
  }
});

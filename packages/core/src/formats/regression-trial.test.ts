// When a failing test is blamed: what runs next, when nothing more has to run, and what a run that cannot be made leaves open.

import { describe, expect, it } from 'vitest';
import type { TestStatus } from '../model/vocabulary.js';
import { trySuspects } from './regression-trial.js';
import type { Suspect, TrialRun } from './regression-trial.js';

type Told = (run: TrialRun, nth: number) => boolean | null;

const SUSPECT: Suspect = { id: 't', file: 't.js', atBase: 'passed' };

/** `fails`: does the test fail in this run, the nth of its kind? Null: the run cannot be made. */
async function tried(fails: Told, suspect: Suspect = SUSPECT) {
  const made: string[] = [];
  const [settled] = await trySuspects(
    [suspect],
    async ({ side, scope }) => {
      const kind = `${side} ${scope}`;
      made.push(kind);
      const failed = fails({ side, scope }, made.filter((each) => each === kind).length);
      return failed === null ? null : new Map<string, TestStatus>([[suspect.id, failed ? 'failed' : 'passed']]);
    },
    () => null,
  );
  return { result: settled?.result, made: made.join(', ') };
}

const IN_TURN = 'now files, base files, now files, base files, now files, base files';

describe('A8 a failing test', () => {
  it('is blamed after three runs of its file on each side', async () => {
    expect(await tried(({ side }) => side === 'now')).toEqual({ result: 'fails', made: IN_TURN });
  });

  it('that passes alone is blamed where it fails in every whole run', async () => {
    expect(await tried(({ side, scope }) => side === 'now' && scope === 'all')).toEqual({
      result: 'in-order',
      made: 'now files, now all, base all, now all, base all',
    });
  });

  it('that passes in a second whole run fails sometimes, and never at the base', async () => {
    expect(await tried(() => false)).toEqual({ result: 'unstable', made: 'now files, now all, base all, base all' });
  });

  it('that fails at the base too is flaky: the first contradiction decides', async () => {
    expect(await tried(({ side }, nth) => side === 'now' || nth === 2)).toEqual({
      result: 'flaky',
      made: 'now files, base files, now files, base files',
    });
    expect(await tried(({ side, scope }) => side === 'base' && scope === 'all')).toEqual({
      result: 'flaky',
      made: 'now files, now all, base all',
    });
  });

  it('that needs the others to pass is compared in whole runs', async () => {
    expect(await tried(({ side, scope }) => side === 'now' || scope === 'files')).toMatchObject({ result: 'fails' });
    expect(await tried(({ scope }) => scope === 'files')).toMatchObject({ result: 'unstable' });
  });

  it('that is new has no base to be compared with', async () => {
    const added: Suspect = { ...SUSPECT, atBase: 'new' };
    expect(await tried(() => true, added)).toEqual({ result: 'fails', made: 'now files, now files, now files' });
    expect(await tried((_, nth) => nth === 1, added)).toEqual({ result: 'unstable', made: 'now files, now files' });
  });

  it('that failed at times at the base is blamed only where the base passes three times now', async () => {
    const unsteady: Suspect = { ...SUSPECT, file: null, atBase: 'unsteady' };
    expect(await tried(({ side }) => side === 'now', unsteady)).toEqual({
      result: 'fails',
      made: 'base all, now all, base all, now all, base all',
    });
    expect(await tried(() => false, unsteady)).toMatchObject({ result: 'flaky' });
  });

  it('is not settled where a run cannot be made', async () => {
    expect(await tried(({ side }) => (side === 'base' ? null : true))).toEqual({ result: null, made: 'now files, base files' });
  });
});

it('A8 a test that passed in the first run and fails in a second fails sometimes, if it is not known to', async () => {
  const late: Suspect = { id: 'late', file: 'l.js', atBase: 'passed' };
  const run = async ({ side, scope }: TrialRun) =>
    new Map<string, TestStatus>([
      ['t', 'passed'],
      ['late', side === 'now' && scope === 'all' ? 'failed' : 'passed'],
    ]);
  const ids = async (findSuspect: () => Suspect | null) =>
    (await trySuspects([SUSPECT], run, findSuspect)).map(({ id, result }) => `${id} ${result}`);
  expect(await ids(() => late)).toEqual(['t unstable', 'late unstable']);
  expect(await ids(() => null)).toEqual(['t unstable']);
});

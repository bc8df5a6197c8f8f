// Decides whether a failing test is to blame: base and new code are run in turn until one run contradicts another. Pure: what it wants run
// is run elsewhere, in a project or in a model.

import type { TestStatus } from '../model/vocabulary.js';

export interface TrialRun {
  readonly side: 'base' | 'now';
  /** `files`: the files of the doubtful tests alone. `all`: the whole command or suite. */
  readonly scope: 'files' | 'all';
}

/** A test that fails now, and that nobody has seen fail at the base, or not always. */
export interface Suspect {
  readonly id: string;
  /** Null: it cannot be run without the others. */
  readonly file: string | null;
  /** `new`: the base has no such test. `unsteady`: it failed there at times. */
  readonly atBase: 'passed' | 'unsteady' | 'new';
}

/**
 * `fails`: in every run now, and in none at the base. `in-order`: so it does with the other tests, and it passes alone. `flaky`: at the base
 * too. `unstable`: sometimes now, and never at the base.
 */
export type TrialResult = 'fails' | 'in-order' | 'flaky' | 'unstable';

export interface SettledSuspect extends Suspect {
  /** Null: its runs could not be made, so nothing is settled. */
  readonly result: TrialResult | null;
}

/** What one test did in one run. */
export interface SeenRun extends TrialRun {
  readonly failed: boolean;
}

/** Runs of each side before a test is blamed. */
export const TRIAL_RUNS = 3;

/** What to run next for this test, or what is certain of it. */
export function nextTrialRun({ file, atBase }: Pick<Suspect, 'file' | 'atBase'>, seen: readonly SeenRun[]): TrialRun | TrialResult {
  const failedIn = (side: TrialRun['side'], scope: TrialRun['scope']) =>
    seen.filter((run) => run.side === side && run.scope === scope).map(({ failed }) => failed);
  const [filesNow, filesBase] = [failedIn('now', 'files'), failedIn('base', 'files')];
  const [allNow, allBase] = [failedIn('now', 'all'), failedIn('base', 'all')];
  const isNew = atBase === 'new';
  const isContradicted = allNow.includes(false) || new Set(filesNow).size > 1;
  if (isContradicted) {
    if (atBase === 'unsteady' || allBase.includes(true) || new Set(filesBase).size > 1) return 'flaky';
    return isNew || allBase.length >= TRIAL_RUNS ? 'unstable' : { side: 'base', scope: 'all' };
  }
  if (file !== null) {
    if (filesNow.length === 0) return { side: 'now', scope: 'files' };
    // A test that fails alone at the base and passes with the others needs these: alone nothing is learnt of it.
    const isTold = filesNow[0] === true && filesBase[0] !== true;
    if (isTold && filesBase.includes(true)) return 'flaky';
    if (isTold && !isNew && filesBase.length < filesNow.length) return { side: 'base', scope: 'files' };
    if (isTold) return filesNow.length < TRIAL_RUNS ? { side: 'now', scope: 'files' } : 'fails';
  }
  if (allBase.includes(true)) return 'flaky';
  if (!isNew && allBase.length < allNow.length) return { side: 'base', scope: 'all' };
  if (allNow.length < TRIAL_RUNS) return { side: 'now', scope: 'all' };
  return filesNow[0] === false ? 'in-order' : 'fails';
}

/** The statuses of a run by id; null where it could not be made. */
export type RunTrial = (run: TrialRun, suspects: readonly Suspect[]) => Promise<ReadonlyMap<string, TestStatus> | null>;

/** Cheap runs first: those may settle what the others are for. */
const ORDER: readonly TrialRun[] = [
  { side: 'now', scope: 'files' },
  { side: 'base', scope: 'files' },
  { side: 'now', scope: 'all' },
  { side: 'base', scope: 'all' },
];

/**
 * `first` failed in the first run now. No run is made for a test that is certain. `findSuspect`: for a test that passed in that run and
 * fails in another; null where that is nothing new.
 */
export async function trySuspects(
  first: readonly Suspect[],
  run: RunTrial,
  findSuspect: (id: string) => Suspect | null,
): Promise<readonly SettledSuspect[]> {
  const suspects = [...first];
  /** Alone nothing is learnt of them: their runner names them otherwise there, or does not know their file at the base. */
  const isUnknownAlone = new Set<string>();
  const seen = new Map(suspects.map(({ id, atBase }) => [id, firstRuns(atBase, true)]));
  const settled = new Map<string, TrialResult | null>();
  for (;;) {
    const wanted = suspects.flatMap((suspect) => {
      if (settled.has(suspect.id)) return [];
      const file = isUnknownAlone.has(suspect.id) ? null : suspect.file;
      const next = nextTrialRun({ ...suspect, file }, seen.get(suspect.id) ?? []);
      if (typeof next !== 'string') return [{ suspect, next }];
      settled.set(suspect.id, next);
      return [];
    });
    const made = ORDER.find(({ side, scope }) => wanted.some(({ next }) => next.side === side && next.scope === scope));
    if (made === undefined) break;
    const asking = wanted.filter(({ next }) => next.side === made.side && next.scope === made.scope).map(({ suspect }) => suspect);
    const statuses = await run(made, asking);
    // A whole run tells of all of them.
    for (const { id } of statuses === null || made.scope === 'files' ? asking : wanted.map(({ suspect }) => suspect)) {
      if (statuses === null) settled.set(id, null);
      else if (made.scope === 'files' && !statuses.has(id)) isUnknownAlone.add(id);
      else seen.get(id)?.push({ ...made, failed: hasFailed(made, statuses.get(id)) });
    }
    if (made.side !== 'now' || made.scope !== 'all') continue;
    for (const [id, status] of statuses ?? []) {
      const suspect = seen.has(id) || (status !== 'failed' && status !== 'errored') ? null : findSuspect(id);
      if (suspect === null) continue;
      suspects.push(suspect);
      seen.set(id, [...firstRuns(suspect.atBase, false), { ...made, failed: true }]);
    }
  }
  return suspects.map((suspect) => ({ ...suspect, result: settled.get(suspect.id) ?? null }));
}

function firstRuns(atBase: Suspect['atBase'], failed: boolean): SeenRun[] {
  const now: SeenRun = { side: 'now', scope: 'all', failed };
  return atBase === 'passed' ? [{ side: 'base', scope: 'all', failed: false }, now] : [now];
}

/** Now it has to be seen to pass; at the base, to fail. */
function hasFailed({ side }: TrialRun, status: TestStatus | undefined): boolean {
  return side === 'now' ? status !== 'passed' : status === 'failed' || status === 'errored';
}

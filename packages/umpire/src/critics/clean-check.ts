// Runs a check on a fresh checkout of the commit that is judged, and tells what it did to tracked files. A check that changes what it judges
// says nothing about the commit, unless it does the same at the base, as a test run that rewrites a snapshot does.

import { forgetBaselines } from './baseline.js';
import { listFew } from '../work/session-git.js';
import type { CheckTraces, CheckWorktree } from '../work/task-worktree.js';

/** Null: the head of the session's branch. */
export type OpenCheck = (commit: string | null) => Promise<CheckWorktree>;

const NO_TRACES: CheckTraces = { changed: [], hasMoved: false };

/**
 * `settle`: restores the tracked files after a step of a check, and tells what all steps did. Without `openCheck` the check runs in `workdir`.
 * A check whose installed packages were changed meanwhile is done once more. `packages`: whether to look at them, which takes a fifth of a
 * second for 30,000 files.
 */
export async function onCommit<T>(
  openCheck: OpenCheck | null,
  commit: string | null,
  workdir: string,
  check: (workdir: string, settle: () => Promise<CheckTraces>) => Promise<T>,
  packages: 'look' | 'as known' = 'look',
): Promise<{ readonly result: T; readonly commit: string | null; readonly traces: CheckTraces }> {
  if (openCheck === null) return { result: await check(workdir, () => Promise.resolve(NO_TRACES)), commit: null, traces: NO_TRACES };
  for (;;) {
    const place = await openCheck(commit);
    try {
      forgetMeasured(place);
      const done = await checkIn(place, check);
      if (!(await place.hasOtherPackages(packages))) return done;
      // The next checkout gets packages that are installed anew.
    } finally {
      await place.remove();
    }
  }
}

/** Changed folders of each project, when baselines were last dropped. */
const forgotten = new Map<string, number>();

/** What was measured of the base with changed packages says nothing. */
function forgetMeasured({ packages: { project, sinceMs, changed } }: CheckWorktree): void {
  const key = `${sinceMs} ${project}`;
  if (changed <= (forgotten.get(key) ?? 0)) return;
  forgotten.set(key, changed);
  forgetBaselines(project, sinceMs);
}

async function checkIn<T>(
  place: CheckWorktree,
  check: (workdir: string, settle: () => Promise<CheckTraces>) => Promise<T>,
): Promise<{ readonly result: T; readonly commit: string; readonly traces: CheckTraces }> {
  const changed = new Set<string>();
  let hasMoved = false;
  const settle = async () => {
    const traces = await place.restore();
    for (const file of traces.changed) changed.add(file);
    hasMoved ||= traces.hasMoved;
    return { changed: [...changed], hasMoved };
  };
  const result = await check(place.workdir, settle);
  return { result, commit: place.commit, traces: await settle() };
}

/** Why the check counts for nothing; null where it counts. */
export function traceFault({ changed, hasMoved }: CheckTraces, atBase: ReadonlySet<string>): string | null {
  if (hasMoved) return 'HEAD moved while the check ran. A check must not commit or switch branches.';
  const own = changed.filter((file) => !atBase.has(file));
  if (own.length === 0) return null;
  return `${listFew(own)} changed while the check ran, and not at the base. Commit what the check writes, or let git ignore it.`;
}

/** One sentence on the files that the check rewrites at the base too; empty where there are none. */
export function rewrittenWords({ changed }: CheckTraces): string {
  return changed.length === 0 ? '' : `The check rewrites tracked files, at the base too: ${listFew(changed)}.`;
}

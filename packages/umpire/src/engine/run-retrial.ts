// The retrial of a task's work in a run, before it is merged: the tests of the commit that the task began with run on its code, in the same
// fresh checkouts as every check.

import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import type { SessionStarted } from '@umpire/core/decider/events.js';
import { touchesJudges } from '@umpire/guard/retrial/compare.js';
import type { Guardian } from '../agents/guardian.js';
import type { OpenCheck } from '../critics/clean-check.js';
import type { Retrial } from '../retrial/retrial.js';
import type { Settings } from '../sessions/default-settings.js';
import type { Work } from '../work/inspect-work.js';
import { makeTrialCommits } from '../work/trial-commits.js';
import type { GuardedRun } from './run-guard.js';

export interface RetriedRun {
  readonly started: Pick<SessionStarted, 'loop' | 'project' | 'command' | 'trustsExitStatus'>;
  readonly config: Settings;
  readonly guardian: Guardian;
  readonly now: () => Date;
  readonly session: string;
  readonly signal: AbortSignal;
  readonly openCheck: OpenCheck;
}

const MINUTE_MS = 60_000;

export function createRunRetrial(run: RetriedRun): GuardedRun['retry'] {
  return async (work, scope, tryMutants) => {
    if (!touchesJudges(work.change)) return null;
    const retrial = await retryWork(run, work, scope, tryMutants);
    // A stopped retrial says nothing, and work that nobody inspected is not merged.
    if (run.signal.aborted) throw new UmpireError('retrial-stopped', { task: work.task });
    return retrial;
  };
}

async function retryWork(
  { started, config, guardian, now, session, signal, openCheck }: RetriedRun,
  work: Work,
  scope: string,
  tryMutants: boolean,
): Promise<Retrial> {
  const { NO_RETRIAL, runRetrial } = await import('../retrial/retrial.js');
  try {
    return await runRetrial({
      job: {
        project: work.folder,
        origin: started.project,
        session,
        row: {},
        base: work.base,
        round: null,
        settings: config.critics,
        guard: config.guard,
        guardian,
        watch: { signal, log: () => undefined },
        timeoutMs: config.critics.timeoutMinutes * MINUTE_MS,
        now,
        say: () => undefined,
      },
      change: work.change,
      commits: await makeTrialCommits(work.gitTarget, work.base, work.tree, work.prefix),
      openTree: async (commit) => {
        const { workdir, remove } = await openCheck(commit);
        return { workdir, close: remove };
      },
      command: started.command ?? null,
      trustsExitStatus: started.trustsExitStatus === true,
      rules: { behaviourIsFixed: scope === 'testing' || started.loop === 'debt', failuresAreGoal: started.command !== undefined },
      isThorough: false,
      tryMutants,
    });
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { ...NO_RETRIAL, problem: error.message };
  }
}

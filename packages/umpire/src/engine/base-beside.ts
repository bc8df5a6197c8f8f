// Measures what the critic will need of the session's base while the first task that writes is at work, so that nobody waits for it later. It
// only fills what is kept by commit: whoever needs a part that is not there measures it.

import { randomBytes } from 'node:crypto';
import { isUmpireError } from '@umpire/core/model/errors.js';
import type { SessionStarted } from '@umpire/core/decider/events.js';
import type { Agent } from '@umpire/core/model/ports.js';
import { startGuardian } from '../agents/guardian.js';
import type { Guardian } from '../agents/guardian.js';
import { onCommit } from '../critics/clean-check.js';
import type { OpenCheck } from '../critics/clean-check.js';
import { createJob } from '../critics/critic.js';
import type { CriticJob } from '../critics/critic.js';
import type { Settings } from '../sessions/settings.js';

export interface MeasuredBeside {
  readonly started: Pick<
    SessionStarted,
    'loop' | 'loopFolder' | 'project' | 'command' | 'trustsExitStatus' | 'workspace' | 'critic' | 'judged'
  >;
  readonly config: Settings;
  readonly guardian: Guardian;
  readonly now: () => Date;
  readonly session: string;
  readonly openCheck: OpenCheck;
}

export interface BaseBeside {
  /** The agent, beside whose first writing task the base is measured. */
  readonly around: (agent: Agent) => Agent;
  /** Ends what is still measured. */
  readonly close: () => Promise<void>;
}

/** Loops whose critic compares all tests of the project with those at the base. */
const COMPARING: ReadonlySet<string> = new Set(['review', 'debt']);
const MINUTE_MS = 60_000;

export function openBaseBeside(run: MeasuredBeside): BaseBeside {
  const stopping = new AbortController();
  let measuring: Promise<void> | null = null;
  return {
    around: (agent) => ({
      ...agent,
      run: (assignment, watch) => {
        if (assignment.writes) measuring ??= measureBase(run, stopping.signal);
        return agent.run(assignment, watch);
      },
    }),
    close: async () => {
      stopping.abort('the run ends');
      await measuring;
    },
  };
}

async function measureBase(run: MeasuredBeside, signal: AbortSignal): Promise<void> {
  const { started, config, now, session, openCheck } = run;
  const base = started.workspace?.base ?? null;
  const isCompared = started.command !== undefined || (started.loopFolder === null && started.judged && COMPARING.has(started.loop));
  if (base === null || !isCompared) return;
  // Before each wave the run ends all processes that have its id: these go on.
  const guardian = { ...startGuardian(randomBytes(8).toString('hex')), sandbox: run.guardian.sandbox };
  try {
    const measure = async (workdir: string) => {
      const timeoutMs = config.critics.timeoutMinutes * MINUTE_MS;
      await measureParts(
        run,
        createJob(config, { project: workdir, origin: started.project, session, base, guardian, timeoutMs, now }, signal),
      );
    };
    // The check of the work looks at the packages.
    await onCommit(openCheck, base, started.project, measure, 'as known');
  } catch (error) {
    // The critic meets it too, and says so.
    if (!isUmpireError(error)) throw error;
  } finally {
    await guardian.close();
  }
}

async function measureParts({ started }: MeasuredBeside, job: CriticJob): Promise<void> {
  const { openBase } = await import('../critics/baseline.js');
  const { findProjectRepository } = await import('../critics/commit-copy.js');
  const { settleBase } = await import('../critics/command-base.js');
  const { testsAtBase } = await import('../critics/project-tests.js');
  const { chooseScope } = await import('../critics/test-scope.js');
  const repository = findProjectRepository(job.project);
  if (repository === null || job.base === null) return;
  const open = openBase(job, repository, job.base);
  const { command, trustsExitStatus = false } = started;
  try {
    if (command !== undefined) await settleBase(job, open, { command, trustsExitStatus });
    const isAll = chooseScope(job, command === undefined ? 'all' : 'related') === 'all';
    if (isAll && job.settings.tests !== 'none' && !job.watch.signal.aborted) await testsAtBase(open);
  } finally {
    await open.close();
  }
}

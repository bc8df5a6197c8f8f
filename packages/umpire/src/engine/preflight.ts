// Checks before a session continues: its worktree belongs to it, and its agents can run. Nothing is recorded before they pass.

import type { RunSettings } from '@umpire/core/decider/events.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { Settings } from '../sessions/default-settings.js';
import { findCommits } from '../work/session-diff.js';
import { recordedWork } from '../work/open-refs.js';
import { findSessionGit, refuseOtherSession } from '../work/session-git.js';
import type { SessionPlace } from '../work/session-git.js';
import { checkPrograms } from './agent-programs.js';
import { checkAgents } from './agents.js';
import type { OpenedSession } from './opened-session.js';
import { startedAtCurrentPath, worktreeHome } from './project-folders.js';
import { checkRoleFlags, rolesOfRemainingTasks, rolesOfSession } from './roles.js';
import { checkSandbox } from './sandbox.js';

export interface PreflightOptions {
  readonly config: Settings;
  readonly settings: RunSettings;
  /** The --agent flags. */
  readonly agent: readonly string[] | undefined;
  /** Failed tasks run again. */
  readonly retries?: boolean;
  /** No agent has to work now: the session was aborted, approved, or waits for a person. Only agents named by flags are checked. */
  readonly isIdle?: boolean;
}

export async function checkRunnable({ journal, folder, watch }: OpenedSession, run: RunState, options: PreflightOptions): Promise<void> {
  const { config, settings, agent = [], retries = false, isIdle = false } = options;
  const rules = journal.state.frozen.get(run.started.loop)?.rules;
  // An ended session is only shown again.
  if (rules === undefined || (run.ended !== null && !retries)) return;
  if (isIdle && agent.length === 0) return;
  checkRoleFlags(agent, rolesOfSession(run, rules), run.started.loop);
  const started = startedAtCurrentPath(run.started, folder.root) ?? run.started;
  const now = watch.now ?? (() => new Date());
  const choice = { started, settings, session: folder.root, config, own: watch.agents ?? {}, now };
  await checkAgents(choice);
  if (!isIdle && settings.sandbox) await checkSandbox();
  if (!isIdle) checkPrograms(rolesOfRemainingTasks(run, rules, retries), choice);
}

/**
 * Refuses a copied session folder: it and the original would work on the same branch with different histories. Also requires the work
 * done so far, unless the session is aborted.
 */
export async function checkSessionWork({ folder }: OpenedSession, run: RunState, config: Settings, continues: boolean): Promise<void> {
  const { started } = run;
  if (started.workspace === null) return;
  const { project, session } = started;
  const home = worktreeHome(project, config.workspace.home);
  const sessionGit = findSessionGit({ project, session, home, sessionFolder: folder.root, ...recordedCommits(run) });
  refuseOtherSession(sessionGit);
  if (continues && (await findCommits(sessionGit)) === null) await recordedWork(sessionGit);
}

/** The commits of a session by its journal. */
export function recordedCommits({ started, head }: RunState): Pick<SessionPlace, 'recorded'> {
  const base = started.workspace?.base;
  return base === undefined || head === null ? {} : { recorded: { base, head } };
}

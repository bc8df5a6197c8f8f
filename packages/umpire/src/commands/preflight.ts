// Before a session goes on: nothing is recorded, and no answer taken, before it is known that its work is its own and that those who
// may have to work can.

import type { RunSettings } from '@umpire/core/decider/events.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { Settings } from '../sessions/default-settings.js';
import { findCommits } from '../workspace/difference.js';
import { recordedWork } from '../workspace/opening.js';
import { findSite, refuseAnothers } from '../workspace/site.js';
import type { SessionPlace } from '../workspace/site.js';
import { checkPrograms } from './agent-programs.js';
import { checkAgents } from './agents.js';
import type { OpenedSession } from './opened.js';
import { startedNow, worktreeHome } from './places.js';
import { checkRoleFlags, rolesAhead, rolesIn } from './roles.js';

export interface Ahead {
  readonly config: Settings;
  readonly settings: RunSettings;
  /** The flags that give roles to agents. */
  readonly agent: readonly string[] | undefined;
  /** What failed is run again. */
  readonly retries?: boolean;
  /** Nobody need work now: it is given up, approved, or waits for a person. Then only agents that were named now are looked at. */
  readonly rests?: boolean;
}

export async function checkAhead({ journal, folder, watch }: OpenedSession, run: RunState, ahead: Ahead): Promise<void> {
  const { config, settings, agent = [], retries = false, rests = false } = ahead;
  const rules = journal.state.frozen.get(run.started.loop)?.rules;
  // One that has ended is only shown again.
  if (rules === undefined || (run.ended !== null && !retries)) return;
  if (rests && agent.length === 0) return;
  checkRoleFlags(agent, rolesIn(run, rules), run.started.loop);
  const started = startedNow(run.started, folder.root) ?? run.started;
  const now = watch.now ?? (() => new Date());
  const choice = { started, settings, session: folder.root, config, own: watch.agents ?? {}, now };
  await checkAgents(choice);
  if (!rests) checkPrograms(rolesAhead(run, rules, retries), choice);
}

/**
 * Two folders of one session, a copy and what it was copied from, would work on one branch, each by a history of its own. And nothing
 * goes on without what was made so far, unless it is given up.
 */
export async function checkWork({ folder }: OpenedSession, run: RunState, config: Settings, goesOn: boolean): Promise<void> {
  const { started } = run;
  if (started.workspace === null) return;
  const { project, session } = started;
  const home = worktreeHome(project, config.workspace.home);
  const site = findSite({ project, session, home, sessionFolder: folder.root, ...recordedIn(run) });
  refuseAnothers(site);
  if (goesOn && (await findCommits(site)) === null) await recordedWork(site);
}

/** The commits of a session as its journal knows them. */
export function recordedIn({ started, head }: RunState): Pick<SessionPlace, 'recorded'> {
  const base = started.workspace?.base;
  return base === undefined || head === null ? {} : { recorded: { base, head } };
}

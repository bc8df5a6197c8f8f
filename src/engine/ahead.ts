// Before a session goes on: nothing is recorded, and no answer taken, before it is known that its work is its own and that those who
// may have to work can.

import type { RunSettings } from '../brain/run-messages.js';
import type { RunState } from '../brain/run-state.js';
import type { Settings } from '../runtime/default-settings.js';
import { findSite, refuseAnothers } from '../workspace/site.js';
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

/** Two folders of one session, a copy and what it was copied from, would work on one branch, each by a history of its own. */
export function refuseCopy({ folder }: OpenedSession, { started, ended }: RunState, config: Settings, retries = false): void {
  if (started.workspace === null || (ended !== null && !retries)) return;
  const { project, session } = started;
  refuseAnothers(findSite({ project, session, home: worktreeHome(project, config.workspace.home), sessionFolder: folder.root }));
}

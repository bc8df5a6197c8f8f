// The settings of a project with the person's own, and where its worktrees live by them. The project's count once a person trusts them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import type { Settings } from '../sessions/settings.js';
import { CONFIG, ownSettingsPath } from '../sessions/project.js';
import { faultOf } from '../sessions/session-folder.js';
import type { SettingsFile } from '../sessions/read-settings.js';
import { describeUnreadable, isTrusted, readSettingsText } from '../sessions/trust.js';
import { worktreeHome } from './project-folders.js';
import { askTrust, describeIgnored } from './trust.js';
import type { TrustWatch } from './trust.js';
import { RESERVED_NAMES } from './agent-programs.js';

/**
 * All settings with their defaults. Asks whether to trust the project's, and notes what does not count. `source`: the text of the project's
 * settings at another commit.
 */
export async function readSettings(
  project: string,
  watch: TrustWatch = {},
  at: { readonly source?: string | null } = {},
): Promise<Settings> {
  const roles = await askTrust(project, watch);
  const { source = readSettingsText(project, watch.onNote) } = at;
  const own = ownSettings();
  if (source === null && own === null) {
    if (roles.length > 0) watch.onNote?.(describeIgnored([], roles));
    return DEFAULT_SETTINGS;
  }
  const { combineSettings } = await import('../sessions/read-settings.js');
  const { settings, ignored, fault } = combineSettings(source === null ? null : projectSettings(project, source), own);
  if (fault !== null) watch.onNote?.(describeUnreadable(fault));
  if (ignored.length + roles.length > 0) watch.onNote?.(describeIgnored(ignored, roles));
  return settings;
}

function projectSettings(project: string, source: string) {
  const file = join(project, CONFIG);
  return { source, file, isTrusted: isTrusted(file, source, project), reserved: RESERVED_NAMES };
}

function ownSettings(): SettingsFile | null {
  const file = ownSettingsPath();
  if (file === null) return null;
  try {
    return { source: readFileSync(file, 'utf8'), file };
  } catch (error) {
    throw new UmpireError('read-failed', { path: file, detail: faultOf(error) });
  }
}

/** The folder that holds the worktrees of a project. */
export type WorktreeHomes = (project: string) => Promise<string>;

/** Reads the settings of each project once, for commands that visit many sessions. */
export function worktreeHomes(): WorktreeHomes {
  const homes = new Map<string, string>();
  return async (project) => {
    const home = homes.get(project) ?? worktreeHome(project, (await readSettings(project)).workspace.home);
    homes.set(project, home);
    return home;
  };
}

// Settings that are allowed and will do nothing: told when a session begins, since they are most often a slip.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../formats/nearest-word.js';
import { BUILTIN_NAMES, builtinLoop } from '../loops/builtin.js';
import { builtinPipeline } from '../loops/pipelines.js';
import type { Settings } from '../runtime/default-settings.js';
import { CONFIG, readConfigText } from '../runtime/project.js';

import { allRoles } from './roles.js';

/** Roles in the settings that neither this loop has nor one that ships, and that the project has no text for. */
export async function strayRoles(project: string, { roles }: Settings, ofLoop: ReadonlySet<string>): Promise<readonly string[]> {
  const others = Object.keys(roles).filter((role) => !ofLoop.has(role));
  if (others.length === 0) return [];
  const shipped = new Set(BUILTIN_NAMES.flatMap(rolesIn));
  const strays = others.filter((role) => !shipped.has(role) && !hasText(project, role));
  if (strays.length === 0) return [];
  const { lineOfSetting } = await import('../runtime/settings.js');
  const text = readConfigText(project) ?? '';
  return strays.map((role) => {
    const meant = nearest(role, [...ofLoop]) ?? nearest(role, [...shipped]);
    const instead = meant === null ? `this one has ${[...ofLoop].join(', ')}` : `did you mean "${meant}"?`;
    return `${CONFIG}${lineOfSetting(text, ['roles', role])}: roles.${role}: no task of this loop or of one that ships has this role; ${instead}`;
  });
}

function rolesIn(name: string): readonly string[] {
  const [loop, pipeline] = [builtinLoop(name), builtinPipeline(name)];
  return loop === null ? [] : [...allRoles(pipeline ?? { modes: {} }, loop)];
}

/** A loop of the person's own has its roles there, or beside its file. */
function hasText(project: string, role: string): boolean {
  const place = join(project, '.umpire', 'roles');
  return existsSync(place) && readdirSync(place).some((loop) => existsSync(join(place, loop, `${role}.md`)));
}

const MOST_NAMED = 3;

/** Files of the checkout that agents will not see; a new folder is one, with a slash behind it. */
export function uncommittedWords(files: readonly string[]): string {
  const few = files.slice(0, MOST_NAMED).join(', ');
  const named = files.length > MOST_NAMED ? `${few} and ${files.length - MOST_NAMED} more` : few;
  const folders = files.filter((path) => path.endsWith('/')).length;
  const [one, all] = folders === 0 ? ['file', 'files'] : folders === files.length ? ['folder', 'folders'] : ['', 'files and folders'];
  const many = files.length === 1 ? `One uncommitted ${one} is` : `${files.length} uncommitted ${all} are`;
  return `Work starts from your last commit. ${many} not part of it (${named}): commit first if the agents should see ${files.length === 1 ? 'it' : 'them'}.`;
}

/** Paths of `workspace` that nothing fits. */
export function absentWords(absent: readonly string[]): string {
  const named = absent.map((path) => JSON.stringify(path)).join(', ');
  return `${CONFIG}: workspace: the project has no ${named}, so no worktree gets it.`;
}

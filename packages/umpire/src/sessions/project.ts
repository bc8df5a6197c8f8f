// Finds the project of a folder or session, and the text of its settings. Nothing is read from the session folder itself: agents write
// there.

import { existsSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { isFile, lstatOf, readRegularFile, statOf } from './file-system.js';
import { configHome, homeFolder } from './environment.js';
import { faultOf } from './session-folder.js';

export const CONFIG = 'umpire.config.yaml';

/** A common mistake. The file is not read, but reported. */
const MISNAMED_CONFIG = 'umpire.config.yml';

/** The project of a session: the nearest folder above it with settings, sessions or a repository. */
export function findProject(sessionRoot: string): string | null {
  for (let folder = dirname(sessionRoot); ; folder = dirname(folder)) {
    if ([CONFIG, '.umpire', '.git'].some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/**
 * The nearest folder from `start` upwards that has settings; null if there is none. The search ends at the top of a repository, at the home
 * folder, at a folder that everybody may write to, such as /tmp, and at another file system: settings there do not apply to everything below.
 */
export function projectAbove(start: string): string | null {
  const device = entryAt(start)?.dev;
  const home = homeFolder() === '' ? undefined : entryAt(homeFolder());
  for (let folder = start; ; folder = dirname(folder)) {
    if (folder !== start && isBoundary(entryAt(folder), device, home)) return null;
    if ([CONFIG, MISNAMED_CONFIG].some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder) || existsSync(join(folder, '.git'))) return null;
  }
}

/** The mode of a folder that everybody may write to, such as /tmp. */
const OPEN_TO_ALL = 0o1002;

function isBoundary(entry: Stats | undefined, device: number | undefined, home: Stats | undefined): boolean {
  if (entry === undefined || entry.dev !== device) return true;
  return (entry.mode & OPEN_TO_ALL) === OPEN_TO_ALL || (entry.ino === home?.ino && entry.dev === home.dev);
}

function entryAt(place: string): Stats | undefined {
  try {
    return statOf(place);
  } catch {
    return undefined;
  }
}

/** The settings file of a folder, also with the wrong extension; null if it has none. */
export function configAt(folder: string): string | null {
  return [CONFIG, MISNAMED_CONFIG].map((name) => join(folder, name)).find((place) => lstatOf(place) !== undefined) ?? null;
}

/** Are there settings or role texts of the project, or settings of the person's own? */
export function hasSettings(project: string): boolean {
  return configAt(project) !== null || ownSettingsPath() !== null || existsSync(join(project, '.umpire', 'roles'));
}

/** The person's own settings, `~/.config/umpire/config.yaml`; null if there are none. */
export function ownSettingsPath(): string | null {
  const path = join(configHome(), 'umpire', 'config.yaml');
  return configHome() !== '' && isFile(path) ? path : null;
}

const MOST_CONFIG_BYTES = 1024 * 1024;

/** The text of the project's settings; null if it has none. */
export function readConfigText(project: string | null): string | null {
  return project === null ? null : readThere(join(project, CONFIG));
}

/** Throws where the only settings have the wrong extension: whoever starts work means them to count. */
export function refuseMisnamedSettings(project: string): void {
  const place = configAt(project);
  if (place !== null && basename(place) === MISNAMED_CONFIG)
    throw new UmpireError('config-invalid', { file: MISNAMED_CONFIG, line: '', detail: `Umpire reads ${CONFIG}. Rename the file` });
}

function readThere(place: string): string | null {
  try {
    // Most projects have none, and throwing an error is slow.
    const stat = statOf(place);
    if (stat === undefined) return null;
    if (stat.size > MOST_CONFIG_BYTES) throw new Error(`it has more than ${MOST_CONFIG_BYTES / 1024} kB`);
    return readRegularFile(place).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new UmpireError('read-failed', { path: CONFIG, detail: faultOf(error) });
  }
}

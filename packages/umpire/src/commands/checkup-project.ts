// What of the project a run begins from: its repository, files that agents will not see, settings, the place of worktrees, sessions
// that are there. Nothing is changed.

import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isUmpireError } from '@umpire/core/errors.js';
import { tellOf } from '../report/checkup-page.js';
import type { Check } from '../report/checkup-page.js';
import { count } from '../report/words.js';
import { isFolder, lstatOf } from '../sessions/entry.js';
import { faultOf } from '../sessions/folder.js';
import { CONFIG, configAt } from '../sessions/project.js';
import { DEFAULT_SETTINGS } from '../sessions/default-settings.js';
import type { Settings } from '../sessions/default-settings.js';
import { findSessions } from '../sessions/sessions.js';
import { askGit, tryGit } from '../workspace/git.js';
import { filesLeftOut, isMeant } from '../workspace/left-out.js';
import { findRepository } from '../workspace/repository.js';
import type { Repository } from '../workspace/repository.js';
import { uncommittedIn } from '../workspace/workspace.js';
import { isInGit, worktreeHome } from './places.js';
import { readSettings } from './session.js';
import { copySetting } from '../report/settings-text.js';
import { uncommittedWords } from './settings-notes.js';

const tell = tellOf('project');

export interface LookedSettings {
  /** What is usual, where they cannot be read. */
  readonly config: Settings;
  readonly isRead: boolean;
  readonly check: Check;
}

export async function lookAtSettings(project: string): Promise<LookedSettings> {
  try {
    const config = await readSettings(project);
    const message = configAt(project) === null ? 'none; umpire init writes the first' : CONFIG;
    return { config, isRead: true, check: tell('settings', 'ok', message) };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { config: DEFAULT_SETTINGS, isRead: false, check: tell('settings', 'fault', error.message, error.hint) };
  }
}

export async function checkProject(project: string, { config, check }: LookedSettings): Promise<readonly Check[]> {
  const home = worktreeHome(project, config.workspace.home);
  const { link, copy } = config.workspace;
  const repository = await checkRepository(project, home, [...link, ...copy]);
  return [...repository, check, checkHome(home, project), ...checkSessions(project)];
}

/** Nothing is said twice: that there is no git is the machine's. */
async function checkRepository(project: string, home: string, entries: readonly string[]): Promise<readonly Check[]> {
  try {
    const repository = repositoryOf(project);
    const place = { project, session: '', home, sessionFolder: noSession(project) };
    const [whose, uncommitted, missing] = await Promise.all([
      wordsFor(repository, project),
      uncommittedIn({ repository, place }),
      environmentFiles(repository, project, entries),
    ]);
    const lacking = missing.length === 1 ? 'it' : 'them';
    return [
      whose,
      ...(uncommitted.length === 0 ? [] : [tell('uncommitted', 'note', uncommittedWords(uncommitted))]),
      ...(missing.length === 0
        ? []
        : [
            tell(
              'left out',
              'note',
              `${missing.join(', ')}: git does not track ${lacking}, so agents and tests work without ${lacking}.`,
              `Where they need ${lacking}, write into ${CONFIG}: ${copySetting(missing)}`,
            ),
          ]),
    ];
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return error.code === 'git-missing' ? [] : [tell('repository', 'fault', error.message, error.hint)];
  }
}

/** There is none of this name, so no private repository is found in it. */
function noSession(project: string): string {
  return join(project, '.umpire', 'sessions', '.none');
}

/** Where the work of a session that begins now would go. */
export function repositoryOf(project: string): Repository {
  return findRepository(project, noSession(project), null);
}

async function wordsFor({ kind, checkout, prefix }: Repository, project: string): Promise<Check> {
  if (kind === 'snapshot') {
    const why = isInGit(project) ? 'nothing of the project is committed yet' : 'no git repository';
    return tell('repository', 'note', `${why}: a private repository keeps each session's work`);
  }
  const { code, stdout } = await tryGit(checkout, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const at = code === 0 ? `git, branch ${stdout.toString('utf8')}` : `git, detached at ${await askGit(checkout, SHORT_HEAD)}`;
  return tell('repository', 'ok', prefix === '' ? at : `${at.trim()}; the project is ${prefix} in it`);
}

const SHORT_HEAD = ['rev-parse', '--short', 'HEAD'];

/** Such files as `.env` that worktrees will lack, but for those that an entry of `link` or `copy` brings. */
export async function environmentFiles(repository: Repository, project: string, entries: readonly string[]): Promise<readonly string[]> {
  const files = await filesLeftOut(repository, '.env*');
  return files.filter((name) => !isMeant(project, entries, name));
}

const ELSEWHERE = `Mend that, or have worktrees elsewhere: workspace: {home: ...} in ${CONFIG}, or UMPIRE_WORKTREES.`;

function checkHome(home: string, project: string): Check {
  const fault = writeFault(home);
  if (fault !== null) return tell('worktrees', 'fault', fault, ELSEWHERE);
  if (`${resolve(home)}/`.startsWith(`${project}/`))
    return tell('worktrees', 'note', `${home} is inside the project, whose test runner and linters find the copies there`, ELSEWHERE);
  const { bavail, bsize } = statfsSync(nearestThere(home));
  return spaceCheck(home, bavail * bsize);
}

/** Why no folder can be made or filled there; null where one can. */
function writeFault(place: string): string | null {
  const folder = nearestThere(place);
  if (!isFolder(folder)) return `${place} cannot be made: ${folder} is no folder`;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `${folder} cannot be written: ${faultOf(error)}`;
  }
}

function nearestThere(place: string): string {
  let folder = resolve(place);
  while (!isThere(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** What may not be looked at lies in a folder that is shut: that is told of it. */
function isThere(path: string): boolean {
  try {
    return lstatOf(path) !== undefined;
  } catch {
    return false;
  }
}

const MB = 1e6;
const GB = 1e9;

/** Every task that writes has a copy of the project. */
export function spaceCheck(home: string, free: number): Check {
  const left = free < GB ? `${Math.floor(free / MB)} MB` : `${(free / GB).toFixed(1)} GB`;
  if (free < 100 * MB)
    return tell('worktrees', 'fault', `${home}: only ${left} free`, `Make room there: umpire clean, for one. ${ELSEWHERE}`);
  if (free < GB) return tell('worktrees', 'note', `${home}: only ${left} free`, 'Each task that writes has a copy of the project there.');
  return tell('worktrees', 'ok', `${home}, ${left} free`);
}

function checkSessions(project: string): readonly Check[] {
  const fault = writeFault(join(project, '.umpire', 'sessions'));
  if (fault !== null) return [tell('sessions', 'fault', fault, 'Mend that, or have each session elsewhere: --session DIR.')];
  const sessions = findSessions(project);
  if (sessions.length === 0) return [];
  const among = (state: string) => sessions.filter((entry) => entry.state === state).length;
  const [awaiting, unreadable] = [among('awaiting'), among('unreadable')];
  const parts = [
    count(sessions.length, 'session'),
    ...(awaiting === 0 ? [] : [`${awaiting} ${awaiting === 1 ? 'waits' : 'wait'} for a person`]),
    ...(unreadable === 0 ? [] : [`${unreadable} cannot be read`]),
  ];
  const asked = [...(awaiting === 0 ? [] : ['--state awaiting']), ...(unreadable === 0 ? [] : ['--state unreadable'])];
  const see = asked.length === 0 ? null : `See them with: umpire list ${asked.join(' ')}`;
  return [tell('sessions', see === null ? 'ok' : 'note', see === null ? `${parts[0]} (umpire list)` : parts.join(', '), see)];
}

// Finds the sessions of a project: all of them, the latest, or the one that a person names by a path, a name or a part of it.

import { closeSync, constants, existsSync, readSync, readdirSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { describeQuestion } from '@umpire/core/decider/answers.js';
import { awaitedQuestion } from '@umpire/core/decider/question.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { completedTasks } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { SessionEntry } from '../views/list-page.js';
import { hasWork, sessionView } from '../views/session-view.js';
import { findActiveUntil } from './active-until.js';
import { TASKS } from './tasks-file.js';
import { isFile, isFolder, openRegularFile, statOf } from './file-system.js';
import { openFolder, readTail } from './session-folder.js';
import { JOURNAL } from './journal-file.js';
import { readSession } from './session-record.js';
import { findProject } from './project.js';
import { holderOf } from './lock.js';

/** An entry of the list without the state of its work, which the workspace adds. */
export interface FoundSession extends Omit<SessionEntry, 'work'> {
  /** The work of an ended session; null if it has not ended or changed no project. */
  readonly made: MadeWork | null;
}

export interface MadeWork {
  readonly kind: 'git' | 'snapshot';
  /** As the journal names it. */
  readonly project: string;
  readonly session: string;
  /** The branch has merged work. */
  readonly isMerged: boolean;
  /** Completed tasks. */
  readonly finished: readonly string[];
}

/** Every session of the folder's project and of packages in it, the latest first. A broken session does not hide the others. */
export function findSessions(project: string): readonly FoundSession[] {
  const root = projectAt(project);
  const inner = innerSessionFolders(root).map(({ folder, path }) => ({ ...readEntry(path), folder }));
  return [...sessionFolders(root).map(readEntry), ...inner].toSorted(
    (a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '') || a.name.localeCompare(b.name),
  );
}

/** A cache by folder for callers that look repeatedly: an unchanged session is not read again. */
export type KnownSessions = Map<string, { readonly stamp: string; readonly entry: FoundSession }>;

export function findSession(path: string, known: KnownSessions): FoundSession {
  // Read first: a change in between is then read twice rather than missed.
  const stamp = sessionStamp(path);
  const before = known.get(path);
  if (before?.stamp === stamp) return before.entry;
  const entry = readEntry(path);
  known.set(path, { stamp, entry });
  return entry;
}

function readEntry(path: string): FoundSession {
  const name = basename(path);
  const nothing = { loops: [], goal: '', mode: '', lastAt: null, chains: [], waitsOn: null, spent: null, made: null };
  try {
    const { word, state, events, tasks, notes } = readSession(path);
    const view = sessionView(state, { session: name, state: word, tasks, place: null, notes });
    const { unverified, missesTarget, loops, goal, mode, chains, spent } = view;
    const lastAt = events.at(-1)?.ts ?? null;
    const question = state.run === null ? null : awaitedQuestion(state.run);
    const waitsOn = question === null ? checkAtItsCap(path, state) : describeQuestion(question);
    const made = madeBy(state.run);
    return { name, path, state: word, unverified, missesTarget, loops, goal, mode, lastAt, chains, waitsOn, spent, notes, made };
  } catch (error) {
    const problem = isUmpireError(error) ? error.message : `Its journal was not written by Umpire: ${String(error)}`;
    return { ...nothing, name, path, state: 'unreadable', unverified: false, missesTarget: false, notes: [problem] };
  }
}

/** Of a person's own agent session that `until --here` has judged as often as it may. */
function checkAtItsCap(path: string, state: SessionState): string | null {
  const last = state.verdicts.values().next().value?.at(-1)?.verdict;
  if (state.run !== null || last?.outcome !== 'escalate' || findActiveUntil(path)?.session !== path) return null;
  return `your decision (rule ${last.rule})`;
}

function madeBy(run: RunState | null): MadeWork | null {
  if (run === null || run.ended === null || run.started.workspace === null) return null;
  const isMerged = hasWork(run);
  // Unfinished tasks may have left work.
  if (!isMerged && run.tasks.every(({ attempt, status }) => attempt === 0 || status === 'completed')) return null;
  const { project, session, workspace } = run.started;
  return { kind: workspace.kind, project, session, isMerged, finished: completedTasks(run) };
}

/** The folders of the sessions, the latest first. Reads only the last journal line of each. */
export function latestFirst(project: string): readonly string[] {
  return byTime(sessionFolders(projectAt(project)));
}

function byTime(paths: readonly string[]): readonly string[] {
  const times = paths.map((path) => ({ path, at: lastTimeOf(path) }));
  return times.toSorted((a, b) => b.at.localeCompare(a.at)).map(({ path }) => path);
}

/** The session with the latest event: of all, or of those that Umpire runs. Throws if there is none. */
export function latestSession(project: string, which: 'any' | 'run' = 'any'): string {
  const root = projectAt(project);
  let latest: { readonly path: string; readonly at: string } | null = null;
  const own = sessionFolders(root);
  for (const path of own.length > 0 ? own : innerSessionFolders(root).map((inner) => inner.path)) {
    if (which === 'run' && !isRun(path)) continue;
    const at = lastTimeOf(path);
    if (latest === null || at > latest.at) latest = { path, at };
  }
  if (latest === null) throw new UmpireError('session-none', { path: root });
  return latest.path;
}

/** Only lines with a verdict may be longer. */
const TAIL_BYTES = 1 << 20;

/** The time of the last whole journal line; empty without a journal, so that the session comes last. */
function lastTimeOf(path: string): string {
  const text = readTail(openFolder(path), JOURNAL, TAIL_BYTES).toString('utf8');
  const end = text.lastIndexOf('\n');
  const line = end < 0 ? '' : text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
  const ts = /^\{"v":\d+,"seq":\d+,"ts":"([^"]+)"/.exec(line)?.[1];
  // The line is broken or longer than the bytes read: the time of the file is nearly the same.
  return ts ?? statOf(join(path, JOURNAL))?.mtime.toISOString() ?? '';
}

/** Does Umpire run this session? The beginning of its first line says so. */
function isRun(path: string): boolean {
  const file = join(path, JOURNAL);
  try {
    if (!isFile(file)) return false;
    const fd = openRegularFile(file, constants.O_RDONLY);
    try {
      const bytes = Buffer.alloc(200);
      const head = bytes.toString('utf8', 0, readSync(fd, bytes));
      return /^\{"v":\d+,"seq":1,"ts":"[^"]*","type":"SessionStarted"/.test(head);
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}

/** Resolves a path, a name, or a part that only one name has. `project`: a folder of the project. */
export function resolveSession(word: string, project: string): string {
  const isPath = word.includes('/') || word === '.' || word === '..';
  if (isPath || (word !== '' && [JOURNAL, TASKS].some((name) => existsSync(join(resolve(word), name))))) return openFolder(word).root;
  const root = projectAt(project);
  const part = word.toLowerCase();
  const asks: readonly ((name: string) => boolean)[] = [
    (name) => name === word,
    // Whole words come first: `team-3` is not `team-30`.
    (name) => name.startsWith(`${word}-`),
    (name) => name.startsWith(word),
    (name) => `-${name.toLowerCase()}-`.includes(`-${part}-`),
    (name) => name.toLowerCase().includes(part),
  ];
  const findAmong = (paths: readonly string[]): string | null => {
    for (const fits of asks) {
      const found = paths.filter((path) => fits(basename(path)));
      if (found.length === 1) return found[0] as string;
      if (found.length > 1) throw new UmpireError('session-ambiguous', { name: plainName(word), found: nameSessions(found, root) });
    }
    return null;
  };
  const own = sessionFolders(root);
  const found = findAmong(own);
  if (found !== null) return found;
  const inner = innerSessionFolders(root).map(({ path }) => path);
  const among = findAmong(inner);
  if (among !== null) return among;
  const known = [...own, ...inner];
  throw known.length === 0
    ? new UmpireError('session-none', { path: root })
    : new UmpireError('session-unknown', {
        name: plainName(word),
        known: nameSessions(known, root),
        meant: didYouMean(
          word,
          known.map((path) => basename(path)),
        ),
      });
}

const MAX_LISTED = 12;

/** Names, or paths if two have the same name; the latest first. */
function nameSessions(paths: readonly string[], root: string): string {
  const times = new Map<string, number>();
  for (const path of paths) times.set(basename(path), (times.get(basename(path)) ?? 0) + 1);
  const words = byTime(paths).map((path) => plainName(times.get(basename(path)) === 1 ? basename(path) : relative(root, path)));
  const rest = words.length - MAX_LISTED;
  return words.slice(0, MAX_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more (umpire list)` : '');
}

function plainName(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, 120);
}

const SESSIONS = ['.umpire/sessions', '.workflow/.csv-wave'];

/** The folder's project, or the folder itself if there is none. Throws if the folder does not exist. */
export function projectAt(path: string): string {
  let start: string;
  try {
    start = openFolder(path).root;
  } catch {
    throw new UmpireError('project-missing', { path });
  }
  return findProject(join(start, 'x')) ?? start;
}

/** Absolute paths. */
export function sessionFolders(project: string): readonly string[] {
  return SESSIONS.flatMap((place) => listFolders(join(project, place)));
}

/** Folders that tools fill. Hidden ones are not searched either. */
const ASIDE: ReadonlySet<string> = new Set(['node_modules', 'venv', '__pycache__', 'dist', 'build', 'target', 'vendor']);
const DEEPEST = 6;
const MOST_FOLDERS = 20_000;

/** Sessions that were started in a package of the project. `folder`: of the package, from the project. */
function innerSessionFolders(project: string): readonly { readonly folder: string; readonly path: string }[] {
  const found: { folder: string; path: string }[] = [];
  let level: readonly string[] = [''];
  let seen = 0;
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth += 1) {
    level = level.flatMap((folder) => {
      if ((seen += 1) > MOST_FOLDERS) return [];
      const names = foldersIn(join(project, folder));
      const inner = names.filter((name) => !name.startsWith('.') && !ASIDE.has(name));
      return inner.map((name) => (folder === '' ? name : `${folder}/${name}`));
    });
    for (const folder of level) found.push(...sessionFolders(join(project, folder)).map((path) => ({ folder, path })));
  }
  return found;
}

function foldersIn(place: string): readonly string[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

function listFolders(place: string): readonly string[] {
  try {
    return readdirSync(place)
      .toSorted()
      .map((name) => join(place, name))
      .filter(isFolder);
  } catch {
    return [];
  }
}

/** A text that changes with the journal, the tasks or the lock of a session. Files are not read. */
export function sessionStamp(path: string): string {
  try {
    return [sizeOf(path, JOURNAL), sizeOf(path, TASKS), holdingOf(path)].join(', ');
  } catch (error) {
    // The folder may be gone or not readable.
    if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return 'unseen';
    throw error;
  }
}

function sizeOf(path: string, name: string): string {
  const stat = statOf(join(path, name));
  return stat === undefined ? '-' : `${stat.size} ${stat.mtimeMs}`;
}

function holdingOf(path: string): string {
  const holder = holderOf(openFolder(path));
  if (holder === null) return 'free';
  return holder.isDead ? 'left' : 'held';
}

// The sessions of a project: all of them, the latest, and the one that a person means by a name, a part of it or a path.

import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { describeQuestion } from '@umpire/core/decider/answers.js';
import { awaitedQuestion } from '@umpire/core/decider/question.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { completedTasks } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { SessionEntry } from '../report/list-page.js';
import { hasWork, sessionView } from '../report/session-view.js';
import { TASKS } from './tasks-file.js';
import { isFile, statOf } from './entry.js';
import { openFolder, readTail } from './folder.js';
import { JOURNAL } from './journal-file.js';
import { projectAt, sessionFolders } from './session-folders.js';
import { readSession } from './session-record.js';
import { stampOf } from './session-stamp.js';

/** A session without what became of its work: that is for the workspace to say. */
export interface FoundSession extends Omit<SessionEntry, 'work'> {
  /** The work of a session that has ended; null where it has not, or changed no project. */
  readonly made: MadeWork | null;
}

export interface MadeWork {
  readonly kind: 'git' | 'snapshot';
  /** The project as the journal names it. */
  readonly project: string;
  readonly session: string;
  /** The branch holds more than it began with. */
  readonly isMerged: boolean;
  /** The tasks that were completed. */
  readonly finished: readonly string[];
}

/** Every session of the project that a folder is in, the latest first. What is wrong with one never hides the others. */
export function findSessions(project: string, known: KnownSessions = new Map()): readonly FoundSession[] {
  return sessionFolders(projectAt(project))
    .map((path) => entryIn(path, known))
    .toSorted((a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '') || a.name.localeCompare(b.name));
}

/** By folder: what was read of sessions, for who looks again and again. One in which nothing has happened is not read anew. */
export type KnownSessions = Map<string, { readonly stamp: string; readonly entry: FoundSession }>;

function entryIn(path: string, known: KnownSessions): FoundSession {
  // Taken first: what happens meanwhile is read twice rather than not at all.
  const stamp = stampOf(path);
  const before = known.get(path);
  if (before?.stamp === stamp) return before.entry;
  const entry = entryOf(path);
  known.set(path, { stamp, entry });
  return entry;
}

function entryOf(path: string): FoundSession {
  const name = basename(path);
  const nothing = { loops: [], goal: '', mode: '', lastAt: null, chains: [], waitsOn: null, spent: null, made: null };
  try {
    const { word, state, events, tasks, notes } = readSession(path);
    const view = sessionView(state, { session: name, state: word, tasks, place: null, notes });
    const { unverified, loops, goal, mode, chains, spent } = view;
    const lastAt = events.at(-1)?.ts ?? null;
    const question = state.run === null ? null : awaitedQuestion(state.run);
    const waitsOn = question === null ? null : describeQuestion(question);
    const made = madeBy(state.run);
    return { name, path, state: word, unverified, loops, goal, mode, lastAt, chains, waitsOn, spent, notes, made };
  } catch (error) {
    // Whoever wrote the folder, the list is of all.
    const problem = isUmpireError(error) ? error.message : `Its history is not what Umpire writes: ${String(error)}`;
    return { ...nothing, name, path, state: 'unreadable', unverified: false, notes: [problem] };
  }
}

function madeBy(run: RunState | null): MadeWork | null {
  if (run === null || run.ended === null || run.started.workspace === null) return null;
  const isMerged = hasWork(run);
  // What was begun and not completed may have left something.
  if (!isMerged && run.tasks.every(({ attempt, status }) => attempt === 0 || status === 'completed')) return null;
  const { project, session, workspace } = run.started;
  return { kind: workspace.kind, project, session, isMerged, finished: completedTasks(run) };
}

/** The folder of every session of the project that a folder is in, the latest first; no more is read than the last line of each. */
export function latestFirst(project: string): readonly string[] {
  return byTime(sessionFolders(projectAt(project)));
}

function byTime(paths: readonly string[]): readonly string[] {
  const times = paths.map((path) => ({ path, at: lastTimeOf(path) }));
  return times.toSorted((a, b) => b.at.localeCompare(a.at)).map(({ path }) => path);
}

/** The session with the latest event: of all, or of those that Umpire runs. Throws where there is none. */
export function latestSession(project: string, which: 'any' | 'run' = 'any'): string {
  const root = projectAt(project);
  let latest: { readonly path: string; readonly at: string } | null = null;
  for (const path of sessionFolders(root)) {
    if (which === 'run' && !isRun(path)) continue;
    const at = lastTimeOf(path);
    if (latest === null || at > latest.at) latest = { path, at };
  }
  if (latest === null) throw new UmpireError('session-none', { path: root });
  return latest.path;
}

/** Lines are longer than this only where a verdict is. */
const TAIL_BYTES = 1 << 20;

/** The time of the last whole line of the journal; of a folder without one, nothing: it comes last. */
function lastTimeOf(path: string): string {
  const text = readTail(openFolder(path), JOURNAL, TAIL_BYTES).toString('utf8');
  const end = text.lastIndexOf('\n');
  const line = end < 0 ? '' : text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
  const ts = /^\{"v":\d+,"seq":\d+,"ts":"([^"]+)"/.exec(line)?.[1];
  // A line that is longer than all that was read, or broken: the file's own time is nearly the same.
  return ts ?? statOf(join(path, JOURNAL))?.mtime.toISOString() ?? '';
}

/** The first line says who runs it, and says so at its beginning. */
function isRun(path: string): boolean {
  const file = join(path, JOURNAL);
  try {
    if (!isFile(file)) return false;
    const fd = openSync(file, 'r');
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

/** The folder of the session that a person means: a path, a name, or a part of one name only. `project`: a folder of the project. */
export function resolveSession(word: string, project: string): string {
  const isPath = word.includes('/') || word === '.' || word === '..';
  if (isPath || looksLikeSession(word)) return openFolder(word).root;
  const root = projectAt(project);
  const known = sessionFolders(root);
  const part = word.toLowerCase();
  const asks: readonly ((name: string) => boolean)[] = [
    (name) => name === word,
    // Whole words first: `team-3` is not `team-30`.
    (name) => name.startsWith(`${word}-`),
    (name) => name.startsWith(word),
    (name) => `-${name.toLowerCase()}-`.includes(`-${part}-`),
    (name) => name.toLowerCase().includes(part),
  ];
  for (const fits of asks) {
    const found = known.filter((path) => fits(basename(path)));
    if (found.length === 1) return found[0] as string;
    if (found.length > 1) throw new UmpireError('session-ambiguous', { name: shown(word), found: some(found, root) });
  }
  throw known.length === 0
    ? new UmpireError('session-none', { path: root })
    : new UmpireError('session-unknown', {
        name: shown(word),
        known: some(known, root),
        meant: didYouMean(
          word,
          known.map((path) => basename(path)),
        ),
      });
}

function looksLikeSession(word: string): boolean {
  return word !== '' && [JOURNAL, TASKS].some((name) => existsSync(join(resolve(word), name)));
}

const MOST_NAMED = 12;

/** Names, or paths where two have the same name; the latest first. */
function some(paths: readonly string[], root: string): string {
  const times = new Map<string, number>();
  for (const path of paths) times.set(basename(path), (times.get(basename(path)) ?? 0) + 1);
  const words = byTime(paths).map((path) => shown(times.get(basename(path)) === 1 ? basename(path) : relative(root, path)));
  const rest = words.length - MOST_NAMED;
  return words.slice(0, MOST_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more (umpire list)` : '');
}

function shown(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, 120);
}

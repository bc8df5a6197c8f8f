// The sessions of one project: folders on this machine. After an answer, a process of its own continues the session.

import { join, relative, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { dismiss } from '../../engine/dismiss.js';
import { answerQuestion } from '../../engine/session.js';
import { showHidden } from '../../views/safe-text.js';
import { sessionFolders, sessionStamp } from '../../sessions/find-sessions.js';
import type { KnownSessions } from '../../sessions/find-sessions.js';
import { statOf } from '../../sessions/file-system.js';
import { JOURNAL } from '../../sessions/journal-file.js';
import { readSession } from '../../sessions/session-record.js';
import type { AnswerRequest, DismissRequest, ListedSession, ResumeRequest, SessionsAnswer } from './answers.js';
import { ContinuingRuns } from './continuing-runs.js';
import type { AnsweringPerson, FoundCopy, SessionSource, SessionStamp } from './session-source.js';
import { createTurns } from './session-source.js';
import { createSessionLister } from '../../engine/session-work.js';

/** The first answer waits no longer for sessions that were not read yet. */
const FIRST_ANSWER_MS = 300;

export class ProjectSessions implements SessionSource {
  readonly place: string;
  readonly repository: string;
  readonly isEngine = false;
  private readonly runs: ContinuingRuns;
  private readonly known: KnownSessions = new Map();
  private readonly listed = new Map<string, ListedSession>();
  private listing: Promise<void> | null = null;
  private isComplete = false;
  private unread = 0;

  constructor(private readonly project: string) {
    this.place = project;
    this.repository = project;
    this.runs = new ContinuingRuns(project);
  }

  async stamps(): Promise<ReadonlyMap<string, SessionStamp>> {
    const turn = createTurns();
    const stamps = new Map<string, SessionStamp>();
    for (const [id, path] of this.folders()) {
      stamps.set(id, { journal: sessionStamp(path), around: '' });
      await turn();
    }
    return stamps;
  }

  /** Several pages that ask at once get one listing. Until all were read once, the answer has those read so far, the latest first. */
  async list(): Promise<Pick<SessionsAnswer, 'sessions' | 'unread'>> {
    this.listing ??= this.readAll().finally(() => (this.listing = null));
    await (this.isComplete ? this.listing : Promise.race([this.listing, pause(FIRST_ANSWER_MS, undefined, { ref: false })]));
    return { sessions: [...this.listed.values()], unread: this.unread };
  }

  private async readAll(): Promise<void> {
    const lister = createSessionLister(this.known);
    const turn = createTurns();
    const found = this.folders();
    if (!this.isComplete) this.unread = found.size;
    const folders: { readonly id: string; readonly folder: string; readonly changed: number }[] = [];
    for (const [id, folder] of found) {
      folders.push({ id, folder, changed: statOf(join(folder, JOURNAL))?.mtimeMs ?? 0 });
      await turn();
    }
    folders.sort((a, b) => b.changed - a.changed);
    const ids = new Set(folders.map(({ id }) => id));
    for (const id of this.listed.keys()) if (!ids.has(id)) this.listed.delete(id);
    for (const [at, { id, folder }] of folders.entries()) {
      if (!this.isComplete) this.unread = folders.length - at;
      const { path: _, ...entry } = await lister(folder);
      this.listed.set(id, { ...entry, id });
      await turn();
    }
    this.isComplete = true;
    this.unread = 0;
  }

  async find(id: string): Promise<FoundCopy> {
    const path = this.pathOf(id);
    return { path, word: path, fleet: null, trouble: this.runs.troubleOf(path) };
  }

  async events(id: string): Promise<readonly Recorded[]> {
    try {
      return readSession(this.pathOf(id)).events;
    } catch (error) {
      // An unreadable session says so in the list.
      if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined || error instanceof TypeError) return [];
      throw error;
    }
  }

  async answer({ id, answer, question, ...given }: AnswerRequest, person: AnsweringPerson): Promise<void> {
    const session = this.pathOf(id);
    // A held edit can be taken up whatever the session asks.
    const shown = answer === 'take-edits' ? {} : { question };
    if (answer !== 'resume') await answerQuestion({ session, answer, ...shown, ...given, ...person });
    // The answer is recorded. A process that does not start is shown with the session.
    await this.runs.start(session, id).catch((error: unknown) => {
      if (answer === 'resume' || !isUmpireError(error)) throw error;
    });
  }

  async dismiss({ id, ...given }: DismissRequest, person: AnsweringPerson): Promise<void> {
    await dismiss({ session: this.pathOf(id), ...given, ...person });
  }

  async resume({ id, retry = false }: ResumeRequest): Promise<void> {
    await this.runs.start(this.pathOf(id), id, retry ? ['--retry'] : []);
  }

  async close(): Promise<void> {
    // Runs go on.
  }

  private folders(): ReadonlyMap<string, string> {
    return new Map(sessionFolders(this.project).map((path) => [this.idOf(path), path]));
  }

  private pathOf(id: string): string {
    const path = this.folders().get(id);
    if (path === undefined) throw new UmpireError('session-unlisted', { session: id });
    return path;
  }

  private idOf(path: string): string {
    return showHidden(relative(this.project, path).split(sep).join('/'));
  }
}

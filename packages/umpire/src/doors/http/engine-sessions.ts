// The sessions of an engine. The list comes from its summaries. A session that somebody looks at is copied into a folder of the server, and
// again when it has changed. What a person does there is told to the engine, whose conductor checks and records it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { answerOnEngine, copyFromEngine, dismissOnEngine, retryOnEngine } from '../../engine/client.js';
import type { ClientDoor, EngineSession } from '../../engine/engine.js';
import { describeFleet, readFleet } from '../../engine/offers.js';
import { openEngine } from '../../engine/open-engine.js';
import { journalOf } from '../../sessions/journal-file.js';
import { safeName } from '../../sessions/safe-name.js';
import type { AnswerRequest, DismissRequest, ListedSession, ResumeRequest, SessionsAnswer } from './answers.js';
import type { AnsweringPerson, FoundCopy, SessionSource, SessionStamp } from './session-source.js';
import { withoutPassword } from '../../engine/engine.js';
import { isAccepted } from '../../views/session-view.js';

/** A page waits no longer for a worker to take a message. */
const UNTAKEN_MS = 6000;

interface Copy {
  readonly length: number;
  readonly path: Promise<string>;
}

export class EngineSessions implements SessionSource {
  readonly isEngine = true;
  private readonly copies = new Map<string, Copy>();
  private reading: Promise<readonly [EngineSession, fleet: readonly string[]][]> | null = null;

  private constructor(
    readonly place: string,
    readonly repository: string,
    private readonly client: ClientDoor,
    private readonly folder: string,
  ) {}

  static async open(url: string, repository: string): Promise<EngineSessions> {
    const client = await openEngine(url).client();
    return new EngineSessions(withoutPassword(url), repository, client, mkdtempSync(join(tmpdir(), 'umpire-serve-')));
  }

  async stamps(): Promise<ReadonlyMap<string, SessionStamp>> {
    return new Map(
      (await this.read()).map(([{ session, length }, fleet]) => [session, { journal: `${length}`, around: fleet.join('\n') }]),
    );
  }

  async list(): Promise<Pick<SessionsAnswer, 'sessions' | 'unread'>> {
    return { sessions: (await this.read()).map(([session, fleet]) => entryOf(session, fleet)), unread: 0 };
  }

  /** Several that ask at once get one answer. */
  private async read(): Promise<readonly [EngineSession, fleet: readonly string[]][]> {
    const readNow = async (): Promise<readonly [EngineSession, fleet: readonly string[]][]> => {
      const [sessions, fleet] = await Promise.all([this.client.sessions(), readFleet(this.client)]);
      return sessions.map((session) => [session, describeFleet(session, fleet)]);
    };
    this.reading ??= readNow().finally(() => (this.reading = null));
    return this.reading;
  }

  async find(id: string): Promise<FoundCopy> {
    const [listed, fleet] = await Promise.all([this.client.session(id), readFleet(this.client)]);
    if (listed === null) throw new UmpireError('session-unlisted', { session: id });
    return { path: await this.copyOf(listed), word: id, fleet: describeFleet(listed, fleet), trouble: null };
  }

  /** One copy of a session at a time. */
  private async copyOf({ session, length }: EngineSession): Promise<string> {
    const before = this.copies.get(session);
    if (before !== undefined && before.length >= length) return before.path;
    const place = join(this.folder, safeName(session));
    const copy = async (): Promise<string> => {
      await before?.path.catch(() => undefined);
      return (await copyFromEngine(this.client, session, place)).root;
    };
    const path = copy();
    this.copies.set(session, { length, path });
    // The next request tries again.
    path.catch(() => {
      if (this.copies.get(session)?.path === path) this.copies.delete(session);
    });
    return path;
  }

  async events(id: string): Promise<readonly Recorded[]> {
    const lines = await this.client.lines(id, 0);
    try {
      return journalOf(Buffer.from(lines.map((line) => `${line}\n`).join(''))).events;
    } catch (error) {
      // Damaged, or of a later version.
      if (isUmpireError(error)) return [];
      throw error;
    }
  }

  async answer({ id, answer, question, ...given }: AnswerRequest, person: AnsweringPerson): Promise<void> {
    if (answer === 'resume') return this.resume({ id, retry: true });
    const whole = { reason: '', rounds: 0, minutes: 0, costUsd: 0, tokens: 0, ...given, ...person, answer, by: 'resolve' } as const;
    await taken(answerOnEngine(this.client, id, whole, question));
  }

  async dismiss({ id, ...given }: DismissRequest, person: AnsweringPerson): Promise<void> {
    await taken(dismissOnEngine(this.client, id, { ...given, ...person, by: 'dismiss' }));
  }

  async resume({ id }: ResumeRequest): Promise<void> {
    await taken(retryOnEngine(this.client, id));
  }

  async close(): Promise<void> {
    await this.client.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The message stays on the engine until a worker takes it. */
async function taken<T>(told: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UmpireError('engine-untaken')), UNTAKEN_MS);
  });
  // Nobody waits for it later.
  told.catch(() => undefined);
  try {
    return await Promise.race([told, late]);
  } finally {
    clearTimeout(timer);
  }
}

function entryOf({ session, state, unverified, loop, goal, changedMs, listed }: EngineSession, fleet: readonly string[]): ListedSession {
  const { mode = '', chains = [], spent = null, waitsOn = null } = listed ?? {};
  const lastAt = new Date(changedMs).toISOString();
  return {
    id: session,
    name: session,
    state,
    unverified,
    missesTarget: state === 'complete' && isAccepted(chains),
    loops: [loop],
    goal,
    mode,
    lastAt,
    chains,
    waitsOn,
    spent,
    work: null,
    notes: fleet,
  };
}

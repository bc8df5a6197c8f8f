// What a fleet needs from the engine that holds its sessions (PostgreSQL, Restate, or one process). An engine keeps lines, offers, leases and
// blobs; it never reads a line. Conductors decide, workers run tasks, and clients start sessions and answer questions.

import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionEntry } from '../views/list-page.js';

/** Unforgeable: holds exactly one lease. */
export type LeaseToken = string;

/** One try at a task that a worker may run now. */
export interface Offer {
  readonly task: string;
  readonly attempt: number;
  /** A worker needs all of them. */
  readonly labels: readonly string[];
  /** Limits over the whole fleet that it counts against while it is leased, such as `anthropic`. */
  readonly limits: readonly string[];
}

/** One attempt and the worker that runs it. */
export interface TaskClaim {
  readonly task: string;
  readonly attempt: number;
  readonly worker: string;
  readonly token: LeaseToken;
}

/** What reaches a session. An engine delivers each input once, one at a time for each session, and again if its turn was not committed. */
export type Input =
  /** From a client. The first one for a session starts it. */
  | { readonly kind: 'told'; readonly message: unknown }
  /** A worker took an offer. The lease holds only if the turn's reply is not null. */
  | { readonly kind: 'claimed'; readonly claim: TaskClaim }
  /** The holder of a lease handed in its result. */
  | { readonly kind: 'handed-in'; readonly claim: TaskClaim; readonly result: unknown }
  /** A lease expired, or its worker gave it back. */
  | { readonly kind: 'lost'; readonly claim: TaskClaim; readonly why: string }
  /** The time that the last turn named has come, or a sweep found the session without anything that could continue it. */
  | { readonly kind: 'woken' };

/** What a list shows of a session. */
export interface Summary {
  readonly loop: string;
  readonly goal: string;
  readonly tenant: string;
  /** `running`, `awaiting` a person, or the outcome. */
  readonly state: 'running' | 'awaiting' | 'complete' | 'failed' | 'aborted';
  /** The key of the open question. */
  readonly question: string | null;
  readonly unverified: boolean;
  readonly round: number;
  readonly listed?: Pick<SessionEntry, 'mode' | 'chains' | 'spent' | 'waitsOn'>;
}

/** What a conductor decided about one input. The engine commits all of it, or nothing. */
export interface SessionTurn {
  /** Appended to the journal, if its length is still the one that the conductor read. */
  readonly lines: readonly string[];
  /** All that may be claimed from now on. Others of this session are withdrawn. */
  readonly offers: readonly Offer[];
  /** All attempts at work. Leases of others end: their workers learn it with their next beat. */
  readonly running: readonly { readonly task: string; readonly attempt: number }[];
  /** Milliseconds since 1970; null: nothing to wait for. */
  readonly wakeAtMs: number | null;
  /** Null before the session has started. */
  readonly summary: Summary | null;
  /** For the sender of the input; as JSON. */
  readonly reply: unknown;
}

/** The session as the engine holds it, for one turn. */
export interface SessionSoFar {
  readonly session: string;
  /** How many lines the journal has. */
  readonly length: number;
  /** The lines from this one on, counted from 0. */
  readonly lines: (from: number) => Promise<readonly string[]>;
  /** The engine's time. */
  readonly nowMs: number;
  readonly blobs: BlobStore;
}

/** A thrown error leaves the input undelivered; the engine delivers it again, to this conductor or another. `null`: leave it to others. */
export type Conduct = (session: SessionSoFar, input: Input) => Promise<SessionTurn | null>;

/** Content by its SHA-256 in hexadecimal, of one session. */
export interface BlobStore {
  readonly put: (bytes: Uint8Array) => Promise<string>;
  /** Null: the session has no such blob. */
  readonly get: (sha256: string) => Promise<Uint8Array | null>;
}

export interface TaskLease {
  readonly session: string;
  readonly task: string;
  readonly attempt: number;
  readonly token: LeaseToken;
  /** The reply of the turn that took the claim. */
  readonly reply: unknown;
}

export interface WorkerInfo {
  readonly worker: string;
  readonly labels: readonly string[];
  readonly slots: number;
  readonly busy: number;
  readonly draining: boolean;
  readonly seenMs: number;
}

/** For workers: nothing but their own leases. They dial out; nobody calls them. */
export interface WorkerDoor {
  /** Waits up to `waitMs` for an offer that fits. Null: there is none, or the worker is draining. */
  readonly poll: (
    worker: { readonly name: string; readonly labels: readonly string[]; readonly slots: number },
    waitMs: number,
  ) => Promise<TaskLease | null>;
  /** Extends leases. Returns those that were lost, and whether the worker was asked to drain. */
  readonly beat: (
    worker: string,
    tokens: readonly LeaseToken[],
  ) => Promise<{ readonly lost: readonly LeaseToken[]; readonly draining: boolean }>;
  /** Returns the reply of the turn; null if the lease was lost, and then nothing has changed. Repeating it changes nothing. */
  readonly handIn: (token: LeaseToken, result: unknown) => Promise<unknown>;
  /** Gives the attempt back, which the session learns as `lost`. */
  readonly giveBack: (token: LeaseToken, why: string) => Promise<void>;
  /** The journal of the session of a lease. Throws if the lease was lost, as blobs do. */
  readonly lines: (token: LeaseToken, from: number) => Promise<readonly string[]>;
  readonly blobs: (token: LeaseToken) => BlobStore;
  readonly close: () => Promise<void>;
}

/** A session in a list. */
export interface EngineSession extends Summary {
  readonly session: string;
  readonly createdMs: number;
  readonly changedMs: number;
  readonly length: number;
  readonly offered: readonly Offer[];
  readonly leased: readonly (Omit<TaskClaim, 'token'> & { readonly sinceMs: number })[];
}

/** For clients: people and their programs. */
export interface ClientDoor {
  /** Repeating a key repeats nothing and gives the first reply. Waits until a conductor has taken the turn. */
  readonly tell: (session: string, message: unknown, key: string) => Promise<unknown>;
  readonly lines: (session: string, from: number) => Promise<readonly string[]>;
  /** Resolves when the journal has more than `length` lines, or after `waitMs`. */
  readonly changed: (session: string, length: number, waitMs: number) => Promise<void>;
  readonly sessions: () => Promise<readonly EngineSession[]>;
  readonly session: (session: string) => Promise<EngineSession | null>;
  readonly blobs: (session: string) => BlobStore;
  readonly workers: () => Promise<readonly WorkerInfo[]>;
  readonly drain: (worker: string, isDraining: boolean) => Promise<void>;
  /** At most so many leases at once that count against this name; null removes the limit. */
  readonly limit: (name: string, most: number | null) => Promise<void>;
  readonly limits: () => Promise<readonly { readonly name: string; readonly most: number; readonly used: number }[]>;
  /** Takes a session in or out: lines and summary as they are. Import refuses a name that is taken. */
  readonly importSession: (session: string, lines: readonly string[], summary: Summary) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** For conductors. */
export interface ConductorDoor {
  /** Takes turns until `signal` is aborted, then finishes the current ones. Rejects only if the engine cannot be used at all. */
  readonly conduct: (conduct: Conduct, options: { readonly signal: AbortSignal; readonly concurrency: number }) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A worker that does not beat for this long has lost its leases. */
export const LEASE_MS = 60_000;
export const BEAT_MS = 20_000;
export const SWEEP_MS = 15_000;
export const TURN_MS = 180_000;
/** A poll that found an offer waits at least this long for a conductor to begin the turn, then leaves the offer to others. */
export const CLAIM_MS = 1000;
/** An offer whose claim was refused rests for this long. */
export const REFUSED_MS = 1000;

/** Throws where a turn's lines cannot be stored: a journal has one event a line. */
export function checkLines(lines: readonly string[]): void {
  if (lines.some((line) => line.includes('\n'))) throw new Error('A line of a journal holds a line break.');
}

/** Ends early when the signal is aborted. */
export async function pauseUntil(signal: AbortSignal, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** How long an input rests after the turns for it that failed: 100 ms, doubled each time, at most 51 s. */
export function backOff(failed: number): number {
  return 100 * 2 ** Math.min(failed, 9);
}

export interface Engine {
  readonly client: () => Promise<ClientDoor>;
  readonly worker: () => Promise<WorkerDoor>;
  readonly conductor: () => Promise<ConductorDoor>;
}

/** Shorter leases are for tests. */
export interface EngineOptions {
  readonly leaseMs?: number;
  /** How often overdue sessions are looked for. */
  readonly sweepMs?: number;
  /** A conductor that needs longer for one turn is taken for frozen: the input goes to another, and its own turn is void. */
  readonly turnMs?: number;
}

/** The scheme in lower case, such as `postgres`; null where the text is no URL. */
export function schemeOf(url: string): string | null {
  return /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? null;
}

/** The address as it may be shown. Parameters are left out: they can hold passwords too. */
export function withoutPassword(url: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(url);
    return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
  } catch {
    return `${schemeOf(url) ?? 'unknown'}:…`;
  }
}

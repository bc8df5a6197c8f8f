// The policy of a fleet's queue, for engines that hold it as a value: which offer a worker gets next, how long leases and reservations last,
// and when a session that nothing would continue is looked at. Pure. PostgreSQL has the same policy in SQL (postgres-schema.ts).

import { LEASE_MS, REFUSED_MS, SWEEP_MS, TURN_MS } from './engine.js';
import type { EngineOptions, EngineSession, LeaseToken, Offer, Summary, TaskClaim, WorkerInfo } from './engine.js';
import { BUILT_IN, CHECK, agentsOfTask } from '@umpire/core/decider/agent-choice.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { findKnownAgent } from '../agents/known/known-agents.js';
import { sha256 } from '../sessions/hash.js';

/** A worker that found an offer claims it within this time. */
const RESERVED_MS = 10_000;
/** A worker that polls again has given up a reservation that is older than this. */
const STALE_MS = 2000;
/** Workers that were not seen for so long are forgotten. */
const FORGET_MS = 24 * 3_600_000;
/** So many sweeps pass before a session is asked again that has not answered. */
const UNANSWERED_SWEEPS = 40;

/** `reserved` for a worker, in the `claiming` turn, `leased`, in the `handing-in` turn. */
export interface QueuedLease extends TaskClaim {
  readonly session: string;
  readonly tenant: string;
  readonly limits: readonly string[];
  state: 'reserved' | 'claiming' | 'leased' | 'handing-in';
  sinceMs: number;
  untilMs: number;
}

interface QueuedOffer extends Offer {
  /** Older offers come first. */
  readonly order: number;
  /** Rests until then. */
  readonly notBeforeMs: number;
}

/** A session that has offers, or that nothing would continue. */
interface QueuedSession {
  readonly tenant: string;
  readonly offers: readonly QueuedOffer[];
  readonly isStuck: boolean;
  turnedMs: number;
}

export interface Queue {
  order: number;
  sessions: Record<string, QueuedSession>;
  leases: Record<LeaseToken, QueuedLease>;
  limits: Record<string, number>;
  workers: Record<string, Omit<WorkerInfo, 'worker' | 'busy'>>;
}

/** What holds a session: its last turn, and the leases that its journal knows. */
export interface TurnedSession {
  readonly length: number;
  readonly createdMs: number;
  readonly changedMs: number;
  readonly summary: Summary | null;
  readonly offers: readonly Offer[];
  readonly leases: readonly (TaskClaim & { readonly sinceMs: number })[];
  readonly wakeAtMs: number | null;
}

export type QueueTimes = Readonly<Required<EngineOptions>>;

export function withDefaultTimes({ leaseMs = LEASE_MS, sweepMs = SWEEP_MS, turnMs = TURN_MS }: EngineOptions): QueueTimes {
  return { leaseMs, sweepMs, turnMs };
}

export function createQueue(): Queue {
  return { order: 0, sessions: {}, leases: {}, limits: {}, workers: {} };
}

export function attemptKey({ task, attempt }: Pick<TaskClaim, 'task' | 'attempt'>): string {
  return JSON.stringify([task, attempt]);
}

export function listedOf(session: string, { summary, createdMs, changedMs, length, offers, leases }: TurnedSession): EngineSession | null {
  if (summary === null) return null;
  const leased = leases.map(({ task, attempt, worker, sinceMs }) => ({ task, attempt, worker, sinceMs }));
  return { ...summary, session, createdMs, changedMs, length, offered: offers, leased };
}

/** Neither a worker nor the clock would continue it. */
export function isStuck({ summary, offers, leases, wakeAtMs }: TurnedSession): boolean {
  return summary?.state === 'running' && offers.length === 0 && leases.length === 0 && wakeAtMs === null;
}

/** Takes over what a session says after a turn. Returns tokens that it holds and the queue does not know. */
export function putSession(
  queue: Queue,
  name: string,
  turned: TurnedSession,
  nowMs: number,
  { leaseMs }: QueueTimes,
): readonly LeaseToken[] {
  const known = new Map(queue.sessions[name]?.offers.map((offer) => [attemptKey(offer), offer]));
  const offers = turned.offers.map((offer) => {
    const earlier = known.get(attemptKey(offer));
    return { ...offer, order: earlier?.order ?? queue.order++, notBeforeMs: earlier?.notBeforeMs ?? 0 };
  });
  const stuck = isStuck(turned);
  if (offers.length > 0 || stuck) queue.sessions[name] = { tenant: turned.summary?.tenant ?? '', offers, isStuck: stuck, turnedMs: nowMs };
  else delete queue.sessions[name];
  const tokens = turned.leases.map(({ token }) => token);
  for (const lease of Object.values(queue.leases)) {
    if (lease.session !== name || lease.state === 'reserved') continue;
    if (!tokens.includes(lease.token)) endClaim(queue, lease, nowMs);
    else if (lease.state === 'claiming') Object.assign(lease, { state: 'leased', sinceMs: nowMs, untilMs: nowMs + leaseMs });
  }
  return tokens.filter((token) => queue.leases[token] === undefined);
}

/** An offer whose claim came to nothing rests for a while. */
function endClaim(queue: Queue, lease: QueuedLease, nowMs: number): void {
  delete queue.leases[lease.token];
  const session = queue.sessions[lease.session];
  if (lease.state !== 'claiming' || session === undefined) return;
  const offers = session.offers.map((offer) =>
    attemptKey(offer) === attemptKey(lease) ? { ...offer, notBeforeMs: nowMs + REFUSED_MS } : offer,
  );
  queue.sessions[lease.session] = { ...session, offers };
}

/** The offer that a worker may take now: of the tenant with the fewest at work, and there the oldest. */
export function findOffer(
  queue: Queue,
  { worker, labels }: Pick<WorkerInfo, 'worker' | 'labels'>,
  nowMs: number,
): { readonly session: string; readonly offer: QueuedOffer } | null {
  if (queue.workers[worker]?.draining === true) return null;
  const leases = Object.values(queue.leases);
  const isLeased = new Set(leases.map((lease) => JSON.stringify([lease.session, lease.task, lease.attempt])));
  const atWork = new Map<string, number>();
  for (const { tenant } of leases) atWork.set(tenant, (atWork.get(tenant) ?? 0) + 1);
  const isFull = new Set(listLimits(queue).flatMap(({ name, most, used }) => (used >= most ? [name] : [])));
  let best: { session: string; offer: QueuedOffer; busy: number } | null = null;
  for (const [session, { tenant, offers }] of Object.entries(queue.sessions)) {
    const busy = atWork.get(tenant) ?? 0;
    for (const offer of offers) {
      const isBetter = best === null || busy < best.busy || (busy === best.busy && offer.order < best.offer.order);
      if (!isBetter || offer.notBeforeMs > nowMs || isLeased.has(JSON.stringify([session, offer.task, offer.attempt]))) continue;
      if (!offer.labels.every((label) => labels.includes(label)) || offer.limits.some((limit) => isFull.has(limit))) continue;
      best = { session, offer, busy };
    }
  }
  return best;
}

/** Reserves the best offer for a worker until it claims it. `id`: a secret that makes the token unforgeable. */
export function reserveOffer(
  queue: Queue,
  { worker, labels, slots }: Pick<WorkerInfo, 'worker' | 'labels' | 'slots'>,
  id: string,
  nowMs: number,
): QueuedLease | null {
  queue.workers[worker] = { labels, slots, draining: queue.workers[worker]?.draining ?? false, seenMs: nowMs };
  // After an outage, calls of polls that have long ended come first.
  for (const lease of Object.values(queue.leases))
    if (lease.worker === worker && lease.state === 'reserved' && lease.sinceMs < nowMs - STALE_MS) delete queue.leases[lease.token];
  const best = findOffer(queue, { worker, labels }, nowMs);
  if (best === null) return null;
  const { session, offer } = best;
  const { task, attempt, limits } = offer;
  const token = `${id}:${session}`;
  const tenant = queue.sessions[session]?.tenant ?? '';
  const times = { sinceMs: nowMs, untilMs: nowMs + RESERVED_MS };
  const lease: QueuedLease = { session, task, attempt, worker, token, tenant, limits, state: 'reserved', ...times };
  queue.leases[token] = lease;
  return lease;
}

/** A token names its session, so that its holder needs nothing else. */
export function sessionOf(token: LeaseToken): string {
  return token.slice(token.indexOf(':') + 1);
}

/** The turn of a claim or of a result begins. Gives the claim, if the token still holds it. */
export function holdLease(queue: Queue, token: LeaseToken, nowMs: number, { turnMs }: QueueTimes): TaskClaim | null {
  const lease = queue.leases[token];
  if (lease === undefined || lease.untilMs <= nowMs) return null;
  if (lease.state === 'reserved') lease.state = 'claiming';
  else if (lease.state === 'leased') lease.state = 'handing-in';
  else return null;
  // Its turn ends it. Only if somebody kills that turn does the time pass.
  lease.untilMs = nowMs + 10 * turnMs;
  const { task, attempt, worker } = lease;
  return { task, attempt, worker, token };
}

/** Ends a hold without a turn. */
export function releaseLease(queue: Queue, token: LeaseToken, nowMs: number, { leaseMs }: QueueTimes): void {
  const lease = queue.leases[token];
  if (lease?.state === 'handing-in') Object.assign(lease, { state: 'leased', untilMs: nowMs + leaseMs });
  else if (lease !== undefined) endClaim(queue, lease, nowMs);
}

/** Extends a worker's leases. Returns those that it has lost. */
export function extendLeases(
  queue: Queue,
  worker: string,
  tokens: readonly LeaseToken[],
  nowMs: number,
  { leaseMs }: QueueTimes,
): { readonly lost: readonly LeaseToken[]; readonly draining: boolean } {
  const known = queue.workers[worker];
  const draining = known?.draining ?? false;
  queue.workers[worker] = { labels: [], slots: 0, ...known, draining, seenMs: nowMs };
  const lost = tokens.filter((token) => {
    const lease = queue.leases[token];
    if (lease === undefined || lease.worker !== worker || lease.untilMs <= nowMs) return true;
    if (lease.state === 'leased') lease.untilMs = nowMs + leaseMs;
    return false;
  });
  return { lost, draining };
}

/** Ends what has expired, and forgets workers that are gone. Returns the leases that sessions have to learn of. */
export function expireLeases(queue: Queue, nowMs: number, { leaseMs }: QueueTimes): readonly (QueuedLease & { readonly why: string })[] {
  const ended = Object.values(queue.leases).filter(({ untilMs }) => untilMs <= nowMs);
  for (const { token } of ended) delete queue.leases[token];
  for (const [worker, { seenMs, draining }] of Object.entries(queue.workers))
    if (seenMs < nowMs - FORGET_MS && !draining) delete queue.workers[worker];
  return ended
    .filter(({ state }) => state === 'leased' || state === 'handing-in')
    .map((lease) => ({ ...lease, why: `${lease.worker} did not answer for ${Math.round(leaseMs / 1000)} s` }));
}

/** Sessions that nothing would continue. One is named again after its answer; without an answer, much later. */
export function takeOverdue(queue: Queue, nowMs: number, { sweepMs }: QueueTimes): readonly string[] {
  const overdue = Object.entries(queue.sessions).filter(([, session]) => session.isStuck && session.turnedMs + sweepMs <= nowMs);
  for (const [, session] of overdue) session.turnedMs = nowMs + UNANSWERED_SWEEPS * sweepMs;
  return overdue.map(([name]) => name);
}

/** When time alone changes something. Null: never. `isAwaited`: a worker waits for an offer. */
export function findNextDue({ leases, sessions }: Queue, nowMs: number, isAwaited: boolean, { sweepMs }: QueueTimes): number | null {
  const times = Object.values(leases).map(({ untilMs }) => untilMs);
  for (const session of Object.values(sessions)) {
    if (session.isStuck) times.push(session.turnedMs + sweepMs);
    if (isAwaited) times.push(...session.offers.map(({ notBeforeMs }) => notBeforeMs).filter((atMs) => atMs > nowMs));
  }
  return times.length === 0 ? null : Math.min(...times);
}

export function drainWorker(queue: Queue, worker: string, draining: boolean): void {
  queue.workers[worker] = { labels: [], slots: 0, seenMs: 0, ...queue.workers[worker], draining };
}

/** Null removes the limit. */
export function setLimit(queue: Queue, name: string, most: number | null): void {
  if (most === null) delete queue.limits[name];
  else queue.limits[name] = most;
}

export function listWorkers({ workers, leases }: Queue): readonly WorkerInfo[] {
  return Object.entries(workers).map(([worker, info]) => {
    const busy = Object.values(leases).filter((lease) => lease.worker === worker).length;
    return { worker, ...info, busy };
  });
}

export function listLimits({ limits, leases }: Queue): readonly { name: string; most: number; used: number }[] {
  const used = Object.values(leases).flatMap((lease) => lease.limits);
  return Object.entries(limits).map(([name, most]) => ({ name, most, used: used.filter((one) => one === name).length }));
}

/** A worker serves the remotes that it was started with. The label names one without its password. */
export function remoteLabel(remote: string): string {
  const plain = remote
    .replace(/^([a-z+]+:\/\/)[^/@]*@/, '$1')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return `remote:${sha256(plain).slice(0, 16)}`;
}

export function labelsOf(run: RunState, task: TaskState): readonly string[] {
  const { fleet } = run.started;
  const [agent] = agentsOfTask(run, task).flatMap((name) => findKnownAgent(name)?.agent.name ?? []);
  const remotes = fleet === undefined || fleet.remote === '' ? [] : [remoteLabel(fleet.remote)];
  return [...remotes, ...(fleet?.needs ?? []), ...(agent === undefined ? [] : [agent])];
}

/** The provider of the agent's models. Limits of other agents go by the agent's name. */
export function limitsOf(run: RunState, task: TaskState): readonly string[] {
  const [name] = agentsOfTask(run, task);
  if (name === undefined || name === BUILT_IN || name === CHECK) return [];
  const agent = findKnownAgent(name)?.agent;
  return [agent?.provider?.fleet ?? agent?.name ?? name];
}

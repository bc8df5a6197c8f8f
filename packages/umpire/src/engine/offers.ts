// Says why nothing happens in a session of a fleet, and what to do.

import { lineOf } from '../views/safe-text.js';
import type { ClientDoor, EngineSession, WorkerInfo } from './engine.js';

export interface FleetNow {
  readonly workers: readonly WorkerInfo[];
  readonly limits: readonly { readonly name: string; readonly most: number; readonly used: number }[];
  readonly nowMs: number;
}

export async function readFleet(client: ClientDoor): Promise<FleetNow> {
  const [workers, limits] = await Promise.all([client.workers(), client.limits()]);
  return { workers, limits, nowMs: Date.now() };
}

/** A worker that has not been seen for this long is not counted. */
const GONE_MS = 90_000;

/** The workers that run its tasks, or why nothing runs: a sentence each. */
export function describeFleet(session: EngineSession, fleet: FleetNow): readonly string[] {
  return [
    ...session.leased.map(({ task, attempt, worker }) => `${task} attempt ${attempt} runs on ${lineOf(worker, 100)}.`),
    ...whyWaiting(session, fleet).map((reason) => `Waiting: ${reason}`),
  ];
}

/** One sentence for each reason; none while a task runs, or a person is asked. */
export function whyWaiting(session: EngineSession, { workers, limits, nowMs }: FleetNow): readonly string[] {
  if (session.state !== 'running' || session.leased.length > 0 || session.offered.length === 0) return [];
  const present = workers.filter(({ seenMs, draining }) => !draining && nowMs - seenMs < GONE_MS);
  if (present.length === 0) return ['No worker is connected. Start one with: umpire worker --engine URL --remote URL'];
  const reasons = new Set<string>();
  for (const offer of session.offered) {
    const able = present.filter(({ labels }) => offer.labels.every((label) => labels.includes(label)));
    const missing = offer.labels.find((label) => !present.some(({ labels }) => labels.includes(label)));
    const full = limits.find(({ name, most, used }) => offer.limits.includes(name) && used >= most);
    if (missing?.startsWith('remote:'))
      reasons.add('No worker serves the remote of this session. Start one with: umpire worker --engine URL --remote URL');
    else if (missing !== undefined)
      reasons.add(`No worker has the label ${missing}. Start one with: umpire worker --engine URL --label ${missing}`);
    else if (able.length === 0)
      reasons.add(`No worker has all of the labels ${offer.labels.filter((label) => !label.startsWith('remote:')).join(', ')}.`);
    else if (full !== undefined) reasons.add(`The limit ${full.name} is used up: ${full.used} of ${full.most}.`);
    else if (able.every(({ busy, slots }) => busy >= slots))
      reasons.add(`All ${able.length === 1 ? 'slots of the worker' : `${able.length} workers`} that may run ${offer.task} are busy.`);
  }
  return [...reasons];
}

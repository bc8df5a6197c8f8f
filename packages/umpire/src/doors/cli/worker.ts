// `umpire worker`: runs tasks of a fleet on this machine and, where the login allows it, takes the turns of its sessions.

import { hostname } from 'node:os';
import { join } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { refuseInsideTask } from '../../agents/guardian.js';
import { createConduct } from '../../engine/conductor.js';
import { openConductorParts } from '../../engine/conductor-parts.js';
import { LEASE_MS, SWEEP_MS } from '../../engine/engine.js';
import type { Conduct } from '../../engine/engine.js';
import { openEngine } from '../../engine/open-engine.js';
import { work } from '../../engine/worker.js';
import { lineOf } from '../../views/safe-text.js';
import { stateHome } from '../../sessions/environment.js';
import { TELEMETRY_PROVIDERS } from '../../agents/known/known-agents.js';
import { openTelemetry } from '../../telemetry/open-telemetry.js';
import { engineFor } from './engine-choice.js';
import { usage } from './arguments.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';

/** Turns of different sessions at the same time. */
const CONDUCTED = 4;

export async function runWorker(given: Given<'worker'>, { write }: Output): Promise<CommandOutcome> {
  refuseInsideTask('start a worker');
  const url = await engineFor(given);
  if (url === null) throw usage('Name the engine: umpire worker --engine postgres://…', 'worker');
  const { remote: remotes = [], slots = 1 } = given;
  if (remotes.length === 0) throw usage('Name the git remote of the sessions: --remote URL (may be repeated).', 'worker');
  const name = given.name ?? `${hostname()}-${process.pid}`;
  const home = given.home ?? process.env['UMPIRE_FLEET_HOME'] ?? join(stateHome(), 'umpire', 'fleet');
  const labels = (given.label ?? [])
    .flatMap((label) => label.split(','))
    .map((label) => label.trim())
    .filter((label) => label !== '');
  // Agents must not see the engine: its URL may hold a password.
  delete process.env['UMPIRE_ENGINE'];
  const say = (note: string): void => void write(2, `${new Date().toISOString().slice(11, 19)} ${note}\n`);
  // Shorter leases are for tests.
  const leaseMs = Number(process.env['UMPIRE_LEASE_MS'] ?? LEASE_MS);
  const engine = openEngine(url, { leaseMs, sweepMs: Math.min(SWEEP_MS, leaseMs) });
  const telemetry = await openTelemetry(process.env, TELEMETRY_PROVIDERS, say);
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    say('Stopping: running attempts go back to the engine. Press Ctrl-C again to quit now.');
    stop.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const conducting = new AbortController();
  const conductor = given.noConduct === true ? null : await engine.conductor();
  const conducted = conductor?.conduct(sayingFaults(createConduct(openConductorParts({ home, remotes, say }), telemetry), say), {
    signal: conducting.signal,
    concurrency: CONDUCTED,
  });
  // It can fail before it is awaited below.
  conducted?.catch(() => undefined);
  try {
    if (given.conductOnly === true) {
      if (conducted === undefined) throw usage('--conduct-only and --no-conduct leave nothing to do.', 'worker');
      say('Taking the turns of sessions. No task runs here.');
      await Promise.race([conducted, aborted(stop.signal)]);
    } else {
      const door = await engine.worker();
      say(`Worker ${name}: ${slots} ${slots === 1 ? 'slot' : 'slots'}${labels.length === 0 ? '' : `, labels ${labels.join(', ')}`}.`);
      const working = work({
        door,
        name,
        labels,
        slots,
        remotes,
        home,
        signal: stop.signal,
        say,
        telemetry,
        leaseMs,
        beatMs: leaseMs / 3,
      });
      // Without its conductor, a worker of a small fleet would wait for ever.
      await (conducted === undefined ? working : Promise.race([working, conducted.then(() => working)]));
      await door.close();
    }
  } finally {
    conducting.abort();
    await conducted?.catch(() => undefined);
    await conductor?.close();
    await telemetry.close();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
  return { exit: stop.signal.aborted ? 130 : 0 };
}

/** The engine tries a failed turn again, less and less often: said once for each cause. */
function sayingFaults(conduct: Conduct, say: (note: string) => void): Conduct {
  const said = new Map<string, string>();
  return async (so, input) => {
    try {
      const turn = await conduct(so, input);
      said.delete(so.session);
      return turn;
    } catch (error) {
      const why = isUmpireError(error) ? `${error.message} ${error.hint}` : String(error);
      if (said.get(so.session) !== why) say(`${so.session}: a turn failed and is tried again. ${lineOf(why, 500)}`);
      said.set(so.session, why);
      throw error;
    }
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

// `umpire engine`: sets up an engine, its limits and workers, and takes sessions out and in.

import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { refuseInsideTask } from '../../agents/guardian.js';
import { exportFromEngine, findListed, importFolder } from '../../engine/client.js';
import type { ClientDoor } from '../../engine/engine.js';
import { engineInit, openEngine } from '../../engine/open-engine.js';
import { lineOf } from '../../views/safe-text.js';
import { engineFor } from './engine-choice.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './output.js';
import type { Given } from './commands.js';

export async function runEngine(given: Given<'engine'>): Promise<CommandOutcome> {
  refuseInsideTask('change an engine');
  if (given.act === 'init') return initEngine(given.values?.[0] ?? (await engineFor(given)));
  const url = await engineFor(given);
  if (url === null) throw usage('Name the engine with --engine URL or UMPIRE_ENGINE.', 'engine');
  const client = await openEngine(url).client();
  try {
    return { stdout: await answerAct(client, given), exit: 0 };
  } finally {
    await client.close();
  }
}

async function initEngine(url: string | null): Promise<CommandOutcome> {
  if (url === null) throw usage('Name the engine: umpire engine init postgres://…', 'engine');
  await engineInit(url);
  return { stdout: 'The engine is ready. Start a worker with: umpire worker --engine URL --remote URL\n', exit: 0 };
}

async function answerAct(
  client: ClientDoor,
  { act, values: [first, second, extra] = [], json = false, off = false }: Given<'engine'>,
): Promise<string> {
  if (extra !== undefined) throw usage(`Unexpected argument "${extra.slice(0, 40)}".`, 'engine');
  switch (act) {
    case 'limit': {
      if (first === undefined || second === undefined || !/^(?:off|\d{1,6})$/.test(second))
        throw usage('Use: umpire engine limit NAME NUMBER, or off instead of the number.', 'engine');
      await client.limit(first, second === 'off' ? null : Number(second));
      return second === 'off' ? `${first} is no longer limited.\n` : `At most ${second} calls to ${first} at once, over the whole fleet.\n`;
    }
    case 'limits': {
      const limits = await client.limits();
      if (json) return `${JSON.stringify({ limits })}\n`;
      return limits.length === 0
        ? 'No limits are set.\n'
        : limits.map(({ name, most, used }) => `${lineOf(name, 60)}  ${used} of ${most}\n`).join('');
    }
    case 'workers': {
      const workers = await client.workers();
      if (json) return `${JSON.stringify({ workers })}\n`;
      const lines = workers.map(({ worker, labels, slots, busy, draining, seenMs }) => {
        const shown = labels.filter((label) => !label.startsWith('remote:'));
        const ago = Math.max(0, Math.round((Date.now() - seenMs) / 1000));
        return `${lineOf(worker, 100)}  ${busy} of ${slots} busy${shown.length === 0 ? '' : `, ${lineOf(shown.join(', '), 200)}`}${draining ? ', draining' : ''}, seen ${ago} s ago\n`;
      });
      return lines.length === 0 ? 'No worker has connected yet.\n' : lines.join('');
    }
    case 'drain':
      if (first === undefined) throw usage('Name the worker: umpire engine drain WORKER (list them with umpire engine workers).', 'engine');
      if (!(await client.workers()).some(({ worker }) => worker === first))
        throw new UmpireError('engine-worker-missing', { worker: first.slice(0, 100) });
      await client.drain(first, !off);
      return off ? `${first} takes tasks again.\n` : `${first} finishes its tasks and takes no new ones.\n`;
    case 'export': {
      if (first === undefined || second === undefined) throw usage('Use: umpire engine export SESSION DIR', 'engine');
      const { session } = await findListed(client, first);
      const place = join(resolve(second), session);
      if (existsSync(place) && readdirSync(place).length > 0) throw new UmpireError('engine-export-taken', { path: place });
      await exportFromEngine(client, session, place);
      return `${place}\n`;
    }
    case 'import':
      if (first === undefined) throw usage('Use: umpire engine import DIR', 'engine');
      await importFolder(client, resolve(first));
      return `${basename(resolve(first))}\n`;
    default:
      throw usage(`Unknown: ${act.slice(0, 40)}. Use init, limit, limits, workers, drain, export or import.`, 'engine');
  }
}

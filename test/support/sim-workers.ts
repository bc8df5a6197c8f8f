// Runs many simulations on all cores: the simulation is bundled, and each worker takes every n-th seed.

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { count } from './sim-trial.js';
import type { Tally, Trials } from './sim-trial.js';

const MOST_WORKERS = 8;

const SCRIPT = `
import { parentPort, workerData } from 'node:worker_threads';
import { tryMany } from './sim-trial.ts';
const { first, end, step } = workerData;
parentPort.postMessage(await tryMany(first, end, step));
`;

/** Stops at the first failure of any worker. */
export async function tryOnAllCores(first: number, end: number): Promise<Trials> {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-simulation-'));
  const script = join(folder, 'worker.mjs');
  const step = Math.min(MOST_WORKERS, availableParallelism());
  const workers: Worker[] = [];
  try {
    await build({
      stdin: { contents: SCRIPT, resolveDir: import.meta.dirname, loader: 'js' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      sourcemap: 'inline',
      outfile: script,
      logLevel: 'error',
    });
    const parts = await new Promise<readonly Trials[]>((resolve, reject) => {
      const ended: Trials[] = [];
      for (let offset = 0; offset < step; offset++) {
        const worker = new Worker(pathToFileURL(script), { workerData: { first: first + offset, end, step } });
        workers.push(worker);
        worker.once('error', reject);
        worker.once('message', (trials: Trials) => {
          ended.push(trials);
          if (trials.failure !== null || ended.length === step) resolve(ended);
        });
      }
    });
    const tally: Tally = new Map();
    for (const part of parts) for (const [what, times] of part.tally) count(tally, what, times);
    return { tally, failure: parts.find((part) => part.failure !== null)?.failure ?? null };
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
    rmSync(folder, { recursive: true, force: true });
  }
}

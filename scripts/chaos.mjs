// `npm run chaos`: 200 sessions on a real engine while workers and servers are killed and frozen for five minutes. Prints a table.
//
//   --engine postgres|restate   (default: postgres)
//   --sessions N  --workers N  --seconds N  --seed N

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, installIfNeeded, root, run } from './tools.mjs';

const text = { type: 'string' };
const { values } = parseArgs({ options: { engine: text, sessions: text, workers: text, seconds: text, seed: text } });
const { engine = 'postgres', sessions = '200', workers = '3', seconds = '300', seed = '29' } = values;
installIfNeeded();
run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
const plan = {
  sessions: Number(sessions),
  workers: Number(workers),
  seconds: Number(seconds),
  seed: Number(seed),
  limit: 5,
  leaseMs: 10_000,
};
const env = { ...process.env, UMPIRE_SOAK: '1', UMPIRE_CHAOS: JSON.stringify(plan), UMPIRE_CHAOS_ENGINE: engine };
const vitest = spawn(process.execPath, [bin('vitest'), 'run', '--reporter=default', 'test/campaigns/chaos.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env,
});
const [status] = await once(vitest, 'close');
process.exitCode = status ?? 1;

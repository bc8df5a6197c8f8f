// Has a function of this program mend a project until its tests pass, then brings the work over. The session has a fixed place: killed
// at any moment and started again, the script goes on where it was.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apply, clean, run } from 'umpire';

/** Your model is called here, with `signal`. Files are changed in `workdir`; what `log` is given is kept for `umpire logs`. */
const mender = async ({ workdir, task, prevContext }, { signal, log }) => {
  log('stdout', Buffer.from(`${task.id}: ${prevContext[0]?.findings}\n`));
  if (signal.aborted) return { kind: 'interrupted' };
  const file = join(workdir, 'src', 'cart.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace('item.price, 0', 'item.price * item.count, 0'));
  return { kind: 'completed', findings: 'Items are counted.', usage: { tokens: 1200, costUsd: 0.02 } };
};

const stop = new AbortController();
const onSignal = () => stop.abort();
process.once('SIGINT', onSignal);

const now = await run({
  loop: 'until',
  command: 'node --test',
  goal: 'mend the cart',
  session: '.umpire/sessions/mend',
  agent: 'mender',
  agents: { mender },
  maxRounds: 3,
  maxCostUsd: 1,
  timeoutMinutes: 5,
  signal: stop.signal,
  onEvent: ({ type, data }) => {
    if (type === 'TaskStarted') console.log(`${data.task}: ${data.agent}`);
    if (type === 'VerdictGiven') console.log(`${data.verdict.decision}: ${data.verdict.reason}`);
  },
});
process.off('SIGINT', onSignal);

console.log(now.status, now.reason);
if (now.status === 'complete' && !now.unverified) {
  console.log((await apply(now.session)).files);
  await clean(now.session);
}

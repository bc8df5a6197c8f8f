// What a hook waits for: `umpire decide` from a cold start against `node -e 0`, whole processes, with their output read
// through a pipe. Each built-in loop judges its sample session: a first verdict with all its writes on a fresh copy, and
// the same evidence again.

import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { assert, atMost, interleave, line, ms, ROOT, scratchFolder, timeMs } from './harness.mjs';

const BAR = 1.25;
const COMMAND = join(ROOT, 'dist', 'umpire.cjs');
/** The loops and the exit status of their sample sessions. */
const LOOPS = { design: 3, testing: 3, debt: 0, review: 4, brainstorm: 0 };
const UNMEASURED = 2;

/** Times one process, and insists on its exit status. */
function timeProcess(args, status) {
  let child;
  const taken = timeMs(() => {
    child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  });
  assert(child.status === status, `node ${args.join(' ')} ended with ${child.status}, not ${status}: ${child.stderr || child.stdout}`);
  return taken;
}

export async function run({ runs = 20 } = {}) {
  const scratch = scratchFolder('cold');
  try {
    let copies = 0;
    const copy = (loop) => {
      const session = join(scratch.path, `${loop}-${copies++}`);
      cpSync(join(ROOT, 'examples', 'sessions', loop), session, { recursive: true });
      return session;
    };
    const contenders = { node: () => timeProcess(['-e', '0'], 0) };
    for (const [loop, status] of Object.entries(LOOPS)) {
      const judged = copy(loop);
      timeProcess([COMMAND, 'decide', loop, judged], status);
      const fresh = Array.from({ length: runs + UNMEASURED }, () => copy(loop));
      contenders[`${loop}, first verdict`] = () => timeProcess([COMMAND, 'decide', loop, fresh.pop()], status);
      contenders[`${loop}, same evidence again`] = () => timeProcess([COMMAND, 'decide', loop, judged], status);
    }
    // Two rounds go unmeasured: they warm the disk's cache, not the process.
    await interleave(contenders, UNMEASURED);
    const { node, ...taken } = await interleave(contenders, runs);
    return Object.entries(taken).map(([name, ours]) =>
      line({ name: `cold start, ${name} : node -e 0`, ours: ms(ours), theirs: ms(node), ratio: ours / node, bar: atMost(BAR) }),
    );
  } finally {
    scratch.remove();
  }
}

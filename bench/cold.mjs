// What a hook waits for: `umpire decide` from a cold start against `node -e 0`, whole processes, with their output
// read through a pipe. First verdicts each get a fresh copy of the session and do all their writes.

import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { assert, atMost, BENCH, interleave, line, ms, ROOT, scratchFolder, timeMs } from './harness.mjs';

const LOOP = 'design';
const BAR = 1.25;
const COMMAND = join(ROOT, 'dist', 'umpire.cjs');
const REVISE = 3;

/** Times one process, and insists on its exit status. */
function timeProcess(args, status) {
  let child;
  const taken = timeMs(() => {
    child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  });
  assert(child.status === status, `node ${args.join(' ')} ended with ${child.status}, not ${status}: ${child.stderr || child.stdout}`);
  return taken;
}

function checkVerdict(session, rule) {
  const child = spawnSync(process.execPath, [COMMAND, 'decide', LOOP, session, '--json'], { encoding: 'utf8' });
  const verdict = JSON.parse(child.stdout);
  assert(verdict.rule === rule && verdict.tasks.length === 2, `the sample session gives ${child.stdout}`);
}

export async function run({ runs = 20 } = {}) {
  const scratch = scratchFolder('cold');
  try {
    const copy = (name) => {
      const session = join(scratch.path, name);
      cpSync(join(BENCH, 'sessions', LOOP), session, { recursive: true });
      return session;
    };
    const judged = copy('judged');
    checkVerdict(judged, 'D7');
    checkVerdict(judged, 'D7');
    // Two rounds go unmeasured: they warm the disk's cache, not the process.
    const fresh = Array.from({ length: runs + 2 }, (_, index) => copy(`fresh-${index}`));
    const contenders = {
      node: () => timeProcess(['-e', '0'], 0),
      first: () => timeProcess([COMMAND, 'decide', LOOP, fresh.pop()], REVISE),
      again: () => timeProcess([COMMAND, 'decide', LOOP, judged], REVISE),
    };
    await interleave(contenders, 2);
    const taken = await interleave(contenders, runs);
    const report = (name, ours) => line({ name, ours: ms(ours), theirs: ms(taken.node), ratio: ours / taken.node, bar: atMost(BAR) });
    return [report('cold start, first verdict : node -e 0', taken.first), report('cold start, repeat verdict : node -e 0', taken.again)];
  } finally {
    scratch.remove();
  }
}

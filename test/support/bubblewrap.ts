// Whether this machine has a sandbox. Without it, tests of the sandbox are skipped. `.ci/run` installs it.

import { spawnSync } from 'node:child_process';

export const hasBubblewrap =
  spawnSync('bwrap', ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--', 'true'])
    .status === 0;

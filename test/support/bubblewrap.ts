// Is there a sandbox to be had on this machine? Tests of it are left out where there is not: `.ci/run` installs it.

import { spawnSync } from 'node:child_process';

export const hasBubblewrap =
  spawnSync('bwrap', ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--', 'true'])
    .status === 0;

// Is there a sandbox to be had on this machine? Tests of it are left out where there is not: `.ci/run` installs it.

import { spawnSync } from 'node:child_process';

export const hasBubblewrap =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-pid', '--', 'true']).status === 0;

#!/usr/bin/env node
// Starts Umpire for a coding agent's plugin: the build of the clone or package that this folder is part of, else `umpire` on the PATH.
// An agent may have copied this folder somewhere else.
'use strict';
const { existsSync, readFileSync, realpathSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const { delimiter, join } = require('node:path');

function onPath() {
  const names = process.platform === 'win32' ? ['umpire.cmd', 'umpire.exe'] : ['umpire'];
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((place) => existsSync(place));
}

const beside = join(__dirname, '..', 'dist', 'umpire.cjs');
const found = existsSync(beside) ? beside : onPath();
if (found === undefined) {
  process.stderr.write(
    'Umpire is not built, and there is no `umpire` on the PATH. In its clone, run: npm install && npm run build && npm install -g .\n',
  );
  process.exit(1);
}
const real = realpathSync(found);
if (/\.[cm]?js$/.test(real) || readFileSync(real, 'latin1').startsWith('#!/usr/bin/env node')) {
  process.argv[1] = real;
  require(real);
} else {
  process.exit(spawnSync(found, process.argv.slice(2), { stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1);
}

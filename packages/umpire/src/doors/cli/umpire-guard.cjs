#!/usr/bin/env node
// `umpire-guard …` is `umpire guard …`, for people who install it for the guard alone. It only reads: it never starts a program of the project.
'use strict';
if (process.argv.some((word) => /^--run(-minutes)?(=|$)/.test(word))) {
  process.stderr.write('umpire-guard: This command runs nothing. Use: umpire guard --run "<command>"\n');
  process.exit(2);
}
process.argv.splice(2, 0, 'guard');
require('./umpire.cjs');

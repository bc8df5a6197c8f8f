#!/usr/bin/env node
// `umpire-guard …` is `umpire guard …`, for people who install it for the guard alone.
'use strict';
process.argv.splice(2, 0, 'guard');
require('./umpire.cjs');

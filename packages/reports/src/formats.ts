// The formats of tool reports that Umpire reads, one line each. The first that recognises a report wins, so the most specific come
// first.

import { axe } from './axe.js';
import { checkstyle } from './checkstyle.js';
import { clover } from './clover.js';
import { cobertura } from './cobertura.js';
import { ctrf } from './ctrf.js';
import { dtcg } from './dtcg.js';
import { eslint } from './eslint.js';
import type { Format } from './format.js';
import { istanbul, istanbulSummary } from './istanbul.js';
import { jest } from './jest.js';
import { junit } from './junit.js';
import { lcov } from './lcov.js';
import { bandit, biome, oxlint, pylint, pyright, ruff } from './lint-json.js';
import { flake8, mypy } from './lint-text.js';
import { mocha } from './mocha.js';
import { sarif } from './sarif.js';
import { stryker } from './stryker.js';
import { tap } from './tap.js';
import { tsc } from './tsc.js';
import { v8 } from './v8.js';

export const FORMATS: readonly Format[] = [
  junit,
  cobertura,
  clover,
  checkstyle,
  sarif,
  ctrf,
  jest,
  mocha,
  stryker,
  eslint,
  oxlint,
  biome,
  ruff,
  pylint,
  pyright,
  bandit,
  axe,
  v8,
  istanbulSummary,
  istanbul,
  dtcg,
  tap,
  lcov,
  tsc,
  mypy,
  flake8,
];

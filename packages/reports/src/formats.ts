// The formats of tool reports that Umpire reads, one line each. Of several that recognise a report the first wins, so those that are
// surest of themselves come first.

import { axe } from './axe.js';
import { bandit } from './bandit.js';
import { biome } from './biome.js';
import { checkstyle } from './checkstyle.js';
import { clover } from './clover.js';
import { cobertura } from './cobertura.js';
import { ctrf } from './ctrf.js';
import { dtcg } from './dtcg.js';
import { eslint } from './eslint.js';
import { flake8 } from './flake8.js';
import type { Format } from './format.js';
import { istanbulSummary } from './istanbul-summary.js';
import { istanbul } from './istanbul.js';
import { jest } from './jest.js';
import { junit } from './junit.js';
import { lcov } from './lcov.js';
import { mocha } from './mocha.js';
import { mypy } from './mypy.js';
import { oxlint } from './oxlint.js';
import { pylint } from './pylint.js';
import { pyright } from './pyright.js';
import { ruff } from './ruff.js';
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

// The formats of tool reports that Umpire reads, one line each. The first that recognises a report wins, so the most specific come
// first.

import { axe } from './axe.js';
import { cargo } from './cargo.js';
import { checkstyle } from './checkstyle.js';
import { clippy } from './clippy.js';
import { clover } from './clover.js';
import { cobertura } from './cobertura.js';
import { coveragePy } from './coverage-py.js';
import { ctrf } from './ctrf.js';
import { ctestText } from './ctest-text.js';
import { dtcg } from './dtcg.js';
import { eslint } from './eslint.js';
import { exunit } from './exunit.js';
import type { Format } from './format.js';
import { goCover } from './go-cover.js';
import { goJson, goText } from './go-test.js';
import { istanbul, istanbulSummary } from './istanbul.js';
import { jacoco } from './jacoco.js';
import { jest } from './jest.js';
import { junit } from './junit.js';
import { lcov } from './lcov.js';
import { bandit, biome, oxlint, pylint, pyright, ruff } from './lint-json.js';
import { flake8, mypy } from './lint-text.js';
import { minitest } from './minitest.js';
import { mocha } from './mocha.js';
import { nextest } from './nextest.js';
import { phpunitText } from './phpunit-text.js';
import { playwright } from './playwright.js';
import { rspec } from './rspec.js';
import { sarif } from './sarif.js';
import { simplecov } from './simplecov.js';
import { stryker } from './stryker.js';
import { tap } from './tap.js';
import { trx } from './trx.js';
import { tsc } from './tsc.js';
import { unittest } from './unittest.js';
import { v8 } from './v8.js';

export const FORMATS: readonly Format[] = [
  junit,
  trx,
  cobertura,
  clover,
  jacoco,
  checkstyle,
  sarif,
  ctrf,
  jest,
  mocha,
  rspec,
  playwright,
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
  simplecov,
  coveragePy,
  dtcg,
  goCover,
  goJson,
  goText,
  nextest,
  cargo,
  clippy,
  phpunitText,
  minitest,
  exunit,
  ctestText,
  unittest,
  tap,
  lcov,
  tsc,
  mypy,
  flake8,
];

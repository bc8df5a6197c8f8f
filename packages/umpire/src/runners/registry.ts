// The test runners that Umpire knows, in the order in which their signs are looked for.

import type { Runner, RunnerName } from './runner.js';
import { ava } from './ava.js';
import { bats } from './bats.js';
import { bun } from './bun.js';
import { cargo } from './cargo.js';
import { ctest } from './ctest.js';
import { deno } from './deno.js';
import { dotnet } from './dotnet.js';
import { exunit } from './exunit.js';
import { go } from './go.js';
import { gradle } from './gradle.js';
import { jest } from './jest.js';
import { maven } from './maven.js';
import { minitest } from './minitest.js';
import { mocha } from './mocha.js';
import { nextest } from './nextest.js';
import { nodeTest } from './node-test.js';
import { phpunit } from './phpunit.js';
import { playwright } from './playwright.js';
import { pytest } from './pytest.js';
import { rspec } from './rspec.js';
import { settingsCommand } from './settings-command.js';
import { tap } from './tap.js';
import { tape } from './tape.js';
import { unittest } from './unittest.js';
import { vitest } from './vitest.js';

const FOUND: Readonly<Record<Exclude<RunnerName, 'command'>, Runner>> = {
  vitest,
  jest,
  mocha,
  ava,
  tap,
  tape,
  node: nodeTest,
  bun,
  deno,
  playwright,
  pytest,
  unittest,
  go,
  nextest,
  cargo,
  rspec,
  minitest,
  phpunit,
  bats,
  ctest,
  maven,
  gradle,
  dotnet,
  exunit,
};

export const RUNNERS: Readonly<Record<RunnerName, Runner>> = { ...FOUND, command: settingsCommand };

/** Those that a project shows. */
export const ALL_RUNNERS: readonly Runner[] = Object.values(FOUND);

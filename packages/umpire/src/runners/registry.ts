// The test runners that Umpire knows, in the order in which their signs are looked for.

import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { withoutColours } from '@umpire/reports/line-stream.js';
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

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Results of tests that exceeded a time limit, where the report does not say so: they get the words that were printed. */
export function sayTimeLimits(results: readonly TestResult[], printed: string): readonly TestResult[] {
  return results.map((result) => {
    const limit = ALL_RUNNERS.find(({ timeLimit: { hidden } = {} }) => hidden !== undefined && result.message?.startsWith(hidden));
    const said = limit?.timeLimit?.said.exec(withoutColours(printed));
    return said === undefined || said === null ? result : { ...result, message: said[0] };
  });
}

/** The limit in milliseconds that a test says it exceeded; null where it failed for another reason. */
export function readTimeLimit(message: string | null): number | null {
  for (const { timeLimit } of ALL_RUNNERS) {
    const limit = timeLimit?.said.exec(message ?? '')?.[1];
    if (limit === undefined) continue;
    return [...limit.matchAll(/([\d.]+) ?(ms|[hms])/g)].reduce(
      (sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0),
      0,
    );
  }
  return null;
}

// How the runs of a retrial went, in words.

import type { RetrialRecord, RetrialRun } from '@umpire/core/decider/events.js';
import { lineOf } from './safe-text.js';
import { count } from './words.js';

const SECOND_MS = 1000;

/** `failed, 1 test passed, 1 failed, 0 skipped, 0.9 s, vitest` */
function retrialRunWords({ passed, tests, exit_status: status, command, duration_ms: ms, problem }: RetrialRun): string {
  const how = passed === null ? `no result (${lineOf(problem ?? 'it broke off', 200)})` : passed ? 'passed' : 'failed';
  const counts = tests === null ? '' : `, ${count(tests.passed, 'test')} passed, ${tests.failed} failed, ${tests.skipped} skipped`;
  const exit = tests !== null || status === null ? '' : ` (exit status ${status})`;
  return `${how}${exit}${counts}, ${(ms / SECOND_MS).toFixed(1)} s, ${lineOf(command, 100)}`;
}

export function retrialLines({ runs, problem, mutants }: RetrialRecord): readonly string[] {
  return [
    ...runs.map((run) => `${run.tree}: ${retrialRunWords(run)}`),
    // `mutants: 12 of 40 tried, both versions notice 10, only the old one 1, 8.1 s`
    ...(mutants === undefined
      ? []
      : [
          `mutants: ${mutants.tried} of ${mutants.found} tried, both versions notice ${mutants.kept}, only the old one ${mutants.lost}, ${(mutants.duration_ms / SECOND_MS).toFixed(1)} s`,
        ]),
    ...(problem === null ? [] : [`incomplete: ${lineOf(problem, 300)}`]),
  ];
}

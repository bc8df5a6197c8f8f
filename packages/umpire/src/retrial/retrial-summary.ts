// A retrial in short, for pages, JSON and the journal: what ran where, how it ended and how long it took.

import type { RetrialRecord, RetrialRun } from '@umpire/core/decider/events.js';
import type { Retrial } from './retrial.js';
import type { TreeRun } from './run-tree.js';

export function summarize({ runs, problem, mutants }: Pick<Retrial, 'runs' | 'problem' | 'mutants'>): RetrialRecord {
  if (mutants === null) return { problem, runs: runs.map(runRecord) };
  const { found, tried, kept, lost, durationMs } = mutants;
  return { problem, runs: runs.map(runRecord), mutants: { found, tried, kept, lost, duration_ms: durationMs } };
}

function runRecord({ tree, commit, command, exitStatus, passed, results, durationMs, started, problem }: TreeRun): RetrialRun {
  const count = (...statuses: readonly string[]): number => results?.filter(({ status }) => statuses.includes(status)).length ?? 0;
  const tests = results === null ? null : { passed: count('passed'), failed: count('failed', 'errored'), skipped: count('skipped') };
  return { tree, commit, command, passed, exit_status: exitStatus, tests, started, duration_ms: durationMs, problem };
}

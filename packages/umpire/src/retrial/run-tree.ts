// Runs the tests of one tree of a retrial: the project's own tests by name where a runner is known, and the person's command where it may run
// something else.

import { randomUUID } from 'node:crypto';
import { isFailing, isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest } from '@umpire/core/formats/debt-measurement.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { TrialRun } from '@umpire/guard/retrial/compare.js';
import { listSetReports, runShellCommand } from '../critics/command-run.js';
import type { CommandRun } from '../critics/command-run.js';
import type { CriticJob } from '../critics/critic.js';
import { lastWhole } from '../critics/failure-lines.js';
import { openOwnTests, quarantineOf } from '../critics/project-tests.js';
import { findFlaky } from '../critics/try-failures.js';
import { howToolEnded, timeLeft } from '../runners/run-tool.js';
import { elapsedMs } from '../sessions/environment.js';

/** What ran together. */
export type TreeName = 'base' | 'old tests, new code' | 'new tests, new code' | 'new tests, old code';

export interface TreeRun extends TrialRun {
  readonly tree: TreeName;
  readonly commit: string;
  /** The person's command, or the runners that Umpire called. */
  readonly command: string;
  /** Null: several runners, or it did not end. */
  readonly exitStatus: number | null;
  readonly durationMs: number;
  /** Why it says nothing; null where it does. */
  readonly problem: string | null;
  readonly started: string;
}

export interface OpenedTree {
  readonly workdir: string;
  readonly close: () => Promise<void>;
}

export type OpenTree = (commit: string) => Promise<OpenedTree>;

export interface TreeToRun {
  readonly tree: TreeName;
  readonly commit: string;
  readonly workdir: string;
}

/** The tests by name. Those that `worse` names run a second time, since they may be flaky. Quarantined ones count as passed. */
export async function runNamedTests(
  job: CriticJob,
  { tree, commit, workdir }: TreeToRun,
  worse: (results: readonly MeasuredTest[]) => readonly string[] = () => [],
): Promise<TreeRun> {
  const [began, started] = [elapsedMs(), job.now().toISOString()];
  const tests = await openOwnTests({ ...job, project: workdir });
  try {
    const { outcome, problem, results } = tests.measure;
    const isBroken = !isMeasured(outcome);
    const isDoubtful = new Set(isBroken ? [] : worse(results));
    const again = new Set(
      await findFlaky(
        results.filter(({ id }) => isDoubtful.has(id)),
        async (some, testTimeMs) => (await tests.again(some, testTimeMs)).measure.results,
      ),
    );
    const { isOut } = quarantineOf(job, { results });
    const settled = results.map((test) => (again.has(test.id) || isOut.has(test.id) ? { ...test, status: 'passed' as const } : test));
    return {
      tree,
      commit,
      command: calledIn(tests.uses),
      exitStatus: null,
      durationMs: Math.round(elapsedMs() - began),
      passed: havePassed(outcome, settled),
      // Tests that are all skipped measure nothing, but what became of each is known.
      results: isBroken && !(results.length > 0 && results.every(({ status }) => status === 'skipped')) ? null : settled,
      output: problem ?? '',
      problem: isBroken ? (problem ?? 'The tests broke off.') : null,
      started,
    };
  } finally {
    tests.close();
  }
}

/** Tests that broke off did not pass; where there are none, or no time was left, nobody knows. */
function havePassed(outcome: string, results: readonly MeasuredTest[]): boolean | null {
  if (outcome === 'timeout' || outcome === 'missing') return null;
  return outcome !== 'error' && results.every(({ status }) => status === 'passed' || status === 'skipped');
}

function calledIn(uses: readonly ToolUse[]): string {
  return [...new Set(uses.map(({ name }) => name))].filter((name) => name !== 'python').join(', ');
}

/** The person's command, with the names of its tests. */
export async function runCommand(
  job: CriticJob,
  { tree, commit, workdir }: TreeToRun,
  command: string,
  trustsExitStatus: boolean,
): Promise<TreeRun> {
  const started = job.now().toISOString();
  const timeoutMs = Math.min(job.settings.timeoutMinutes * MINUTE_MS, timeLeft(job));
  const call = {
    command,
    trustsExitStatus,
    workdir,
    session: job.session,
    mark: `${job.session}#${randomUUID()}`,
    timeoutMs,
    reports: listSetReports(job.settings),
  };
  const run = await runShellCommand(call, job.guardian, { ...job.watch, log: () => undefined });
  return treeRunOf({ tree, commit, command, started }, run);
}

/** What a run of the command says of a tree. */
export function treeRunOf(
  about: Pick<TreeRun, 'tree' | 'commit' | 'command' | 'started'>,
  run: (Pick<CommandRun, 'end' | 'output' | 'durationMs'> & Pick<TrialRun, 'results'>) | { readonly unstarted: string },
): TreeRun {
  if ('unstarted' in run)
    return { ...about, exitStatus: null, durationMs: 0, passed: null, results: null, output: '', problem: run.unstarted };
  const { end, results, output, durationMs } = run;
  const isEnded = end.stopped === null && end.code !== null;
  // A part of the command that gives no names may have failed.
  const isExplained = end.code === 0 || results?.some(isFailing) === true;
  const how = end.stopped?.by === 'timeout' ? 'The command timed out.' : `The command broke off (${howToolEnded(end)}).`;
  return {
    ...about,
    exitStatus: end.code,
    durationMs,
    passed: isEnded ? end.code === 0 : null,
    results: isExplained ? results : null,
    output: lastWhole(output, SHOWN_BYTES),
    problem: isEnded ? null : how,
  };
}

const MINUTE_MS = 60_000;
const SHOWN_BYTES = 32 * 1024;

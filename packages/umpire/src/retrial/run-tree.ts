// Runs the tests of one tree of a retrial: the project's own tests by name where a runner is known, and the person's command where it may run
// something else.

import { join } from 'node:path';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest } from '@umpire/core/formats/debt-measurement.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { TrialRun } from '@umpire/guard/retrial/compare.js';
import { findShell, SYSTEM_SHELL } from '../critics/command-program.js';
import type { CriticJob } from '../critics/critic.js';
import { openTests, quarantineOf } from '../critics/project-tests.js';
import type { OpenTests } from '../critics/project-tests.js';
import { howToolEnded, runTool } from '../runners/run-tool.js';
import { resultsInReports } from '../runners/report-file.js';
import { askForNames, readNames } from '../runners/command-names.js';
import { elapsedMs } from '../sessions/environment.js';
import { makeScratch } from '../sessions/session-folder.js';

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
  const tests = await openTests({ ...job, project: workdir });
  try {
    const { outcome, problem, results } = tests.measure;
    const isBroken = !isMeasured(outcome);
    const again = isBroken ? NONE : await passingAgain(tests, results, worse(results));
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

const NONE: ReadonlySet<string> = new Set();

async function passingAgain(tests: OpenTests, results: readonly MeasuredTest[], worse: readonly string[]): Promise<ReadonlySet<string>> {
  if (worse.length === 0) return NONE;
  const byId = new Map(results.map((test) => [test.id, test]));
  const { ids } = await tests.passingAgain(
    worse.map((id) => byId.get(id) ?? { id, file: null }),
    1,
  );
  return new Set(ids);
}

/** Tests that broke off did not pass; where there are none, or no time was left, nobody knows. */
function havePassed(outcome: string, results: readonly MeasuredTest[]): boolean | null {
  if (outcome === 'timeout' || outcome === 'missing') return null;
  return outcome !== 'error' && results.every(({ status }) => status === 'passed' || status === 'skipped');
}

function calledIn(uses: readonly ToolUse[]): string {
  return [...new Set(uses.map(({ name }) => name))].filter((name) => name !== 'python').join(', ');
}

/** The person's command, with the names that it writes to a report, prints or can be asked for. */
export async function runCommand(
  job: CriticJob,
  { tree, commit, workdir }: TreeToRun,
  command: string,
  trustsExitStatus: boolean,
): Promise<TreeRun> {
  const shell = (trustsExitStatus ? null : await findShell(command, workdir)) ?? SYSTEM_SHELL;
  const scratch = makeScratch('retrial');
  try {
    // The time of the file system decides which reports are of this run.
    const mark = join(scratch, 'began');
    writeFileSync(mark, '');
    const sinceMs = statSync(mark).mtimeMs;
    const printed = join(scratch, 'printed.txt');
    const asked = askForNames(command, scratch);
    const began = elapsedMs();
    const run = await runTool(
      { ...job, project: workdir },
      { name: 'command', argv: [...shell, asked.command], env: asked.env, workdir, isQuiet: true, keepStdout: printed },
    );
    const isEnded = run.outcome === 'ended' && run.code !== null;
    const results = isEnded ? (resultsInReports(workdir, sinceMs) ?? readNames(asked.reports, printed, workdir)) : null;
    // A part of the command that gives no names may have failed.
    const isExplained = run.code === 0 || results?.some(({ status }) => status === 'failed' || status === 'errored') === true;
    return {
      tree,
      commit,
      command,
      exitStatus: run.code,
      durationMs: Math.round(elapsedMs() - began),
      passed: isEnded ? run.code === 0 : null,
      results: isExplained ? results : null,
      output: `${run.head}\n${run.tail}`,
      problem: isEnded
        ? null
        : (run.problem ?? (run.outcome === 'timeout' ? 'The command timed out.' : `The command broke off (${howToolEnded(run)}).`)),
      started: run.use.started,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

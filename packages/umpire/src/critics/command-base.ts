// The person's command at the base commit: run once, kept by commit, and compared with by every later run of the command.

import { randomUUID } from 'node:crypto';
import { isFailing, isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest, TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { openSuiteAtBase } from './project-tests.js';
import { lastWhole } from './failure-lines.js';
import type { Baseline, BaselinePart, OpenBase } from './baseline.js';
import type { CriticJob, NamedCommand } from './critic.js';
import { listSetReports, runShellCommand } from './command-run.js';
import type { CommandRun } from './command-run.js';
import { timeLeft } from '../runners/run-tool.js';
import { findFlaky } from './try-failures.js';

/** What is kept of a run of the command. */
export interface CommandState extends Pick<CommandRun, 'end' | 'output' | 'durationMs'> {
  /** `missing`: it named none. */
  readonly tests: TestsMeasurement;
  /** Its failing tests ran again, alone: `tests.flaky` has those that passed then. */
  readonly isSettled: boolean;
}

export function partOf({ command, trustsExitStatus }: NamedCommand): BaselinePart {
  return `command ${command}${trustsExitStatus ? ' ' : ''}`;
}

export function measurementOf(results: readonly TestResult[] | null, flaky: readonly string[] = []): TestsMeasurement {
  if (results === null) return { outcome: 'missing', problem: 'The command names no tests.', results: [], flaky: [], notes: [] };
  const listed = results.map(({ id, status, file, line, message }): MeasuredTest => ({ id, status, file, line, message }));
  return { outcome: listed.some(isFailing) ? 'fail' : 'pass', problem: null, results: listed, flaky, notes: [] };
}

/** Without those that are flaky there; null where it named none. */
export function namedResults({ tests }: CommandState): readonly MeasuredTest[] | null {
  const flaky = new Set(tests.flaky);
  return isMeasured(tests.outcome) ? tests.results.filter(({ id }) => !flaky.has(id)) : null;
}

const KEPT_OUTPUT = 256 * 1024;
/** The whole message is in the output. */
const KEPT_MESSAGE = 400;

export function stateOf({ end, output, durationMs, tests }: Pick<CommandState, 'end' | 'output' | 'durationMs' | 'tests'>): CommandState {
  const kept = {
    ...tests,
    results: tests.results.map((test) => ({ ...test, message: test.message?.slice(0, KEPT_MESSAGE) ?? null, line: null })),
  };
  return { end, output: lastWhole(output, KEPT_OUTPUT), durationMs, tests: kept, isSettled: !tests.results.some(isFailing) };
}

/** As evidence names it. */
export function useOfCommand(
  job: CriticJob,
  { command }: NamedCommand,
  started: Date,
  { code, signal, stopped }: CommandRun['end'],
): ToolUse {
  const timedOut = stopped?.by === 'timeout';
  const times = { started: started.toISOString(), ended: job.now().toISOString() };
  return { name: 'check', version: null, command: [command], workdir: '.', ...times, exit_status: code, signal, timed_out: timedOut };
}

/**
 * Run at its commit, unless it is known. Null: it could not be started. `isDoubtful`: its tests may fail by chance, so it runs a second time,
 * and what passes once has passed.
 */
export async function commandAtBase(
  open: OpenBase,
  named: NamedCommand,
  isDoubtful: (tests: TestsMeasurement, passed: boolean) => boolean = () => false,
): Promise<Baseline<CommandState | null>> {
  const { baseline } = await open.measured<CommandState | null>(partOf(named), async (own) => {
    const runOnce = () => commandInCopy(own, named);
    const first = await runOnce();
    if (first === null) return { state: null, uses: [], isBroken: true };
    const { tests, end } = first.run;
    const second = end.stopped === null && isDoubtful(tests, end.code === 0) ? await runOnce() : null;
    const state = stateOf(second === null ? first.run : betterOf(first.run, second.run));
    return { state, uses: [first.use, ...(second === null ? [] : [second.use])], isBroken: state.end.stopped !== null };
  });
  return baseline;
}

/** Once, in a copy of a commit. Null: it could not be started. */
export async function commandInCopy(own: CriticJob, named: NamedCommand) {
  const started = own.now();
  const call = {
    ...named,
    workdir: own.project,
    session: own.session,
    mark: `${own.session}#${randomUUID()}`,
    timeoutMs: timeLeft(own),
    reports: listSetReports(own.settings),
  };
  const run = await runShellCommand(call, own.guardian, { ...own.watch, log: () => undefined });
  if ('unstarted' in run) return null;
  return { run: { ...run, tests: measurementOf(run.results) }, use: useOfCommand(own, named, started, run.end) };
}

/** Runs it there again, whatever is known of it. Null: it could not be started. */
export async function commandAtBaseAgain(open: OpenBase, named: NamedCommand) {
  return open.inCopy((own) => commandInCopy(own, named));
}

type OneRun = Pick<CommandState, 'end' | 'output' | 'durationMs' | 'tests'>;

/** Of two runs on the same files. */
function betterOf(first: OneRun, second: OneRun): OneRun {
  if (second.end.code === 0 || !isMeasured(first.tests.outcome) || !isMeasured(second.tests.outcome))
    return second.end.code === 0 ? second : first;
  const passing = new Map(second.tests.results.flatMap((test) => (test.status === 'passed' ? [[test.id, test]] : [])));
  return { ...first, tests: { ...first.tests, results: first.tests.results.map((test) => passing.get(test.id) ?? test) } };
}

/** Runs what failed there again: a test that passes then, alone and with the others, is flaky. Once a commit. */
export async function settleBase(job: CriticJob, open: OpenBase, named: NamedCommand): Promise<void> {
  const { state, provenance, rewritten } = await commandAtBase(open, named);
  if (state === null || state.isSettled || job.watch.signal.aborted) return;
  const suite = openSuiteAtBase(open, null);
  try {
    const failing = state.tests.results.filter((test) => isFailing(test) && test.file !== null);
    const flaky = await findFlaky(failing, async (tests) => {
      if (tests === null) return (await commandAtBaseAgain(open, named))?.run.tests.results ?? [];
      return (await suite.run(tests)).measure.results;
    });
    if (job.watch.signal.aborted) return;
    open.keep(partOf(named), { ...state, isSettled: true, tests: { ...state.tests, flaky } }, provenance, rewritten);
  } finally {
    suite.close();
  }
}

// The critic of the plain loop: runs the person's own command on the judged commit and writes its result as evidence. The command
// comes from the command line, so a shell reads it; no text of a task is ever part of it.

import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { CHECK } from '@umpire/core/decider/agent-choice.js';
import type { CheckOutcome } from '@umpire/core/model/vocabulary.js';
import type { Assignment, Ending, Watch } from '@umpire/core/model/ports.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import { commitsNamedIn, otherCommit } from '@umpire/core/formats/provenance.js';
import { runChildProcess } from '../agents/child-process.js';
import type { ChildEnd } from '../agents/child-process.js';
import type { Guardian } from '../agents/guardian.js';
import { onCommit, rewrittenWords, traceFault } from './clean-check.js';
import type { OpenCheck } from './clean-check.js';
import { findHead } from './provenance.js';
import { findShell, SYSTEM_SHELL } from './command-program.js';
import { lastWhole, listTests, nameTests, tellingLines } from './failure-lines.js';
import { runsTests } from '../runners/package-scripts.js';
import { failuresInReports } from '../runners/report-file.js';
import type { WrittenFailures } from '../runners/report-file.js';
import { lineOf } from '../views/safe-text.js';
import { PRINTED_NOTHING } from '../views/words.js';
import { statOf } from '../sessions/file-system.js';
import type { ProjectTests } from './project-tests.js';
import { inheritedVariables, elapsedMs } from '../sessions/environment.js';
import { environmentIn } from '../sessions/python-environment.js';
import { forgetCheckedFolders, MAX_BYTES, openFolder, placeFor, writeAtomically } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import type { CheckTraces } from '../work/task-worktree.js';

export const RESULT = 'results/until.json';
const OUTPUT = 'results/output-until.txt';
const MARK = 'results/.began';
export const REPORTS = { sarif: 'results/until-report.sarif', json: 'results/until-report.json', md: 'results/until-report.md' } as const;
const TAIL_BYTES = 64 * 1024;
/** Runners print their summary before a long list of failures, so much more than the tail is searched for what failed. */
const SEARCHED_BYTES = 4 * 1024 * 1024;
const GRACE_MS = 5000;

type EndedChild = Extract<ChildEnd, { kind: 'ended' }>;

/** The part of an assignment that a check needs. */
type CheckJob = Pick<Assignment, 'session' | 'attempt' | 'workdir' | 'timeoutMs'>;

/** What the project's own tests say beside the command. */
export type MeasureTests<Job extends CheckJob = Assignment> = (
  job: Job,
  watch: Watch,
  rewrittenAtBase: Set<string>,
) => Promise<ProjectTests>;

export interface CheckedCommand<Job extends CheckJob = Assignment> {
  readonly command: string;
  /** A file that the command writes, relative to where it runs; else SARIF files it leaves at the top are found. */
  readonly report: string | null;
  /** The exit status of a pipe is then that of its last part. */
  readonly trustsExitStatus: boolean;
  readonly measureTests: MeasureTests<Job>;
  readonly openCheck: OpenCheck | null;
  /** The session's base commit; null without a workspace. */
  readonly base: string | null;
}

export interface CommandCheck<Job extends CheckJob> {
  readonly name: string;
  run(job: Job, watch: Watch): Promise<Ending>;
}

/** The agent of a run's critic. A check outside a run takes less than an assignment. */
export function checkCommand<Job extends CheckJob = Assignment>(check: CheckedCommand<Job>, guardian: Guardian): CommandCheck<Job> {
  let atBase: Promise<ReadonlySet<string>> | null = null;
  const run = async (assignment: Job, watch: Watch): Promise<Ending> => {
    if (watch.signal.aborted) return { kind: 'interrupted' };
    const rewritten = new Set<string>();
    const { result, commit, traces } = await onCommit(check.openCheck, null, assignment.workdir, (workdir, settle) =>
      measureCommand(check, guardian, { assignment: { ...assignment, workdir }, watch, settle, rewritten }),
    );
    if ('kind' in result) return result;
    const isExplained = traces.changed.every((file) => rewritten.has(file));
    if (!isExplained && !traces.hasMoved)
      for (const file of await (atBase ??= rewrittenByCommand(check, guardian, assignment, watch))) rewritten.add(file);
    if (watch.signal.aborted) return { kind: 'interrupted' };
    const fault = traceFault(traces, rewritten);
    return fault === null
      ? writeResult(openFolder(assignment.session), { ...result, command: check.command, commit, traces })
      : unusable('error', fault);
  };
  const runOrFail = async (assignment: Job, watch: Watch): Promise<Ending> => {
    try {
      return await run(assignment, watch);
    } catch (error) {
      if (!isUmpireError(error)) throw error;
      // The checkout could not be made, or its set-up command was stopped with the run.
      return watch.signal.aborted ? { kind: 'interrupted' } : { kind: 'broken', reason: error.message, usage: NO_USAGE };
    }
  };
  return { name: CHECK, run: runOrFail };
}

interface Measuring<Job extends CheckJob> {
  readonly assignment: Job;
  readonly watch: Watch;
  readonly settle: () => Promise<void>;
  /** Gets the tracked files that the tests rewrite at the base too. */
  readonly rewritten: Set<string>;
}

async function measureCommand<Job extends CheckJob>(
  check: CheckedCommand<Job>,
  guardian: Guardian,
  { assignment, watch, settle, rewritten }: Measuring<Job>,
): Promise<Omit<CommandResult, 'command' | 'commit' | 'traces'> | Ending> {
  const began = elapsedMs();
  const first = await runShellCommand(check, guardian, assignment, watch);
  if ('kind' in first) return first;
  await settle();
  const left = () => ({ ...assignment, timeoutMs: Math.max(1, assignment.timeoutMs - Math.round(elapsedMs() - began)) });
  // A command that failed approves nothing, whatever the tests say; they tell which of its failures are old.
  const tests = first.end.code === 0 || runsTests(check.command) ? await check.measureTests(left(), watch, rewritten) : null;
  if (watch.signal.aborted) return { kind: 'interrupted' };
  if (first.end.code === 0 && (tests?.outcome === 'error' || tests?.outcome === 'timeout')) {
    // The command passed, but the tests ran at the base and cannot run now: nothing is known of what else broke.
    const { outcome, problem } = tests;
    return unusable(outcome, `The command passed, but the project's tests could not be run: ${problem ?? outcome}`);
  }
  // Every test passes now, or passed once: the command failed by chance, and no round is spent on that.
  const isFlaky = first.end.code !== 0 && first.end.stopped === null && tests?.outcome === 'pass' && tests.totals?.failed === 0;
  if (!isFlaky) return { ...first, tests, isAgain: false };
  await settle();
  const last = await runShellCommand(check, guardian, left(), watch);
  return 'kind' in last ? last : { ...last, tests, isAgain: true };
}

/** The tracked files that the command rewrites at the base. */
async function rewrittenByCommand(
  { command, openCheck, base, trustsExitStatus }: Omit<CheckedCommand, 'measureTests'>,
  guardian: Guardian,
  assignment: CheckJob,
  watch: Watch,
): Promise<ReadonlySet<string>> {
  if (base === null) return new Set();
  const quiet: Watch = { ...watch, log: () => undefined };
  const shell = (trustsExitStatus ? null : await findShell(command, assignment.workdir)) ?? SYSTEM_SHELL;
  const { traces } = await onCommit(openCheck, base, assignment.workdir, (workdir) =>
    runChildProcess(launchOf([...shell, command], guardian, { ...assignment, workdir }), guardian, quiet),
  );
  return new Set(traces.changed);
}

interface CommandRun {
  readonly end: EndedChild;
  readonly output: string;
  /** What is wrong with the report that was asked for; null where nothing is. */
  readonly problem: string | null;
  /** What test reports that the command wrote say; null where there are none. */
  readonly written: WrittenFailures | null;
  readonly durationMs: number;
}

/** `argv`: the shell and the command. */
function launchOf(argv: readonly string[], guardian: Guardian, { session, attempt, workdir, timeoutMs }: CheckJob) {
  const mark = `UMPIRE_CHECK=${session}#${attempt}`;
  const around = inheritedVariables();
  const env = { ...around, ...environmentIn(around)(workdir), UMPIRE_RUN: guardian.run, UMPIRE_SESSION: session };
  return {
    argv,
    workdir,
    writable: [session],
    env: { ...env, UMPIRE_CHECK: mark.slice('UMPIRE_CHECK='.length) },
    mark,
    input: '',
    timeoutMs,
    finish: 'SIGTERM' as const,
    graceMs: GRACE_MS,
    tailBytes: TAIL_BYTES,
  };
}

async function runShellCommand(
  { command, report, trustsExitStatus }: Omit<CheckedCommand, 'measureTests'>,
  guardian: Guardian,
  assignment: CheckJob,
  watch: Watch,
): Promise<CommandRun | Ending> {
  const shell = trustsExitStatus ? SYSTEM_SHELL : await findShell(command, assignment.workdir);
  if (shell === null)
    return { kind: 'broken', reason: 'The command has a pipe, and no shell with pipefail was found. Install bash.', usage: NO_USAGE };
  const folder = openFolder(assignment.session);
  // Results of an earlier round are no evidence of this one. The mark's time is the file system's own: reports are held against it.
  for (const path of [RESULT, OUTPUT, ...Object.values(REPORTS)]) rmSync(placeFor(folder, path), { force: true });
  writeAtomically(folder, MARK, '', false);
  const began = elapsedMs();
  const startedMs = statSync(placeFor(folder, MARK)).mtimeMs;
  const printed: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  const log: Watch['log'] = (stream, chunk) => {
    watch.log(stream, chunk);
    printed.push(Buffer.from(chunk));
    bytes += chunk.length;
    while (bytes - (printed[0]?.length ?? 0) > SEARCHED_BYTES) {
      bytes -= printed.shift()?.length ?? 0;
      isCut = true;
    }
  };
  const end = await runChildProcess(launchOf([...shell, command], guardian, assignment), guardian, { ...watch, log });
  forgetCheckedFolders(folder);
  if (end.kind === 'ended' && end.stopped?.by === 'abort') return { kind: 'interrupted' };
  if (end.kind === 'unstarted')
    return { kind: 'broken', reason: `The command could not be started: ${end.error.message}.`, usage: NO_USAGE };
  const problem = takeReport(folder, assignment.workdir, report, startedMs);
  const output = lastWhole(Buffer.concat(printed).toString('utf8'), Infinity, isCut);
  const written = failuresInReports(assignment.workdir, startedMs);
  return { end, output, problem, written, durationMs: Math.round(elapsedMs() - began) };
}

function unusable(outcome: CheckOutcome, why: string): Ending {
  return { kind: 'failed', findings: why.slice(0, 500), error: `${outcome}: ${why}`.slice(0, 500), outputs: {}, usage: NO_USAGE };
}

/**
 * A report that the command wrote while it ran becomes evidence. One that was there before, or is no file, does not: where it was
 * asked for by name, what is wrong with it is returned. One about another commit is always wrong.
 */
function takeReport(folder: SessionFolder, workdir: string, named: string | null, sinceMs: number): string | null {
  const candidates = named === null ? readdirSync(workdir).filter((name) => name.endsWith('.sarif')) : [named];
  for (const name of candidates) {
    const place = join(workdir, name);
    const problem = problemWith(place, sinceMs);
    if (problem !== null && named !== null) return `The report ${lineOf(name, 100)} ${problem}.`;
    if (problem !== null) continue;
    const content = readFileSync(place);
    const head = findHead(workdir);
    const other = otherCommit(commitsNamedIn(content.toString('utf8')), head);
    if (other !== null)
      return `The report ${lineOf(name, 100)} is about commit ${other.slice(0, 10)}, but the command ran on ${head?.slice(0, 10)}.`;
    const kind = name.endsWith('.md') ? 'md' : name.endsWith('.json') ? 'json' : 'sarif';
    writeAtomically(folder, REPORTS[kind], content, false);
    return null;
  }
  return null;
}

function problemWith(place: string, sinceMs: number): string | null {
  const stat = statOf(place);
  if (stat === undefined) return 'was not written to the folder where the command runs';
  if (!stat.isFile()) return 'is not a file';
  if (stat.mtimeMs < sinceMs) return 'is older than this run of the command';
  return stat.size > MAX_BYTES ? 'is too large to read' : null;
}

/** What these mean in every shell. */
const SHELL_SAYS: Readonly<Record<number, string>> = {
  126: ': the program may not be executed',
  127: ': program not found',
  141: ': a program wrote to a pipe that nobody read any more',
};

interface CommandResult extends CommandRun {
  readonly command: string;
  /** Null where they were not asked. */
  readonly tests: ProjectTests | null;
  /** The command ran twice, because no test fails. */
  readonly isAgain: boolean;
  /** The commit that it ran on; null without a workspace. */
  readonly commit: string | null;
  readonly traces: CheckTraces;
}

function writeResult(folder: SessionFolder, result: CommandResult): Ending {
  const { command, end, output, problem, written, durationMs, tests, isAgain, commit, traces } = result;
  const timedOut = end.stopped?.by === 'timeout';
  const { lines, isFailure, failing, excerpt } = tellingLines(output, timedOut || end.code !== 0, written);
  const evidence = {
    command,
    ...(commit === null ? {} : { head: commit }),
    exit_status: end.code,
    signal: end.signal,
    timed_out: timedOut,
    ...(problem === null ? {} : { report_problem: problem }),
    duration_ms: durationMs,
    ...(failing === null ? {} : { failing }),
    ...(excerpt === null ? {} : { excerpt }),
    output_tail: lastWhole(output, 4000),
    ...(tests === null ? {} : testMembers(tests)),
    ...(isAgain ? { run_again: true } : {}),
    ...(traces.changed.length === 0 ? {} : { rewritten_files: traces.changed.slice(0, MOST_FILES) }),
  };
  writeAtomically(folder, RESULT, `${JSON.stringify(evidence, null, 2)}\n`, false);
  writeAtomically(folder, OUTPUT, lastWhole(output, TAIL_BYTES), false);
  const how = timedOut
    ? 'timed out'
    : end.code === null
      ? `was killed by ${end.signal ?? 'a signal'}`
      : `${end.code === 0 ? 'passed' : 'failed'} (exit status ${end.code}${SHELL_SAYS[end.code] ?? ''})`;
  const silent = output.trim() === '' && end.code !== 0 ? ` ${PRINTED_NOTHING}` : '';
  const said = lines.length === 0 ? silent : ` ${isFailure ? 'Failures' : 'Last lines'}: ${lines.join(' / ')}`;
  const asked = problem === null ? '' : ` ${problem}`;
  const again = isAgain ? ' It failed before on the same files, where no test fails.' : '';
  const rewritten = traces.changed.length === 0 ? '' : ` ${rewrittenWords(traces)}`;
  const findings = `The command ${how}.${again}${asked}${rewritten}${tests === null ? '' : describeTestLists(tests)}${said}`.slice(0, 500);
  return { kind: 'completed', findings, error: '', outputs: { exit_status: String(end.code ?? '') }, usage: NO_USAGE };
}

const MOST_TESTS = 200;
const MOST_FILES = 50;

function testMembers(tests: ProjectTests) {
  const { totals, regressions, outcome, problem, isNone } = tests;
  return {
    ...nameTests(tests, MOST_TESTS),
    regressions: regressions.slice(0, MOST_TESTS).map(({ id, file, line, message }) => ({ id, file, line, message })),
    ...(totals === null ? {} : { tests: totals }),
    ...(outcome === 'missing' && !isNone ? { unverified_checks: [{ name: 'tests', problem }] } : {}),
  };
}

function describeTestLists({ regressions, known, flaky }: ProjectTests): string {
  const lists = [
    listTests('Passed at the base and fails now', regressions),
    listTests('Failed at the base too', known),
    listTests('Flaky', flaky),
  ];
  return lists.map((list) => (list === '' ? '' : ` ${list}`)).join('');
}

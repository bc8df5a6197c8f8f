// The critic of the plain loop: runs the person's own command once on the judged commit, compares its tests by name with those of its run at
// the base, and writes its result as evidence.

import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { CHECK } from '@umpire/core/decider/agent-choice.js';
import { isFailing, isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest, TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { TRIAL_RUNS } from '@umpire/core/formats/regression-trial.js';
import type { CheckOutcome } from '@umpire/core/model/vocabulary.js';
import type { Assignment, Ending, Watch } from '@umpire/core/model/ports.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import { commitsNamedIn, otherCommit } from '@umpire/core/formats/provenance.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { Guardian } from '../agents/guardian.js';
import { keepTime, lastTimeOf, openBase } from './baseline.js';
import type { Baseline, OpenBase } from './baseline.js';
import { findBaseCommit } from './change.js';
import { onCommit, rewrittenWords, traceFault } from './clean-check.js';
import type { OpenCheck } from './clean-check.js';
import { commandAtBase, commandAtBaseAgain, measurementOf, partOf, stateOf, useOfCommand } from './command-base.js';
import type { CommandState } from './command-base.js';
import { listSetReports, runShellCommand } from './command-run.js';
import type { CommandRun } from './command-run.js';
import { findProjectRepository } from './commit-copy.js';
import { askEarned, describeEarned, earnedMembers, softened } from './earned-approval.js';
import type { EarnedApproval } from './earned-approval.js';
import type { CriticJob, NamedCommand } from './critic.js';
import { findHead, provenanceOf, readJudgedContent } from './provenance.js';
import { describeUnstable, failedPackages, lastWhole, listTests, nameTests, tellingLines } from './failure-lines.js';
import { compareMeasured, findSuite, learnFlaky, measureProjectTests, movesOf, openSuiteAtBase, quarantineOf } from './project-tests.js';
import type { ProjectTests } from './project-tests.js';
import { ALL_TESTS, chooseScope, findRelated, without } from './test-scope.js';
import { choosesTests } from '../runners/command-names.js';
import { tryFailures } from './try-failures.js';
import type { TriedTests } from './try-failures.js';
import { WHOLE_LIMIT } from '../runners/run-tool.js';
import { runsTests } from '../runners/package-scripts.js';
import { listSetTests } from '../runners/settings-command.js';
import type { WrittenFailures } from '../runners/report-file.js';
import { lineOf } from '../views/safe-text.js';
import { PRINTED_NOTHING } from '../views/words.js';
import { statOf } from '../sessions/file-system.js';
import { elapsedMs } from '../sessions/environment.js';
import { forgetCheckedFolders, MAX_BYTES, openFolder, placeFor, writeAtomically } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import type { CheckTraces } from '../work/task-worktree.js';

export const RESULT = 'results/until.json';
const OUTPUT = 'results/output-until.txt';
export const REPORTS = { sarif: 'results/until-report.sarif', json: 'results/until-report.json', md: 'results/until-report.md' } as const;
const TAIL_BYTES = 64 * 1024;
const SHOWN_COMMAND = 60;
/** A service may have been down, so a session that starts later runs the command anew. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** The part of an assignment that a check needs. */
type CheckJob = Pick<Assignment, 'session' | 'attempt' | 'workdir' | 'timeoutMs'>;

export interface CheckedCommand<Job extends CheckJob = Assignment> extends NamedCommand {
  /** A file that the command writes, relative to where it runs; else SARIF files it leaves at the top are found. */
  readonly report: string | null;
  /** A person lets the tests be changed: that marks the approval and refuses nothing. */
  readonly allowsTestEdits: boolean;
  readonly openCheck: OpenCheck | null;
  /** What a critic of the same loop gets for the files in `workdir`. */
  readonly createJob: (job: Job, watch: Watch, rewrittenAtBase: Set<string>) => CriticJob;
}

export interface CommandCheck<Job extends CheckJob> {
  readonly name: string;
  run(job: Job, watch: Watch): Promise<Ending>;
}

/** The agent of a run's critic. A check outside a run takes less than an assignment. `onUses`: hears of the programs that it ran. */
export function checkCommand<Job extends CheckJob = Assignment>(
  check: CheckedCommand<Job>,
  guardian: Guardian,
  onUses: (uses: readonly ToolUse[]) => void = () => undefined,
): CommandCheck<Job> {
  const run = async (assignment: Job, watch: Watch): Promise<Ending> => {
    if (watch.signal.aborted) return { kind: 'interrupted' };
    const rewritten = new Set<string>();
    const { result, commit, traces } = await onCommit(check.openCheck, null, assignment.workdir, async (workdir, settle) => {
      const place = { ...assignment, workdir };
      return new Measuring(check, guardian, place, check.createJob(place, watch, rewritten), settle).measure();
    });
    if ('kind' in result) return result;
    const fault = traceFault(traces, new Set([...rewritten, ...result.rewrittenAtBase]));
    onUses(result.uses);
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

/** A run of the command with what it wrote. */
interface RanCommand extends Omit<CommandRun, 'results'> {
  readonly tests: TestsMeasurement;
  /** What is wrong with the report that was asked for; null where nothing is. */
  readonly problem: string | null;
}

interface Measured extends RanCommand {
  /** What it and the tests beside it say of a change; null at the base, and where nothing was to compare. */
  readonly compared: ProjectTests | null;
  /** Whether a command that passed earned it; null where it failed, and where nothing was to compare with. */
  readonly earned: EarnedApproval | null;
  /** The command ran more than once, because no test fails that failed at the base. */
  readonly isAgain: boolean;
  /** It ran at this commit before: when. Null: it ran now. */
  readonly keptFrom: string | null;
  readonly uses: readonly ToolUse[];
  /** The tracked files that the command rewrites at the base; empty where it rewrites none now. */
  readonly rewrittenAtBase: readonly string[];
}

/** The last run of a command, with its failing tests tried. */
interface TriedCommand extends Pick<TriedTests, 'flaky' | 'unstable'> {
  readonly last: RanCommand;
  readonly isAgain: boolean;
}

/** One check of one commit. */
class Measuring<Job extends CheckJob> {
  private readonly began = elapsedMs();
  private readonly uses: ToolUse[] = [];
  private readonly base: string | null;
  private readonly folder: SessionFolder;
  private readonly repository: ReturnType<typeof findProjectRepository>;

  constructor(
    private readonly check: CheckedCommand<Job>,
    private readonly guardian: Guardian,
    private readonly assignment: Job,
    private readonly job: CriticJob,
    private readonly settle: () => Promise<CheckTraces>,
  ) {
    this.base = findBaseCommit(job.project, job.base);
    this.repository = this.base === null ? null : findProjectRepository(job.project);
    this.folder = openFolder(assignment.session);
  }

  async measure(): Promise<Measured | Ending> {
    const { base, repository, job } = this;
    if (base === null || repository === null) return this.measureAlone();
    const open = openBase({ ...job, timeoutMs: this.leftMs() }, repository, base);
    try {
      const judged = await readJudgedContent(job);
      const clean = judged.content === null ? judged.commit : null;
      return clean === base ? await this.measureBase(open) : await this.measureChange(open, clean);
    } finally {
      await open.close();
    }
  }

  private async measureAlone(): Promise<Measured | Ending> {
    const run = await this.run(null, null);
    if ('kind' in run) return run;
    const compared = run.end.code === 0 ? await this.measureOthers(measurementOf(null), null) : null;
    return this.finish(run, compared);
  }

  /** What failed there before, by name, need not run again. What passed has to: it ends the session. */
  private async measureBase(open: OpenBase): Promise<Measured | Ending> {
    const { check, job } = this;
    const known = open.known<CommandState>(partOf(check));
    if (known !== null && this.mayKeep(known)) {
      const { state, provenance, rewritten } = known;
      this.forgetResults();
      job.watch.log('stdout', Buffer.from(state.output));
      job.say(
        `${lineOf(check.command, SHOWN_COMMAND)} failed at ${open.commit.slice(0, 10)} on ${provenance.started}; that result is kept`,
      );
      const run = { ...state, written: null, startedMs: 0, problem: null };
      return { ...this.finish(run, null, rewritten), keptFrom: provenance.started };
    }
    const started = job.now();
    const run = await this.run(open, open.commit);
    if ('kind' in run) return run;
    const traces = await this.settle();
    this.keep(open, run, started, traces);
    return this.finish(run, null, traces.changed);
  }

  /** A test fails there whenever it runs, and what surrounds the project is much the same. */
  private mayKeep({ state, provenance }: Baseline<CommandState>): boolean {
    const flaky = new Set(state.tests.flaky);
    const isFresh = this.job.now().getTime() - Date.parse(provenance.started) < KEPT_MS;
    return isFresh && state.end.code !== 0 && state.tests.results.some((test) => isFailing(test) && !flaky.has(test.id));
  }

  /** Whoever starts at this commit, and compares with it, need not run the command there. */
  private keep(open: OpenBase, run: RanCommand, started: Date, { changed, hasMoved }: CheckTraces): void {
    const { check, job } = this;
    if (hasMoved || run.end.stopped !== null) return;
    const use = useOfCommand(job, check, started, run.end);
    open.keep(partOf(check), stateOf(run), provenanceOf(job, { commit: open.commit, content: null }, started, [use]), changed);
  }

  /** `judged`: the commit that is checked out, without changes; else null. */
  private async measureChange(open: OpenBase, judged: string | null): Promise<Measured | Ending> {
    const { check, job } = this;
    const started = job.now();
    const first = await this.run(open, judged);
    if ('kind' in first) return first;
    const isNamed = isMeasured(first.tests.outcome);
    const atBase = isNamed || runsTests(check.command) ? await commandAtBase(open, check) : null;
    const before = atBase?.state?.tests ?? measurementOf(null);
    if (job.watch.signal.aborted) return { kind: 'interrupted' };
    if (first.end.code === 0 && !isNamed && isMeasured(before.outcome))
      return unusable(
        'error',
        'The command passed, but named none of the tests that it ran at the base. Their report is missing or cannot be read.',
      );
    const tried = await this.tryFailing(open, judged, first, before);
    if ('kind' in tried) return tried;
    const { last, isAgain, flaky, unstable } = tried;
    const named =
      isMeasured(last.tests.outcome) && isMeasured(before.outcome)
        ? compareMeasured(job, open.commit, before, { ...last.tests, flaky }, unstable)
        : null;
    const compared = last.end.code === 0 ? await this.measureOthers(last.tests, named) : named;
    if (job.watch.signal.aborted) return { kind: 'interrupted' };
    if (compared?.outcome === 'error' || compared?.outcome === 'timeout')
      // The command passed, but the tests ran at the base and cannot run now: nothing is known of what else broke.
      return unusable(
        compared.outcome,
        `The command passed, but the project's tests could not be run: ${compared.problem ?? compared.outcome}`,
      );
    const traces = await this.settle();
    const passed = { tests: { ...last.tests, flaky }, output: last.output };
    const earned =
      last.end.code === 0
        ? await askEarned(job, open.commit, check, async () => atBase ?? commandAtBase(open, check), passed, judged)
        : null;
    if (job.watch.signal.aborted) return { kind: 'interrupted' };
    if (judged !== null && this.repository !== null && !isAgain) this.keep(openBase(job, this.repository, judged), first, started, traces);
    const isAsked = traces.changed.length > 0 && !traces.hasMoved;
    const rewritten = isAsked ? (atBase ?? (await commandAtBase(open, check))).rewritten : [];
    return {
      ...this.finish(last, compared, rewritten),
      earned: earned !== null && check.allowsTestEdits ? softened(earned) : earned,
      isAgain,
    };
  }

  /**
   * Before a test is blamed, the command runs again, or the test's file alone, here and at the base. Where a test fails that failed at the
   * base, the command has failed whatever they come to, so nothing runs again.
   */
  private async tryFailing(
    open: OpenBase,
    judged: string | null,
    first: RanCommand,
    before: TestsMeasurement,
  ): Promise<TriedCommand | Ending> {
    const { check, job } = this;
    const untried = { last: first, isAgain: false, flaky: [], unstable: [] };
    const isComparable = first.end.stopped === null && isMeasured(first.tests.outcome) && isMeasured(before.outcome);
    const failing = first.tests.results.filter(isFailing);
    if (!isComparable || failing.length === 0) return untried;
    const unsteady = new Set(before.flaky);
    const known = new Set(before.results.filter((test) => isFailing(test) && !unsteady.has(test.id)).map(({ id }) => id));
    if (first.end.code !== 0 && failing.some(({ id }) => known.has(id))) return untried;
    const suites = { now: await findSuite({ ...job, timeoutMs: this.leftMs() }), base: openSuiteAtBase(open, null) };
    try {
      let [last, runs] = [first, 1];
      let ending: Ending | null = null;
      const runAgain = async (): Promise<TestsMeasurement | null> => {
        await this.settle();
        const ran = await this.run(open, judged);
        if ('kind' in ran) ending = ran;
        else [last, runs] = [ran, runs + 1];
        return 'kind' in ran ? null : ran.tests;
      };
      const isOut = quarantineOf(job, first.tests).isOut;
      const canRunAlone = ({ file }: MeasuredTest): boolean => file !== null && suites.now.has(file);
      const moves = movesOf(job.project, open.commit);
      const compared = { before, after: first.tests, moves, isOut, canRunAlone };
      const tried = await tryFailures(job, compared, async ({ side, scope }, tests, testTimeMs) => {
        if (scope === 'all') return side === 'now' ? runAgain() : ((await commandAtBaseAgain(open, check))?.run.tests ?? null);
        if (side === 'now') await this.settle();
        const ran = await suites[side].run(tests, testTimeMs);
        this.uses.push(...ran.uses);
        return ran.measure;
      });
      // None of them is to blame, so the command is given the chance to pass.
      const hasChance = (): boolean => ending === null && !tried.isBlamed && last.end.code !== 0;
      for (let left = TRIAL_RUNS - runs; left > 0 && hasChance(); left -= 1) {
        job.say('running the command again: its failing tests are flaky');
        await runAgain();
      }
      if (ending !== null) return ending;
      learnFlaky<CommandState>(open, partOf(check), tried.flakyAtBase, (state, learn) => ({ ...state, tests: learn(state.tests) }));
      return { ...tried, isAgain: runs > 1, last: { ...last, tests: { ...last.tests, results: tried.explain(last.tests.results) } } };
    } finally {
      suites.now.close();
      suites.base.close();
    }
  }

  /** The tests that the command does not run, by the scope of the settings. */
  private async measureOthers(tests: TestsMeasurement, named: ProjectTests | null): Promise<ProjectTests | null> {
    const { check, job, base } = this;
    const scope = chooseScope(job, 'related');
    const [set, ...more] = listSetTests(job.settings);
    // The settings name this very command, so nothing beside it has tests.
    const isSet = more.length === 0 && set?.path === '' && set.tests !== 'none' && set.tests.command.trim() === check.command.trim();
    if ((scope === 'command' || isSet) && named !== null) return named;
    await this.settle();
    const others = base === null || scope === 'command' ? null : scope === 'all' ? ALL_TESTS : findRelated(job.project, base);
    const isPart = choosesTests(check.command, job.project);
    const measured =
      others === null && scope === 'command'
        ? unnamed(base)
        : await measureProjectTests(
            { ...job, timeoutMs: this.leftMs() },
            others === null || isPart ? others : without(others, tests.results),
          );
    return named === null ? measured : joinTests(named, measured, isPart);
  }

  private finish(run: RanCommand, compared: ProjectTests | null, rewritten: readonly string[] = []): Measured {
    this.uses.push(...(compared?.uses ?? []));
    return { ...run, compared, earned: null, isAgain: false, keptFrom: null, uses: this.uses, rewrittenAtBase: rewritten };
  }

  private leftMs(): number {
    return Math.max(1, this.assignment.timeoutMs - Math.round(elapsedMs() - this.began));
  }

  /** Results of an earlier round are no evidence of this one. */
  private forgetResults(): void {
    for (const path of [RESULT, OUTPUT, ...Object.values(REPORTS)]) rmSync(placeFor(this.folder, path), { force: true });
  }

  /** `at`: the base; null where there is none. `judged`: the commit that is checked out, without changes; else null. */
  private async run(at: OpenBase | null, judged: string | null): Promise<RanCommand | Ending> {
    const { check, guardian, job, folder } = this;
    const { session, attempt, workdir } = this.assignment;
    this.forgetResults();
    const started = job.now();
    const [part, shown] = [partOf(check), lineOf(check.command, SHOWN_COMMAND)];
    const last = at === null ? null : lastTimeOf(at.home, part);
    if (last !== null) job.say(`${shown} ${at?.commit === judged ? 'at the base' : 'on the change'}, ${last}`);
    const call = {
      ...check,
      session,
      workdir,
      mark: `${session}#${attempt}`,
      timeoutMs: this.leftMs(),
      reports: listSetReports(job.settings),
    };
    const run = await runShellCommand(call, guardian, job.watch);
    forgetCheckedFolders(folder);
    if (job.watch.signal.aborted) return { kind: 'interrupted' };
    if ('unstarted' in run) return { kind: 'broken', reason: run.unstarted, usage: NO_USAGE };
    if (run.end.stopped?.by === 'abort') return { kind: 'interrupted' };
    if (at !== null && run.end.stopped === null) keepTime(at.home, part, run.durationMs);
    this.uses.push(useOfCommand(job, check, started, run.end));
    const problem = takeReport(folder, workdir, check.report, run.startedMs);
    return { ...run, tests: measurementOf(run.results), problem };
  }
}

/** Nothing but the exit status is known. */
function unnamed(base: string | null): ProjectTests {
  const none = { regressions: [], known: [], added: [], flaky: [], quarantined: [], totals: null };
  const problem = 'The command names no tests, so only its exit status counts. To name them, set critics.tests: { command, report }.';
  return { ...none, outcome: 'missing', problem, base, isNone: false, unstable: [], notes: [], uses: [] };
}

/** Those of the command, and those beside it. `isPart`: the command's are among these. */
function joinTests(named: ProjectTests, others: ProjectTests, isPart: boolean): ProjectTests {
  const isKnown = others.outcome === 'pass' || others.outcome === 'fail';
  if (!isKnown) return others.outcome === 'missing' ? named : others;
  const [a, b] = [named.totals, others.totals];
  const sum = (key: 'total' | 'passed' | 'failed' | 'skipped') => (isPart ? 0 : (a?.[key] ?? 0)) + (b?.[key] ?? 0);
  const join = <Test extends { readonly id: string }>(mine: readonly Test[], theirs: readonly Test[]): readonly Test[] => {
    const known = new Set(mine.map(({ id }) => id));
    return [...mine, ...theirs.filter(({ id }) => !known.has(id))];
  };
  return {
    ...named,
    outcome: named.outcome === 'fail' ? 'fail' : others.outcome,
    regressions: join(named.regressions, others.regressions),
    known: join(named.known, others.known),
    added: join(named.added, others.added),
    flaky: [...named.flaky, ...others.flaky],
    quarantined: [...named.quarantined, ...others.quarantined],
    unstable: [...new Set([...named.unstable, ...others.unstable])],
    totals: { total: sum('total'), passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') },
    notes: [...named.notes, ...others.notes],
    uses: [...named.uses, ...others.uses],
  };
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

interface CommandResult extends Measured {
  readonly command: string;
  /** The commit that it ran on; null without a workspace. */
  readonly commit: string | null;
  readonly traces: CheckTraces;
}

function writeResult(folder: SessionFolder, result: CommandResult): Ending {
  const { command, end, output, problem, written, durationMs, tests, compared, earned, isAgain, keptFrom, commit, traces } = result;
  const timedOut = end.stopped?.by === 'timeout';
  const { lines, isFailure, failing, excerpt } = tellingLines(output, timedOut || end.code !== 0, written ?? failuresOf(tests));
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
    ...(compared === null ? knownMembers(tests) : testMembers(compared)),
    ...(earned === null ? {} : earnedMembers(earned)),
    ...(keptFrom === null ? {} : { kept_from: keptFrom }),
    ...(isAgain ? { run_again: true } : {}),
    ...(traces.changed.length === 0 ? {} : { rewritten_files: traces.changed.slice(0, MOST_FILES) }),
  };
  writeAtomically(folder, RESULT, `${JSON.stringify(evidence, null, 2)}\n`, false);
  writeAtomically(folder, OUTPUT, lastWhole(output, TAIL_BYTES), false);
  const how = timedOut
    ? `timed out: ${WHOLE_LIMIT}`
    : end.code === null
      ? `was killed by ${end.signal ?? 'a signal'}`
      : `${end.code === 0 ? 'passed' : 'failed'} (exit status ${end.code}${SHELL_SAYS[end.code] ?? ''})${end.code === 0 ? '' : failedPackages(output)}`;
  const silent = output.trim() === '' && end.code !== 0 ? ` ${PRINTED_NOTHING}` : '';
  const said = lines.length === 0 ? silent : ` ${isFailure ? 'Failures' : 'Last lines'}: ${lines.join(' / ')}`;
  const asked = problem === null ? '' : ` ${problem}`;
  const again = isAgain ? (end.code === 0 ? ' It failed before on the same files.' : ' It failed whenever it ran.') : '';
  const rewritten = traces.changed.length === 0 ? '' : ` ${rewrittenWords(traces)}`;
  const kept =
    keptFrom === null ? '' : ` It did so at this commit on ${keptFrom.slice(0, 16).replace('T', ' at ')} UTC, and was not run again.`;
  const findings =
    `The command ${how}.${kept}${again}${asked}${rewritten}${earned === null ? '' : describeEarned(earned)}${compared === null ? '' : describeTestLists(compared)}${said}`.slice(
      0,
      500,
    );
  return { kind: 'completed', findings, error: '', outputs: { exit_status: String(end.code ?? '') }, usage: NO_USAGE };
}

const MOST_TESTS = 200;
const MOST_FILES = 50;

/** By the names of that run: without messages, what it printed says more. */
function failuresOf({ results }: TestsMeasurement): WrittenFailures | null {
  const failed = results.filter(isFailing);
  const isTold = failed.some(({ message }) => message !== null);
  return isTold ? { failing: failed.length, failed: failed.map((test) => ({ ...test, durationMs: null })) } : null;
}

/** At the base what fails is known. */
function knownMembers({ outcome, results }: TestsMeasurement) {
  if (!isMeasured(outcome)) return {};
  return {
    known_failures: results
      .filter(isFailing)
      .slice(0, MOST_TESTS)
      .map(({ id }) => id),
  };
}

function testMembers(tests: ProjectTests) {
  const { totals, regressions, outcome, problem, isNone } = tests;
  return {
    ...nameTests(tests, MOST_TESTS),
    regressions: regressions.slice(0, MOST_TESTS).map(({ id, file, line, message }) => ({ id, file, line, message })),
    ...(totals === null ? {} : { tests: totals }),
    ...(outcome === 'missing' && !isNone ? { tests_missing: problem } : {}),
    ...(tests.unstable.length === 0 ? {} : { unverified_checks: describeUnstable(tests.unstable) }),
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

// The retrial of a change: the base's tests on the new code, and where that leaves a question the new tests on both. Says what the change to
// the tests hides.

import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { Change, TestResult } from '@umpire/guard/change.js';
import { findingOf } from '@umpire/guard/findings/finding.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import {
  blindTests,
  compareRuns,
  failsWithoutNames,
  mayLoseTests,
  needsNewTests,
  needsOldCode,
  skippedNow,
  touchesJudges,
  worseTests,
} from '@umpire/guard/retrial/compare.js';
import { judgeEarned } from '@umpire/guard/retrial/earned.js';
import type { Earned } from '@umpire/guard/retrial/earned.js';
import { changesSource, isTestFile, sourceText } from '@umpire/guard/retrial/judges.js';
import { hasFailed } from '@umpire/guard/retrial/versions.js';
import { findRuleWords } from '@umpire/guard/rules/all.js';
import type { Trial, TrialRules } from '@umpire/guard/retrial/compare.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { openBase } from '../critics/baseline.js';
import { commandAtBase, namedResults } from '../critics/command-base.js';
import type { CommandState } from '../critics/command-base.js';
import type { Baseline } from '../critics/baseline.js';
import type { TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { coverageOf } from '../critics/test-scope.js';
import { runsTests } from '../runners/package-scripts.js';
import { findProjectRepository, copyCommit } from '../critics/commit-copy.js';
import type { CriticJob, RetryChange, RunOldJudge, NamedCommand } from '../critics/critic.js';
import { listTests } from '../critics/failure-lines.js';
import { findKnownAnswers } from '../critics/known-answers.js';
import { testsAtBase } from '../critics/project-tests.js';
import type { RetrialFindings } from '@umpire/guard/retrial/clear.js';
import type { TrialCommits, UnplacedTests } from '../work/trial-commits.js';
import { runMutants } from './run-mutants.js';
import type { MutantReport } from './run-mutants.js';
import { runCommand, runNamedTests, treeRunOf } from './run-tree.js';
import type { OpenedTree, OpenTree, TreeName, TreeRun, TreeToRun } from './run-tree.js';
import type { ProjectRepository } from '../critics/commit-copy.js';
import { findBase } from '../work/read-change.js';
import type { Repository } from '../work/repository.js';
import { makeTrialCommits, treeOnDisk } from '../work/trial-commits.js';

export interface RetrialRequest {
  /** `project` is replaced by the place of each tree. `timeoutMs`: for the run at the base. */
  readonly job: CriticJob;
  readonly change: Change;
  readonly commits: TrialCommits;
  readonly openTree: OpenTree;
  /** Null: the project's own tests alone. */
  readonly command: string | null;
  readonly trustsExitStatus?: boolean;
  readonly rules: TrialRules;
  /** Also runs what only leads to notes: the new tests on the old code. */
  readonly isThorough: boolean;
  /** Files whose tests may ask for less than before: defects are tried against both of their versions. */
  readonly suspects: readonly string[];
}

export interface Retrial extends RetrialFindings {
  readonly runs: readonly TreeRun[];
  /** Null: none were tried. */
  readonly mutants: MutantReport | null;
  /** Why it says nothing; null where it does. */
  readonly problem: string | null;
}

/** Each later run may take so much longer than the one at the base. */
const TIME_FACTOR = 3;
const TIME_EXTRA_MS = 60_000;

export async function runRetrial(request: RetrialRequest): Promise<Retrial> {
  const trial = new TrialRuns(request);
  try {
    return { ...(await trial.compare()), runs: trial.runs, mutants: trial.mutants };
  } finally {
    await trial.close();
  }
}

/** One way to run the tests in every tree. */
interface Way {
  readonly base: TreeRun;
  readonly run: (tree: TreeToRun, worse?: (run: Pick<TreeRun, 'results' | 'passed'>) => readonly string[]) => Promise<TreeRun>;
  /** The command in a tree, for mutants. Null: the project's own tests are run file by file. */
  readonly tryOnce: ((tree: TreeToRun, timeoutMs: number) => Promise<TreeRun>) | null;
}

class TrialRuns {
  readonly runs: TreeRun[] = [];
  mutants: MutantReport | null = null;
  private open: { readonly commit: string; readonly tree: OpenedTree } | null = null;

  constructor(private readonly request: RetrialRequest) {}

  async compare(): Promise<Pick<Retrial, 'findings' | 'outcome' | 'problem'>> {
    const { job, commits } = this.request;
    const oldTree = await this.enter(commits.oldTests);
    const ways = await this.ways(oldTree);
    const problems = ways.flatMap(({ base }) => (base.passed === null && base.problem !== null ? [`At the base: ${base.problem}`] : []));
    const usable = ways.filter(({ base }) => base.passed !== null);
    if (usable.length === 0) return unable(problems[0] ?? 'The project has no tests that Umpire can run. Name a command.');
    const findings: GuardFinding[] = [];
    const skipped: TestResult[] = [];
    const blind: TestResult[] = [];
    const doubtful: TestResult[] = [];
    const unmended: TestResult[] = [];
    const unplaced = commits.unplaced.flatMap((one) => describeUnplaced(one, usable));
    problems.push(...unplaced);
    let [oldTestsPass, failsUnnamed] = [unplaced.length === 0, false];
    for (const way of usable) {
      const trial = await this.runTrees(way);
      const { oldTests, newTests } = trial;
      const said = compareRuns(trial);
      // Mutants cannot clear a change that hides a regression.
      const isClear = said.every(({ level }) => level === 'note');
      if (newTests !== null && isClear && this.mutants === null) this.mutants = await this.mutate(way, oldTests, newTests);
      const answered = isClear ? await this.findAnswers(way, newTests) : [];
      findings.push(...[...said, ...answered].filter((one) => !findings.some((other) => other.fingerprint === one.fingerprint)));
      for (const run of [oldTests, newTests])
        if (run?.passed === null && isClear) problems.push(`${run.tree}: ${run.problem ?? 'it could not run.'}`);
      // A test that failed at the base and still fails was perhaps weakened for that.
      oldTestsPass &&= oldTests.passed === true || (oldTests.results !== null && !needsNewTests({ base: way.base, oldTests }));
      failsUnnamed ||= failsWithoutNames(oldTests);
      skipped.push(...skippedNow(trial));
      blind.push(...blindTests(trial));
      const { changed, unsure, doubtful: others } = askChanged(trial);
      unmended.push(...changed);
      doubtful.push(...changed, ...unsure, ...others);
    }
    if (job.watch.signal.aborted) return unable('It was stopped.');
    const problem = usable.length < ways.length || problems.length > 0 ? (problems[0] ?? null) : null;
    const { findings: lost = [], counts = new Map() } = this.mutants ?? {};
    return {
      findings: [...findings, ...lost],
      outcome: { oldTestsPass, failsUnnamed, skipped, blind, unmended, doubtful, mutants: counts },
      problem,
    };
  }

  async close(): Promise<void> {
    await this.open?.tree.close();
    this.open = null;
  }

  private async runTrees(way: Way) {
    const { change, rules, commits, isThorough, suspects } = this.request;
    const { base } = way;
    const oldTests = await this.runOldTests(way);
    const mayLose = rules.keepsTests && mayLoseTests(change);
    const isAsked = needsNewTests({ base, oldTests }) || mayLose || isThorough || suspects.length > 0;
    const newTests = isAsked ? await this.run(way, TREES.now, commits.newTests) : null;
    const isOpen = (isThorough && newTests?.passed === true) || needsOldCode({ base, oldTests, newTests });
    const onOldCode = isOpen && !commits.isSameCode ? await this.run(way, TREES.onOld, commits.onOldCode) : null;
    return { change, rules, base, oldTests, newTests, onOldCode };
  }

  private async mutate({ tryOnce }: Way, oldTests: TreeRun, newTests: TreeRun): Promise<MutantReport | null> {
    const { job, change, commits, openTree, suspects } = this.request;
    const isUsable = [oldTests, newTests].every(({ passed, results }) => results !== null || (tryOnce !== null && passed === true));
    if (suspects.length === 0 || !isUsable || job.watch.signal.aborted) return null;
    job.say('trying mutants');
    const { workdir } = await this.enter(commits.oldTests);
    const tree = await openTree(commits.newTests);
    const sideOf = (run: TreeRun, place: string) => ({
      workdir: place,
      run,
      tryOnce: tryOnce === null ? null : (timeoutMs: number) => tryOnce({ tree: run.tree, commit: run.commit, workdir: place }, timeoutMs),
    });
    try {
      return await runMutants({
        job,
        change,
        suspects,
        seed: commits.newTests,
        old: sideOf(oldTests, workdir),
        now: sideOf(newTests, tree.workdir),
      });
    } finally {
      await tree.close();
    }
  }

  /** A19: source that answers only the inputs of the tests that it makes pass. A run asks this of its command by itself. */
  private async findAnswers({ base }: Way, newTests: TreeRun | null): Promise<readonly GuardFinding[]> {
    const { job, change, commits, command, trustsExitStatus = false, isThorough } = this.request;
    if (!isThorough || command === null || newTests?.results == null) return [];
    const failed = new Set((base.results ?? []).filter(hasFailed).map(({ id }) => id));
    const passing = newTests.results.filter(({ id, status }) => status === 'passed' && failed.has(id));
    const named = { command, trustsExitStatus };
    const answered = await findKnownAnswers({ job, named, change, base: commits.base, judged: commits.newTests, passing });
    const source = change.files.find((file) => changesSource(file) && sourceText(file.path, file.after) !== null);
    if (answered.length === 0 || source === undefined) return [];
    const why = `with other inputs than its own, ${listTests('this fails as it did at the base', answered)}`.replace(/\.$/, '');
    return [findingOf(findRuleWords('input-special-cased'), { file: source.path, level: 'breach', why })];
  }

  /** Tests that are worse than at the base run a second time: they may be flaky. */
  private async runOldTests(way: Way): Promise<TreeRun> {
    const { base } = way;
    const { oldTests: commit, isSameCode } = this.request.commits;
    if (isSameCode) return base;
    const worse = ({ results }: Pick<TreeRun, 'results'>) => worseTests({ base, oldTests: { passed: null, output: '', results } });
    return this.run(way, TREES.old, commit, worse);
  }

  private async run(way: Way, tree: TreeName, commit: string, worse?: Parameters<Way['run']>[1]): Promise<TreeRun> {
    this.request.job.say(`running: ${tree}`);
    const { workdir } = await this.enter(commit);
    const run = await way.run({ tree, commit, workdir }, worse);
    this.runs.push(run);
    return run;
  }

  private async enter(commit: string): Promise<OpenedTree> {
    if (this.open?.commit === commit) return this.open.tree;
    await this.close();
    const tree = await this.request.openTree(commit);
    this.open = { commit, tree };
    return tree;
  }

  /** The command alone, where it names the tests that changed. Else the project's tests by name; and the command, unless it only runs these. */
  private async ways(opened: OpenedTree): Promise<readonly Way[]> {
    const { command, change } = this.request;
    const byCommand = command === null ? null : await this.commandWay(opened, command);
    const covers = coverageOf(byCommand?.base.results ?? []);
    const changed = change.files
      .flatMap(({ path, before, renamedFrom }) => (before === null ? [] : [renamedFrom ?? path]))
      .filter(isTestFile);
    if (byCommand !== null && byCommand.base.results !== null && changed.every(covers)) return [byCommand];
    const named = await this.namedWay(opened);
    const isCovered = named !== null && (command === null || runsTests(command));
    return [...(named === null ? [] : [named]), ...(byCommand === null || isCovered ? [] : [byCommand])];
  }

  private async namedWay({ workdir }: OpenedTree): Promise<Way | null> {
    const { job, commits } = this.request;
    const repository = findProjectRepository(workdir);
    if (job.settings.tests === 'none' || repository === null) return null;
    const open = openBase({ ...quiet(job), project: workdir }, repository, commits.base);
    try {
      const { state, uses } = await testsAtBase(open);
      if (!isMeasured(state.outcome)) return null;
      const flaky = new Set(state.flaky);
      const results = state.results.filter(({ id }) => !flaky.has(id));
      // How long the tools ran, also in an earlier process.
      const base: TreeRun = {
        tree: TREES.base,
        commit: commits.base,
        command: [...new Set(uses.map(({ name }) => name))].join(', '),
        exitStatus: null,
        durationMs: uses.reduce((sum, { started, ended }) => sum + Math.max(0, Date.parse(ended) - Date.parse(started)), 0),
        passed: results.every(({ status }) => status === 'passed' || status === 'skipped'),
        results,
        output: '',
        problem: null,
        started: uses[0]?.started ?? job.now().toISOString(),
      };
      this.runs.push(base);
      const timeoutMs = this.laterMs(base.durationMs);
      return {
        base,
        tryOnce: null,
        run: (tree, worse) => runNamedTests({ ...quiet(job), timeoutMs }, tree, (found) => worse?.({ results: found, passed: null }) ?? []),
      };
    } finally {
      await open.close();
    }
  }

  private async commandWay({ workdir }: OpenedTree, command: string): Promise<Way> {
    const { job, commits, trustsExitStatus = false } = this.request;
    const repository = findProjectRepository(workdir);
    if (repository === null) throw new UmpireError('guard-no-git', { path: workdir });
    const open = openBase({ ...quiet(job), project: workdir }, repository, commits.base);
    try {
      const named = { command, trustsExitStatus };
      const base = commandRunOf(TREES.base, named, await commandAtBase(open, named));
      this.runs.push(base);
      const timeoutMs = this.laterMs(base.durationMs);
      const tryOnce = (tree: TreeToRun, ms: number) => runCommand({ ...job, timeoutMs: ms }, tree, command, trustsExitStatus);
      return {
        base,
        tryOnce,
        run: async (tree) =>
          tree.tree === TREES.old
            ? commandOnOldTests({ ...quiet(job), project: tree.workdir, timeoutMs }, tree.commit, named, base)
            : tryOnce(tree, timeoutMs),
      };
    } finally {
      await open.close();
    }
  }

  private laterMs(baseMs: number): number {
    return Math.min(this.request.job.timeoutMs * TIME_FACTOR, baseMs * TIME_FACTOR + TIME_EXTRA_MS);
  }
}

/** A2: where no test was to be made to pass, each that passes only as the change has it is in doubt. */
function askChanged({ change, base, oldTests, newTests }: Trial): Pick<Earned, 'changed' | 'unsure' | 'doubtful'> {
  // Not needed: the old tests pass.
  if (newTests === null) return { changed: [], unsure: [], doubtful: [] };
  return judgeEarned({ change, base, now: newTests, old: oldTests });
}

const TREES = {
  base: 'base',
  old: 'old tests, new code',
  now: 'new tests, new code',
  onOld: 'new tests, old code',
} as const satisfies Readonly<Record<string, TreeName>>;

/** The command with the base's tests on the new code: kept by commit, since a critic asks again. What is worse there runs twice. */
async function commandOnOldTests(job: CriticJob, commit: string, named: NamedCommand, base: TreeRun): Promise<TreeRun> {
  const repository = findProjectRepository(job.project);
  if (repository === null) throw new UmpireError('guard-no-git', { path: job.project });
  const open = openBase(job, repository, commit, "with the base's tests");
  try {
    const isDoubtful = ({ outcome, results }: TestsMeasurement, passed: boolean): boolean =>
      isMeasured(outcome) && base.results !== null
        ? worseTests({ base, oldTests: { passed, results, output: '' } }).length > 0
        : base.passed === true && !passed;
    return commandRunOf(TREES.old, named, await commandAtBase(open, named, isDoubtful));
  } finally {
    await open.close();
  }
}

function commandRunOf(tree: TreeName, { command }: NamedCommand, { commit, state, provenance }: Baseline<CommandState | null>): TreeRun {
  const about = { tree, commit, command, started: provenance.started };
  return treeRunOf(about, state === null ? { unstarted: 'The command could not be started.' } : { ...state, results: namedResults(state) });
}

/** The old tests could not all run, so they prove less than they seem to. What did not run at the base either is no loss. */
function describeUnplaced({ file, tests }: UnplacedTests, ways: readonly Way[]): readonly string[] {
  const lost = tests.filter((test) => {
    const name =
      test
        .replace(/ \(line \d+\)$/, '')
        .split(/::| > |\./)
        .at(-1) ?? '';
    return ways.some(({ base: { results } }) => results === null || results.some(({ id }) => id.includes(name)));
  });
  const more = lost.length > MOST_NAMED ? ` and ${lost.length - MOST_NAMED} more` : '';
  const names = lost.slice(0, MOST_NAMED).join(', ');
  return lost.length === 0 ? [] : [`${TREES.old}: ${file} has no place any more for ${names}${more}.`];
}

const MOST_NAMED = 5;

/** What hundreds of tests print would hide the result. */
function quiet(job: CriticJob): CriticJob {
  return { ...job, watch: { ...job.watch, log: () => undefined } };
}

function unable(problem: string | null): Pick<Retrial, 'findings' | 'outcome' | 'problem'> {
  return {
    findings: [],
    outcome: { oldTestsPass: false, failsUnnamed: false, skipped: [], blind: [], unmended: [], doubtful: [], mutants: new Map() },
    problem,
  };
}

/** Nothing in the change asks for a retrial. */
export const NO_RETRIAL: Retrial = { ...unable(null), runs: [], mutants: null };

export interface CopiedRetrial extends Omit<RetrialRequest, 'commits' | 'openTree'> {
  readonly repository: Repository;
  readonly base: string;
  /** A tree; null: the files on disk. */
  readonly to: string | null;
}

/** In copies of the commits outside the project: for a person's checkout, and for critics. */
export async function retryCopies({ repository, base, to, ...request }: CopiedRetrial): Promise<Retrial> {
  const { checkout, prefix } = repository;
  const commits = await makeTrialCommits(checkout, base, to ?? (await treeOnDisk(checkout)), prefix, request.change);
  const own = findProjectRepository(request.job.project) as ProjectRepository;
  const openTree = async (commit: string): Promise<OpenedTree> => {
    const { project, remove } = await copyCommit(own, commit);
    return { workdir: project, close: () => Promise.resolve(remove()) };
  };
  return runRetrial({ ...request, commits, openTree });
}

/** For the critic of `until`: the command at the base and with the base's judge. Null: the change touches no judge. */
export const runOldJudge: RunOldJudge = async (given, change, base, named) => {
  const job = { ...given, origin: given.origin ?? given.project };
  const { repository, base: from } = findBase(job.project, base);
  const own = findProjectRepository(job.project);
  if (own === null || !touchesJudges(change)) return null;
  const { checkout, prefix } = repository;
  const commits = await makeTrialCommits(checkout, from, await treeOnDisk(checkout), prefix, change);
  const open = openBase({ ...quiet(job), origin: job.origin }, own, commits.base);
  try {
    const run = commandRunOf(TREES.base, named, await commandAtBase(open, named));
    return commits.isSameCode ? run : await commandOnOldTests(quiet(job), commits.oldTests, named, run);
  } finally {
    await open.close();
  }
};

/** For the critics of review and debt: the project's own tests alone. */
export const retryForCritic: RetryChange = async (given, change, base, { behaviourIsFixed, suspects }) => {
  // What was measured at the base is kept for the project, not for a copy of it.
  const job = { ...given, origin: given.origin ?? given.project };
  const found = findBase(job.project, base);
  const place = { repository: found.repository, base: found.base, to: null, command: null };
  const rules = { behaviourIsFixed, failuresAreGoal: false, keepsTests: true };
  const retrial = await retryCopies({ job, change, ...place, rules, isThorough: false, suspects });
  const uses = retrial.runs.map(({ tree, command, started, durationMs, exitStatus, problem }) => ({
    name: `retrial (${tree})`,
    version: null,
    command: [command],
    workdir: '.',
    started,
    ended: new Date(Date.parse(started) + durationMs).toISOString(),
    exit_status: exitStatus,
    signal: null,
    timed_out: problem !== null && exitStatus === null,
  }));
  return { ...retrial, uses };
};

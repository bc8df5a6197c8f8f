// The guard in a run: which loops it checks, whether it reverts or only reports findings, and what it found in each task's work.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Breach, RetrialRecord, SessionStarted } from '@umpire/core/decider/events.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { nearestWord } from '@umpire/core/formats/nearest-word.js';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import type { Agent } from '@umpire/core/model/ports.js';
import type { LoopGuard, Settings } from '../sessions/settings.js';
import { CONFIG } from '../sessions/project.js';
import type { BlobReader } from '../sessions/recorded-evidence.js';
import { summarize } from './guard.js';
import type { Retrial } from '../retrial/retrial.js';
import type { Inspector, Work } from '../work/inspect-work.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { touchesJudges } from '@umpire/guard/retrial/compare.js';
import { isTestFile } from '@umpire/guard/retrial/judges.js';
import { readTestTitle } from '@umpire/guard/retrial/test-text.js';
import { filesNow } from '../critics/commit-copy.js';
import { readText } from '../runners/project-files.js';
import type { Guardian } from '../agents/guardian.js';
import type { OpenCheck } from '../critics/clean-check.js';
import { createJob } from '../critics/critic.js';
import { markCommandFiles } from '../runners/command-files.js';
import { makeTrialCommits } from '../work/trial-commits.js';

/**
 * The testing and until loops depend on tests, so breaches are reverted there. In debt and review they are reported, and the critic counts
 * those about tests. Notes are reported in every loop. Custom loops are checked only if the settings name them.
 */
const LOOPS: Readonly<Record<string, LoopGuard>> = {
  testing: { breaches: 'obey', scope: 'testing' },
  until: { breaches: 'obey', scope: 'any' },
  debt: { breaches: 'tell', scope: 'any' },
  review: { breaches: 'tell', scope: 'any' },
};

const OTHER_LOOPS: LoopGuard = { breaches: 'off', scope: 'any' };

/** Rules added to the task of an agent. The testing loop has the first ones already. */
const HONEST_TESTS = 'Do not delete, skip, empty or weaken a test, and do not mock the code it tests.';
const SAME_SETTINGS = 'Do not change the settings of tests, coverage, lint, types or CI, nor the scripts of the package.';
const NO_LOOSER_SETTINGS = 'Do not loosen the settings of tests, coverage, lint, types or CI, nor the scripts of the package.';
const ONLY_TESTS = 'Change only test files, fixtures and snapshots.';
const REVERTED = 'Changes that break these rules are reverted before your work is merged, and the report lists them.';

export interface RunGuard {
  readonly inspect: Inspector;
  readonly breachesOf: (task: string, attempt: number) => readonly Breach[];
  readonly retrialOf: (task: string, attempt: number) => RetrialRecord | null;
  /** The agent, with these rules added to its tasks. */
  readonly withRules: (agent: Agent) => Agent;
}

export interface GuardedRun {
  readonly started: Pick<SessionStarted, 'loop' | 'loopFolder' | 'command'>;
  /** From the person's checkout, where agents cannot write. */
  readonly config: Pick<Settings, 'guard'>;
  readonly now: () => Date;
  /** Tests that failed on this commit. */
  readonly failedTestsAt: (commit: string) => readonly TestResult[];
  /** Names of the tests that the command failed on, on this commit. */
  readonly goalTestsAt: (commit: string) => readonly string[];
  /** Runs the tests of the work's base on the work. Null: it changed no test. `suspects`: files whose tests may ask for less. */
  readonly retry: (work: Work, scope: LoopGuard['scope'], suspects: readonly string[]) => Promise<Retrial | null>;
  readonly say: (note: string) => void;
}

/** Null if the loop is not checked. */
export function createRunGuard({ started, config, now, failedTestsAt, goalTestsAt, retry, say }: GuardedRun): RunGuard | null {
  const { allowances, loops } = config.guard;
  const { breaches: mode, scope } = guardModeOf(started, config);
  const slip = Object.hasOwn(loops, started.loop) ? null : nearestWord(started.loop, Object.keys(loops));
  // Otherwise a misspelt loop name would have no effect and no warning.
  if (slip !== null)
    say(
      `${CONFIG} sets guard.loops.${slip}, but this loop is ${started.loop}. If you meant this loop, fix the name. The guard is now: ${mode}.`,
    );
  if (mode === 'off') return null;
  const reverts = mode === 'obey';
  const found = new Map<string, readonly Breach[]>();
  const retrials = new Map<string, RetrialRecord>();
  const attemptName = (task: string, attempt: number) => `${attempt} ${task}`;
  return {
    inspect: async (given) => {
      const { command } = started;
      const work = command === undefined ? given : { ...given, change: markCommandFiles(given.change, command, given.folder) };
      const { inspectWork } = await import('./guard.js');
      const today = now().toISOString().slice(0, 10);
      const { breaches, corrections, retrial } = await inspectWork(work, {
        scope,
        reverts,
        allowances,
        today,
        measured: failedTestsAt(work.base),
        goalFiles: findTestFiles(goalTestsAt(work.base), work.folder),
        command: started.command,
        // Where breaches are only reported, the critic holds the retrial of the whole change.
        retry: (suspects) => (reverts ? retry(work, scope, suspects) : Promise.resolve(null)),
      });
      if (retrial !== null) retrials.set(attemptName(work.task, work.attempt), summarize(retrial));
      found.set(attemptName(work.task, work.attempt), breaches);
      return corrections;
    },
    breachesOf: (task, attempt) => found.get(attemptName(task, attempt)) ?? [],
    retrialOf: (task, attempt) => retrials.get(attemptName(task, attempt)) ?? null,
    withRules: (agent) => (reverts ? addRules(agent, rulesOf(started, scope)) : agent),
  };
}

function guardModeOf({ loop, loopFolder }: GuardedRun['started'], { guard: { loops } }: GuardedRun['config']): LoopGuard {
  const usual = loopFolder === null && Object.hasOwn(LOOPS, loop) ? (LOOPS[loop] ?? OTHER_LOOPS) : OTHER_LOOPS;
  return { ...usual, ...(Object.hasOwn(loops, loop) ? loops[loop] : {}) };
}

function rulesOf({ loop }: GuardedRun['started'], scope: LoopGuard['scope']): readonly string[] {
  if (loop === 'testing') return [REVERTED];
  return scope === 'testing' ? [ONLY_TESTS, HONEST_TESTS, SAME_SETTINGS, REVERTED] : [HONEST_TESTS, NO_LOOSER_SETTINGS, REVERTED];
}

function addRules(agent: Agent, rules: readonly string[]): Agent {
  return {
    ...agent,
    run: (assignment, watch) =>
      agent.run(assignment.writes ? { ...assignment, rules: [...assignment.rules, ...rules] } : assignment, watch),
  };
}

export interface MeasuredRun {
  readonly started: Pick<RunState['started'], 'critic'>;
  readonly tasks: readonly Pick<TaskState, 'role' | 'row' | 'measured' | 'status' | 'found'>[];
}

/** The failed tests of each layer's latest measurement, if it was of exactly this commit. Only the built-in critic's evidence counts. */
export function failedTestsAt(run: MeasuredRun, readBlob: BlobReader, commit: string): readonly TestResult[] {
  const latest = new Map<string, string>();
  for (const { role, row, measured, status, found } of run.tasks) {
    const layer = (row['layer'] ?? '').trim();
    if (role !== run.started.critic || measured === null || status !== 'completed' || layer === '') continue;
    const hash = found[`results/run-${layer}.json`];
    if (typeof hash === 'string') latest.set(layer, hash);
  }
  return [...latest.values()].flatMap((hash) => {
    const bytes = readBlob(hash);
    const evidence = asRecord(typeof bytes === 'string' ? null : parsed(bytes));
    const judged = asRecord(evidence['provenance']);
    if (judged['commit'] !== commit || judged['content'] !== null || !Array.isArray(evidence['failures'])) return [];
    const failing = ['failures', 'suspected_bugs', 'dropped_tests', 'known_failures'].flatMap((key): readonly unknown[] => {
      const list = evidence[key];
      return Array.isArray(list) ? list : [];
    });
    return failing.map(asRecord).flatMap(({ name, file }): readonly TestResult[] => {
      if (typeof name !== 'string' || typeof file !== 'string') return [];
      return [{ id: `${file} > ${name}`, status: 'failed', file, line: null, message: null, durationMs: null }];
    });
  });
}

/** Names of the tests that the command failed on, by its latest result, if it ran on exactly this commit. */
export function goalTestsAt(run: MeasuredRun, readBlob: BlobReader, commit: string): readonly string[] {
  const hash = run.tasks.findLast(({ role, found }) => role === run.started.critic && found[COMMAND_RESULT] !== undefined)?.found[
    COMMAND_RESULT
  ];
  const bytes = typeof hash === 'string' ? readBlob(hash) : '';
  const { head, known_failures: known } = asRecord(typeof bytes === 'string' ? null : parsed(bytes));
  return head === commit && Array.isArray(known) ? known.filter((id): id is string => typeof id === 'string') : [];
}

const COMMAND_RESULT = 'results/until.json';
const MOST_TEST_FILES = 2000;

/** Where these tests stand: a report names files, or packages and classes. */
function findTestFiles(ids: readonly string[], folder: string): readonly string[] {
  const named = ids.map((id) => id.split(/ > |::/)[0] ?? '');
  const isKnown = (path: string): boolean => existsSync(join(folder, path));
  const titles = ids.filter((_, at) => !isKnown(named[at] ?? '')).map((id) => readTestTitle({ id }));
  const files = titles.length === 0 ? [] : filesNow(folder).filter(isTestFile).slice(0, MOST_TEST_FILES);
  const found = files.filter((path) => {
    const text = readText(join(folder, path)) ?? '';
    return titles.some((title) => text.includes(title));
  });
  return [...new Set([...named.filter(isKnown), ...found])];
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Changed tests then only mark the approval. */
export function allowsTestEdits(
  started: GuardedRun['started'] & Pick<SessionStarted, 'allowsTestEdits'>,
  config: GuardedRun['config'],
): boolean {
  return started.allowsTestEdits === true || guardModeOf(started, config).breaches !== 'obey';
}

export interface RetriedRun {
  readonly started: Pick<SessionStarted, 'loop' | 'project' | 'command' | 'trustsExitStatus' | 'allowsTestEdits'>;
  readonly config: Settings;
  readonly guardian: Guardian;
  readonly now: () => Date;
  readonly session: string;
  readonly signal: AbortSignal;
  readonly openCheck: OpenCheck;
}

const MINUTE_MS = 60_000;

export function createRunRetrial(run: RetriedRun): GuardedRun['retry'] {
  return async (work, scope, suspects) => {
    if (!touchesJudges(work.change)) return null;
    const retrial = await retryWork(run, work, scope, suspects);
    // A stopped retrial says nothing, and work that nobody inspected is not merged.
    if (run.signal.aborted) throw new UmpireError('retrial-stopped', { task: work.task });
    return retrial;
  };
}

async function retryWork(
  { started, config, guardian, now, session, signal, openCheck }: RetriedRun,
  work: Work,
  scope: string,
  suspects: readonly string[],
): Promise<Retrial> {
  const { NO_RETRIAL, runRetrial } = await import('../retrial/retrial.js');
  try {
    return await runRetrial({
      job: createJob(
        config,
        {
          project: work.folder,
          origin: started.project,
          session,
          base: work.base,
          guardian,
          timeoutMs: config.critics.timeoutMinutes * MINUTE_MS,
          now,
        },
        signal,
      ),
      change: work.change,
      commits: await makeTrialCommits(work.gitTarget, work.base, work.tree, work.prefix, work.change),
      openTree: async (commit) => {
        const { workdir, remove } = await openCheck(commit);
        return { workdir, close: remove };
      },
      command: started.command ?? null,
      trustsExitStatus: started.trustsExitStatus === true,
      rules: {
        behaviourIsFixed: scope === 'testing' || started.loop === 'debt',
        failuresAreGoal: started.command !== undefined && started.allowsTestEdits !== true,
        keepsTests: started.command !== undefined && started.allowsTestEdits !== true,
      },
      isThorough: false,
      suspects,
    });
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { ...NO_RETRIAL, problem: error.message };
  }
}

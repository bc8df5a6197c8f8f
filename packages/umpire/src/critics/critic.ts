// What a critic that Umpire runs itself is: it measures a project with real tools and writes the loop's evidence into the session.
// Each loop's critic is a file of its own; engine/critics.ts picks one.

import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { TrialRun } from '@umpire/guard/retrial/compare.js';
import type { Change } from '@umpire/guard/change.js';
import type { CheckOutcome, Damage, Finding } from '@umpire/core/model/vocabulary.js';
import type { GuardSettings } from '../sessions/settings.js';
import type { ToolJob } from '../runners/run-tool.js';
import type { RetrialFindings } from '@umpire/guard/retrial/clear.js';
import { openFolder, writeAtomically } from '../sessions/session-folder.js';

export interface CriticJob extends ToolJob {
  /** The person's own project, where the tools run in a worktree of it. */
  readonly origin?: string;
  /** The critic's row of tasks.csv; empty where there is none. */
  readonly row: Readonly<Record<string, string>>;
  /** The commit that a change or a regression is measured against; null where none is known. */
  readonly base: string | null;
  /** In a run: the commit that the chain's last verdict judged, or the base. Null elsewhere. */
  readonly before?: string | null;
  /** What the person asked for; absent outside a run. */
  readonly goal?: string;
  /** The round of its chain, for a row that states none; null where it is not known. */
  readonly round: number | null;
  /** Unresolved comments of people on the pull request under review. */
  readonly comments?: readonly Finding[];
  readonly guard: GuardSettings;
  /** Evidence as it was written, by path, for who does not trust the disk afterwards. */
  readonly kept?: Map<string, Uint8Array>;
  /** Gets the tracked files that the tools rewrite at the base too. */
  readonly rewrittenAtBase?: Set<string>;
  /** Runs the base's tests on the new code. */
  readonly retry?: RetryChange;
  readonly runOldJudge?: RunOldJudge;
}

/** A job outside of a run: no row, no round, and nobody hears the tools. */
export function createJob(
  config: { readonly critics: CriticJob['settings']; readonly guard: GuardSettings },
  more: Pick<CriticJob, 'project' | 'guardian' | 'timeoutMs'> & Partial<CriticJob>,
  signal: AbortSignal = new AbortController().signal,
): CriticJob {
  return {
    session: more.project,
    row: {},
    base: null,
    round: null,
    settings: config.critics,
    guard: config.guard,
    watch: { signal, log: () => undefined },
    now: () => new Date(),
    say: () => undefined,
    ...more,
  };
}

/** `problem`: why it says nothing of some tests; null where it says something of all. */
export interface AskedRetrial extends RetrialFindings {
  readonly problem: string | null;
  readonly uses: readonly ToolUse[];
}

/** `change`: since the base. `behaviourIsFixed`: a changed expectation is a breach. `suspects`: files whose tests may ask for less. */
export type RetryChange = (
  job: CriticJob,
  change: Change,
  base: string,
  asked: { readonly behaviourIsFixed: boolean; readonly suspects: readonly string[] },
) => Promise<AskedRetrial>;

/** The command of a session. */
export interface NamedCommand {
  readonly command: string;
  readonly trustsExitStatus: boolean;
}

/** The command with the base's judge on the new code; null where the change touches no judge. */
export type RunOldJudge = (job: CriticJob, change: Change, base: string, named: NamedCommand) => Promise<TrialRun | null>;

export interface CriticEnd {
  /** The worst of its checks. */
  readonly outcome: CheckOutcome;
  /** What was found, for the task's `findings`: at most 500 characters. */
  readonly summary: string;
  /** Cells of the critic's row, by output column of the loop. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Evidence that was written, relative to the session. */
  readonly files: readonly string[];
  /** What could not be measured and why, one sentence each. */
  readonly notes: readonly string[];
  /** What the work since `before` did to tests that existed before it. */
  readonly damage?: Damage;
  /** The project has nothing that could be measured, or nothing to measure it with. An agent may testify in its place. */
  readonly unable?: boolean;
}

/** Never rejects for what a tool does: that is an outcome. */
export type Critic = (job: CriticJob) => Promise<CriticEnd>;

/** Leaves a piece of evidence in the session. */
export function leave({ session, kept }: CriticJob, path: string, content: string | Uint8Array): void {
  kept?.set(path, Buffer.from(content));
  writeAtomically(openFolder(session), path, content, false);
}

/** Nothing came of it, and why. `missing` means that there was nothing to measure, or nothing to measure it with. */
export function unmeasured(outcome: Exclude<CheckOutcome, 'pass' | 'fail'>, why: string): CriticEnd {
  const end = { outcome, summary: why.slice(0, 500), outputs: {}, files: [], notes: [why] };
  return outcome === 'missing' ? { ...end, unable: true } : end;
}

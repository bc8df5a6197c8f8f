// A session as plain data for `status`, `list`, `report`, `--json` and the dashboard: its state, tasks, rounds, costs and open
// question. Computed from the journal's state alone, also for sessions that Umpire does not run.

import { describeFinding } from '@umpire/core/formats/finding-text.js';
import { TEST_GONE } from '@umpire/core/formats/run-result.js';
import type { Finding, Outcome, Severity, Task } from '@umpire/core/model/vocabulary.js';
import { suspectedBugs } from '@umpire/core/decider/evolve.js';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import { awaitedQuestion, budgetQuestion, currentQuestion } from '@umpire/core/decider/question.js';
import { roundAfter } from '@umpire/core/decider/rounds.js';
import { isIdle, findTask, currentWave, notesOnWork } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { heldEditWords, questionView } from './session-question.js';
import { quoteWord } from '@umpire/core/formats/shell-text.js';
import type { QuestionView } from './session-question.js';

/**
 * The states of a session. `interrupted`: stopped by a crash or Ctrl-C. `judged only`: Umpire judges it but does not run it.
 */
export const STATE_WORDS = [
  'running',
  'awaiting',
  'interrupted',
  'complete',
  'failed',
  'aborted',
  'judged only',
  'never judged',
  'unreadable',
] as const;

export type StateWord = (typeof STATE_WORDS)[number];

/** `stopped`: it was running when the process ended and will run again. */
export type TaskMark = 'pending' | 'running' | 'stopped' | 'submitted' | 'asked' | 'blocked' | 'completed' | 'failed' | 'skipped';

export interface TaskView {
  readonly id: string;
  readonly title: string;
  readonly role: string;
  readonly wave: number;
  readonly status: TaskMark;
  readonly attempt: number;
  /** Its round, if a verdict names it. */
  readonly round: number | null;
  readonly verdict: { readonly decision: string; readonly rule: string; readonly unverified: boolean } | null;
  readonly deps: readonly string[];
  /** What a pending task waits for: tasks, a verdict, a wave, an answer, a retry. Empty: it is next. */
  readonly waitsFor: readonly string[];
  readonly findings: string;
  readonly error: string;
  readonly files: readonly string[];
  /** A writing task whose last attempt changed no file. */
  readonly isUnchanged: boolean;
  /** A critic that did not run because nothing had changed: the critic whose evidence was judged again. */
  readonly repeats: string | null;
}

export interface ChainView {
  readonly loop: string;
  readonly chain: string;
  /** The chain for display: `layer L1`; empty if the session is the chain. */
  readonly label: string;
  /** The current round: one more after a revision. */
  readonly round: number;
  readonly maxRounds: number;
  readonly verdicts: number;
  readonly decision: string;
  readonly outcome: Outcome;
  readonly rule: string;
  readonly unverified: boolean;
}

export interface SpentView {
  readonly minutes: number;
  readonly maxMinutes: number | null;
  readonly tokens: number;
  readonly maxTokens: number | null;
  readonly costUsd: number;
  readonly maxCostUsd: number | null;
  /** Agents that did not report their tokens, or their cost. */
  readonly unreported: { readonly tokens: readonly string[]; readonly cost: readonly string[] };
}

export interface WorkView {
  readonly kind: 'git' | 'snapshot';
  readonly branch: string;
  readonly base: string;
  /** Present where the base holds uncommitted changes of the person. */
  readonly included?: { readonly parent: string; readonly files: readonly string[] };
  readonly head: string | null;
  readonly project: string;
  /** The worktree; null if unknown. */
  readonly place: string | null;
  readonly isCleared: boolean;
  /** The checkout contains all of it, by `umpire apply` or a merge. */
  readonly isApplied: boolean;
}

export interface DismissedView {
  readonly fingerprint: string;
  readonly severity: Severity;
  readonly finding: string;
  readonly reason: string;
  readonly who: string;
}

export interface SessionView {
  /** The session as commands name it. */
  readonly session: string;
  readonly state: StateWord;
  readonly loops: readonly string[];
  readonly goal: string;
  /** The command that the `until` loop runs; empty in other loops. */
  readonly command: string;
  readonly mode: string;
  readonly why: string;
  /** Approved, or about to be, without clean evidence. `because` has one sentence for each reason. */
  readonly unverified: boolean;
  /** It ended without reaching what was asked. */
  readonly missesTarget: boolean;
  readonly because: readonly string[];
  /** Places in approved work that only a person can judge. */
  readonly workNotes: readonly string[];
  /** New tests that fail, and where they are. Their bugs may be in the source. */
  readonly suspectedBugs: readonly string[];
  readonly dismissed: readonly DismissedView[];
  readonly reason: string;
  readonly wave: number | null;
  readonly tasks: readonly TaskView[];
  readonly chains: readonly ChainView[];
  readonly spent: SpentView | null;
  readonly sandbox: boolean;
  readonly question: QuestionView | null;
  readonly work: WorkView | null;
  readonly events: number;
  /** Notes on the files: a broken journal, a torn line, malformed tasks. */
  readonly notes: readonly string[];
  /** Next steps; those without a command are for other programs. */
  readonly next: readonly { readonly what: string; readonly command: string | null }[];
}

export interface SessionSurroundings {
  readonly session: string;
  readonly state: StateWord;
  /** tasks.csv with its waves, of a session that Umpire does not run. */
  readonly tasks: readonly { readonly task: Task; readonly wave: number }[];
  readonly place: string | null;
  /** Its branch and worktrees were removed. */
  readonly isCleared?: boolean;
  readonly isApplied?: boolean;
  readonly notes: readonly string[];
}

/** `isHeld`: a living process holds the session's lock. */
export function stateWordOf(state: SessionState, isHeld: boolean): StateWord {
  const { run } = state;
  if (run === null) return state.verdicts.size > 0 ? 'judged only' : 'never judged';
  if (run.ended !== null) return run.ended.outcome;
  if (isHeld) return 'running';
  if (awaitedQuestion(run) !== null) return 'awaiting';
  return run.isOnEngine ? 'running' : 'interrupted';
}

export function sessionView(state: SessionState, around: SessionSurroundings): SessionView {
  const { run } = state;
  const { session, notes } = around;
  const verdicts = verdictsIn(state);
  const because = reasonsUnverified(state);
  const question = run === null ? null : currentQuestion(run);
  // Nobody can answer while a process runs the session.
  const isLater = around.state === 'running' && run !== null && awaitedQuestion(run) === null;
  const chains = chainsIn(state);
  const isAtWork = around.state === 'running';
  const judged = judgedBy(verdicts);
  return {
    session,
    state: around.state,
    loops: run === null ? [...new Set(verdicts.map(({ verdict }) => verdict.loop))] : [run.started.loop],
    goal: run?.started.goal ?? '',
    command: run?.started.command ?? '',
    mode: run?.started.mode ?? '',
    why: run === null ? '' : whyWords(run.started),
    unverified: run?.ended?.unverified ?? because.length > 0,
    missesTarget: missesTarget(state),
    because,
    workNotes: workNotesIn(state),
    suspectedBugs: suspectedBugs(state).map(
      (finding: Finding): string =>
        `${describeFinding(finding)}${finding.dimension === TEST_GONE ? ' [its test was deleted before it passed]' : ''}`,
    ),
    dismissed: [...state.rulings.values()].map(({ finding, reason, by, who = by }) => ({
      fingerprint: finding.fingerprint,
      severity: finding.severity,
      finding: describeFinding(finding),
      reason,
      who,
    })),
    reason: run?.ended?.reason ?? '',
    wave: run === null || run.ended !== null ? null : currentWave(run),
    tasks:
      run === null
        ? foreignTasks(around.tasks, judged)
        : run.tasks.map((task) => taskView(run, task, judged.get(task.id) ?? NOT_JUDGED, isAtWork)),
    chains,
    spent: run === null ? null : spentOf(run),
    sandbox: run?.settings.sandbox === true,
    question: run === null || question === null ? null : questionView(run, question, session, isLater),
    work:
      run === null || run.started.workspace === null
        ? null
        : {
            ...run.started.workspace,
            head: run.head,
            project: run.started.project,
            place: around.place,
            isCleared: around.isCleared ?? false,
            isApplied: around.isApplied ?? false,
          },
    events: state.events,
    notes: [...notes, ...(run?.heldEdit == null ? [] : [heldEditWords(run.heldEdit, session)])],
    next: nextSteps(around, run, verdicts.at(-1)),
  };
}

export function sandboxWords(isSandboxed: boolean): string {
  return isSandboxed ? 'sandboxed' : 'not sandboxed (home folder, caches and /tmp unprotected)';
}

/** Why this mode was chosen, without the mode's name. */
export function whyWords({ mode, why }: { readonly mode: string; readonly why: string }): string {
  return why.startsWith(`${mode}: `) ? why.slice(mode.length + 2) : why;
}

export function verdictsIn(state: SessionState): readonly PastVerdict[] {
  return [...state.verdicts.values()].flat().toSorted((a, b) => a.seq - b.seq);
}

export function chainsIn(state: SessionState): readonly ChainView[] {
  return [...state.verdicts.values()].flatMap((past) => {
    const decided = past.filter(({ verdict }) => verdict.status === 'decided');
    const last = decided.at(-1)?.verdict;
    if (last === undefined) return [];
    const { loop, chain, decision, outcome, rule, unverified, maxRounds } = last;
    const cap = state.frozen.get(loop)?.cap ?? maxRounds;
    const round = roundAfter(decided);
    const label = chainLabel(state, last);
    return [{ loop, chain, label, round, maxRounds: cap, verdicts: decided.length, decision, outcome, rule, unverified }];
  });
}

/** A13: it ended, and a chain's last verdict accepted work that does not reach what was asked (T4, B5). */
export function missesTarget(state: SessionState): boolean {
  return state.run?.ended?.outcome === 'complete' && isAccepted(chainsIn(state));
}

export function isAccepted(chains: readonly Pick<ChainView, 'outcome'>[]): boolean {
  return chains.some(({ outcome }) => outcome === 'accept');
}

/** `layer L1`, `sprint 1`, `AUDIT-002`; empty if the session is the chain. */
export function chainLabel(state: SessionState, { loop, chain }: { readonly loop: string; readonly chain: string }): string {
  const by = state.frozen.get(loop)?.rules.chain ?? 'id';
  if (typeof by === 'object') return `${by.column.replace(/_num$/, '').replaceAll('_', ' ')} ${chain}`;
  return by === 'session' ? '' : chain;
}

/** Of work that was approved. */
export function workNotesIn({ run }: SessionState): readonly string[] {
  return run?.ended?.outcome === 'complete' ? notesOnWork(run) : [];
}

function waiversIn(state: SessionState): readonly string[] {
  return [...state.verdicts.values()].flatMap((past) => {
    const last = past.findLast(({ verdict }) => verdict.status === 'decided')?.verdict;
    if (last === undefined || !last.unverified) return [];
    const why = last.waivers.length === 0 ? '' : `: ${last.waivers.join('; ')}`;
    return [`${last.decision} in round ${last.round} was approved without clean evidence (rule ${last.rule})${why}.`];
  });
}

export function reasonsUnverified(state: SessionState): readonly string[] {
  const { run } = state;
  if (run === null) return waiversIn(state);
  const unjudged = run.started.judged ? [] : [`The mode ${run.started.mode} does not judge a critic.`];
  const forced = run.forced.map(
    ({ about, reason, who }) => `A person${who === '' ? '' : ` (${who})`} approved it without clean evidence: ${reason} (about: ${about})`,
  );
  return [...unjudged, ...forced, ...waiversIn(state)];
}

type TaskVerdict = Pick<TaskView, 'round' | 'verdict'>;

const NOT_JUDGED: TaskVerdict = { round: null, verdict: null };

/** By task: the verdict on it with its round, or the round that follows the verdict that made it. */
function judgedBy(verdicts: readonly PastVerdict[]): ReadonlyMap<string, TaskVerdict> {
  const judged = new Map<string, TaskVerdict>();
  for (const { verdict, scene } of verdicts) {
    const { decision, rule, unverified, round } = verdict;
    if (scene.critic != null) judged.set(scene.critic, { round, verdict: { decision, rule, unverified } });
    for (const { id } of verdict.tasks) if (!judged.has(id)) judged.set(id, { round: round + 1, verdict: null });
  }
  return judged;
}

function taskView(run: RunState, task: TaskState, judged: TaskVerdict, isAtWork: boolean): TaskView {
  const { id, role, wave, attempt, deps, files, row, isUnchanged, repeats } = task;
  return {
    id,
    title: row['title'] ?? '',
    role,
    wave,
    status: markTask(run, task, isAtWork),
    attempt,
    ...judged,
    deps,
    waitsFor: waitsFor(run, task),
    findings: row['findings'] ?? '',
    error: row['error'] ?? '',
    files,
    isUnchanged,
    repeats,
  };
}

export function markTask(run: RunState, task: TaskState, isAtWork: boolean): TaskMark {
  const running = isAtWork ? 'running' : 'stopped';
  if (task.phase !== 'idle') return task.phase === 'running' ? running : 'submitted';
  const asked = run.questions.find(
    ({ kind, ...question }) => (kind === 'question' || kind === 'blocked') && 'task' in question && question.task === task.id,
  );
  if (asked !== undefined) return asked.kind === 'blocked' ? 'blocked' : 'asked';
  return task.status === 'in_progress' ? running : task.status;
}

function waitsFor(run: RunState, task: TaskState): readonly string[] {
  if (!isIdle(task)) return [];
  const open = task.deps.flatMap((id) => {
    if (run.unjudged.has(id)) return [`the verdict on ${id}`];
    if (run.questions.some((question) => 'task' in question && question.task === id)) return ['an answer'];
    return findTask(run, id)?.status === 'completed' ? [] : [id];
  });
  if (open.length > 0) return open;
  if (run.held.has(task.id)) return ['an answer'];
  if (task.wave > run.front) return [`wave ${run.front}`];
  if (budgetQuestion(run) !== null) return ['an answer'];
  return run.waiting.has(task.id) ? ['a retry'] : [];
}

function foreignTasks(tasks: SessionSurroundings['tasks'], judged: ReturnType<typeof judgedBy>): readonly TaskView[] {
  const done = new Set(tasks.filter(({ task }) => task.status === 'completed').map(({ task }) => task.id));
  return tasks.map(({ task: { id, role, deps, status, columns }, wave }) => ({
    id,
    title: columns['title'] ?? '',
    role,
    wave,
    status: status === 'in_progress' ? 'running' : status,
    attempt: 0,
    ...(judged.get(id) ?? NOT_JUDGED),
    deps,
    waitsFor: status === 'pending' ? deps.filter((dep) => !done.has(dep)) : [],
    findings: columns['findings'] ?? '',
    error: columns['error'] ?? '',
    files: [],
    isUnchanged: false,
    repeats: null,
  }));
}

export function spentOf(run: RunState): SpentView {
  const { maxMinutes, maxTokens, maxCostUsd } = run.settings;
  const { tokens, costUsd } = run;
  const unreported = { tokens: [...run.unreported.tokens], cost: [...run.unreported.cost] };
  return { minutes: run.activeMs / 60_000, maxMinutes, tokens, maxTokens, costUsd, maxCostUsd, unreported };
}

export function nextSteps(
  around: Pick<SessionSurroundings, 'session' | 'state' | 'isCleared' | 'isApplied'> & Partial<Pick<SessionSurroundings, 'tasks'>>,
  run: RunState | null,
  last?: PastVerdict,
): SessionView['next'] {
  const name = quoteWord(around.session);
  const report = { what: 'Read the report', command: `umpire report ${name}` };
  switch (around.state) {
    case 'running':
      return [{ what: 'Read the output of the agents', command: `umpire logs ${name}` }];
    case 'awaiting':
      return [];
    case 'interrupted':
      return [{ what: 'Resume it', command: `umpire resume ${name}` }];
    case 'complete':
      if (!hasWork(run) || around.isCleared === true) return [report];
      if (run?.isOnEngine === true) return [{ what: 'Fetch the work', command: fetchCommand(run) }, report];
      return around.isApplied === true
        ? [{ what: 'Remove its worktrees and branch', command: `umpire clean ${name}` }, report]
        : [{ what: 'Apply the work to your checkout', command: `umpire apply ${name}` }, report];
    case 'failed':
      return [{ what: 'Retry the failed tasks', command: `umpire resume ${name} --retry` }, report];
    case 'aborted':
      return [report];
    case 'judged only':
      return last === undefined ? [] : [{ what: last.verdict.nextStep, command: null }];
    case 'never judged': {
      // For a session that Umpire does not run. Before any task is done there is nothing to judge.
      const tasks = around.tasks ?? [];
      const judge = `umpire decide <loop> ${name}`;

      if (tasks.length === 0)
        return [
          { what: 'Nothing has started here. Start a run', command: 'umpire run <loop> "<goal>"' },
          { what: 'Or judge the evidence of a critic', command: judge },
        ];
      if (tasks.some(({ task }) => task.status !== 'pending')) return [{ what: 'Judge it', command: judge }];
      const first = tasks.filter(({ task }) => task.deps.length === 0).map(({ task }) => `${task.id} (${task.role})`);
      const more = first.length - MAX_LISTED;
      const named = `${first.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
      return [
        { what: `No task is done yet. First: ${named}.`, command: null },
        { what: 'Once the critic is done, judge it', command: judge },
      ];
    }
    case 'unreadable':
      return [{ what: 'Restore journal.ndjson from a backup, or start a new session with the same evidence.', command: null }];
  }
}

const MAX_LISTED = 5;

export function fetchCommand({ started: { fleet, workspace } }: RunState): string {
  return `git fetch ${quoteWord(fleet?.remote ?? '')} ${workspace?.branch ?? ''}`;
}

/** The files of the person that were not committed when the session began, and that its base holds; empty for none. */
export function includedWords({ included }: WorkView): string {
  const files = included?.files ?? [];
  if (files.length === 0) return '';
  const more = files.length > MAX_LISTED ? ` and ${files.length - MAX_LISTED} more` : '';
  return `${files.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** Has the session changed the project? */
export function hasWork(run: RunState | null): boolean {
  return run !== null && run.started.workspace !== null && run.head !== run.started.workspace.base;
}

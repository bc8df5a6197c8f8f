// The progress of a run in the terminal: one line for each event that matters to a person. Texts of agents are shortened and
// cleaned of control characters.

import { ANSWERS } from '@umpire/core/model/questions.js';
import { millisecondsOf } from '@umpire/core/formats/timestamp.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Verdict } from '@umpire/core/model/vocabulary.js';
import type { Recorded, UnmergedWork, SessionStarted, TaskFinished } from '@umpire/core/decider/events.js';
import { awaitedQuestion, hasOtherWork, currentQuestion } from '@umpire/core/decider/question.js';
import { agentOfTask, isLimited } from '@umpire/core/decider/agent-choice.js';
import { describeFinding } from '@umpire/core/formats/finding-text.js';
import { describeRevert } from '@umpire/core/decider/revert-words.js';
import { noteLines } from './status-page.js';
import { isOver, findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { agentWords, breachSentences } from './breach-words.js';
import { paint } from './colors.js';
import type { Color } from './colors.js';
import { lineOf, wrap } from './safe-text.js';
import { answerLines, grantWords, heldEditWords, moreWords, needWords, questionView, stepLines } from './session-question.js';
import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { workNotesIn, missesTarget, nextSteps, sandboxWords, whyWords } from './session-view.js';
import { count, duration, PRINTED_NOTHING } from './words.js';

export interface ProgressOptions {
  readonly color?: boolean;
  /** The width of the terminal. Without it, lines are not wrapped. */
  readonly columns?: () => number;
  /** The session in commands; its own name by default. */
  readonly session?: string;
  /** Prints the time of day; in UTC by default. */
  readonly clock?: (ts: string) => string;
  /** How long a task ran; null if unknown. */
  readonly ranMs?: (task: string) => number | null;
}

type Tone = 'plain' | 'good' | 'bad' | 'call';

const COLORS: Readonly<Record<Exclude<Tone, 'plain'>, Color>> = { good: 'green', bad: 'red', call: 'yellow' };

/** Null if the event does not matter to a person; several lines if there are commands to copy. `state`: after the event. */
export function progressLine(event: Recorded, state: SessionState, options: ProgressOptions = {}): string | null {
  const described = describeEvent(event, state, options);
  if (described === null) return null;
  const [text, tone, below = []] = typeof described === 'string' ? ([described, 'plain'] as const) : described;
  const time = options.clock?.(event.ts) ?? event.ts.slice(11, 16);
  const line = wrapLine(lineOf(text, 1000), `${lineOf(time)} `, options.columns?.());
  const shown = tone === 'plain' ? line : paint(COLORS[tone], line, options.color === true);
  return [shown, ...below].join('\n');
}

/** Wraps a line between words, under its first column of text. */
export function wrapLine(text: string, first: string, columns: number | undefined): string {
  if (columns === undefined || columns < MIN_COLUMNS) return `${first}${text}`;
  return wrap(text, ' '.repeat(first.length), first, columns).join('\n');
}

/** Narrower terminals get unwrapped lines: a long word would leave no room for others. */
const MIN_COLUMNS = 40;

/** Like `progressLine`, but remembers when tasks started, so that lines say how long they took. */
export function followProgress(options: ProgressOptions = {}): (event: Recorded, state: SessionState) => string | null {
  const startedAt = new Map<string, number>();
  return (event, state) => {
    const now = millisecondsOf(event.ts);
    if (event.type === 'TaskStarted') startedAt.set(event.data.task, now);
    const line = progressLine(event, state, {
      ranMs: (task) => {
        const from = startedAt.get(task);
        return from === undefined ? null : now - from;
      },
      ...options,
    });
    // The time until the merge does not count.
    if (event.type === 'TaskSubmitted' || event.type === 'TaskFinished') startedAt.delete(event.data.task);
    return line;
  };
}

/** `below`: commands to copy, each on a line of its own. */
type Described = string | readonly [text: string, tone: Tone, below?: readonly string[]] | null;

function describeEvent(event: Recorded, state: SessionState, options: ProgressOptions): Described {
  const { run } = state;
  const session = options.session ?? run?.started.session ?? '<session>';
  switch (event.type) {
    case 'SessionStarted':
      return startedLine(event.data);
    case 'RunBegun': {
      if (run === null) return null;
      // The default agent first, then those of single roles.
      const named = Object.entries(run.settings.agents).toSorted(([a], [b]) => Number(b === '*') - Number(a === '*'));
      const agents = named.map(([role, agent]) => (role === '*' ? agent : `${agent} (${role})`));
      const who = agents.length === 0 ? '' : `; agents: ${agents.join(', ')}, ${sandboxWords(run.settings.sandbox)}`;
      if (run.runs.length <= 1) return `Up to ${count(run.settings.concurrency, 'task')} at a time${who}`;
      const done = run.tasks.filter((task) => isOver(task.status)).length;
      return `Resumed: ${done} of ${run.tasks.length} tasks done${who}${postponedTasks(run)}`;
    }
    case 'TaskStarted': {
      const task = run === null ? undefined : findTask(run, event.data.task);
      const again = event.data.attempt > 1 ? `, attempt ${event.data.attempt}` : '';
      return `Wave ${task?.wave ?? 1}: ${event.data.task} started (${task?.role ?? 'no role'}, agent ${event.data.agent}${again})`;
    }
    case 'TaskSubmitted':
      return [
        `${event.data.task} finished${describeRunTime(event.data.task, options)}; merging ${changeLine(event.data.files)}`,
        'plain',
        costNote(event.data, run),
      ];
    case 'TaskFinished':
      return finishedLine(event.data, run, options, session);
    case 'EvidenceRepeated':
      return `${event.data.task} not run: nothing changed since ${event.data.of}, so its evidence is judged again`;
    case 'TaskAsked':
      return [`${event.data.task} asks${keptSoFar(event.data.files)}: ${lineOf(event.data.question, 300)}${meanwhile(run)}`, 'call'];
    case 'TaskBlocked':
      return [`${event.data.task} is blocked${keptSoFar(event.data.files)}: ${lineOf(event.data.reason, 300)}${meanwhile(run)}`, 'call'];
    case 'TaskInterrupted':
      return withLeft(
        `${event.data.task} stopped${event.data.why === 'stopped' ? '' : ` (${event.data.why})`}; it will run again`,
        event.data.left,
      );
    case 'TaskPostponed':
      return [postponedLine(event.data, run), 'bad'];
    case 'TaskLimited':
      return [limitedLine(event.data, run), 'bad'];
    case 'TaskSkipped':
      return [`${event.data.task} skipped: ${lineOf(event.data.reason, 300)}`, 'bad'];
    case 'TasksReopened':
      return `${event.data.tasks.join(', ')} will run again: ${event.data.why}`;
    case 'JudgingFailed':
      return judgingFailedLine(run, event.data);
    case 'TasksEdited':
      return `Your edit of tasks.csv was applied: ${lineOf(event.data.told.join('; '), 300)}`;
    case 'EditHeld':
      return [lineOf(heldEditWords(event.data, session), 600), 'bad'];
    case 'EditRefused':
      return [
        `Your edit of tasks.csv was refused: ${lineOf(event.data.reason, 300)}${event.data.kept === '' ? '' : `. Your file is kept as ${event.data.kept}`}`,
        'bad',
      ];
    case 'PersonCalled': {
      const question = run === null ? null : (run.questions.find((one) => one.key === event.data.key) ?? currentQuestion(run));
      if (run === null || question === null) return null;
      const view = questionView(run, question, session);
      const words = `${lineOf(needWords(question, view), 300)}${moreWords(view)}`;
      if (!hasOtherWork(run)) return [words, 'call', answerLines(view)];
      const first = `Meanwhile, ${postponedTasks(run).slice(2) || 'other tasks continue'}. To answer now, press Ctrl-C first; the wait is kept.`;
      return [`${words} ${first}`, 'call', answerLines(view)];
    }
    case 'PersonAnswered': {
      const granted = grantWords(event.data);
      const why = lineOf(
        [...(event.data.goal === undefined ? [] : [event.data.goal]), ...(event.data.reason === '' ? [] : [event.data.reason])].join('; '),
        200,
      );
      const mark = ANSWERS[event.data.answer].isWaiver === true ? ', unverified' : '';
      return `Answered (${event.data.by}): ${event.data.answer}${granted === '' ? '' : ` (${granted})`}${mark}${why === '' ? '' : `: ${why}`}`;
    }
    case 'FindingRuled':
      return `Dismissed: ${describeFinding(event.data.finding)}. Reason: ${event.data.reason}`;
    case 'PersonEdited':
      return `Your changes were merged: ${changeLine(event.data.files)}. The critic runs again`;
    case 'StrayChanges':
      return [`Discarded changes that no task may make: ${changeLine(event.data.files)}`, 'bad'];
    case 'WorkReverted':
      return event.data.ok
        ? `Reverted the work of ${event.data.tasks.join(', ')}: it made things worse`
        : [`Could not revert the work of ${event.data.tasks.join(', ')}, which made things worse: ${nameFiles(event.data.files)}`, 'bad'];
    case 'KeptChangeTaken':
      return event.data.ok
        ? `The reverted change of ${event.data.task} was merged: ${nameFiles(event.data.files)}. The critic runs again`
        : [
            `The reverted change of ${event.data.task} conflicts with later work: ${nameFiles(event.data.files)}. The agent makes it again`,
            'bad',
          ];
    case 'DamageReverted':
      // Nothing to revert: the next larger unit follows.
      if (event.data.ok && event.data.files.length === 0) return null;
      return [`${describeRevert(event.data)}${event.data.ok ? ' The tests run again.' : ''}`, 'bad'];
    case 'VerdictGiven':
      return verdictLine(event.data.verdict, event.data.scene.critic ?? null, run);
    case 'CapChanged':
      return `Cap changed from ${event.data.from} to ${event.data.to} rounds (${event.data.by})`;
    case 'RoundsRecalled':
      return `Rounds missing from the journal were restored: ${event.data.chains.map(({ chain, round }) => `${chain} round ${round}`).join(', ')}`;
    case 'SessionEnded':
      return endedLine(event.data, session, state);
    case 'SessionObserved':
    case 'RulesFrozen':
    case 'TargetFrozen':
    case 'ChainNamed':
    case 'ChainContinued':
    case 'EvidenceMeasured':
    case 'VerdictProjected':
    case 'FolderChanged':
    case 'WaitEnded':
    case 'TimePassed':
      return null;
  }
}

function startedLine(started: SessionStarted): Described {
  const { session, loop, mode, rows, judged, command } = started;
  const unjudged = judged ? '' : '. No critic is judged in this mode, so the result will be unverified';
  const until = command === undefined ? '' : `. Runs until this passes: ${lineOf(command, 200)}`;
  return `Session ${session}: ${loop}, mode ${mode} (${lineOf(whyWords(started), 200)}), ${count(rows.length, 'task')}${unjudged}${until}`;
}

/** The postponed tasks, which explain why nothing happens. */
function postponedTasks({ waiting, lastMs }: RunState): string {
  const left = [...waiting].filter(([, untilMs]) => untilMs > lastMs);
  const first = left.slice(0, 3).map(([task, untilMs]) => `${task} retries in ${duration(untilMs - lastMs)}`);
  return first.length === 0 ? '' : `; ${first.join(', ')}${left.length > 3 ? ` and ${left.length - 3} more later` : ''}`;
}

function describeRunTime(task: string, { ranMs }: ProgressOptions): string {
  const ms = ranMs?.(task) ?? null;
  // Shorter times are not worth printing.
  return ms === null || ms < 50 ? '' : ` in ${duration(ms)}`;
}

/** The longest texts. The verdict rests on the critic's findings. */
const MAX_FINDINGS = { agent: 100, guard: 300, critic: 400 };

function finishedLine(data: TaskFinished, run: RunState | null, options: ProgressOptions, session: string): Described {
  const { task, status, findings, error, head, files, outputs } = data;
  if (status === 'failed') return [`${task} failed${describeRunTime(task, options)}: ${withLeft(lineOf(error, 300), data.left)}`, 'bad'];
  const merged = head === undefined ? (data.unchanged === true ? ', changed nothing' : '') : `, ${changeLine(files)} merged`;
  const isCritic = run !== null && findTask(run, task)?.role === run.started.critic;
  const guard = lineOf(breachSentences(data.breaches ?? []), MAX_FINDINGS.guard);
  const found = lineOf(agentWords(data), isCritic ? MAX_FINDINGS.critic : MAX_FINDINGS.agent);
  const hasFailed = isCritic && run.started.command !== undefined && outputs['exit_status'] !== '0';
  const more =
    hasFailed && !findings.endsWith(PRINTED_NOTHING)
      ? `${/[.!?]$/.test(found) ? '' : '.'} Full output: umpire logs ${quoteWord(session)} ${quoteWord(task)}`
      : '';
  const text = `${task} completed${describeRunTime(task, options)}${merged}${found === '' ? '' : `: ${found}`}${more}`;
  return [text, hasFailed ? 'bad' : 'good', [...(guard === '' ? [] : [guard]), ...costNote(data, run)]];
}

/** Once for each agent: nobody knows before it ran whether a program of one's own reports its cost. */
function costNote({ task, usage }: Pick<TaskFinished, 'task' | 'usage'>, run: RunState | null): readonly string[] {
  if (run === null || run.settings.maxCostUsd === null || usage.unknown?.includes('cost') !== true) return [];
  const agent = findTask(run, task)?.agent ?? '';
  const runs = run.tasks.filter((one) => one.agent === agent).reduce((sum, { attempt }) => sum + attempt, 0);
  return runs > 1 ? [] : [`Note: ${lineOf(agent, 100)} reports no cost, so the limit in dollars cannot stop it. Use minutes or tokens.`];
}

/** `3 files (a.ts, b.ts, c.ts)`. */
function changeLine(files: readonly string[] | undefined): string {
  if (files === undefined || files.length === 0) return 'no files';
  return `${count(files.length, 'file')} (${nameFiles(files)})`;
}

function keptSoFar(files: readonly string[] | undefined): string {
  return files === undefined || files.length === 0 ? '' : ` (work so far is kept: ${nameFiles(files)})`;
}

/** Adds where unfinished work is kept. */
function withLeft(words: string, left: UnmergedWork | undefined): string {
  if (left === undefined) return words;
  const stop = /[.!?]$/.test(words) ? '' : '.';
  const kept =
    left.goesOn === true
      ? `Its changes (${nameFiles(left.files)}) are kept for the next attempt`
      : `Its changes (${nameFiles(left.files)}) are kept as commit ${lineOf(left.commit.slice(0, 12))}`;
  return `${words}${stop} ${kept}`;
}

function nameFiles(files: readonly string[]): string {
  const first = files.slice(0, 4).map((file) => lineOf(file, 80));
  return first.join(', ') + (files.length > 4 ? ` and ${files.length - 4} more` : '');
}

function postponedLine({ task, why, waitMs, left }: Extract<Recorded, { type: 'TaskPostponed' }>['data'], run: RunState | null): string {
  const times = run === null ? 1 : (findTask(run, task)?.postponed ?? 1);
  const most = Math.max(times, run?.settings.retries ?? 0);
  return `${task} retries in ${duration(waitMs)} (retry ${times} of ${most}): ${withLeft(lineOf(why, 300), left)}`;
}

function limitedLine({ task, agent, resetsAt, why }: Extract<Recorded, { type: 'TaskLimited' }>['data'], run: RunState | null): string {
  const state = run === null ? undefined : findTask(run, task);
  const next = run === null || state === undefined ? null : agentOfTask(run, state);
  const until = resetsAt === null || run === null ? '' : `, for ${duration(millisecondsOf(resetsAt) - run.lastMs)} more`;
  const then =
    run !== null && next !== null && !isLimited(run, next)
      ? `${next} takes over`
      : run?.waiting.has(task) === true
        ? 'Umpire waits'
        : 'resume it later';
  return `${task}: the plan of ${agent} is used up${until}; ${then}. ${lineOf(why, 300)}`;
}

function judgingFailedLine(run: RunState | null, data: Extract<Recorded, { type: 'JudgingFailed' }>['data']): Described {
  const again = (run?.unjudgeable.get(data.task) ?? 1) === 1 ? 'It runs again.' : `${data.hint}${meanwhile(run)}`;
  return [`${data.task} left nothing to judge (rule ${data.rule}): ${lineOf(data.message, 300)} ${again}`, 'bad'];
}

/** A question is open, but independent tasks still run. If all of them are postponed, it is asked now. */
function meanwhile(run: RunState | null): string {
  const isPause = run !== null && run.waiting.size > 0 && run.running.size === 0;
  return run !== null && run.front < run.open.length && !isPause && awaitedQuestion(run) === null
    ? ' (you will be asked once independent tasks are done)'
    : '';
}

/** Trends worth a warning. */
const BAD_COURSES: ReadonlySet<string> = new Set(['stalled', 'oscillating', 'diverging']);

function verdictLine(verdict: Verdict, critic: string | null, run: RunState | null): Described {
  const { decision, round, maxRounds, rule, reason, unverified, status, tasks, outcome, trend } = verdict;
  const marks = [...(status === 'partial' ? ['partial'] : []), ...(unverified ? ['unverified'] : [])];
  const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  const next = outcome === 'revise' && tasks.length > 0 ? ` New tasks: ${nameFiles(tasks.map(({ id }) => id))}.` : '';
  const more = outcome === 'escalate' ? meanwhile(run) : next;
  // The reason has just said what is still open.
  const why = lineOf((trend?.why ?? '').replace(/; still .*$/, '.'), 200);
  const course = trend !== undefined && BAD_COURSES.has(trend.kind) && outcome === 'revise' ? ` ${why}` : '';
  const text = `${critic ?? 'Session'} judged: ${decision}${mark}, round ${round} of ${maxRounds}, rule ${rule}. ${lineOf(reason, 400)}${course}${more}`;
  return [text, outcome === 'escalate' ? 'call' : outcome === 'revise' ? 'plain' : 'good'];
}

function endedLine(data: Extract<Recorded, { type: 'SessionEnded' }>['data'], session: string, state: SessionState): Described {
  const isMissed = missesTarget(state);
  const mark = data.unverified ? ', unverified' : '';
  const steps = stepLines(nextSteps({ session, state: data.outcome }, state.run));
  // With a full stop and a space; empty if there is no text.
  const line = lineOf(data.reason, 400);
  return [
    `${isMissed ? 'Ended, target not met' : `Session ${data.outcome}`}${mark}. ${line === '' ? '' : `${line}${/[.!?]$/.test(line) ? '' : '.'} `}`.trimEnd(),
    data.outcome === 'complete' && !isMissed ? 'good' : 'bad',
    [...noteLines(workNotesIn(state)), ...steps],
  ];
}

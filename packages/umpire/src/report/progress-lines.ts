// A run as the person who started it sees it: one plain line for each event that is worth one. Texts of agents are cut short,
// and nothing in them reaches the terminal but letters.

import { millisecondsOf } from '@umpire/core/formats/timestamp.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Verdict } from '@umpire/core/model.js';
import type { Recorded, UnmergedWork, PersonAnswered, SessionStarted, TaskFinished } from '@umpire/core/decider/events.js';
import { awaitedQuestion, hasOtherWork, currentQuestion } from '@umpire/core/decider/question.js';
import { isOver, findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { lineOf, wrap } from './foreign-text.js';
import { answerLines, grantWords, moreWords, questionView, shellWord, stepLines } from './session-question.js';
import { nextSteps, whyWords } from './session-view.js';
import { count, duration, PRINTED_NOTHING } from './words.js';

export interface ProgressOptions {
  /** Colours, if the caller's terminal shows them. */
  readonly color?: boolean;
  /** How wide the caller's terminal is: lines are broken between words. Left out where a line of output is one line. */
  readonly columns?: () => number;
  /** The word by which commands know the session; its own name, where it is left out. */
  readonly session?: string;
  /** The time of day, as the person's clock shows it; in UTC, where it is left out. */
  readonly clock?: (ts: string) => string;
  /** How long a task ran, where the caller knows. */
  readonly ranMs?: (task: string) => number | null;
}

type Tone = 'plain' | 'good' | 'bad' | 'call';

const COLORS: Readonly<Record<Tone, string>> = { plain: '', good: '\u001b[32m', bad: '\u001b[31m', call: '\u001b[33m' };

/** Null where the event is nothing to a person; several lines, where there are commands to copy. `state`: after the event. */
export function progressLine(event: Recorded, state: SessionState, options: ProgressOptions = {}): string | null {
  const told = tell(event, state, options);
  if (told === null) return null;
  const [text, tone, below = []] = typeof told === 'string' ? ([told, 'plain'] as const) : told;
  const time = options.clock?.(event.ts) ?? event.ts.slice(11, 16);
  const line = broken(lineOf(text, 1000), `${lineOf(time)} `, options.columns?.());
  const shown = options.color === true && tone !== 'plain' ? `${COLORS[tone]}${line}\u001b[0m` : line;
  return [shown, ...below].join('\n');
}

/** A line with what stands before it, broken between words where a terminal would break it anywhere. */
export function broken(text: string, first: string, columns: number | undefined): string {
  if (columns === undefined || columns < NARROWEST) return `${first}${text}`;
  return wrap(text, ' '.repeat(first.length), first, columns).join('\n');
}

/** In fewer columns a long word leaves no room for others. */
const NARROWEST = 40;

/** The same for a run as it goes on: remembers when tasks were started, so that lines say how long they took. */
export function followProgress(options: ProgressOptions = {}): (event: Recorded, state: SessionState) => string | null {
  const startedAt = new Map<string, number>();
  return (event, state) => {
    const now = millisecondsOf(event.ts);
    if (event.type === 'TaskStarted') startedAt.set(event.data.task, now);
    const ranMs = (task: string) => {
      const from = startedAt.get(task);
      return from === undefined ? null : now - from;
    };
    const line = progressLine(event, state, { ranMs, ...options });
    // What is merged later took no longer for that.
    if (event.type === 'TaskSubmitted' || event.type === 'TaskFinished') startedAt.delete(event.data.task);
    return line;
  };
}

/** `below`: commands to copy, each on a line of its own. */
type Told = string | readonly [text: string, tone: Tone, below?: readonly string[]] | null;

function tell(event: Recorded, state: SessionState, options: ProgressOptions): Told {
  const { run } = state;
  const session = options.session ?? run?.started.session ?? '<session>';
  switch (event.type) {
    case 'SessionStarted':
      return startedLine(event.data);
    case 'RunBegun':
      return begunLine(run, event.data.by);
    case 'TaskStarted':
      return taskStartedLine(run, event.data);
    case 'TaskSubmitted':
      return `${event.data.task} has done its work${took(event.data.task, options)}; ${changed(event.data.files)} to be merged`;
    case 'TaskFinished':
      return finishedLine(event.data, run, options, session);
    case 'TaskAsked':
      return [`${event.data.task} asks${keptSoFar(event.data.files)}: ${lineOf(event.data.question, 300)}${meanwhile(run)}`, 'call'];
    case 'TaskInterrupted':
      return withLeft(
        `${event.data.task} was stopped${event.data.why === 'stopped' ? '' : ` (${event.data.why})`}; it will be run again`,
        event.data.left,
      );
    case 'TaskPostponed':
      return [postponedLine(event.data, run), 'bad'];
    case 'TaskSkipped':
      return [`${event.data.task} skipped: ${lineOf(event.data.reason, 300)}`, 'bad'];
    case 'TasksReopened':
      return `${event.data.tasks.join(', ')} will be run again: ${event.data.why}`;
    case 'JudgingFailed':
      return judgingFailedLine(run, event.data);
    case 'TasksEdited':
      return `your edit of tasks.csv is taken up: ${lineOf(event.data.told.join('; '), 300)}`;
    case 'EditRefused':
      return [`your edit of tasks.csv is refused: ${lineOf(event.data.reason, 300)}${keptAs(event.data.kept)}`, 'bad'];
    case 'PersonCalled':
      return calledLine(run, event.data.key, session);
    case 'PersonAnswered':
      return answeredLine(event.data);
    case 'PersonEdited':
      return `your work is taken up: ${changed(event.data.files)}. Its critic runs again`;
    case 'StrayChanges':
      return [`${changed(event.data.files)} changed by tasks that only read: thrown away`, 'bad'];
    case 'WorkReverted':
      return event.data.ok
        ? `the work of ${event.data.tasks.join(', ')} made things worse and was taken back`
        : [`the work of ${event.data.tasks.join(', ')} made things worse, and could not be taken back: ${named(event.data.files)}`, 'bad'];
    case 'VerdictGiven':
      return verdictLine(event.data.verdict, event.data.scene?.critic ?? null, run);
    case 'CapChanged':
      return `the cap is now ${event.data.to} rounds; it was ${event.data.from} (${event.data.by})`;
    case 'RoundsRecalled':
      return `rounds that the journal had lost are counted again: ${event.data.chains.map(({ chain, round }) => `${chain} round ${round}`).join(', ')}`;
    case 'SessionEnded':
      return endedLine(event.data, session, run);
    case 'SessionObserved':
    case 'RulesFrozen':
    case 'TargetFrozen':
    case 'ChainNamed':
    case 'ChainContinued':
    case 'VerdictProjected':
    case 'WaitEnded':
    case 'TimePassed':
      return null;
  }
}

function startedLine(started: SessionStarted): Told {
  const { session, loop, mode, rows, judged, command } = started;
  const unjudged = judged ? '' : '. No critic of this mode is judged, so it will end unverified';
  const until = command === undefined ? '' : `. Until this passes: ${lineOf(command, 200)}`;
  return `session ${session}: ${loop}, mode ${mode} (${lineOf(whyWords(started), 200)}), ${count(rows.length, 'task')}${unjudged}${until}`;
}

function begunLine(run: RunState | null, by: string): Told {
  if (run === null) return null;
  // First the one of all roles, then those of one.
  const named = Object.entries(run.settings.agents).toSorted(([a], [b]) => Number(b === '*') - Number(a === '*'));
  const agents = named.map(([role, agent]) => (role === '*' ? agent : `${role} by ${agent}`));
  const held = run.settings.sandbox === true ? ', in a sandbox' : '';
  const who = agents.length === 0 ? '' : `; agents: ${agents.join(', ')}${held}`;
  if (run.runs.length <= 1) return `at most ${count(run.settings.concurrency, 'task')} at a time${who}`;
  const done = run.tasks.filter((task) => isOver(task.status)).length;
  return `taken on again (${by}): ${done} of ${count(run.tasks.length, 'task')} done${who}${putOff(run)}`;
}

/** What is still put off, and how long: else nobody would know why nothing happens. */
function putOff({ waiting, lastMs }: RunState): string {
  const left = [...waiting].filter(([, untilMs]) => untilMs > lastMs);
  const first = left.slice(0, 3).map(([task, untilMs]) => `${task} is tried again in ${duration(untilMs - lastMs)}`);
  return first.length === 0 ? '' : `; ${first.join(', ')}${left.length > 3 ? ` and ${left.length - 3} more later` : ''}`;
}

function taskStartedLine(run: RunState | null, data: { readonly task: string; readonly attempt: number; readonly agent: string }): Told {
  const task = run === null ? undefined : findTask(run, data.task);
  const again = data.attempt > 1 ? `, attempt ${data.attempt}` : '';
  return `wave ${task?.wave ?? 1}: ${data.task} started (${task?.role ?? 'no role'}, agent ${data.agent}${again})`;
}

function took(task: string, { ranMs }: ProgressOptions): string {
  const ms = ranMs?.(task) ?? null;
  // What took no time worth telling is told without.
  return ms === null || ms < 50 ? '' : ` in ${duration(ms)}`;
}

/** What a critic found is what the verdict goes by, so it is told at more length; so is what the guard found, before the agent's words. */
const MOST_FOUND = { agent: 100, guard: 300, critic: 400 };

function finishedLine(data: TaskFinished, run: RunState | null, options: ProgressOptions, session: string): Told {
  const { task, status, findings, error, head, files, outputs } = data;
  if (status === 'failed') return [`${task} failed${took(task, options)}: ${withLeft(lineOf(error, 300), data.left)}`, 'bad'];
  const merged = head === undefined ? '' : `, ${changed(files)} merged`;
  const isCritic = run !== null && findTask(run, task)?.role === run.started.critic;
  const isGuarded = (data.breaches ?? []).length > 0;
  const found = lineOf(findings, isCritic ? MOST_FOUND.critic : isGuarded ? MOST_FOUND.guard : MOST_FOUND.agent);
  const hasFailed = isCritic && run.started.command !== undefined && outputs['exit_status'] !== '0';
  const more =
    hasFailed && !findings.endsWith(PRINTED_NOTHING)
      ? `${/[.!?]$/.test(found) ? '' : '.'} All it printed: umpire logs ${shellWord(session)} ${shellWord(task)}`
      : '';
  return [`${task} completed${took(task, options)}${merged}${found === '' ? '' : `: ${found}`}${more}`, hasFailed ? 'bad' : 'good'];
}

/** `3 files (a.ts, b.ts, c.ts)`. */
function changed(files: readonly string[] | undefined): string {
  if (files === undefined || files.length === 0) return 'no files';
  return `${count(files.length, 'file')} (${named(files)})`;
}

function keptSoFar(files: readonly string[] | undefined): string {
  return files === undefined || files.length === 0 ? '' : `, its work so far kept (${named(files)})`;
}

/** What came to nothing, and where it is all the same. */
function withLeft(words: string, left: UnmergedWork | undefined): string {
  if (left === undefined) return words;
  const stop = /[.!?]$/.test(words) ? '' : '.';
  const kept =
    left.goesOn === true
      ? `What was changed by then (${named(left.files)}) is kept, and there when it goes on`
      : `What it had changed (${named(left.files)}) is kept as commit ${lineOf(left.commit.slice(0, 12))}`;
  return `${words}${stop} ${kept}`;
}

function named(files: readonly string[]): string {
  const first = files.slice(0, 4).map((file) => lineOf(file, 80));
  return first.join(', ') + (files.length > 4 ? ` and ${files.length - 4} more` : '');
}

/** How often it has been put off, and may be, tells whether that is worth a look. */
function postponedLine({ task, why, waitMs, left }: Extract<Recorded, { type: 'TaskPostponed' }>['data'], run: RunState | null): string {
  const times = run === null ? 1 : (findTask(run, task)?.postponed ?? 1);
  const most = Math.max(times, run?.settings.retries ?? 0);
  return `${task} is tried again in ${duration(waitMs)} (${times} of ${most}): ${withLeft(lineOf(why, 300), left)}`;
}

function keptAs(kept: string): string {
  return kept === '' ? '' : `. It is kept as ${kept}`;
}

function judgingFailedLine(run: RunState | null, data: Extract<Recorded, { type: 'JudgingFailed' }>['data']): Told {
  const again = (run?.unjudgeable.get(data.task) ?? 1) === 1 ? 'It runs once more.' : `${data.hint}${meanwhile(run)}`;
  return [`${data.task} left nothing to judge (rule ${data.rule}): ${lineOf(data.message, 300)} ${again}`, 'bad'];
}

/** A person is to be asked, and not yet. Where all others are put off, that is now. */
function meanwhile(run: RunState | null): string {
  const isPause = run !== null && run.waiting.size > 0 && run.running.size === 0;
  return run !== null && run.front < run.open.length && !isPause && awaitedQuestion(run) === null
    ? ' (you are asked once what does not hang on it is done)'
    : '';
}

function calledLine(run: RunState | null, key: string, session: string): Told {
  const question = run === null ? null : (run.questions.find((one) => one.key === key) ?? currentQuestion(run));
  if (run === null || question === null) return null;
  const view = questionView(run, question, session);
  const words = `a person is needed: ${lineOf(view.what, 300)}.${moreWords(view)}`;
  if (!hasOtherWork(run)) return [words, 'call', answerLines(view)];
  const first = `Meanwhile ${putOff(run).slice(2) || 'it goes on'}. To answer now, stop it first: Ctrl-C keeps the pause.`;
  return [`${words} ${first}`, 'call', answerLines(view)];
}

function answeredLine(data: PersonAnswered): Told {
  const granted = grantWords(data);
  const why = lineOf(data.reason, 200);
  const mark = data.answer === 'force-approve' ? ', unverified' : '';
  return `answered by ${data.by}: ${data.answer}${granted === '' ? '' : ` (${granted})`}${mark}${why === '' ? '' : `: ${why}`}`;
}

/** Where a chain that is to go on goes nowhere. */
const BAD_COURSES: ReadonlySet<string> = new Set(['stalled', 'oscillating', 'diverging']);

function verdictLine(verdict: Verdict, critic: string | null, run: RunState | null): Told {
  const { decision, round, maxRounds, rule, reason, unverified, status, tasks, outcome, trend } = verdict;
  const marks = [...(status === 'partial' ? ['partial'] : []), ...(unverified ? ['unverified'] : [])];
  const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  const next = outcome === 'revise' && tasks.length > 0 ? ` Next: ${named(tasks.map(({ id }) => id))}.` : '';
  const more = outcome === 'escalate' ? meanwhile(run) : next;
  // Where it still stands was just said in the reason.
  const why = lineOf((trend?.why ?? '').replace(/; still .*$/, '.'), 200);
  const course = trend !== undefined && BAD_COURSES.has(trend.kind) && outcome === 'revise' ? ` ${why}` : '';
  const text = `${critic ?? 'the session'} judged: ${decision}${mark}, round ${round} of ${maxRounds}, rule ${rule}. ${lineOf(reason, 400)}${course}${more}`;
  return [text, outcome === 'escalate' ? 'call' : outcome === 'revise' ? 'plain' : 'good'];
}

function endedLine(data: Extract<Recorded, { type: 'SessionEnded' }>['data'], session: string, run: RunState | null): Told {
  const mark = data.unverified ? ', unverified' : '';
  const steps = stepLines(nextSteps({ session, state: data.outcome }, run));
  return [`ended: ${data.outcome}${mark}. ${sentence(data.reason)}`.trimEnd(), data.outcome === 'complete' ? 'good' : 'bad', steps];
}

/** With its full stop and a space after it; nothing, where there is nothing to say. */
function sentence(text: string): string {
  const line = lineOf(text, 400);
  return line === '' ? '' : `${line}${/[.!?]$/.test(line) ? '' : '.'} `;
}

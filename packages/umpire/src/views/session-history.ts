// The history of a session from its journal, in order: who did a task and how long it took, answers of people, edits, and
// discarded or reverted work.

import { ANSWERS } from '@umpire/core/model/questions.js';
import { millisecondsOf } from '@umpire/core/formats/timestamp.js';
import type { Recorded, Breach, UnmergedWork, PersonAnswered, RetrialRecord, TaskFinished } from '@umpire/core/decider/events.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import { describeFinding } from '@umpire/core/formats/finding-text.js';
import { describeRevert } from '@umpire/core/decider/revert-words.js';
import { retrialLines } from './guard-page.js';
import { inline } from './safe-text.js';
import { grantWords } from './session-question.js';
import { count, duration, viaWords } from './words.js';
import type { Clock } from './words.js';
import { addToList } from '@umpire/core/formats/multimap.js';

export interface TaskRun {
  readonly attempt: number;
  readonly agent: string;
  readonly ending: 'completed' | 'failed' | 'asked' | 'blocked' | 'stopped' | 'postponed' | 'limited' | 'cut off' | 'running';
  /** Null while it runs, and if it was cut off. */
  readonly ms: number | null;
  readonly tokens: number;
  readonly costUsd: number;
  /** What the agent did not report: `tokens`, `cost`. */
  readonly unknown: readonly string[];
  /** How the old and the new tests ran on its work, a line for each run. */
  readonly retrial: readonly string[];
}

export interface History {
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  readonly runs: ReadonlyMap<string, readonly TaskRun[]>;
  /** The time of each verdict, by its journal line. */
  readonly givenAt: ReadonlyMap<number, string>;
  /** Each a line of Markdown. */
  readonly people: readonly string[];
  readonly edits: readonly string[];
  readonly work: readonly string[];
  readonly processes: readonly string[];
}

export function readHistory(events: readonly Recorded[], clock: Clock): History {
  const recorder = new HistoryRecorder(clock);
  for (const event of events) recorder.note(event);
  const { runs, givenAt, people, edits, work, processes } = recorder;
  return { firstAt: events[0]?.ts ?? null, lastAt: events.at(-1)?.ts ?? null, runs, givenAt, people, edits, work, processes };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface OpenRun extends Mutable<TaskRun> {
  startedMs: number;
}

type RecordedData<T> = Extract<Recorded, { readonly type: T }>['data'];
type Note<T> = (history: HistoryRecorder, data: RecordedData<T>, event: Recorded, at: string) => void;

const NOTES: { readonly [T in Recorded['type']]?: Note<T> } = {
  RunBegun: (history, { by, settings }, _, at) => {
    history.cutOff();
    history.processes.push(`${at}: ${inline(by)}, ${nameAgents(settings.agents)}`);
  },
  TaskStarted: (history, data, { ts }) => history.start(data, millisecondsOf(ts)),
  TaskSubmitted: (history, data, { ts }) => history.end(data, data.status, ts, data.usage),
  TaskFinished: (history, data, { ts }, at) => {
    history.end(data, data.status, ts, data.usage);
    if (data.retrial !== undefined) history.retried(data, data.retrial, at);
    for (const breach of data.breaches ?? []) history.work.push(`${at}: ${breachWords(data.task, breach)}`);
    history.leave(data, at);
  },
  TaskAsked: (history, data, { ts }, at) => {
    history.end(data, 'asked', ts, data.usage);
    history.people.push(`${at}: ${inline(data.task)} asked${keptWords(data)}: ${inline(data.question)}`);
  },
  TaskBlocked: (history, data, { ts }, at) => {
    history.end(data, 'blocked', ts, data.usage);
    history.people.push(`${at}: ${inline(data.task)} is blocked${keptWords(data)}: ${inline(data.reason)}`);
  },
  TaskInterrupted: (history, data, { ts }, at) => {
    history.end(data, 'stopped', ts, data.usage ?? NO_USAGE);
    history.leave(data, at);
  },
  TaskPostponed: (history, data, { ts }, at) => {
    history.end(data, 'postponed', ts, data.usage);
    history.processes.push(`${at}: ${inline(data.task)} postponed for ${duration(data.waitMs)}: ${inline(data.why)}`);
    history.leave(data, at);
  },
  TaskLimited: (history, data, { ts }, at) => {
    history.end(data, 'limited', ts, data.usage);
    history.processes.push(`${at}: ${inline(data.task)}: the plan of ${inline(data.agent)} is used up: ${inline(data.why)}`);
    history.leave(data, at);
  },
  TasksReopened: (history, { tasks, why }, _, at) =>
    history.processes.push(`${at}: ${inline(tasks.join(', '))} will run again: ${inline(why)}`),
  VerdictGiven: (history, { verdict }, { seq, ts }) => {
    history.givenAt.set(seq, ts);
    history.verdicts.set(seq, `${verdict.decision}, rule ${verdict.rule}`);
  },
  CapChanged: (history, { from, to, by }, _, at) => history.people.push(`${at}: cap changed from ${from} to ${to} (${inline(by)})`),
  ChainNamed: (history, { chain, by }, _, at) => history.people.push(`${at}: new chain ${inline(chain)} (${inline(by)})`),
  PersonAnswered: (history, data, _, at) => history.people.push(`${at}: ${history.answerWords(data)}`),
  FindingRuled: (history, data, _, at) => {
    const { finding, by, who, via, reason } = data;
    const from = `${inline(by)}${who === undefined ? '' : ` by ${inline(who)}`}${viaWords(via)}`;
    history.people.push(
      `${at}: **dismissed** the ${finding.severity} finding ${inline(describeFinding(finding))} (${from}): ${inline(reason)}`,
    );
  },
  PersonEdited: (history, { files, commit, via }, _, at) =>
    history.people.push(
      `${at}: manual changes${viaWords(via)}, ${filesWords(files)}${commit === '' ? '' : `, commit ${inline(commit.slice(0, 12))}`}`,
    ),
  TasksEdited: (history, { told }, _, at) => history.edits.push(`${at}: applied: ${inline(told.join('; '))}`),
  EditHeld: (history, { told, kept }, _, at) =>
    history.edits.push(`${at}: held for a person: ${inline(told.join('; '))}; kept as ${inline(kept)}`),
  EditRefused: (history, { reason, kept }, _, at) =>
    history.edits.push(`${at}: refused: ${inline(reason)}${kept === '' ? '' : `; kept as ${inline(kept)}`}`),
  StrayChanges: (history, { files }, _, at) => history.work.push(`${at}: discarded changes that no task may make: ${filesWords(files)}`),
  WorkReverted: (history, data, _, at) => history.work.push(`${at}: ${revertWords(data)}`),
  KeptChangeTaken: (history, { task, files, ok }, _, at) =>
    history.work.push(
      `${at}: the reverted change of ${inline(task)} was ${ok ? 'accepted by a person and merged' : 'accepted by a person, but conflicts with later work'}: ${filesWords(files)}`,
    ),
  DamageReverted: (history, data, _, at) => {
    if (data.files.length > 0) history.work.push(`${at}: ${inline(describeRevert(data))}`);
  },
  JudgingFailed: (history, { task, rule, message }, _, at) =>
    history.processes.push(`${at}: ${inline(task)} left nothing to judge (rule ${inline(rule)}): ${inline(message)}`),
  RoundsRecalled: (history, _, __, at) => history.processes.push(`${at}: rounds missing from the journal were restored`),
};

class HistoryRecorder {
  readonly runs = new Map<string, OpenRun[]>();
  readonly givenAt = new Map<number, string>();
  readonly people: string[] = [];
  readonly edits: string[] = [];
  readonly work: string[] = [];
  readonly processes: string[] = [];
  /** Each verdict in a few words, by its journal line. */
  readonly verdicts = new Map<number, string>();
  private readonly open = new Set<OpenRun>();

  constructor(private readonly clock: Clock) {}

  note(event: Recorded): void {
    const note = NOTES[event.type] as Note<Recorded['type']> | undefined;
    note?.(this, event.data, event, this.clock.moment(event.ts));
  }

  /** Another process has resumed: earlier attempts no longer run. */
  cutOff(): void {
    for (const run of this.open) run.ending = 'cut off';
    this.open.clear();
  }

  start({ task, attempt, agent }: { task: string; attempt: number; agent: string }, startedMs: number): void {
    const run: OpenRun = { attempt, agent, ending: 'running', ms: null, tokens: 0, costUsd: 0, unknown: [], retrial: [], startedMs };
    addToList(this.runs, task, run);
    this.open.add(run);
  }

  end(
    { task, attempt }: { readonly task: string; readonly attempt: number },
    ending: TaskRun['ending'],
    ts: string,
    usage: TaskFinished['usage'],
  ): void {
    const run = this.runs.get(task)?.findLast((one) => one.attempt === attempt);
    if (run === undefined) return;
    // Submitted work ends a second time when it is merged.
    if (run.ending === 'running') run.ms = millisecondsOf(ts) - run.startedMs;
    run.ending = ending;
    this.open.delete(run);
    run.tokens += usage.tokens;
    run.costUsd += usage.costUsd;
    run.unknown = [...run.unknown, ...(usage.unknown ?? [])];
  }

  retried({ task, attempt }: { readonly task: string; readonly attempt: number }, record: RetrialRecord, at: string): void {
    const lines = retrialLines(record);
    const run = this.runs.get(task)?.findLast((one) => one.attempt === attempt);
    if (run !== undefined) run.retrial = lines;
    this.work.push(`${at}: retrial of the work of ${inline(task)}: ${inline(lines.join('; '))}`);
  }

  /** Notes unfinished work that is kept. */
  leave({ task, attempt, left }: { readonly task: string; readonly attempt: number; readonly left?: UnmergedWork }, at: string): void {
    if (left === undefined) return;
    const commit = inline(left.commit.slice(0, 12));
    this.work.push(
      `${at}: changes of attempt ${attempt} of ${inline(task)} kept as commit ${commit}, ${left.goesOn === true ? 'for the next attempt' : 'not merged'}: ${filesWords(left.files)}`,
    );
  }

  answerWords(data: PersonAnswered): string {
    const { key, answer, reason, by, who, via, goal } = data;
    const from = `${inline(by)}${who === undefined ? '' : ` by ${inline(who)}`}${viaWords(via)}`;
    const mark = ANSWERS[answer].isWaiver === true ? ' (**unverified**)' : '';
    const granted = grantWords(data);
    const words = [goal === undefined ? '' : `the goal is now "${inline(goal)}"`, inline(reason)].filter((text) => text.trim() !== '');
    const why = words.length === 0 ? '' : `: ${words.join('; ')}`;
    return `**${inline(answer)}**${mark} on ${this.aboutKey(key)}${granted === '' ? '' : `, ${granted}`} (${from})${why}`;
  }

  /** The subject of a question, by its key. */
  private aboutKey(key: string): string {
    const colon = key.indexOf(':');
    const [kind, rest] = colon < 0 ? [key, ''] : [key.slice(0, colon), key.slice(colon + 1)];
    if (kind === 'verdict') return `the verdict ${inline(this.verdicts.get(Number(rest)) ?? 'unknown')} (journal line ${inline(rest)})`;
    if (kind === 'edit') return `the wait for an edit after ${this.aboutKey(rest)}`;
    const [about = ''] = rest.split(':');
    if (kind === 'plan') return `the plan of ${inline(about)}`;
    if (kind === 'evidence') return `the missing evidence of ${inline(about)}`;
    if (kind === 'question') return `the question of ${inline(about)}`;
    if (kind === 'limit') return `the used-up plan for ${inline(about)}`;
    if (kind === 'blocked') return `the blocked task ${inline(about)}`;
    if (kind === 'edits') return 'the held edit of tasks.csv';
    return kind === 'budget' ? `the budget (${inline(about)})` : 'the session';
  }
}

export function nameAgents(agents: Readonly<Record<string, string>>): string {
  const names = Object.entries(agents).map(([role, agent]) => (role === '*' ? inline(agent) : `${inline(agent)} (${inline(role)})`));
  return names.length === 0 ? 'no agent named' : `agents: ${names.join(', ')}`;
}

function keptWords({ commit, files = [] }: { readonly commit?: string; readonly files?: readonly string[] }): string {
  return commit === undefined ? '' : ` (${filesWords(files)} kept as commit ${inline(commit.slice(0, 12))})`;
}

/** `2 files: a.ts, b.ts`. */
export function filesWords(files: readonly string[]): string {
  if (files.length === 0) return 'no files';
  const rest = files.length - 20;
  return `${count(files.length, 'file')}: ${inline(files.slice(0, 20).join(', '))}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function revertWords({ tasks, files, ok, verdict }: Extract<Recorded, { type: 'WorkReverted' }>['data']): string {
  const work = `the work of ${inline(tasks.join(', '))}, which made things worse (verdict on journal line ${verdict})`;
  return ok ? `reverted ${work}` : `could not revert ${work}: ${filesWords(files)}`;
}

function breachWords(task: string, { rule, file, line, message, taken, level }: Breach): string {
  const what = `${inline(rule)} at ${inline(`${file}:${line}`)} in the work of ${inline(task)}: ${inline(message)}`;
  if (level === 'note') return `the guard noted ${what}`;
  return taken === null ? `the guard found and kept ${what}` : `the guard reverted (by ${taken}) ${what}`;
}

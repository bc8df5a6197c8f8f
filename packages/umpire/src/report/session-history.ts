// What the state of a session no longer holds and its journal tells: who did a task and how long it took, what people said, what
// was edited, thrown away and taken back. In the order in which it happened.

import { millisecondsOf } from '@umpire/core/formats/timestamp.js';
import type { Recorded, Breach, UnmergedWork, PersonAnswered, TaskFinished } from '@umpire/core/decider/events.js';
import { NO_USAGE } from '@umpire/core/ports.js';
import { inline } from './foreign-text.js';
import { grantWords } from './session-question.js';
import { count, duration } from './words.js';
import type { Clock } from './words.js';
import { addToList } from '@umpire/core/formats/multimap.js';

/** One run of one task. */
export interface TaskRun {
  readonly attempt: number;
  readonly agent: string;
  readonly ending: 'completed' | 'failed' | 'asked' | 'stopped' | 'put off' | 'cut off' | 'running';
  /** Null while it runs, and where it was cut off. */
  readonly ms: number | null;
  readonly tokens: number;
  readonly costUsd: number;
}

export interface History {
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  readonly runs: ReadonlyMap<string, readonly TaskRun[]>;
  /** By verdict's line: when it was given. */
  readonly givenAt: ReadonlyMap<number, string>;
  /** Each a line of Markdown. */
  readonly people: readonly string[];
  readonly edits: readonly string[];
  readonly work: readonly string[];
  readonly processes: readonly string[];
}

export function historyOf(events: readonly Recorded[], clock: Clock): History {
  const book = new Book(clock);
  for (const event of events) book.note(event);
  const { runs, givenAt, people, edits, work, processes } = book;
  return { firstAt: events[0]?.ts ?? null, lastAt: events.at(-1)?.ts ?? null, runs, givenAt, people, edits, work, processes };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface OpenRun extends Mutable<TaskRun> {
  startedMs: number;
}

type DataOf<T> = Extract<Recorded, { readonly type: T }>['data'];
type Note<T> = (book: Book, data: DataOf<T>, event: Recorded, at: string) => void;

/** What is worth remembering of each kind of event. The others change nothing here. */
const NOTES: { readonly [T in Recorded['type']]?: Note<T> } = {
  RunBegun: (book, { by, settings }, _, at) => {
    book.cutOff();
    book.processes.push(`${at}: ${inline(by)}, ${agentsOf(settings.agents)}`);
  },
  TaskStarted: (book, data, { ts }) => book.start(data, millisecondsOf(ts)),
  TaskSubmitted: (book, data, { ts }) => book.end(data, data.status, ts, data.usage),
  TaskFinished: (book, data, { ts }, at) => {
    book.end(data, data.status, ts, data.usage);
    for (const breach of data.breaches ?? []) book.work.push(`${at}: ${breachWords(data.task, breach)}`);
    book.leave(data, at);
  },
  TaskAsked: (book, data, { ts }, at) => {
    book.end(data, 'asked', ts, data.usage);
    book.people.push(`${at}: ${inline(data.task)} asked${keptWords(data)}: ${inline(data.question)}`);
  },
  TaskInterrupted: (book, data, { ts }, at) => {
    book.end(data, 'stopped', ts, data.usage ?? NO_USAGE);
    book.leave(data, at);
  },
  TaskPostponed: (book, data, { ts }, at) => {
    book.end(data, 'put off', ts, data.usage);
    book.processes.push(`${at}: ${inline(data.task)} put off for ${duration(data.waitMs)}: ${inline(data.why)}`);
    book.leave(data, at);
  },
  TasksReopened: (book, { tasks, why }, _, at) => book.processes.push(`${at}: ${inline(tasks.join(', '))} to be run again: ${inline(why)}`),
  VerdictGiven: (book, { verdict }, { seq, ts }) => {
    book.givenAt.set(seq, ts);
    book.verdicts.set(seq, `${verdict.decision}, rule ${verdict.rule}`);
  },
  CapChanged: (book, { from, to, by }, _, at) => book.people.push(`${at}: the cap was changed from ${from} to ${to} (${inline(by)})`),
  ChainNamed: (book, { chain, by }, _, at) => book.people.push(`${at}: ${inline(chain)} was named as a chain of its own (${inline(by)})`),
  PersonAnswered: (book, data, _, at) => book.people.push(`${at}: ${book.answerWords(data)}`),
  PersonEdited: (book, { files, commit }, _, at) =>
    book.people.push(`${at}: work by hand, ${filesWords(files)}${commit === '' ? '' : `, commit ${inline(commit.slice(0, 12))}`}`),
  TasksEdited: (book, { told }, _, at) => book.edits.push(`${at}: taken up: ${inline(told.join('; '))}`),
  EditRefused: (book, { reason, kept }, _, at) =>
    book.edits.push(`${at}: refused: ${inline(reason)}${kept === '' ? '' : `; kept as ${inline(kept)}`}`),
  StrayChanges: (book, { files }, _, at) =>
    book.work.push(`${at}: thrown away, since tasks that only read had changed it: ${filesWords(files)}`),
  WorkReverted: (book, data, _, at) => book.work.push(`${at}: ${revertWords(data)}`),
  JudgingFailed: (book, { task, rule, message }, _, at) =>
    book.processes.push(`${at}: ${inline(task)} left nothing to judge (rule ${inline(rule)}): ${inline(message)}`),
  RoundsRecalled: (book, _, __, at) => book.processes.push(`${at}: rounds that the journal had lost were counted again`),
};

class Book {
  readonly runs = new Map<string, OpenRun[]>();
  readonly givenAt = new Map<number, string>();
  readonly people: string[] = [];
  readonly edits: string[] = [];
  readonly work: string[] = [];
  readonly processes: string[] = [];
  /** By line: the verdict in a few words. */
  readonly verdicts = new Map<number, string>();
  private readonly open = new Set<OpenRun>();

  constructor(private readonly clock: Clock) {}

  note(event: Recorded): void {
    const note = NOTES[event.type] as Note<Recorded['type']> | undefined;
    note?.(this, event.data, event, this.clock.moment(event.ts));
  }

  /** Another process goes on: what ran is not running any more. */
  cutOff(): void {
    for (const run of this.open) run.ending = 'cut off';
    this.open.clear();
  }

  start({ task, attempt, agent }: { task: string; attempt: number; agent: string }, startedMs: number): void {
    const run: OpenRun = { attempt, agent, ending: 'running', ms: null, tokens: 0, costUsd: 0, startedMs };
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
    // Submitted work is finished a second time when it is merged.
    if (run.ending === 'running') run.ms = millisecondsOf(ts) - run.startedMs;
    run.ending = ending;
    this.open.delete(run);
    run.tokens += usage.tokens;
    run.costUsd += usage.costUsd;
  }

  /** What came to nothing is kept: people may want it. */
  leave({ task, attempt, left }: { readonly task: string; readonly attempt: number; readonly left?: UnmergedWork }, at: string): void {
    if (left === undefined) return;
    const commit = inline(left.commit.slice(0, 12));
    this.work.push(
      `${at}: kept in commit ${commit} ${left.goesOn === true ? 'for the next attempt' : 'and not merged'}, what attempt ${attempt} of ${inline(task)} had changed: ${filesWords(left.files)}`,
    );
  }

  answerWords(data: PersonAnswered): string {
    const { key, answer, reason, by, who } = data;
    const from = who === undefined ? inline(by) : `${inline(by)} by ${inline(who)}`;
    const mark = answer === 'force-approve' ? ' (**unverified**)' : '';
    const granted = grantWords(data);
    const why = reason.trim() === '' ? '' : `, because: ${inline(reason)}`;
    return `**${inline(answer)}**${mark} on ${this.aboutKey(key)}${granted === '' ? '' : `, ${granted}`} (${from})${why}`;
  }

  /** What a question's key speaks of, for people. */
  private aboutKey(key: string): string {
    const [kind, rest] = split(key);
    if (kind === 'verdict') return `the verdict of line ${inline(rest)} (${inline(this.verdicts.get(Number(rest)) ?? 'unknown')})`;
    if (kind === 'edit') return `the wait for an edit after ${this.aboutKey(rest)}`;
    const [about = ''] = rest.split(':');
    if (kind === 'plan') return `the plan of ${inline(about)}`;
    if (kind === 'evidence') return `missing evidence of ${inline(about)}`;
    if (kind === 'question') return `the question of ${inline(about)}`;
    return kind === 'budget' ? `the budget (${inline(about)})` : 'the session';
  }
}

function split(key: string): readonly [string, string] {
  const colon = key.indexOf(':');
  return colon < 0 ? [key, ''] : [key.slice(0, colon), key.slice(colon + 1)];
}

export function agentsOf(agents: Readonly<Record<string, string>>): string {
  const names = Object.entries(agents).map(([role, agent]) => (role === '*' ? inline(agent) : `${inline(role)} by ${inline(agent)}`));
  return names.length === 0 ? 'no agent named' : `agents: ${names.join(', ')}`;
}

function keptWords({ commit, files = [] }: { readonly commit?: string; readonly files?: readonly string[] }): string {
  return commit === undefined ? '' : `, with ${filesWords(files)} kept in commit ${inline(commit.slice(0, 12))}`;
}

/** `2 files: a.ts, b.ts`. */
export function filesWords(files: readonly string[]): string {
  if (files.length === 0) return 'no files';
  const rest = files.length - 20;
  return `${count(files.length, 'file')}: ${inline(files.slice(0, 20).join(', '))}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function revertWords({ tasks, files, ok, verdict }: Extract<Recorded, { type: 'WorkReverted' }>['data']): string {
  const work = `the work of ${inline(tasks.join(', '))}, since the verdict of line ${verdict} found it worse`;
  return ok ? `taken back: ${work}` : `could not be taken back: ${work} (${filesWords(files)})`;
}

function breachWords(task: string, { rule, file, line, message, taken }: Breach): string {
  const what = `${inline(rule)} at ${inline(`${file}:${line}`)} in the work of ${inline(task)}: ${inline(message)}`;
  return taken === null ? `found and left: ${what}` : `taken back by ${taken}, since the guard forbids it: ${what}`;
}

// One simulation: a session that is started, run, killed, resumed and answered until it ends, with the real decider and the real run
// loop in a simulated world. Properties of the running session are checked here, properties of all its events in sim-checks.ts.

import { isDeepStrictEqual } from 'node:util';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { answerEvents } from '@umpire/core/decider/answers.js';
import { fold } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { JOURNAL_VERSION } from '@umpire/core/decider/events.js';
import type { Event, Recorded } from '@umpire/core/decider/events.js';
import type { Question } from '@umpire/core/model/questions.js';
import { awaitedQuestion, currentQuestion } from '@umpire/core/decider/question.js';
import { dismissFinding, openFindings } from '@umpire/core/decider/rulings.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { CHAIN_START, parseJournal } from '@umpire/core/formats/journal.js';
import type { Agent, Assignment } from '@umpire/core/model/ports.js';
import { judgeCritic } from '@umpire/umpire/sessions/judge-round.js';
import type { CriticToJudge, CriticJudgment } from '@umpire/umpire/sessions/judge-round.js';
import { keepJournal } from '@umpire/umpire/sessions/journal-writer.js';
import type { Journal } from '@umpire/umpire/sessions/journal-writer.js';
import { NO_TRACES } from '@umpire/core/decider/rounds.js';
import type { EvidenceStore } from '@umpire/umpire/sessions/gather-evidence.js';
import { runSession } from '@umpire/umpire/sessions/run-session.js';
import { Backstage, castAgent } from './sim-agents.js';
import { SeededRandom } from './sim-random.js';
import { SimSessionFiles } from './sim-session-files.js';
import { Person } from './sim-person.js';
import { beginningOf, mostSteps } from './sim-plan.js';
import type { SimPlan } from './sim-plan.js';
import { Repository, openRepository } from './sim-workspace.js';
import { shorten } from './sim-event-text.js';
import { Broken, Killed, Process, World } from './sim-world.js';

/** A deliberate fault that the checks must find. Each wraps a part that is passed to the run loop. */
export interface Fault {
  /** The process continues without recording it. */
  readonly forgetsRunBegun?: true;
  /** The part of an appended text that reaches the disk. */
  readonly append?: (text: string) => string;
  readonly tellsEarly?: true;
  /** New text is appended to an incomplete last line. */
  readonly keepsTorn?: true;
  readonly flush?: (flush: () => void) => void;
  /** Changes the state after each event, live and replayed alike. */
  readonly state?: (state: SessionState, event: Event) => void;
  /** Changes the live state only. */
  readonly live?: (state: SessionState, event: Event) => void;
  readonly record?: (event: Event) => readonly Event[];
  /** Recorded by each process before it resumes the session. */
  readonly first?: Event;
  readonly critic?: (critic: CriticToJudge) => CriticToJudge;
  readonly judgment?: (judgment: CriticJudgment) => CriticJudgment;
  readonly agent?: (agent: Agent) => Agent;
}

/** A cheap hash of a line's start, end and length. The real hash, tested elsewhere, would take most of the time. */
export function cheapHash(text: string): string {
  let a = 0x811c9dc5;
  let b = text.length;
  const look = (at: number) => {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  };
  for (let i = 0; i < Math.min(text.length, 80); i++) look(i);
  for (let i = Math.max(0, text.length - 80); i < text.length; i++) look(i);
  return ((a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')).padStart(64, '0');
}

export const ROLE = { path: 'roles/judge.md', sha256: '0'.repeat(64) };

type Prelude = (journal: Journal) => void;

interface Kept {
  readonly journal: Journal;
  readonly past: readonly Recorded[];
  /** The process is dead. */
  readonly end: () => void;
}

export class Simulation {
  readonly world: World;
  readonly backstage = new Backstage();
  readonly repository = new Repository();
  readonly legs = { done: 0 };
  /** Milliseconds in which a process ran the session. */
  activeMs = 0;
  private readonly person: Person;
  private readonly files: SimSessionFiles;
  private readonly chance: SeededRandom;
  private readonly ruling: SeededRandom;
  private stopsLeft: number;
  private started = new Set<string>();
  private submitted = new Set<string>();
  private durable = 0;
  /** The events and the state of the process before. */
  private before: { readonly recorded: readonly Recorded[]; readonly live: SessionState } | null = null;

  constructor(
    readonly plan: SimPlan,
    private readonly fault: Fault = {},
  ) {
    const { seed, turmoil } = plan;
    this.world = new World(seed, turmoil, mostSteps(plan));
    this.chance = new SeededRandom(seed).apart('session');
    this.ruling = new SeededRandom(seed).apart('rulings');
    this.person = new Person(plan, new SeededRandom(seed).apart('person'));
    this.files = new SimSessionFiles(this.world, this.person, plan.loop.columns.out);
    this.stopsLeft = turmoil.stops;
  }

  /** Runs until the session has ended, and returns the events on the disk. */
  async play(): Promise<readonly Recorded[]> {
    let isCalm = false;
    for (;;) {
      const process = new Process(++this.legs.done);
      const kept = this.open(process);
      const { state } = kept.journal;
      const isFailed = state.run?.ended?.outcome === 'failed';
      if (state.run?.ended != null && !(isFailed && this.person.retries())) return kept.past;
      this.world.note(`process ${process.number}`);
      const prelude = isFailed ? (journal: Journal) => this.retry(journal) : this.answerTo(state, isCalm);
      isCalm = await this.leg(process, kept, prelude);
    }
  }

  /** A person acts before the session is resumed. `isCalm`: the process before ended by itself. */
  private comesFirst(state: SessionState, isCalm: boolean): Question | null {
    const { run } = state;
    const question = run === null ? null : currentQuestion(run);
    if (question === null) {
      if (isCalm) throw new Broken('hangs', 'the session rests, and waits for nobody');
      return null;
    }
    // A person may answer although the process died while it asked.
    if (!isCalm && this.chance.hits(0.5)) return null;
    if (isCalm && (run?.called.has(question.key) !== true || awaitedQuestion(run) === null))
      throw new Broken('hangs', `the session rests on ${question.key}, and nobody was called, or it does not say so`);
    return question;
  }

  private answerTo(state: SessionState, isCalm: boolean): Prelude | null {
    const question = this.comesFirst(state, isCalm);
    if (question === null) return null;
    this.world.nowMs += this.chance.within(1, 600) * 60_000;
    const blunder = this.person.blunder(question);
    if (blunder !== null) this.refuses(state, blunder);
    this.files.edit(0.3);
    const dismissals = this.dismissals(state);
    const given = this.person.answer(state.run as RunState, question);
    if (given === 'edit') {
      this.repository.byHand.add('src/a.ts');
      this.world.note('  a person mends by hand');
      return null;
    }
    this.world.note(`  a person answers ${given.answer} to ${question.key}`);
    return (journal) => {
      journal.record(...dismissals);
      journal.record(...answerEvents(journal.state, 'simulation', given));
      journal.flush();
    };
  }

  /** A person dismisses some of the open findings. */
  private dismissals(state: SessionState): readonly Event[] {
    if (!this.ruling.hits(0.4)) return [];
    const open = openFindings(state).filter(({ refusal }) => refusal === null && this.ruling.hits(0.5));
    const prints = new Set(open.map(({ finding }) => finding.fingerprint));
    return [...prints].map((finding) => dismissFinding(state, 'simulation', { finding, reason: 'It is fine.', by: 'dismiss' }));
  }

  private refuses(state: SessionState, given: Parameters<typeof answerEvents>[2]): void {
    try {
      answerEvents(state, 'simulation', given);
    } catch (error) {
      if (isUmpireError(error) && error.code === 'answer-refused') return;
      throw error;
    }
    throw new Broken('answers', `${given.answer} was taken`);
  }

  private retry(journal: Journal): void {
    const run = journal.state.run as RunState;
    if (run.ended?.outcome !== 'failed') return;
    const again = run.tasks
      .filter((task) => task.status === 'failed' || (task.status === 'skipped' && task.skippedBy !== 'verdict'))
      .map((task) => task.id);
    if (again.length > 0) journal.record({ type: 'TasksReopened', data: { tasks: again, why: 'A person retries the failed tasks.' } });
  }

  /** Runs one process from start to end. Returns true if it ended by itself. */
  private async leg(process: Process, kept: Kept, prelude: Prelude | null): Promise<boolean> {
    const { world } = this;
    const { signal } = process.stop;
    const work = this.goOn(process, kept.journal, prelude);
    if (this.stopsLeft > 0 && this.chance.hits(0.5)) {
      this.stopsLeft--;
      world.after(this.chance.within(0, 900) * 1000, () => this.stop(process));
    }
    const end = await world.drive(process, work);
    process.isAlive = false;
    kept.end();
    if (end !== 'done' && end !== 'killed' && !isAccident(end.error)) throw end.error;
    world.nowMs += this.chance.within(0, 100) * 1000;
    return end === 'done' && !signal.aborted;
  }

  private stop(process: Process): void {
    if (!process.isAlive) return;
    this.world.had.stops++;
    this.world.note('  Ctrl-C');
    process.stop.abort();
  }

  /** The journal on the disk, without an incomplete last line. */
  private read(): { readonly events: readonly Recorded[]; readonly head: string } {
    const parsed = parseJournal(this.world.journal, JOURNAL_VERSION, cheapHash);
    if (!parsed.ok) throw new Broken('journal', `line ${parsed.fault.line} is broken`);
    const { events, head, goodLength } = parsed.journal;
    if (this.fault.keepsTorn !== true) this.world.journal = this.world.journal.slice(0, goodLength);
    // A session whose first events are incomplete never started: nobody was told of it.
    if (events.length > 0 && !events.some(({ type }) => type === 'RunBegun')) {
      this.world.journal = '';
      return { events: [], head: CHAIN_START };
    }
    if (events.length < this.world.told) throw new Broken('lost', `${this.world.told} events were told of, and ${events.length} are left`);
    return { events: events as readonly Recorded[], head };
  }

  /** The journal of a process. It ends with the process. */
  private open(process: Process): Kept {
    const { world, fault } = this;
    const past = this.read();
    const recorded: Recorded[] = [];
    for (const event of past.events) this.know(event);
    this.durable = past.events.length;
    const now = () => new Date(world.nowMs);
    const kept = keepJournal(
      { state: fold(past.events), lines: past.events.length, head: past.head },
      {
        append: (text) => world.append(process, fault.append?.(text) ?? text),
        sync: () => world.touchLater(process, 'syncing', () => undefined),
        now,
        elapsedMs: () => world.nowMs,
        tell: (event) => {
          this.know(event);
          this.durable = event.seq;
          world.told = Math.max(world.told, event.seq);
        },
        hash: cheapHash,
        key: null,
      },
    );
    this.compare(past.events, kept.state);
    if (fault.state !== undefined) for (const event of past.events) fault.state(kept.state, event);
    const journal: Journal = {
      get state() {
        return kept.state;
      },
      record: (...events) =>
        world.touch(process, `recording ${events.map(({ type }) => type).join()}`, 'call', () => {
          for (const event of fault.record === undefined ? events : events.flatMap(fault.record)) {
            const seq = kept.state.events + 1;
            world.note(() => `${seq} ${shorten(event)}`);
            kept.record(event);
            fault.state?.(kept.state, event);
            fault.live?.(kept.state, event);
            recorded.push({ ...event, seq, ts: now().toISOString() });
            if (fault.tellsEarly === true) world.told = kept.state.events;
            if (event.type === 'RunBegun') process.begunMs = world.nowMs;
          }
        }),
      flush: () => world.touch(process, 'flushing', 'call', () => (fault.flush === undefined ? kept.flush() : fault.flush(kept.flush))),
      settle: () => (fault.flush === undefined ? kept.settle() : world.touchLater(process, 'settling', () => fault.flush?.(kept.flush))),
    };
    const end = () => {
      this.activeMs += process.begunMs === null ? 0 : world.nowMs - process.begunMs;
      this.before = { recorded, live: kept.state };
    };
    return { journal, past: past.events, end };
  }

  /** The state from the disk equals the live state of the process before, apart from events that did not reach the disk. */
  private compare(past: readonly Recorded[], told: SessionState): void {
    if (this.before === null || this.fault.state !== undefined) return;
    const { recorded, live } = this.before;
    const lost = recorded.filter(({ seq }) => seq > past.length);
    const replayed = lost.length === 0 ? told : fold([...past, ...(JSON.parse(JSON.stringify(lost)) as readonly Recorded[])]);
    if (!isDeepStrictEqual(replayed, live)) throw new Broken('replay', difference(replayed, live));
  }

  /** The events on the disk. */
  private know(event: Recorded): void {
    if (event.type === 'TaskStarted') this.started.add(`${event.data.task}#${event.data.attempt}`);
    if (event.type === 'TaskSubmitted') this.submitted.add(event.data.commit);
  }

  /** Runs a session as the real process does. */
  private async goOn(process: Process, journal: Journal, prelude: Prelude | null): Promise<void> {
    const { world, plan, repository, chance, fault } = this;
    prelude?.(journal);
    if (journal.state.run === null) journal.record(...beginningOf(plan));
    if (this.isOver(journal.state)) return;
    const workspace =
      plan.writers.length === 0
        ? null
        : openRepository(repository, world, process, chance, {
            onMerge: (task, commit) => {
              if (!this.submitted.has(commit))
                throw new Broken('undurable', `the work of ${task} is merged before the journal knows of it`);
            },
          });
    const opening = workspace === null ? null : await workspace.open();
    const { settings } = journal.state.run as unknown as RunState;
    if (fault.first !== undefined && process.number > 1) journal.record(fault.first);
    if (fault.forgetsRunBegun !== true || process.number === 1)
      journal.record({ type: 'RunBegun', data: { run: `run-${process.number}`, by: 'resume', settings, head: opening?.head ?? null } });
    if (currentQuestion(journal.state.run as unknown as RunState)?.kind === 'edit') {
      const edit = workspace === null ? (prelude === null ? { commit: '', files: [] } : null) : await workspace.takeEdit('mended');
      if (edit !== null) journal.record({ type: 'PersonEdited', data: { commit: edit.commit, files: edit.files } });
    }
    const chanceOfAgents = chance.apart(`agents ${process.number}`);
    const company = chance.apart(`company ${process.number}`);
    await runSession({
      session: '/session',
      journal,
      files: this.files.open(
        process,
        () => journal.state,
        (seq) => this.mustKnow(seq),
      ),
      judge: (task) => world.touch(process, `judging ${task}`, 'call', () => this.judge(task, journal.state)),
      takeEvidence: () => null,
      endStrays: () => undefined,
      agentFor: (role) => {
        const onCall = (assignment: Assignment) => this.onCall(assignment, journal.state);
        const agent = castAgent(role, { plan, world, process, repository, backstage: this.backstage, chance: chanceOfAgents, onCall });
        return fault.agent?.(agent) ?? agent;
      },
      workspace,
      call: () =>
        world.touchLater(process, 'calling a person', () => {
          this.mustKnow(journal.state.events);
          return 'nobody';
        }),
      signal: process.stop.signal,
      concurrent: { count: () => company.within(1, 3) },
      nowMs: () => world.nowMs,
      elapsedMs: () => world.nowMs,
      after: (ms, act) => world.after(ms, () => (process.isAlive ? act() : undefined)),
    });
  }

  private isOver({ run }: SessionState): boolean {
    return run !== null && run.ended !== null;
  }

  private judge(task: string, state: SessionState): CriticJudgment {
    const critic: CriticToJudge = { state, task, store: storeIn(this.world), role: ROLE, traces: NO_TRACES, anomalies: [] };
    const judgment = judgeCritic(this.fault.critic?.(critic) ?? critic);
    return this.fault.judgment?.(judgment) ?? judgment;
  }

  private mustKnow(seq: number): void {
    if (seq > this.durable) throw new Broken('undurable', `line ${seq} is acted upon, and ${this.durable} lines are durable`);
  }

  private onCall({ task, attempt, prevContext }: Assignment, state: SessionState): void {
    const call = `${task.id}#${attempt}`;
    if (!this.started.has(call)) throw new Broken('undurable', `the agent of ${call} is called before the journal knows of it`);
    const run = state.run as RunState;
    for (const { id, findings } of prevContext)
      if (findings !== (run.tasks[run.at.get(id) ?? -1]?.row['findings'] ?? ''))
        throw new Broken('context', `${call} is told something else of ${id}`);
  }
}

function isAccident(error: unknown): boolean {
  if (error instanceof Killed) return true;
  if (isUmpireError(error) && error.code === 'write-failed') return true;
  return error instanceof Error && error.message === 'An agent has a bug.';
}

export function storeIn(world: World): EvidenceStore {
  return {
    isReached: () => true,
    read: (path) => {
      const text = world.files.get(path);
      return text === undefined ? { kind: 'missing' } : { kind: 'bytes', bytes: Buffer.from(text) };
    },
    gradeOf: () => 'testified',
    list: (folder) => [...world.files.keys()].flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [])),
    board: (_, type) => ({ state: 'ok', entries: world.board.filter((entry) => entry.type === type) }),
  };
}

/** The first place where two states differ. */
export function difference(was: unknown, is: unknown, path = 'state'): string {
  if (isDeepStrictEqual(was, is)) return '';
  const entriesOf = (value: unknown): ReadonlyMap<unknown, unknown> | null => {
    if (value instanceof Map) return value;
    if (value instanceof Set) return new Map([...value].map((entry) => [entry, true]));
    return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
  };
  const [a, b] = [entriesOf(was), entriesOf(is)];
  if (a !== null && b !== null)
    for (const key of new Set([...a.keys(), ...b.keys()])) {
      const found = difference(a.get(key), b.get(key), `${path}.${String(key)}`);
      if (found !== '') return found;
    }
  return `${path} is ${show(was)} by the journal and ${show(is)} live`;
}

function show(value: unknown): string {
  return value instanceof Map || value instanceof Set ? show([...value]) : (JSON.stringify(value) ?? String(value)).slice(0, 120);
}

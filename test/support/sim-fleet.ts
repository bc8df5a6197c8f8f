// One simulated fleet: a session, three conductors that do not know of each other, workers that are lost and come back, and messages that
// are dropped, doubled, late and reordered. Conductors, decider and attempts are the real ones; engine, agents and repository are simulated.

import { isUmpireError } from '@umpire/core/model/errors.js';
import { NEW_SESSION } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Event, SessionStarted } from '@umpire/core/decider/events.js';
import { currentQuestion } from '@umpire/core/decider/question.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { NO_TRACES } from '@umpire/core/decider/rounds.js';
import { createConduct } from '@umpire/umpire/engine/conductor.js';
import type { ConductorParts } from '@umpire/umpire/engine/conductor.js';
import type { BlobStore, TaskClaim, Conduct, Input, Offer, SessionTurn } from '@umpire/umpire/engine/engine.js';
import type { Told } from '@umpire/umpire/engine/messages.js';
import { sha256 } from '@umpire/umpire/sessions/hash.js';
import { journalOf } from '@umpire/umpire/sessions/journal-file.js';
import { judgeCritic } from '@umpire/umpire/sessions/judge-round.js';
import type { RunPorts } from '@umpire/umpire/sessions/run-ports.js';
import { runTask } from '@umpire/umpire/sessions/run-task.js';
import { Backstage, castAgent } from './sim-agents.js';
import { Person } from './sim-person.js';
import { beginningOf } from './sim-plan.js';
import type { SimPlan } from './sim-plan.js';
import { SeededRandom } from './sim-random.js';
import { ROLE, storeIn } from './sim-session.js';
import { Repository, openRepository } from './sim-workspace.js';
import { Broken, Process, World } from './sim-world.js';

const MOST_STEPS = 20_000;
const SESSION = 'simulation';

interface Leased {
  readonly claim: TaskClaim;
  readonly stop: AbortController;
  /** The worker knows that it holds the lease. */
  isConfirmed: boolean;
}

interface Queued {
  readonly input: Input;
  /** Called with the reply of the first turn that was committed for it: an engine keeps the first. */
  answer?: ((reply: unknown) => void) | undefined;
}

export class FleetSimulation {
  readonly world: World;
  readonly had = { dropped: 0, doubled: 0, late: 0, reordered: 0, lost: 0, crashed: 0 };
  lines: string[] = [];
  private readonly chance: SeededRandom;
  private readonly person: Person;
  private readonly repository = new Repository();
  private readonly backstage = new Backstage();
  private readonly conductors: readonly Conduct[];
  private readonly blobs: BlobStore = {
    put: (bytes) => Promise.resolve(sha256(Buffer.from(bytes))),
    get: () => Promise.resolve(new Uint8Array()),
  };
  private queue: Queued[] = [];
  private offers: readonly Offer[] = [];
  private leases: Leased[] = [];
  private wakeAtMs: number | null = null;
  private summary: SessionTurn['summary'] = null;
  private readonly started = new Set<string>();
  private tokens = 0;
  private fault: unknown = null;

  constructor(private readonly plan: SimPlan) {
    this.world = new World(plan.seed, { kills: 0, fulls: 0 }, Number.POSITIVE_INFINITY);
    this.chance = new SeededRandom(plan.seed).apart('fleet');
    this.person = new Person(plan, new SeededRandom(plan.seed).apart('person'));
    const parts: ConductorParts = {
      checkStart: () => undefined,
      serves: () => true,
      openBranch: () =>
        Promise.resolve(openRepository(this.repository, this.world, new Process(0), this.chance, { onMerge: () => undefined })),
      judge: (_, state, task) =>
        Promise.resolve(judgeCritic({ state, task, store: storeIn(this.world), role: ROLE, traces: NO_TRACES, anomalies: [] })),
    };
    this.conductors = [0, 1, 2].map(() => createConduct(parts));
  }

  /** Runs until the session has ended and every message has arrived. Returns the state of its journal. */
  async play(): Promise<SessionState> {
    const [start] = beginningOf(this.plan) as readonly [Extract<Event, { type: 'SessionStarted' }>];
    const fleet = { remote: '', folder: '', needs: [], tenant: '', settings: '', roles: {} };
    const started: SessionStarted = { ...start.data, fleet };
    this.tell({ type: 'start', started });
    for (let step = 0; step < MOST_STEPS; step++) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      if (this.fault !== null) throw this.fault;
      if (!(await this.act())) return this.state();
    }
    throw new Broken('endless', `${MOST_STEPS} steps, and the session has not ended`);
  }

  private state(): SessionState {
    return this.lines.length === 0 ? NEW_SESSION : journalOf(Buffer.from(this.lines.map((line) => `${line}\n`).join(''))).state;
  }

  /** One event of the world. False: nothing is left to happen, and the session has ended. */
  private async act(): Promise<boolean> {
    const { chance, world } = this;
    const isEnded = this.summary !== null && !['running', 'awaiting'].includes(this.summary.state);
    if (this.queue.length > 0 && chance.hits(0.6)) {
      await this.deliver();
      return true;
    }
    if (this.offers.length > 0 && chance.hits(0.6)) {
      this.claim(chance.pick(this.offers));
      return true;
    }
    if (this.leases.length > 0 && chance.hits(0.04)) {
      this.expire(chance.pick(this.leases));
      return true;
    }
    if (this.wakeAtMs !== null && this.wakeAtMs <= world.nowMs) {
      this.wakeAtMs = null;
      this.push({ input: { kind: 'woken' } });
      return true;
    }
    if (chance.hits(0.7) && world.tick()) return true;
    if (this.queue.length > 0) {
      await this.deliver();
      return true;
    }
    if (this.offers.length > 0) {
      this.claim(chance.pick(this.offers));
      return true;
    }
    if (this.summary?.state === 'awaiting' && this.leases.length === 0) {
      this.answer();
      return true;
    }
    if (world.tick()) return true;
    if (this.leases.length > 0) {
      this.expire(chance.pick(this.leases));
      return true;
    }
    if (isEnded) return false;
    if (this.wakeAtMs !== null) {
      world.nowMs = Math.max(world.nowMs, this.wakeAtMs);
      return true;
    }
    throw new Broken('stuck', `the session is ${this.summary?.state ?? 'not started'}, and nothing can continue it`);
  }

  private push(queued: Queued): void {
    this.queue.push(queued);
    if (this.chance.hits(0.1)) {
      this.had.doubled++;
      this.queue.push(queued);
    }
  }

  /** A client repeats a message until it is answered. */
  private tell(message: unknown): void {
    this.queue.push({
      input: { kind: 'told', message },
      answer: (reply) => {
        const told = reply as Told;
        // For a question that somebody cannot answer on an engine, the person ends the session.
        if (!told.ok && told.error.code === 'engine-by-hand') this.tell({ type: 'answer', given: abort() });
      },
    });
  }

  private async deliver(): Promise<void> {
    const { chance, had } = this;
    const at = chance.hits(0.2) ? chance.below(this.queue.length) : 0;
    if (at > 0) had.reordered++;
    const queued = this.queue[at] as Queued;
    const length = this.lines.length;
    const so = {
      session: SESSION,
      length,
      lines: (from: number) => Promise.resolve(this.lines.slice(from, length)),
      nowMs: this.world.nowMs,
      blobs: this.blobs,
    };
    const turn = await chance.pick(this.conductors)(so, queued.input);
    if (turn === null) throw new Broken('left', 'a conductor left the input to others');
    if (chance.hits(0.08)) {
      // It died before its turn was committed: the input comes again.
      had.crashed++;
      return;
    }
    this.queue = this.queue.toSpliced(at, 1);
    this.commit(turn, queued.input);
    queued.answer?.(turn.reply);
    queued.answer = undefined;
  }

  private commit(turn: SessionTurn, input: Input): void {
    for (const line of turn.lines) {
      const { type, data } = JSON.parse(line) as Event;
      if (type !== 'TaskStarted') continue;
      const start = `${data.task}#${data.attempt}`;
      if (this.started.has(start)) throw new Broken('twice', `${start} began twice`);
      this.started.add(start);
    }
    this.lines.push(...turn.lines);
    this.offers = turn.offers;
    this.wakeAtMs = turn.wakeAtMs;
    this.summary = turn.summary;
    for (const leased of this.leases) {
      const { task, attempt, token } = leased.claim;
      const isOwnClaim = input.kind === 'claimed' && input.claim.token === token;
      if (isOwnClaim && turn.reply !== null) leased.isConfirmed = true;
      if (!turn.running.some((one) => one.task === task && one.attempt === attempt) && leased.isConfirmed) this.drop(leased);
    }
  }

  private drop(leased: Leased): void {
    leased.stop.abort('the lease was lost');
    this.leases = this.leases.filter((other) => other !== leased);
  }

  private claim(offer: Offer): void {
    const claim = { task: offer.task, attempt: offer.attempt, worker: `worker-${this.chance.below(3)}`, token: `t${++this.tokens}` };
    const leased: Leased = { claim, stop: new AbortController(), isConfirmed: false };
    this.offers = this.offers.filter((other) => other !== offer);
    this.leases.push(leased);
    this.push({
      input: { kind: 'claimed', claim },
      answer: (reply) => {
        if (reply === null) this.leases = this.leases.filter((other) => other !== leased);
        else void this.work(leased);
      },
    });
  }

  /** Its worker is frozen or cut off. It may still hand in later. */
  private expire(leased: Leased): void {
    if (!leased.isConfirmed) return;
    this.had.lost++;
    this.leases = this.leases.filter((other) => other !== leased);
    if (this.chance.hits(0.5)) leased.stop.abort('the lease was lost');
    this.push({ input: { kind: 'lost', claim: leased.claim, why: 'its worker did not answer' } });
  }

  /** An attempt as the real worker runs it. */
  private async work(leased: Leased): Promise<void> {
    const { claim, stop } = leased;
    const { chance, plan, world, repository } = this;
    try {
      const state = this.state();
      const run = state.run as RunState;
      const process = new Process(1);
      const workspace = plan.writers.length === 0 ? null : openRepository(repository, world, process, chance, { onMerge: () => undefined });
      const ports = {
        session: '/session',
        journal: { state },
        files: { roleText: (role: string) => `You are the ${role}.`, logFor: () => () => undefined },
        workspace,
        takeEvidence: () => null,
      } as unknown as RunPorts;
      const onCall = () => {
        if (!this.started.has(`${claim.task}#${claim.attempt}`))
          throw new Broken('unstarted', `${claim.task} runs before its start is committed`);
      };
      const task = findTask(run, claim.task) as TaskState;
      const agent = castAgent(task.role, { plan, world, process, repository, backstage: this.backstage, chance, onCall });
      const [event] = await runTask(ports, { task, attempt: claim.attempt, agent, conversation: null, stop: stop.signal });
      if (this.chance.hits(0.05)) {
        // It never arrives. The lease expires.
        this.had.dropped++;
        return;
      }
      if (!this.leases.includes(leased)) this.had.late++;
      this.push({ input: { kind: 'handed-in', claim, result: { events: [event], folder: { files: {}, board: null } } } });
    } catch (error) {
      if (error instanceof Broken) this.fault = error;
      // Its own fault: it gives the attempt back.
      else this.push({ input: { kind: 'lost', claim, why: isUmpireError(error) ? error.message : 'a bug' } });
    }
  }

  private answer(): void {
    const run = this.state().run as RunState;
    const question = currentQuestion(run);
    if (question === null) throw new Broken('stuck', 'the session waits for a person, and asks nothing');
    const given = this.person.answer(run, question);
    this.tell({ type: 'answer', given: given === 'edit' ? abort() : given, seen: question.key });
  }
}

function abort() {
  return { answer: 'abort', reason: 'A person says so.', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve' } as const;
}

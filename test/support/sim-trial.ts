// One trial: runs a simulation to its end, checks its events, and describes a failure.

import { NEW_SESSION, evolve } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { checkLine } from '@umpire/umpire/sessions/journal-lines.js';
import { EventChecks } from './sim-checks.js';
import { planOf } from './sim-plan.js';
import type { Turmoil } from './sim-plan.js';
import { rejudge } from './sim-rejudge.js';
import { Simulation } from './sim-session.js';
import type { Fault } from './sim-session.js';
import { Broken } from './sim-world.js';

/** How often things happened in many trials. A case that never happens is not tested. */
export type Tally = Map<string, number>;

export function count(tally: Tally, what: string, times = 1): void {
  if (times > 0) tally.set(what, (tally.get(what) ?? 0) + times);
}

export interface Failure {
  readonly kind: string;
  readonly text: string;
}

export interface TrialOptions {
  readonly turmoil?: Partial<Turmoil>;
  readonly fault?: Fault;
  readonly tally?: Tally;
}

/** The failure of this seed, or null. */
export async function tryOut(seed: number, { turmoil = {}, fault = {}, tally }: TrialOptions = {}): Promise<Failure | null> {
  const simulation = new Simulation(planOf(seed, turmoil), fault);
  try {
    const events = await simulation.play();
    inspect(simulation, events, tally);
    return null;
  } catch (error) {
    const kind = error instanceof Broken ? error.kind : 'crash';
    const detail = error instanceof Broken ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind, text: `${detail}\n${tell(simulation)}` };
  }
}

/** The most time that a killed process may leave unrecorded. */
const UNTOLD_MS = 61_000;

function inspect(simulation: Simulation, events: readonly Recorded[], tally: Tally | undefined): void {
  const { plan, world, repository } = simulation;
  const story = new EventChecks(plan);
  for (const event of events) story.see(event);
  story.finishStory();
  let state: SessionState = NEW_SESSION;
  for (const event of events) {
    const { fault } = checkLine(event, state);
    if (fault !== null) throw new Broken('journal', `line ${event.seq}: ${fault}`);
    if (event.type === 'VerdictGiven') rejudge(state, event.data, world.blobs);
    state = evolve(state, event);
    if (tally !== undefined) tallyEvent(tally, event);
  }
  const run = state.run as RunState;
  sameCells(story, run, plan.loop.columns.in);
  if (run.activeMs > simulation.activeMs)
    throw new Broken('minutes', `${run.activeMs} ms are counted as active, and a process was there for ${simulation.activeMs} ms`);
  const unknownMs = simulation.legs.done * UNTOLD_MS;
  // On a full disk, a process that waits for its agents cannot record anything.
  if (world.had.fulls === 0 && run.activeMs < simulation.activeMs - unknownMs)
    throw new Broken('minutes', `${run.activeMs} ms are counted as active, and processes were there for ${simulation.activeMs} ms`);
  const merged = new Set(
    events.flatMap((event) => (event.type === 'TaskFinished' && event.data.head !== undefined ? [event.data.commit ?? ''] : [])),
  );
  for (const commit of repository.branch)
    if (repository.commits.has(commit) && !merged.has(commit) && run.ended?.outcome !== 'aborted')
      throw new Broken('undurable', `${commit} is on the branch, and the journal does not know of it`);
  if (tally !== undefined) tallyWhole(tally, simulation, events);
}

/** An agent's result does not change the definition of its task. */
function sameCells(story: EventChecks, run: RunState, columns: readonly string[]): void {
  for (const task of run.tasks) {
    const cells = story.tasks.get(task.id)?.cells;
    if (cells === undefined) throw new Broken('cells', `nobody made the task ${task.id}`);
    for (const name of ['title', 'description', 'role', 'context_from', 'exec_mode', ...columns])
      if ((task.row[name] ?? '') !== (cells[name] ?? ''))
        throw new Broken('cells', `${name} of ${task.id} is ${task.row[name]}, and ${cells[name]} was said`);
  }
}

function tallyEvent(tally: Tally, event: Recorded): void {
  count(tally, event.type);
  if (event.type === 'VerdictGiven') count(tally, `${event.data.verdict.outcome} ${event.data.verdict.rule}`);
  if (event.type === 'VerdictGiven' && (event.data.verdict.dismissed ?? []).length > 0) count(tally, 'judged without dismissed');
  if (event.type === 'SessionEnded') count(tally, `ended ${event.data.outcome}${event.data.unverified ? ' unverified' : ''}`);
  if (event.type === 'PersonAnswered') count(tally, `answered ${event.data.answer} to ${event.data.key.split(':')[0] ?? ''}`);
}

function tallyWhole(tally: Tally, { world, backstage, legs, plan }: Simulation, events: readonly Recorded[]): void {
  count(tally, 'trials');
  count(tally, `${plan.loop.loop} ${plan.mode}`);
  count(tally, 'events', events.length);
  count(tally, 'processes', legs.done);
  for (const [what, times] of Object.entries(world.had)) count(tally, what, times);
  for (const [kind, times] of backstage.kinds) count(tally, `agent ${kind}`, times);
}

/** The recorded events and the accidents, in short form. */
function tell({ plan, world }: Simulation): string {
  const { loop, mode, cap, rows, settings, turmoil } = plan;
  const graph = rows.map(
    (row) =>
      `${row['id'] ?? ''} (${row['role'] ?? ''}${row['exec_mode'] === 'interactive' ? ', interactive' : ''}) <- ${row['deps'] ?? ''}`,
  );
  return [
    `${loop.loop} ${mode}, cap ${cap}, ${JSON.stringify({ ...settings, agents: undefined })}`,
    JSON.stringify(turmoil),
    ...graph,
    ...world.story.map((part) => (typeof part === 'string' ? part : part())),
  ].join('\n');
}

/** The same seed with the fewest accidents that still cause the same failure. */
async function simplify(seed: number, failure: Failure, fault: Fault = {}): Promise<Failure> {
  let least = failure;
  let turmoil: Partial<Turmoil> = {};
  for (const concern of ['kills', 'fulls', 'stops', 'edits', 'retries', 'extensions', 'mischief', 'answers'] as const) {
    const less = { ...turmoil, [concern]: 0 };
    const again = await tryOut(seed, { turmoil: less, fault });
    if (again?.kind !== failure.kind) continue;
    turmoil = less;
    least = again;
  }
  return least;
}

/** The result of many trials: how often things happened, and the first failure in its shortest form. */
export interface Trials {
  readonly tally: Tally;
  readonly failure: string | null;
}

/** Every `step`-th seed from `first` on, below `end`. */
export async function tryMany(first: number, end: number, step = 1): Promise<Trials> {
  const tally: Tally = new Map();
  for (let seed = first; seed < end; seed += step) {
    const failure = await tryOut(seed, { tally });
    if (failure !== null) return { tally, failure: `seed ${seed}: ${(await simplify(seed, failure)).text}` };
  }
  return { tally, failure: null };
}

// The plan of one simulation: a loop, a task graph (a mode of the loop, or any shape), the limits of the run, the quality of its
// agents, and how much goes wrong. All of it follows from the seed.

import { RUN_SETTINGS, usualValues } from '@umpire/core/model/options.js';
import { chainsOf } from '@umpire/core/decider/chains.js';
import type { Event, RunSettings } from '@umpire/core/decider/events.js';
import { parseTasks, printTasks, tasksColumns } from '@umpire/core/formats/tasks-csv.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { buildPipeline } from '@umpire/core/loops/pipeline.js';
import { builtinPipeline } from '@umpire/core/loops/builtin-pipelines.js';
import { sha256 } from '@umpire/umpire/sessions/hash.js';
import { SeededRandom } from './sim-random.js';

type Cells = Readonly<Record<string, string>>;

/** How often each kind of accident or human action happens. To shrink a failure, each one is reduced in turn. */
export interface Turmoil {
  readonly kills: number;
  readonly fulls: number;
  /** Ctrl-C. */
  readonly stops: number;
  readonly edits: number;
  /** The number of answers before the person aborts. */
  readonly answers: number;
  readonly extensions: number;
  readonly retries: number;
  /** The share of agents that fail, hang or return invalid results. */
  readonly mischief: number;
}

export interface SimPlan {
  readonly seed: number;
  readonly loop: Loop;
  readonly mode: string;
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
  readonly gates: readonly string[];
  readonly writers: readonly string[];
  readonly judged: boolean;
  readonly settings: RunSettings;
  readonly cap: number;
  readonly target: number;
  /** The share of critics that approve. */
  readonly goodness: number;
  readonly turmoil: Turmoil;
  /** A role whose agent behaves the same in every call. */
  readonly stubborn: { readonly role: string; readonly manner: 'gives-up' | 'asks' | 'hangs' | 'fails' | 'late' | 'twice' | 'busy' } | null;
}

interface Graph {
  readonly loop: Loop;
  readonly mode: string;
  readonly rows: readonly Cells[];
  readonly gates: readonly string[];
  readonly writers: readonly string[];
  readonly judged: boolean;
}

const LOOPS = ['design', 'testing', 'debt', 'review', 'brainstorm'] as const;

const GRAPHS: readonly Graph[] = LOOPS.flatMap((name) => {
  const loop = builtinLoop(name);
  const pipeline = builtinPipeline(name);
  if (loop === null || pipeline === null) throw new Error(`There is no built-in loop ${name}.`);
  return Object.keys(pipeline.modes).map((mode) => {
    const { rows, gates, judged } = buildPipeline(pipeline, mode, { goal: 'simulate' });
    return { loop, mode, rows, gates, writers: pipeline.writes, judged };
  });
});

export function planOf(seed: number, turmoil: Partial<Turmoil> = {}): SimPlan {
  const chance = new SeededRandom(seed).apart('plan');
  const known = chance.pick(GRAPHS);
  const graph = chance.hits(0.35) ? known : anyGraph(known, chance);
  const { loop } = graph;
  const isCalm = chance.hits(0.1);
  const columns = tasksColumns(loop.columns.in, loop.columns.out);
  return {
    ...graph,
    seed,
    columns,
    rows: parseTasks(printTasks(columns, graph.rows)).tasks.map((task) => task.columns),
    settings: settingsOf(chance),
    cap: chance.hits(0.6) ? loop.cap.default : chance.within(1, 4),
    target: chance.hits(0.7) ? (loop.target?.default ?? 0) : 90,
    goodness: chance.pick([0, 0.2, 0.5, 0.8]),
    stubborn: chance.hits(0.08)
      ? {
          role: chance.pick([loop.roles.critic, loop.roles.generator, 'thinker']),
          manner: chance.pick(['gives-up', 'asks', 'hangs', 'fails', 'late', 'twice', 'busy'] as const),
        }
      : null,
    turmoil: {
      kills: isCalm ? 0 : chance.pick([0, 1, 1, 1, 2, 2, 4]),
      fulls: isCalm ? 0 : chance.pick([0, 0, 0, 1, 1, 2]),
      stops: isCalm ? 0 : chance.pick([0, 0, 1, 2]),
      edits: isCalm ? 0 : chance.pick([0, 0, 1, 2, 3]),
      answers: chance.pick([0, 1, 2, 3, 6]),
      extensions: chance.within(0, 2),
      retries: chance.within(0, 1),
      mischief: isCalm ? 0 : chance.pick([0.02, 0.1, 0.3]),
      ...turmoil,
    },
  };
}

function settingsOf(chance: SeededRandom): RunSettings {
  return {
    ...usualValues(RUN_SETTINGS),
    agents: { '*': 'simulated' },
    agentCommand: null,
    concurrency: chance.within(1, 4),
    maxMinutes: chance.hits(0.2) ? chance.within(5, 60) : null,
    maxCostUsd: chance.hits(0.15) ? chance.within(1, 8) : null,
    maxTokens: chance.hits(0.15) ? chance.within(100, 4000) : null,
    stopWhenStalled: chance.hits(0.2),
    strict: chance.hits(0.2),
    yes: chance.hits(0.5),
    retries: chance.hits(0.7) ? chance.within(0, 2) : 0,
  };
}

/** A random graph with the roles of a loop: several critics, parallel writers, plans to approve, conversations. */
function anyGraph({ loop, writers }: Graph, chance: SeededRandom): Graph {
  const { generator, critic } = loop.roles;
  const family = { design: 'AUDIT', testing: 'TESTRUN', debt: 'TDVAL', review: 'REVIEW', brainstorm: 'CHALLENGE' }[loop.loop] ?? 'CHECK';
  const count = chance.within(2, 6);
  const rows: Cells[] = [];
  const gates: string[] = [];
  let critics = 0;
  for (let n = 1; n <= count; n++) {
    const isCritic = rows.length > 0 && (chance.hits(0.3) || (n === count && critics === 0));
    const role = isCritic ? critic : chance.hits(0.6) ? generator : chance.pick(['thinker', ...writers]);
    if (isCritic) critics++;
    const id = isCritic ? `${family}-${String(critics).padStart(3, '0')}` : `${chance.pick(['DO', 'MAKE'])}-${n}`;
    const before = rows.map((row) => row['id'] ?? '');
    const deps = before.filter(() => chance.hits(1.4 / (before.length + 0.5)));
    const context = deps.filter(() => chance.hits(0.5));
    if (!isCritic && chance.hits(0.12)) gates.push(id);
    rows.push({
      ...ownColumns(loop, chance, critics),
      id,
      title: id,
      description: `Do ${id}.`,
      role,
      deps: deps.join(';'),
      context_from: context.join(';'),
      exec_mode: !isCritic && chance.hits(0.15) ? 'interactive' : 'csv-wave',
      status: 'pending',
    });
  }
  return {
    loop,
    mode: 'any',
    rows,
    gates,
    writers: loop.loop === 'brainstorm' ? [] : [...writers, ...(chance.hits(0.3) ? ['thinker'] : [])],
    judged: chance.hits(0.95),
  };
}

function ownColumns(loop: Loop, chance: SeededRandom, critics: number): Cells {
  switch (loop.loop) {
    case 'testing':
      return { layer: chance.pick(['L1', 'L2', 'L3']), coverage_target: '80' };
    case 'review':
      return { sprint_num: String(chance.within(1, Math.max(1, critics))) };
    case 'brainstorm':
      return { gc_round: '0' };
    default:
      return {};
  }
}

/** The first events of a session, as a run writes them. */
export function beginningOf(plan: SimPlan): readonly Event[] {
  const { loop, mode, columns, rows, gates, writers, judged, settings, cap, target } = plan;
  const chains = chainsOf(loop, parseTasks(printTasks(columns, rows)).tasks);
  return [
    {
      type: 'SessionStarted',
      data: {
        session: 'simulation',
        loop: loop.loop,
        goal: 'simulate',
        project: '/project',
        loopFolder: null,
        mode,
        why: 'as asked',
        critic: loop.roles.critic,
        judged,
        columns,
        rows,
        gates,
        writers,
        settings,
        frozen: {
          hash: hashOf(loop),
          rules: loop,
          cap,
          chains,
          targets: loop.target === undefined ? {} : Object.fromEntries(chains.map((chain) => [chain, target])),
        },
        workspace: writers.length === 0 ? null : { kind: 'git', branch: 'umpire/simulation', base: 'h0' },
      },
    },
  ];
}

const hashes = new Map<string, string>();

function hashOf(loop: Loop): string {
  const known = hashes.get(loop.loop) ?? sha256(JSON.stringify(loop));
  hashes.set(loop.loop, known);
  return known;
}

/** The most rounds that one extension grants. */
export const MOST_ROUNDS_GRANTED = 2;

/** The most tasks that one edit adds. */
export const MOST_TASKS_ADDED = 2;

/** The most files with findings; each file makes a task. */
const MOST_FILES = 3;

/** The upper bound of task starts: caps times chains, plus the repetitions by accidents and people. */
export function mostStarts({ rows, loop, cap, settings, turmoil }: SimPlan): number {
  const { kills, fulls, stops, edits, answers, extensions, retries } = turmoil;
  const critics = rows.filter((row) => row['role'] === loop.roles.critic).length + edits * MOST_TASKS_ADDED;
  const rounds = critics * (cap + extensions * MOST_ROUNDS_GRANTED);
  const tasks = rows.length + edits * MOST_TASKS_ADDED + rounds * (MOST_FILES + 1);
  // An agent that throws stops the run, as a full disk does. The limit of minutes stops it once for each time it is raised.
  const breaks = kills + fulls + stops + answers + MOST_THROWS;
  const tries = 1 + (settings.retries ?? 0);
  return ((tasks + critics + rounds) * (1 + retries) + answers * 2) * tries + breaks * settings.concurrency;
}

/** The most agents that throw in one simulation. */
export const MOST_THROWS = 2;

/** The upper bound of steps: each task start makes a bounded number of calls and records. */
export function mostSteps(plan: SimPlan): number {
  return 60 * mostStarts(plan) + 400;
}

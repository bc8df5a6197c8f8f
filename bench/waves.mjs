// Waves of a large task graph against `toposort` (its array form). Each side gets the graph in the shape it asks for,
// made beforehand: tasks with the ids they wait for, or nodes and edges. Both answers are checked before any timing.

import toposort from 'toposort';
import { assert, atLeast, importSources, interleave, line, ms, seededRandom, timeMs } from './harness.mjs';

const TASKS = 100_000;
const DEPENDENCIES = 300_000;
const BAR = 3;
/** Met wherever the line is printed at all: a throw of ours ends the suite before. */
const NO_OVERFLOW = { text: 'no overflow', met: () => true };

/** A seeded random graph without cycles: dependencies point to lower numbers; rows come in shuffled order. */
function randomTasks(seed) {
  const random = seededRandom(seed);
  const deps = Array.from({ length: TASKS }, () => new Set());
  for (let count = 0; count < DEPENDENCIES;) {
    const task = 1 + Math.floor(random() * (TASKS - 1));
    const dependency = Math.floor(random() * task);
    if (deps[task].has(dependency)) continue;
    deps[task].add(dependency);
    count += 1;
  }
  const order = Array.from({ length: TASKS }, (_, index) => index);
  for (let index = TASKS - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [order[index], order[other]] = [order[other], order[index]];
  }
  const id = (number) => `TASK-${String(number).padStart(6, '0')}`;
  return order.map((number) => ({ id: id(number), deps: [...deps[number]].map(id) }));
}

/** Each task waits for the one before; the last one first in the file is the order that makes a recursion deep. */
const chainTasks = () => Array.from({ length: TASKS }, (_, index) => ({ id: `T${index}`, deps: index === 0 ? [] : [`T${index - 1}`] }));

const asGraph = (tasks) => [tasks.map(({ id }) => id), tasks.flatMap(({ id, deps }) => deps.map((dependency) => [dependency, id]))];

/** Every task is exactly one wave after the last of its dependencies. */
function checkWaves(tasks, result) {
  assert(result.ok === true && result.waves.length === tasks.length, `computeWaves answered ${JSON.stringify(result).slice(0, 200)}`);
  const waveOf = new Map(tasks.map(({ id }, index) => [id, result.waves[index]]));
  for (const { id, deps } of tasks) {
    const latest = deps.reduce((wave, dependency) => Math.max(wave, waveOf.get(dependency)), 0);
    assert(waveOf.get(id) === latest + 1, `${id} is in wave ${waveOf.get(id)}, after wave ${latest}`);
  }
}

function checkOrder(tasks, sorted) {
  const place = new Map(sorted.map((id, index) => [id, index]));
  assert(place.size === tasks.length, 'toposort lost tasks');
  for (const { id, deps } of tasks)
    assert(
      deps.every((dependency) => place.get(dependency) < place.get(id)),
      `toposort puts ${id} too early`,
    );
}

function attempt(work) {
  try {
    return ms(timeMs(work));
  } catch (error) {
    return error instanceof RangeError ? 'stack overflow' : error.message;
  }
}

export async function run({ runs = 9 } = {}) {
  const { computeWaves } = await importSources({ 'packages/core/src/decider/waves.ts': ['computeWaves'] });
  const tasks = randomTasks(7);
  const [nodes, edges] = asGraph(tasks);
  assert(edges.length === DEPENDENCIES, `the graph has ${edges.length} dependencies`);
  checkWaves(tasks, computeWaves(tasks));
  checkOrder(tasks, toposort.array(nodes, edges));
  const contenders = { ours: () => timeMs(() => computeWaves(tasks)), toposort: () => timeMs(() => toposort.array(nodes, edges)) };
  await interleave(contenders, 2);
  const taken = await interleave(contenders, runs);

  const chain = chainTasks();
  checkWaves(chain, computeWaves(chain));
  chain.reverse();
  checkWaves(chain, computeWaves(chain));
  return [
    line({
      name: 'waves of 100k tasks, 300k deps : toposort',
      ours: ms(taken.ours),
      theirs: ms(taken.toposort),
      ratio: taken.toposort / taken.ours,
      bar: atLeast(BAR),
    }),
    line({
      name: 'chain of 100k tasks : toposort',
      ours: attempt(() => computeWaves(chain)),
      theirs: attempt(() => toposort.array(...asGraph(chain))),
      bar: NO_OVERFLOW,
    }),
  ];
}

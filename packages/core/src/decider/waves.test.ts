import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growth } from '../../../../test/support/growth.js';
import { UmpireError } from '../model/errors.js';
import { parseTasks } from '../formats/tasks-csv.js';
import { checkGraph, computeWaves } from './waves.js';
import type { GraphProblem } from './waves.js';

type Spec = Readonly<Record<string, string>>;

/** `{A: '', B: 'A', C: 'A B'}`: ids and what they depend on. */
function nodes(spec: Spec): readonly { readonly id: string; readonly deps: readonly string[] }[] {
  return Object.entries(spec).map(([id, deps]) => ({ id, deps: deps.split(' ').filter((dep) => dep !== '') }));
}

function check(spec: Spec, expected: readonly number[]): void {
  expect(computeWaves(nodes(spec))).toEqual({ ok: true, waves: Int32Array.from(expected) });
}

function checkProblem(spec: Spec, kind: string, task: number, ids: readonly string[]): void {
  expect(computeWaves(nodes(spec))).toEqual({ ok: false, kind, task, ids });
}

/** The tasks that do not come after all of their dependencies. */
function tooEarly(tasks: ReturnType<typeof nodes>, waves: Int32Array): readonly string[] {
  const waveOf = new Map(tasks.map((task, index) => [task.id, waves[index] ?? 0]));
  return tasks.filter((task, index) => task.deps.some((dep) => (waveOf.get(dep) ?? 0) >= (waves[index] ?? 0))).map((task) => task.id);
}

/** What speaks against its being a cycle of the graph: steps that are no dependencies, ids named twice, a wrong start. */
function notACycle({ kind, task, ids }: GraphProblem, tasks: ReturnType<typeof nodes>): readonly string[] {
  const depsOf = new Map(tasks.map(({ id, deps }) => [id, deps]));
  const faults = ids.filter((id, index) => ids.indexOf(id) !== index || !depsOf.get(id)?.includes(ids[(index + 1) % ids.length] ?? ''));
  return kind === 'cycle' && ids.length > 1 && tasks[task]?.id === ids[0] ? faults : [kind, String(task), ...ids];
}

/** Rows of `id,deps,context_from,status`. */
function tasksOf(rows: string) {
  return parseTasks(`id,deps,context_from,status,description\n${rows.replaceAll(/$/gm, ',x')}\n`).tasks;
}

function checkRefused(rows: string, message: string, hint: string): void {
  let thrown: unknown;
  try {
    checkGraph(tasksOf(rows));
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UmpireError);
  const { code, message: said, hint: advice } = thrown as UmpireError;
  expect({ code, message: said, hint: advice }).toEqual({ code: 'tasks-malformed', message, hint });
}

test('a wave is one more than the highest of the dependencies', () => {
  check({}, []);
  check({ A: '' }, [1]);
  check({ C: 'A B', B: 'A', A: '', D: '' }, [3, 2, 1, 1]);
  check({ A: '', B: 'A A A', C: 'B A B' }, [1, 2, 3]);
  check({ A: '', B: '', C: 'A', D: 'C B', E: 'B' }, [1, 1, 2, 3, 2]);
});

test('says what is wrong with a graph that has no waves', () => {
  checkProblem({ A: '', B: 'A X' }, 'unknown', 1, ['X']);
  checkProblem({ A: '', B: 'toString' }, 'unknown', 1, ['toString']);
  checkProblem({ A: '', B: 'A B' }, 'self', 1, ['B']);
  checkProblem({ A: 'B', B: 'A' }, 'cycle', 0, ['A', 'B']);
  checkProblem({ X: '', D: 'A', A: 'X C', B: 'A', C: 'B' }, 'cycle', 2, ['A', 'C', 'B']);
  // The way around by B and C is a cycle as well; the short one is named.
  checkProblem({ A: 'B D', B: 'C', C: 'A', D: 'A' }, 'cycle', 0, ['A', 'D']);
  checkProblem({ E: 'C', A: 'B', B: 'A', C: 'D', D: 'C' }, 'cycle', 3, ['C', 'D']);
});

test('waves hold for every graph, in any order of the rows', () => {
  const graph = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 30 }).chain((edges) => {
    const made = edges.map((deps, index) => ({ id: `T${index}`, deps: index === 0 ? [] : deps.map((dep) => `T${dep % index}`) }));
    return fc.shuffledSubarray(made, { minLength: made.length });
  });
  fc.assert(
    fc.property(graph, (tasks) => {
      const result = computeWaves(tasks);
      if (!result.ok) throw new Error(result.kind);
      const waveOf = new Map(tasks.map((task, index) => [task.id, result.waves[index] ?? 0]));
      const expected = tasks.map((task) => 1 + Math.max(0, ...task.deps.map((dep) => waveOf.get(dep) ?? 0)));
      expect([...result.waves]).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
});

test('finds every cycle, and reports only cycles', () => {
  const graph = fc
    .integer({ min: 1, max: 12 })
    .chain((count) => fc.array(fc.array(fc.nat(count - 1), { maxLength: 3 }), { minLength: count, maxLength: count }));
  fc.assert(
    fc.property(graph, (edges) => {
      const tasks = edges.map((deps, index) => ({ id: `T${index}`, deps: deps.filter((dep) => dep !== index).map((dep) => `T${dep}`) }));
      const result = computeWaves(tasks);
      expect(result.ok ? tooEarly(tasks, result.waves) : notACycle(result, tasks)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test('a chain or a ring of 100,000 does not overflow the stack', () => {
  const count = 100_000;
  const chain = Array.from({ length: count }, (_, index) => ({ id: `T${index}`, deps: index === 0 ? [] : [`T${index - 1}`] }));
  const result = computeWaves(chain);
  expect(result.ok && result.waves[count - 1]).toBe(count);
  const ring = chain.map((task, index) => (index === 0 ? { id: task.id, deps: [`T${count - 1}`] } : task));
  const problem = computeWaves(ring);
  expect(problem.ok ? [] : [problem.kind, problem.task, problem.ids.length, ...problem.ids.slice(0, 2)]).toEqual([
    'cycle',
    0,
    count,
    'T0',
    `T${count - 1}`,
  ]);
});

test('checkGraph gives the waves, or the line and what to do', () => {
  const mend = 'add the missing task, or remove the id.';
  expect(checkGraph(tasksOf('A,,,\nB,A,A,\nC,A;B,A;B,'))).toEqual(Int32Array.of(1, 2, 3));
  checkRefused('A,,,\nB,A;X,,', 'tasks.csv:3: "B" depends on "X", which is not in the file.', `Correct the id in deps, ${mend}`);
  checkRefused('A,,,\nB,B,,', 'tasks.csv:3: "B" depends on itself.', 'Remove its own id from deps.');
  const untie = 'Remove one of these dependencies, so that one of the tasks can start.';
  checkRefused('X,,,\nA,B,,\nB,A,,', 'tasks.csv:3: tasks depend on each other in a cycle: A → B → A.', untie);
  checkRefused('A b,B,,\nB,A b,,', 'tasks.csv:2: tasks depend on each other in a cycle: "A b" → B → "A b".', untie);
  expect(() => checkGraph(tasksOf('A,X,,'), 'wave-2.csv')).toThrow('wave-2.csv:2: ');
});

test('a long cycle is shown by its beginning and its end', () => {
  const rows = Array.from({ length: 40 }, (_, index) => `T${index},T${(index + 1) % 40},,`).join('\n');
  const shown = 'T0 → T1 → T2 → T3 → T4 → T5 → T6 → T7 → … 29 more … → T37 → T38 → T39 → T0';
  expect(() => checkGraph(tasksOf(rows))).toThrow(`tasks.csv:2: tasks depend on each other in a cycle: ${shown}.`);
});

test('context must come from an earlier task, unless that one was skipped', () => {
  const wait = 'Add the id to deps as well, so that the task waits for it, or remove it from context_from.';
  const unknown = 'Correct the id in context_from, add the missing task, or remove the id.';
  checkRefused('A,,,\nB,A,X,', 'tasks.csv:3: "B" takes context from "X", which is not in the file.', unknown);
  checkRefused('A,,,\nB,,A,', 'tasks.csv:3: "B" (wave 1) takes context from "A" (wave 1), which is not earlier.', wait);
  checkRefused('A,,B,\nB,A,,', 'tasks.csv:2: "A" (wave 1) takes context from "B" (wave 2), which is not earlier.', wait);
  checkRefused('A,,A,completed', 'tasks.csv:2: "A" (wave 1) takes context from "A" (wave 1), which is not earlier.', wait);
  expect(checkGraph(tasksOf('A,,B,\nB,A,,skipped'))).toEqual(Int32Array.of(1, 2));
  expect(checkGraph(tasksOf('A,,,\nB,,,\nC,B,A,'))).toEqual(Int32Array.of(1, 1, 2));
});

test('eight times the tasks and dependencies take about eight times as long, not 64 times', () => {
  const graph = (size: number) =>
    Array.from({ length: size }, (_, index) => ({
      id: `T${index}`,
      deps: index === 0 ? [] : [index - 1, (index * 7919) % index, index >> 1].map((dep) => `T${dep}`),
    }));
  const [few, many] = [graph(25_000), graph(200_000)];
  expect(computeWaves(many).ok).toBe(true);
  expect(
    growth(
      () => computeWaves(few),
      () => computeWaves(many),
    ),
  ).toBeLessThan(32);
});

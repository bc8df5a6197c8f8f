// Who waits for a coroutine or a task in Python tests: names that are awaited later, functions that run what they are given, tests
// that an event loop runs.

import { isCoroutine } from './assertion.js';
import type { Env } from './scope.js';
import type { Expr, Stmt } from './tree.js';
import { descend, dotted, expressionsOf, lastName, positional, statementsIn } from './tree.js';

type Call = Extract<Expr, { type: 'Call' }>;

/** Give back something that has to be awaited itself. */
const PENDING =
  /^(create_task|ensure_future|run_coroutine_threadsafe|gather|wait_for|shield|wait|to_thread|call_soon|call_later|start_soon)$/;
/** Start what they are given by themselves. */
const STARTING = /^(create_task|ensure_future|start_soon)$/;
/** Look at a value, and wait for nothing. */
const LOOKING =
  /^(isinstance|iscoroutine|isawaitable|iscoroutinefunction|isfuture|print|repr|bool|type|id|callable|hasattr|len|str|suppress)$/;
const ASKED = /^(result|exception|send|throw|__await__)$/;
/** Asked of a task or coroutine, they leave its failure where it is. */
const DROPPING = /^(close|cancel|cancelled|done|add_done_callback|set_name|get_name)$/;
const FILLING = /^(append|add|extend|insert|put|put_nowait)$/;

/** The call leaves what it is given to somebody who awaits its own result. A group of tasks waits for them when it is left. */
export function leavesWaiting({ callee }: Call, env: Env): boolean {
  const name = lastName(callee);
  if (!PENDING.test(name)) return false;
  const owner = callee.type === 'Attribute' && callee.object.type === 'Name' ? env.find(callee.object.name) : null;
  return !(STARTING.test(name) && (owner?.access === '' || /group|nursery|^tg$/i.test(dotted(callee))));
}

/** Runs the function that it is given, with the arguments that follow: `anyio.run(scenario)`, `group.start_soon(check, 1)`. */
export function runsFunction({ callee, args }: Call): boolean {
  const name = dotted(callee);
  if (/^(anyio|trio|curio|asyncio)\.run$|(^|\.)(start_soon|to_thread)$|^anyio\.to_thread\.run_sync$/.test(name)) return args.length > 0;
  return false;
}

/** A coroutine, a task or a list of them: it comes to nothing unless somebody awaits it. */
export function isPending(node: Expr, env: Env): boolean {
  if (node.type === 'Call') return (PENDING.test(lastName(node.callee)) && leavesWaiting(node, env)) || isCoroutine(node, env, 0);
  if (node.type === 'List' || node.type === 'Tuple' || node.type === 'Set') return node.items.some((item) => isPending(item, env));
  return node.type === 'Comprehension' && node.elements.some((element) => isPending(element, env));
}

/** The member takes what it is asked of: `task(…).result()`, not `task(…).cancel()`. */
export function takes(member: string): boolean {
  return !DROPPING.test(member);
}

/** What a function does with its names. */
export interface Uses {
  /** Awaited, handed on, given back, asked for their result. */
  readonly taken: ReadonlySet<string>;
  /** Read at all. */
  readonly read: ReadonlySet<string>;
}

const KNOWN = new WeakMap<readonly Stmt[], Uses>();

export function usesOf(body: readonly Stmt[]): Uses {
  const known = KNOWN.get(body);
  if (known !== undefined) return known;
  const [taken, read] = [new Set<string>(), new Set<string>()];
  for (const statement of statementsIn(body, true)) {
    const whole = ['Return', 'Assign', 'For', 'With'].includes(statement.type);
    for (const expression of expressionsOf(statement)) {
      if (statement.type === 'Assign' && statement.targets.includes(expression)) continue;
      if (whole) namesHeld(expression, taken);
      look(expression, taken, read);
    }
  }
  const uses = { taken, read };
  KNOWN.set(body, uses);
  return uses;
}

function look(expression: Expr, taken: Set<string>, read: Set<string>): void {
  for (const node of descend(expression)) {
    if (node.type === 'Name') read.add(node.name);
    else if (node.type === 'Await') {
      for (const below of descend(node.value)) if (below.type === 'Name') taken.add(below.name);
    } else if (node.type === 'Yield') {
      if (node.value !== null) namesHeld(node.value, taken);
    } else if (node.type === 'Call') {
      if (!LOOKING.test(lastName(node.callee))) for (const { value } of node.args) namesHeld(value, taken);
    } else if (node.type === 'Attribute') {
      if (ASKED.test(node.name)) namesHeld(node.object, taken);
    } else if (node.type === 'Comprehension') for (const { over } of node.clauses) namesHeld(over, taken);
  }
}

/** Names that stand there as they are, or in a list. */
function namesHeld(node: Expr, names: Set<string>): void {
  if (node.type === 'Name') names.add(node.name);
  else if (node.type === 'List' || node.type === 'Tuple' || node.type === 'Set') for (const item of node.items) namesHeld(item, names);
  else if (node.type === 'Dict') for (const { value } of node.entries) namesHeld(value, names);
  else if (node.type === 'Star' || node.type === 'Await') namesHeld(node.value, names);
}

/** `tasks.append(…)`: the list that what is given goes into; null where it goes elsewhere. */
export function filled({ callee, args }: Call): string | null {
  if (callee.type !== 'Attribute' || callee.object.type !== 'Name' || !FILLING.test(callee.name) || positional(args).length === 0)
    return null;
  return callee.object.name;
}

/** A decorator of the project may run the coroutine; those of the runners do not. */
export function mayRun(decorator: Expr): boolean {
  const name = lastName(decorator.type === 'Call' ? decorator.callee : decorator);
  return !/^(skip\w*|patch|object|dict|multiple|expectedFailure|parametrize|usefixtures|xfail|slow|asyncio)$/.test(name);
}

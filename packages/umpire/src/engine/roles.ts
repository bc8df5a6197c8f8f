// The roles that can have a task: in a loop, in a plan, and in the rest of a session.

import { UmpireError } from '@umpire/core/model/errors.js';
import { isOver, tasksToRetry } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { Pipeline, PlannedRun } from '@umpire/core/loops/pipeline.js';

/** All roles of a loop, in any mode. */
export function rolesOfLoop(pipeline: Pick<Pipeline, 'modes'>, loop: Loop): ReadonlySet<string> {
  const planned = Object.values(pipeline.modes).flatMap(({ tasks }) => tasks.map((task) => task.role));
  return new Set([...planned, ...loop.tasks.map((task) => task.role), loop.roles.generator, loop.roles.critic]);
}

/** The roles of a plan and of the tasks that a verdict adds. The critic of the `until` loop is its command. */
export function rolesOfPlan(plan: PlannedRun, loop: Loop, isMeasured: boolean): ReadonlySet<string> {
  return needed(
    plan.rows.map((row) => row['role'] ?? ''),
    plan.judged,
    loop,
    isMeasured,
  );
}

/** All roles of a started session. */
export function rolesOfSession({ tasks }: RunState, loop: Loop): ReadonlySet<string> {
  return new Set([...tasks.map((task) => task.role), ...rolesOfLoop({ modes: {} }, loop)]);
}

/** The roles of the tasks to come; none if the session has ended. `retries`: failed tasks run again. */
export function rolesOfRemainingTasks(run: RunState, loop: Loop, retries: boolean): ReadonlySet<string> {
  const { started, tasks, ended } = run;
  const again = new Set(retries ? tasksToRetry(run) : []);
  if (ended !== null && again.size === 0) return new Set();
  const ahead = tasks.filter((task) => !isOver(task.status) || again.has(task.id));
  return needed(
    ahead.map((task) => task.role),
    started.judged,
    loop,
    started.command !== undefined,
  );
}

function needed(roles: readonly string[], judged: boolean, loop: Loop, isMeasured: boolean): ReadonlySet<string> {
  const all = new Set([...roles, ...(judged ? loop.tasks.map((task) => task.role) : [])]);
  if (isMeasured) all.delete(loop.roles.critic);
  return all;
}

/** Throws `agent-role-unknown` if a flag names a role that the loop does not have. */
export function checkRoleFlags(flags: readonly string[], roles: ReadonlySet<string>, loop: string): void {
  for (const word of flags) {
    const role = word.includes('=') ? word.slice(0, word.indexOf('=')) : null;
    if (role !== null && !roles.has(role))
      throw new UmpireError('agent-role-unknown', { role: role.slice(0, 40), loop, known: [...roles].join(', ') });
  }
}

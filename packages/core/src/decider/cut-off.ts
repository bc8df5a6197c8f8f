// A10: an attempt that ran out of its time or its money is an interruption: it goes on where it stopped, and spends no round. Two in a row
// without new work are a failure.

import type { UnmergedWork } from './events.js';
import type { CutOffs, TaskState } from './run-state.js';

const MOST_IDLE = 2;
/** An agent that always begins something new would never end. */
const MOST_IN_A_ROW = 6;

/** `left`: the work of the attempt that was cut off now. It contains the work of earlier attempts. */
export function countCutOff({ cutOffs, kept }: Pick<TaskState, 'cutOffs' | 'kept'>, left: UnmergedWork | undefined): CutOffs {
  const isSame = left === undefined || (kept !== null && (left.commit === kept.commit || (kept.tree !== null && left.tree === kept.tree)));
  return { count: cutOffs.count + 1, idle: isSame ? cutOffs.idle + 1 : 0 };
}

export function goesOnAfter({ count, idle }: CutOffs): boolean {
  return idle < MOST_IDLE && count < MOST_IN_A_ROW;
}

// The most agent runs that a session can need before it ends or asks a person. Rules end at the cap, so the number is known at the start.

import type { Cells } from '../model/vocabulary.js';
import type { Loop } from '../loops/loop.js';
import { chainOfCell } from './chains.js';

export interface MostRuns {
  readonly runs: number;
  readonly rounds: number;
  /** Each revision has one task for each file with findings; one file is counted. */
  readonly perFile: boolean;
}

export interface RunsInput {
  readonly loop: Loop;
  /** The planned tasks. */
  readonly rows: readonly Cells[];
  readonly judged: boolean;
  readonly cap: number;
  /** False where Umpire itself does the role. */
  readonly isAgents: (role: string) => boolean;
}

/** A critic without evidence, and planned work that failed, run once more before a person is asked. */
const WITH_REPEAT = 2;

export function mostAgentRuns({ loop, rows, judged, cap, isAgents }: RunsInput): MostRuns {
  const { critic, generator } = loop.roles;
  const runsOf = (role: string, isRepeated: boolean) => (isAgents(role) ? (judged && isRepeated ? WITH_REPEAT : 1) : 0);
  const planned = rows.map(({ role = '' }) => runsOf(role.trim(), role === critic || role === generator));
  const revision = loop.tasks.map(({ role }) => runsOf(role, role === critic));
  const rounds = judged ? Math.max(0, cap - loop.round.first) : 0;
  return {
    runs: sum(planned) + Math.max(1, chainCount(loop, rows)) * rounds * sum(revision),
    rounds: cap,
    perFile: judged && loop.tasks.some(({ each }) => each === 'file'),
  };
}

/** Every chain has its own rounds. */
function chainCount({ chain, roles }: Loop, rows: readonly Cells[]): number {
  if (chain === 'session') return 1;
  const critics = rows.filter(({ role }) => role === roles.critic);
  return chain === 'id' ? critics.length : new Set(critics.map((row) => chainOfCell(row[chain.column]))).size;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

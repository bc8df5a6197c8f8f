// Checks that the round never falls: the tasks of a revision must state the next round when they are read back, and no claim in tasks.csv or
// the state files may lower the round below the history.

import type { Task } from '../model/vocabulary.js';
import { chainOfId, chainOfRow } from '../decider/chains.js';
import { NO_TRACES, settleRound } from '../decider/rounds.js';
import type { Traces } from '../decider/rounds.js';
import { NEW_SESSION, chainKey } from '../decider/evolve.js';
import type { PastVerdict, SessionState } from '../decider/evolve.js';
import { planRevision } from '../decider/plan-tasks.js';
import type { Loop, RoundSource, TaskTemplate } from '../loops/loop.js';
import type { Refutation } from './refutation.js';

/** The number of simulated rounds. */
const ROUNDS = 4;

export function fallingRounds(loop: Loop): readonly Refutation[] {
  const recheck = loop.tasks.findIndex((task) => task.recheck === true);
  if (recheck < 0) return [];
  const out: Refutation[] = [];
  for (let round = loop.round.first; round < loop.round.first + ROUNDS && out.length === 0; round++) {
    const played = simulateRounds(loop, round);
    out.push(...loop.round.from.flatMap((source) => misread(loop, played, source)));
    const settled = settleRound(loop, played.chain, NEW_SESSION, played.after, { files: null, traces: NO_TRACES, chosen: true }).round;
    if (out.length === 0 && settled !== round + 1) {
      const says = `After a revision in round ${round}, the finished tasks (${idsOf(played)}) state round ${settled}, not ${round + 1}.`;
      out.push(fall(loop, recheck, says, 'Put {next}, {round} or {mend} into the id of the re-check, without other numbers.'));
    }
    out.push(...lowered(loop, played, recheck));
  }
  return out.slice(0, 1);
}

interface Played {
  readonly round: number;
  readonly chain: string;
  readonly made: readonly Task[];
  /** All tasks, the new ones finished. */
  readonly after: readonly Task[];
}

/** Plans the tasks round by round; each re-check is the next critic. */
function simulateRounds(loop: Loop, last: number): Played {
  const family = /^[A-Za-z]+/.exec(loop.tasks.find((task) => task.recheck === true)?.id ?? '')?.[0] ?? 'CRITIC';
  const columns: Record<string, string> = {};
  for (const source of loop.round.from) if ('column' in source) columns[source.column] = String(loop.round.first);
  if (typeof loop.chain === 'object') columns[loop.chain.column] = '1';
  let critic = taskOf({ ...columns, id: `${family}-001`, role: loop.roles.critic, status: 'completed', description: 'x' });
  const tasks: Task[] = [critic];
  let made: readonly Task[] = [];
  const chain = chainOfRow(loop, critic);
  for (let round = loop.round.first; round <= last; round++) {
    const waves = Int32Array.from(tasks, (_, index) => index + 1);
    const plan = planRevision({
      loop,
      chain,
      round,
      tasks,
      waves,
      critic: { task: critic, wave: tasks.length },
      findings: [],
      lowest: '',
      lookup: () => '1',
    });
    made = plan.effects.add.map((row) => taskOf({ ...row, status: 'completed' }));
    tasks.push(...made);
    critic = made.at(-1) ?? critic;
  }
  return { round: last, chain, made, after: tasks };
}

function taskOf(columns: Readonly<Record<string, string>>): Task {
  const ids = (cell: string | undefined) => (cell ?? '').split(';').filter((id) => id !== '');
  return {
    id: columns['id'] ?? '',
    role: columns['role'] ?? '',
    description: columns['description'] ?? '',
    deps: ids(columns['deps']),
    contextFrom: ids(columns['context_from']),
    execMode: 'csv-wave',
    status: 'completed',
    columns,
    line: 1,
  };
}

function idsOf({ made }: Played): string {
  return made.map((task) => task.id).join(', ');
}

/** A complaint if one of the loop's round sources does not read the next round from the tasks of a revision. */
function misread(loop: Loop, played: Played, source: RoundSource): readonly Refutation[] {
  const { round, made, chain } = played;
  const recheck = loop.tasks.findIndex((task) => task.recheck === true);
  const task = made.at(-1);
  const next = round + 1;
  if (task === undefined || 'file' in source) return [];
  if ('column' in source) {
    const cell = task.columns[source.column]?.trim() ?? '';
    if (cell === String(next)) return [];
    const reads = cell === '' ? 'leaves it empty' : `has ${cell}`;
    const says = `The round is read from column ${source.column}, but the re-check of round ${round} (${task.id}) ${reads}, not ${next}.`;
    return [fall(loop, recheck, says, `Let the re-check set it: set: { ${source.column}: "{next}" }.`)];
  }
  if ('id' in source) {
    const read = chainOfId(task.id);
    if (read.round === next && (loop.chain !== 'id' || read.chain === chain)) return [];
    const says = `The round is read from the critic's task id, but the re-check of round ${round} (${task.id}) means round ${read.round ?? 'unknown'} of ${read.chain}, not ${next} of ${chain}.`;
    return [fall(loop, recheck, says, 'Give the re-check an id such as "AUDIT-re-{mend}".')];
  }
  const pattern = new RegExp(`^${source.finished.split('{n}').map(escaped).join('(\\d{1,6})')}$`);
  const numbers = made.flatMap((one) => pattern.exec(one.id)?.[1] ?? []).map(Number);
  if (Math.max(-1, ...numbers) === next) return [];
  const at = loop.tasks.findIndex((one) => escaped(one.id).startsWith(escaped(source.finished.split('{n}')[0] ?? '')));
  const says = `The round is read from finished tasks ${source.finished}, but round ${round} creates ${idsOf(played)}: none of them has ${next}.`;
  return [fall(loop, Math.max(0, at), says, `Give the task the id "${source.finished.replace('{n}', '{next}')}".`)];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A complaint if files, traces or tasks can lower the round after a recorded revision. */
function lowered(loop: Loop, { round, chain, after }: Played, recheck: number): readonly Refutation[] {
  const verdict = { outcome: 'revise', round, chain, loop: loop.loop, status: 'decided' } as PastVerdict['verdict'];
  const past = [{ verdict, lists: {} } as PastVerdict];
  const state: SessionState = { ...NEW_SESSION, observed: true, verdicts: new Map([[chainKey(loop.loop, chain), past]]) };
  const low: Traces = { ...NO_TRACES, chains: new Map([[chain, { chain, round: 0, open: true }]]) };
  for (const files of [null, 0, loop.round.first, round, round + 1]) {
    for (const traces of [NO_TRACES, low]) {
      for (const tasks of [[], after.slice(0, 1), after]) {
        const settled = settleRound(loop, chain, state, tasks, { files, traces, chosen: false }).round;
        if (settled > round) continue;
        const says = `After a revision in round ${round}, claims in the session's files can set it back to round ${settled}.`;
        return [fall(loop, recheck, says, 'This is a bug in Umpire, not in the loop. Please report it.')];
      }
    }
  }
  return [];
}

function fall(loop: Loop, task: number, says: string, mend: string): Refutation {
  const template = loop.tasks[task] as TaskTemplate;
  return { code: 'round-falls', at: template.id, path: ['tasks', task], about: '', certain: true, says, story: null, mend };
}

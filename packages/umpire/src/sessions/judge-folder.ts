// Judges critics of a session that Umpire runs, by the evidence in the session folder.

import { breachesBefore } from '@umpire/core/decider/critic-scope.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { describeRevert } from '@umpire/core/decider/revert-words.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { Anomaly, RoleRef } from '@umpire/core/model/vocabulary.js';
import { NO_BOARD, malformedLines, readBoard } from './board.js';
import { evidenceOfCritic } from './critic-evidence.js';
import { folderStore } from './gather-evidence.js';
import { judgeCritic } from './judge-round.js';
import type { CriticJudgment } from './judge-round.js';
import type { SessionFolder } from './session-folder.js';
import { findTraces } from './verdict-traces.js';

export interface FolderToJudge {
  readonly folder: SessionFolder;
  readonly state: () => SessionState;
  readonly rules: Loop;
  readonly role: RoleRef;
  /** Other processes write there too, so the board is checked for unreadable lines even if the loop does not read it. */
  readonly isShared: boolean;
}

export function judgeInFolder({ folder, state, rules, role, isShared }: FolderToJudge): (task: string) => CriticJudgment {
  const asked = Object.values(rules.evidence).flatMap((source) => ('discoveries' in source ? [source.discoveries] : []));
  const types = new Set(['gc_decision', ...asked]);
  const traces = findTraces(folder, readBoard(folder, types, () => false).scan.entries, rules.loop, state());
  return (task) => {
    const board = asked.length === 0 && !isShared ? NO_BOARD : readBoard(folder, types, () => false);
    const store = evidenceOfCritic(
      folder,
      state(),
      task,
      folderStore(folder, board, () => false, new Map()),
    );
    const anomalies = [...anomaliesOf(state().run as RunState, task), ...malformedLines(board)];
    return judgeCritic({ state: state(), task, store, role, traces, anomalies });
  };
}

/** Anomalies of a verdict: the critic failed but left evidence; the guard reverted changes before it ran; damage was reverted for it. */
function anomaliesOf(run: RunState, id: string): readonly Anomaly[] {
  const task = findTask(run, id);
  const failed = `The critic's task ${id} failed (${task?.row['error'] || 'no reason given'}). The evidence it left is judged.`;
  const reverts = task?.reverts.filter(({ ok, files }) => !ok || files.length > 0) ?? [];
  return [
    ...(task?.status === 'failed' ? [{ rule: 'E6', message: failed }] : []),
    ...breachAnomalies(breachesBefore(run, id)),
    ...reverts.map((revert) => ({ rule: 'T6', message: describeRevert(revert) })),
  ];
}

const MOST_BREACHES = 10;

function breachAnomalies(breaches: RunState['breaches']): readonly Anomaly[] {
  const more = breaches.length - MOST_BREACHES;
  const messages = breaches.slice(0, MOST_BREACHES).map(({ task, breach: { rule, file, line, message, taken } }) => {
    return `The guard reverted ${rule} at ${file}:${line} in the work of ${task} (by ${taken ?? 'nobody'}): ${message}`;
  });
  const rest = more > 0 ? [`The guard reverted ${more} more.`] : [];
  return [...messages, ...rest].map((message) => ({ rule: 'guard', message }));
}

// The session files of a simulation: tasks.csv in memory, written and checked for edits as sessions/session-files.ts does.

import { isUmpireError } from '@umpire/core/model/errors.js';
import { compareEdit } from '@umpire/core/decider/edits.js';
import type { Edit } from '@umpire/core/decider/edits.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Event } from '@umpire/core/decider/events.js';
import { rowOf } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { parseTasks, printTasks } from '@umpire/core/formats/tasks-csv.js';
import type { SessionFiles } from '@umpire/umpire/sessions/session-files.js';
import type { Person, TasksSheet } from './sim-person.js';
import type { Process, World } from './sim-world.js';

export class SimSessionFiles {
  /** The file in the folder; null if it is missing. */
  private sheet: TasksSheet | null = null;
  /** The file as Umpire last wrote it, by the copy beside it. */
  private written: TasksSheet | null = null;
  readonly edits = { taken: 0, refused: 0 };

  constructor(
    private readonly world: World,
    private readonly person: Person,
    private readonly outputs: readonly string[],
  ) {}

  /** The person may edit the file now. */
  edit(share: number): void {
    const edited = this.sheet === null ? null : this.person.edit(this.sheet, share);
    if (edited === null) return;
    this.world.note('  a person edits tasks.csv');
    this.sheet = edited;
  }

  /** `mustKnow`: the journal's line of this number must be durable. */
  open(process: Process, state: () => SessionState, mustKnow: (seq: number) => void): SessionFiles {
    const { world } = this;
    /** The text that Umpire wrote or has applied. */
    let last = this.written;
    return {
      readEdit: () => {
        this.edit(0.1);
        return world.touch(process, 'reading tasks.csv', 'call', () => {
          if (this.sheet === last) return [];
          const edit = this.compare(state(), last);
          last = this.sheet;
          if (edit.kind === 'refused') {
            this.sheet = null;
            last = null;
          }
          return this.eventsOf(edit);
        });
      },
      show: () =>
        world.touch(process, 'showing the folder', 'write', () => {
          const waiting = [...state().verdicts.values()].flatMap((past) => past.filter((one) => !one.projected));
          for (const { seq } of waiting) mustKnow(seq);
          // A person's edit made meanwhile is read first.
          if (this.sheet === null || this.sheet === last) {
            const run = state().run as RunState;
            last = { columns: run.columns, rows: run.tasks.map(rowOf) };
            this.sheet = last;
            this.written = last;
          }
          return waiting.map(({ seq }): Event => ({ type: 'VerdictProjected', data: { verdict: seq, results: null } }));
        }),
      keepBlobs: (blobs) =>
        world.touch(process, 'keeping evidence', 'write', () => {
          for (const [hash, blob] of blobs) world.blobs.set(hash, blob);
        }),
      roleText: (role) => `You are the ${role}.`,
      logFor: () => () => undefined,
    };
  }

  private eventsOf(edit: Edit): ReturnType<SessionFiles['readEdit']> {
    if (edit.kind === 'none') return [];
    if (edit.kind === 'refused') {
      this.edits.refused++;
      return [{ type: 'EditRefused', data: { reason: edit.reason, kept: 'tasks.refused-1.csv' } }];
    }
    this.edits.taken++;
    return [{ type: 'TasksEdited', data: { set: edit.set, add: edit.add, columns: edit.columns, told: edit.told } }];
  }

  private compare(state: SessionState, last: TasksSheet | null): Edit {
    if (this.sheet === null) return { kind: 'refused', reason: 'tasks.csv was removed' };
    const rows = new Map((last?.rows ?? []).map((row) => [row['id'] ?? '', row]));
    try {
      return compareEdit(state.run as RunState, parseTasks(printTasks(this.sheet.columns, this.sheet.rows)), rows, this.outputs);
    } catch (error) {
      if (isUmpireError(error)) return { kind: 'refused', reason: error.message };
      throw error;
    }
  }
}

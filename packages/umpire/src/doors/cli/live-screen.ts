// The live view of a run at this terminal: progress lines scroll above, what happens now stays below. Loaded only for a terminal.

import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { millisecondsOf } from '@umpire/core/formats/timestamp.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import { liveLines } from '../../views/live-view.js';
import type { Activity } from '../../views/live-view.js';
import { openLiveBlock } from './live-block.js';
import type { LiveBlock } from './live-block.js';
import { cleanText } from './output.js';
import type { Output } from './output.js';
import { watchAttempt } from './run-activity.js';

export interface LiveScreen {
  readonly print: (text: string) => void;
  /** `session`: its folder. */
  readonly follow: (event: Recorded, state: SessionState, session: string) => void;
  readonly close: () => void;
}

export function openLiveScreen({ write, isColored }: Output): LiveScreen {
  const color = isColored(2);
  const { stderr } = process;
  const unicode = /utf-?8/i.test(process.env['LC_ALL'] || process.env['LC_CTYPE'] || process.env['LANG'] || '');
  const startedMs = new Map<string, number>();
  const looks = new Map<string, () => Activity>();
  let now: SessionState | null = null;
  let block: LiveBlock | null = null;
  const draw = () => {
    const run = now?.run;
    // A person at this terminal gets it whole.
    if (now === null || run == null || [...run.running].some((id) => findTask(run, id)?.agent === 'person')) return [];
    const activities = new Map(
      [...run.running].flatMap((id) => {
        const look = looks.get(id);
        return look === undefined ? [] : [[id, look()] as const];
      }),
    );
    // In the last column, erasing the rest of a line would erase its last character.
    const screen = { columns: stderr.columns - 1, rows: stderr.rows, color, unicode };
    return liveLines(now, { nowMs: Date.now(), startedMs, activities }, screen).map((line) => cleanText(line, color));
  };
  const terminal = {
    write: (text: string) => void write(2, Buffer.from(text)),
    columns: () => stderr.columns,
    onResize: (act: () => void) => {
      stderr.on('resize', act);
      return () => void stderr.off('resize', act);
    },
  };
  return {
    print: (text) => {
      if (block === null) write(2, `${text}\n`);
      else block.print(cleanText(text, color));
    },
    follow: (event, state, session) => {
      now = state;
      if (event.type === 'RunBegun') block ??= openLiveBlock(terminal, draw);
      if (event.type !== 'TaskStarted') return;
      const { task, attempt } = event.data;
      startedMs.set(task, millisecondsOf(event.ts));
      looks.set(task, watchAttempt(session, task, attempt, Date.now));
    },
    close: () => {
      block?.close();
      block = null;
    },
  };
}

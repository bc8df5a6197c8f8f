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
import { StringDecoder } from 'node:string_decoder';
import { EventStream } from '../../agents/event-stream.js';
import { LogLines } from '../../agents/agent-log.js';
import { logName, readLogPart } from '../../sessions/agent-logs.js';

/** An agent that prints more between two looks loses the rest: only its latest line is shown. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_LINE = 64 * 1024;

/** `session`: its folder. */
function watchAttempt(session: string, task: string, attempt: number, nowMs: () => number): () => Activity {
  const name = logName(task, attempt);
  const decoder = new StringDecoder('utf8');
  const lines = new LogLines();
  const events = new EventStream();
  let from = 0;
  let held = '';
  let doing = '';
  let printedMs: number | null = null;
  const note = (readable: readonly string[]) => {
    doing =
      readable
        .join('\n')
        .split('\n')
        .findLast((line) => line.trim() !== '') ?? doing;
  };
  return () => {
    const { bytes, next } = readLogPart(session, { name }, from, MOST_BYTES);
    from = next;
    if (bytes.length > 0) {
      printedMs = nowMs();
      events.write(bytes);
      const parts = (held + decoder.write(bytes)).split('\n');
      held = (parts.pop() ?? '').slice(-MOST_LINE);
      for (const line of parts) note(lines.read(line));
      // A program may print its progress without ending the line. An event is complete only at the end of its line.
      if (held !== '' && !held.startsWith('{')) note([held]);
    }
    const { tokens, costUsd } = events.usage();
    const { spent } = lines.acp;
    return { doing, printedMs, tokens: Math.max(tokens, spent.tokens), costUsd: Math.max(costUsd, spent.costUsd ?? 0) };
  };
}

interface LiveScreen {
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

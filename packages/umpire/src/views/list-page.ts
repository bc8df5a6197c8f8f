// The sessions of a project, one line each.

import { paint } from './colors.js';
import type { Color } from './colors.js';
import { clip, columnsOf, lineOf } from './safe-text.js';
import { STATE_WORDS } from './session-view.js';
import type { ChainView, SpentView, StateWord } from './session-view.js';
import { count } from './words.js';
import type { Clock } from './words.js';

/** `applied`: the checkout contains it, by `umpire apply` or a merge. `cleared`: `umpire clean` removed it. */
export type WorkFate = 'not applied' | 'applied' | 'cleared';

export interface SessionEntry {
  readonly name: string;
  readonly path: string;
  /** Of a session of a package: its folder, from the project. */
  readonly folder?: string;
  readonly state: StateWord;
  readonly unverified: boolean;
  readonly missesTarget: boolean;
  readonly loops: readonly string[];
  readonly goal: string;
  readonly mode: string;
  /** The time of the last event; null if there is none. */
  readonly lastAt: string | null;
  readonly chains: readonly ChainView[];
  /** What it waits for, in a few words. */
  readonly waitsOn: string | null;
  /** Null if Umpire does not run it. */
  readonly spent: SpentView | null;
  /** The state of an ended session's work; null if there is none or it is unknown. */
  readonly work: WorkFate | null;
  /** Why it is unreadable, or what is wrong with its journal. */
  readonly notes: readonly string[];
}

/** One line a session. `columns`: the width of a terminal, which cuts lines; null for a pipe. Times are local, so they need no zone. */
export function listPage(
  entries: readonly SessionEntry[],
  clock: Pick<Clock, 'moment'>,
  { columns, color }: { readonly columns: number | null; readonly color: boolean },
): string {
  if (entries.length === 0) return 'No sessions here. Start one with: umpire run <loop> "<goal>"\n';
  const room = columns ?? Infinity;
  const rows = entries.map((entry) => {
    const { name, folder, state, unverified, missesTarget, goal, lastAt, waitsOn, work, notes, chains, spent, loops } = entry;
    const isNarrow = room < WIDE;
    const last = chains.at(-1);
    const rest = [
      ...(folder === undefined ? [] : [`in ${lineOf(folder)}`]),
      ...(missesTarget ? ['target not met'] : []),
      ...(unverified ? ['unverified'] : []),
      ...(work === 'not applied' ? [work] : []),
      ...(waitsOn === null ? [] : [`waiting for ${lineOf(waitsOn)}`]),
      ...notes.map((note) => lineOf(note)),
      ...(goal === '' ? [] : [lineOf(goal)]),
    ];
    const loop = clip(lineOf(loops.join(', ')), 12);
    const round = last === undefined ? '' : `${last.round}/${last.maxRounds} ${clip(lineOf(last.decision), 12)}`;
    return [
      state,
      clip(lineOf(name), isNarrow ? 32 : 48),
      // Without the year, which a name often has.
      lastAt === null ? '' : clock.moment(lastAt).slice(isNarrow ? 5 : 0),
      ...(isNarrow ? [round || loop] : [loop, round, (spent?.costUsd ?? 0) > 0 ? `$${spent?.costUsd.toFixed(2)}` : '']),
      rest.join(', '),
    ];
  });
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ''))));
  const lines = rows.map((row, index) => {
    const padded = row.flatMap((cell, at) => (widths[at] === 0 ? [] : [cell + ' '.repeat((widths[at] ?? 0) - columnsOf(cell))]));
    const line = clip(padded.join('  ').trimEnd(), room);
    const state = entries[index]?.state ?? 'complete';
    return `${paint(STATE_COLORS[state], line.slice(0, state.length), color)}${line.slice(state.length)}`;
  });
  return `${lines.join('\n')}\n`;
}

const STATE_COLORS: Readonly<Record<StateWord, Color>> = {
  running: 'cyan',
  awaiting: 'yellow',
  interrupted: 'yellow',
  complete: 'green',
  failed: 'red',
  aborted: 'red',
  unreadable: 'red',
  'judged only': 'dim',
  'never judged': 'dim',
};

/** From this width on there is room for the year, the loop and the cost. */
const WIDE = 110;

/** `303 sessions: 93 awaiting, 210 complete; $41.20 spent`. */
export function listSum(entries: readonly SessionEntry[]): string {
  const states = STATE_WORDS.map((word) => ({ word, found: entries.filter(({ state }) => state === word).length }));
  const waiting = entries.filter(({ work }) => work === 'not applied').length;
  const parts = [
    ...states.filter(({ found }) => found > 0).map(({ word, found }) => `${found} ${word}`),
    ...(waiting === 0 ? [] : [`${waiting} not applied`]),
  ];
  const cost = entries.reduce((sum, { spent }) => sum + (spent?.costUsd ?? 0), 0);
  return `${count(entries.length, 'session')}: ${parts.join(', ')}${cost === 0 ? '' : `; $${cost.toFixed(2)} spent`}.`;
}

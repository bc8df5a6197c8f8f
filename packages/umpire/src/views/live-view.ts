// The live view of a run in a terminal: the tasks that run now, the last verdict, the rounds with a small chart, and the budget. Pure: the
// state and what the agents printed become lines of a width.

import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import { completedTasks, findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { paint } from './colors.js';
import type { Color } from './colors.js';
import { clip, columnsOf, lineOf, wrap } from './safe-text.js';
import { chainsIn } from './session-view.js';
import { count } from './words.js';

/** What the log of a running attempt says so far. */
export interface Activity {
  /** The last tool call or line of output; empty before the first. */
  readonly doing: string;
  /** When it printed last; null: never. */
  readonly printedMs: number | null;
  /** Zero if it reported none yet. */
  readonly tokens: number;
  readonly costUsd: number;
}

export interface LiveFacts {
  readonly nowMs: number;
  /** By task: when its attempt started. */
  readonly startedMs: ReadonlyMap<string, number>;
  readonly activities: ReadonlyMap<string, Activity>;
}

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
  /** The terminal shows more than ASCII. */
  readonly unicode: boolean;
}

const LABEL_WIDTH = 9;
const SILENT_MS = 60_000;
/** Lines besides those of the tasks: the head, two of the verdict, two of charts, the budget. */
const OTHER_LINES = 6;
const MAX_BARS = 30;

/** None while nothing is there to show, or where the terminal is too small. */
export function liveLines(state: SessionState, facts: LiveFacts, screen: Screen): readonly string[] {
  const { run } = state;
  if (run === null || run.ended !== null || screen.columns < 40 || screen.rows < OTHER_LINES + 4) return [];
  const last = [...state.verdicts.values()]
    .flat()
    .reduce<PastVerdict | null>((last, one) => (last === null || one.seq > last.seq ? one : last), null);
  const { nowMs } = facts;
  const { columns, color, unicode } = screen;

  const chain = chainsIn(state).at(-1);
  const round = chain === undefined ? '' : `, round ${Math.min(chain.round, chain.maxRounds)} of ${chain.maxRounds}`;
  const bar = unicode ? '\u2500' : '-';
  const done = columns < 60 ? '' : `${completedTasks(run).length} of ${count(run.tasks.length, 'task')} done, `;
  const right = ` ${done}${elapsed(activeMs(run, nowMs))} ${bar}`;
  const name = clip(lineOf(run.started.session), columns - columnsOf(right) - round.length - 5);
  const left = `${bar} ${name}${round} `;
  return [
    paint('dim', `${left}${bar.repeat(Math.max(1, columns - columnsOf(left) - columnsOf(right)))}${right}`, color),
    ...drawLiveTasks(run, facts, screen),
    ...drawLastVerdict(last, screen),
    ...roundLines(state, last, screen),
    budgetLine(run, facts, screen),
  ];
}

/** Two lines a task, or one where there is no room. */
function drawLiveTasks(run: RunState, facts: LiveFacts, screen: Screen): readonly string[] {
  const ids = [...run.running];
  if (ids.length === 0) return [paint('dim', `  ${restWords(run, facts.nowMs)}`, screen.color)];
  const room = screen.rows - OTHER_LINES - 2;
  const isTight = ids.length * 2 > room;
  const shown = isTight ? ids.slice(0, ids.length > room ? room - 1 : room) : ids;
  const cells = shown.map((id) => {
    const { nowMs, startedMs, activities } = facts;

    const task = findTask(run, id);
    const attempt = (task?.attempt ?? 1) > 1 ? ` (attempt ${task?.attempt})` : '';
    const { tokens, costUsd } = activities.get(id) ?? { tokens: 0, costUsd: 0 };
    return [
      clip(lineOf(id), 24),
      clip(lineOf(task?.role ?? ''), 14),
      `${clip(lineOf(task?.agent ?? ''), 14)}${attempt}`,
      elapsed(nowMs - (startedMs.get(id) ?? nowMs)),
      [...(tokens > 0 ? [count(tokens, 'token')] : []), ...(costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : [])].join(', '),
    ];
  });
  const widths = [0, 1, 2, 3].map((at) => Math.max(...cells.map((row) => columnsOf(row[at] ?? ''))));
  const lines = cells.flatMap((row, index) => {
    const padded = row.map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - columnsOf(cell))));
    const line = `  ${clip(padded.join('  ').trimEnd(), screen.columns - 2)}`;
    return isTight ? [line] : [line, doingLine(shown[index] ?? '', facts, screen)];
  });
  const rest = ids.length - shown.length;
  return rest === 0 ? lines : [...lines, `  and ${count(rest, 'more task')}`];
}

function restWords(run: RunState, nowMs: number): string {
  const [first] = [...run.waiting].toSorted(([, a], [, b]) => a - b);
  if (first !== undefined && first[1] > nowMs) return `${first[0]} retries in ${elapsed(first[1] - nowMs)}`;
  return run.unjudged.size > 0 ? 'judging' : 'between tasks';
}

function doingLine(id: string, { nowMs, startedMs, activities }: LiveFacts, { columns, color }: Screen): string {
  const activity = activities.get(id);
  const silentMs = nowMs - (activity?.printedMs ?? startedMs.get(id) ?? nowMs);
  const silence = silentMs < SILENT_MS ? '' : `no output for ${Math.floor(silentMs / 60_000)} min`;
  const doing = lineOf(activity?.doing ?? '');
  const room = columns - 4 - (silence === '' ? 0 : silence.length + 2);
  const words = doing === '' ? '' : paint('dim', clip(doing, room), color);
  if (silence === '') return `    ${words === '' ? paint('dim', 'started', color) : words}`;
  return `    ${paint('yellow', silence, color)}${words === '' ? '' : `  ${words}`}`;
}

const TONES: Readonly<Record<PastVerdict['verdict']['outcome'], Color>> = {
  converge: 'green',
  accept: 'green',
  revise: 'yellow',
  escalate: 'yellow',
};

function drawLastVerdict(last: PastVerdict | null, { columns, color }: Screen): readonly string[] {
  if (last === null) return [];
  const { decision, round, rule, reason, outcome, unverified } = last.verdict;
  const start = `${lineOf(decision)}${unverified ? ' (unverified)' : ''}`;
  const indent = ' '.repeat(LABEL_WIDTH + 2);
  const [first = '', second, ...more] = wrap(
    `${start} in round ${round} (rule ${lineOf(rule)}). ${lineOf(reason, 400)}`,
    indent,
    indent,
    columns,
  );
  const text = first.slice(indent.length);
  const head = text.startsWith(start)
    ? `${paint(TONES[outcome], start, color)}${clip(text.slice(start.length), columns - indent.length - start.length)}`
    : clip(text, columns - indent.length);
  const below = second === undefined ? [] : [clip(more.length === 0 ? second : `${second} ${more.join(' ').trim()}`, columns)];
  return [`${label('verdict', color)}${head}`, ...below];
}

function label(name: string, color: boolean): string {
  return `  ${paint('dim', name.padEnd(LABEL_WIDTH), color)}`;
}

/** A chart for each fact that the loop improves. Before the second round there is nothing to compare. */
function roundLines(state: SessionState, last: PastVerdict | null, { columns, color, unicode }: Screen): readonly string[] {
  if (last === null) return [];
  const { loop } = last.verdict;
  const judged = [...state.verdicts.values()].find((some) => some.includes(last)) ?? [];
  // A round that was judged again, such as after a person's answer, counts once.
  const past = judged.filter(({ verdict }, at) => judged[at + 1]?.verdict.round !== verdict.round);
  const progress = Object.entries(state.frozen.get(loop)?.rules.progress ?? {});
  const charts = progress.flatMap(([name, better]) => {
    const values = past.flatMap(({ facts }) => (typeof facts[name] === 'number' && Number.isFinite(facts[name]) ? [facts[name]] : []));
    if (values.length === 0) return [];
    const bars = unicode && values.length > 1 ? `${sparkline(values.slice(-MAX_BARS))}  ` : '';
    const words = `${name.replaceAll('_', ' ')} ${values
      .slice(-6)
      .map((value: number): string => String(Math.round(value * 100) / 100))
      .join(', ')} (${better} is better)`;
    return [`${bars}${words}`];
  });
  return charts.slice(0, 2).map((text, index) => `${label(index === 0 ? 'rounds' : '', color)}${clip(text, columns - LABEL_WIDTH - 2)}`);
}

const BARS = '\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588';

/** A bar for each value, from the lowest to the highest. */
export function sparkline(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const heights = values.map((value) => (most === least ? 3 : Math.round(((value - least) / (most - least)) * (BARS.length - 1))));
  return heights.map((height) => BARS[height] ?? '').join('');
}

function budgetLine(run: RunState, { nowMs, activities }: LiveFacts, { columns, color }: Screen): string {
  const { maxMinutes, maxTokens, maxCostUsd } = run.settings;
  const all = [...run.running].flatMap((id) => activities.get(id) ?? []);
  const tokens = run.tokens + all.reduce((sum, one) => sum + one.tokens, 0);
  const costUsd = run.costUsd + all.reduce((sum, one) => sum + one.costUsd, 0);
  const left = [
    ...(maxMinutes === null ? [] : [elapsed(maxMinutes * 60_000 - activeMs(run, nowMs))]),
    ...(maxTokens === null ? [] : [count(Math.max(0, maxTokens - tokens), 'token')]),
    ...(maxCostUsd === null || run.unreported.cost.size > 0 ? [] : [`$${Math.max(0, maxCostUsd - costUsd).toFixed(2)}`]),
  ];
  const used = [...(tokens > 0 ? [count(tokens, 'token')] : []), ...(costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : [])];
  // A zero that nobody has reported is unknown.
  const spent = used.length === 0 ? 'nothing reported yet' : used.join(', ');
  return `${label('spent', color)}${clip(`${spent}${left.length === 0 ? '' : `; left: ${left.join(', ')}`}`, columns - LABEL_WIDTH - 2)}`;
}

/** Time since the last event counts too. */
function activeMs(run: RunState, nowMs: number): number {
  return run.activeMs + Math.max(0, nowMs - run.lastMs);
}

/** Whole seconds, so that the text changes once a second: `4 s`, `1 min 04 s`, `1 h 05 min`. */
function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

// The page of `umpire doctor` for a terminal of 80 columns, and its summary in one line. commands/doctor.ts does the checks.

import { columnsOf, lineOf, wrap } from './foreign-text.js';

export interface Check {
  readonly area: 'machine' | 'project' | 'agents' | 'critics';
  readonly name: string;
  /** `note`: good to know. `fault`: stops a run. */
  readonly state: 'ok' | 'note' | 'fault';
  readonly message: string;
  /** What to do about it. */
  readonly hint: string | null;
}

export interface Checkup {
  /** Versions. */
  readonly umpire: string;
  readonly node: string;
  /** `linux x64` */
  readonly platform: string;
  /** The project's folder. */
  readonly project: string;
  /** `fail`: there is a fault. */
  readonly outcome: 'pass' | 'fail';
  readonly checks: readonly Check[];
}

type Tell = (name: string, state: Check['state'], message: string, hint?: string | null) => Check;

/** Makes checks of one area. Each text becomes one plain line, since file and tool names may hold anything. */
export function tellOf(area: Check['area']): Tell {
  return (name, state, message, hint = null) => ({
    area,
    name: lineOf(name, MOST_NAMED),
    state,
    message: lineOf(message),
    hint: hint === null ? null : lineOf(hint),
  });
}

const MOST_NAMED = 60;

/** The check of the default agent. */
export const EVERY_ROLE = 'every role';

const HEADINGS = { machine: 'Machine', project: 'Project', agents: 'Agents', critics: 'Critics' } as const;
const STATE_WIDTH = 'fault '.length;
const NAME_WIDTH = 'not installed'.length + 2;
const INDENT = ' '.repeat(STATE_WIDTH + NAME_WIDTH);

export function checkupPage({ umpire, node, platform, project, checks }: Checkup): string {
  const areas = (['machine', 'project', 'agents', 'critics'] as const).flatMap((area) => {
    const own = checks.filter((check) => check.area === area);
    return own.length === 0 ? [] : ['', HEADINGS[area], ...own.flatMap(linesOf)];
  });
  return `${[`Umpire ${umpire}, Node ${node}, ${platform}`, ...wrap(`Project ${lineOf(project)}`, '  ', ''), ...areas].join('\n')}\n`;
}

function linesOf({ name, state, message, hint }: Check): readonly string[] {
  const room = Math.max(2, NAME_WIDTH - columnsOf(name));
  const first = `${state.padEnd(STATE_WIDTH)}${name}${' '.repeat(room)}`;
  return [...wrap(message, INDENT, first), ...(hint === null ? [] : wrap(hint, INDENT))];
}

/** Names the faults too: they may have scrolled off the screen. */
export function checkupSum({ checks }: Pick<Checkup, 'checks'>): string {
  const faults = checks.filter(({ state }) => state === 'fault');
  const isCast = checks.every(({ name, state }) => name !== EVERY_ROLE || state === 'ok');
  if (faults.length === 0) return isCast ? 'Ready.' : 'Ready. Pass --agent when you run.';
  const many = faults.length === 1 ? '1 fault stops' : `${faults.length} faults stop`;
  return `${many} a run: ${[...new Set(faults.map(({ name }) => name))].join(', ')}.`;
}

// `umpire doctor` for a terminal of 80 columns: what a run needs, what is missing, and a summary line.

import { columnsOf, lineOf, wrap } from './safe-text.js';

export interface DoctorCheck {
  readonly area: 'machine' | 'project' | 'agents' | 'critics';
  readonly name: string;
  /** `note`: worth knowing. `fault`: prevents a run. */
  readonly state: 'ok' | 'note' | 'fault';
  readonly message: string;
  /** How to fix it. */
  readonly hint: string | null;
}

export interface DoctorReport {
  readonly umpire: string;
  readonly node: string;
  /** `linux x64` */
  readonly platform: string;
  /** The project's folder. */
  readonly project: string;
  readonly outcome: 'pass' | 'fail';
  readonly checks: readonly DoctorCheck[];
}

/** Makes the checks of one area. Each text becomes one plain line. */
export function listChecks(
  area: DoctorCheck['area'],
): (name: string, state: DoctorCheck['state'], message: string, hint?: string | null) => DoctorCheck {
  return (name, state, message, hint = null) => ({
    area,
    name: lineOf(name, MAX_NAME),
    state,
    message: lineOf(message),
    hint: hint === null ? null : lineOf(hint),
  });
}

const MAX_NAME = 60;

/** The name of the check for the default agent. */
export const EVERY_ROLE = 'every role';

const HEADINGS = { machine: 'Machine', project: 'Project', agents: 'Agents', critics: 'Critics' } as const;
const STATE_WIDTH = 'fault '.length;
const NAME_WIDTH = 'not installed'.length + 2;
const INDENT = ' '.repeat(STATE_WIDTH + NAME_WIDTH);

export function doctorPage({ umpire, node, platform, project, checks }: DoctorReport): string {
  const areas = (['machine', 'project', 'agents', 'critics'] as const).flatMap((area) => {
    const own = checks.filter((check) => check.area === area);
    return own.length === 0
      ? []
      : [
          '',
          HEADINGS[area],
          ...own.flatMap(({ name, state, message, hint }: DoctorCheck): readonly string[] => {
            const room = Math.max(2, NAME_WIDTH - columnsOf(name));
            const first = `${state.padEnd(STATE_WIDTH)}${name}${' '.repeat(room)}`;
            return [...wrap(message, INDENT, first), ...(hint === null ? [] : wrap(hint, INDENT))];
          }),
        ];
  });
  return `${[`Umpire ${umpire}, Node ${node}, ${platform}`, ...wrap(`Project ${lineOf(project)}`, '  ', ''), ...areas].join('\n')}\n`;
}

/** Names the faults again: they may have scrolled away. */
export function doctorSummary({ checks }: Pick<DoctorReport, 'checks'>): string {
  const faults = checks.filter(({ state }) => state === 'fault');
  // Without a default agent, every run must name one.
  const hasAgent = checks.every(({ name, state }) => name !== EVERY_ROLE || state === 'ok');
  if (faults.length === 0) return hasAgent ? 'Ready.' : 'Ready. Pass --agent when you run.';
  const many = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  return `Not ready: ${many} (${[...new Set(faults.map(({ name }) => name))].join(', ')}).`;
}

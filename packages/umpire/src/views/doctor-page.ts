// `umpire doctor` for a terminal of 80 columns: what a run needs, what is missing, and a summary line.

import { columnsOf, lineOf, wrap } from './safe-text.js';

export interface DoctorCheck {
  readonly area: 'machine' | 'project' | 'agents' | 'critics';
  readonly name: string;
  /** `note`: worth knowing. `fault`: prevents a run. */
  readonly state: 'ok' | 'note' | 'fault';
  readonly message: string;
  readonly hint: string | null;
}

export interface DoctorReport {
  readonly umpire: string;
  readonly node: string;
  /** `linux x64` */
  readonly platform: string;
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

// The umpire.config.yaml that `umpire init` writes: short, with a comment for each key. doors/init.ts chooses the
// content; settings.ts can read it, whatever the files are called.

interface FirstChoices {
  /** Null if none was named and none is installed. */
  readonly agent: string | null;
  /** The agents that Umpire knows by name. */
  readonly known: readonly string[];
  /** Files for `workspace.copy`. */
  readonly copy: readonly string[];
  readonly critics: readonly DoctorCheck[];
}

export function settingsText({ agent, known, copy, critics }: FirstChoices): string {
  const parts: readonly (readonly string[])[] = [
    ['# Settings of Umpire. Every key is optional, and flags override it.', '# All keys: docs/reference/settings.md'],
    [
      ...wrap(`The agent of every role: ${known.join(', ')}, person, or an agent of your own under agents.`, '# ', '# '),
      agent === null ? `# agent: ${known[0] ?? 'person'}` : `agent: ${scalar(agent)}`,
    ],
    ['# Untracked files that every worktree gets a copy of.', ...(copy.length === 0 ? ['# workspace: { copy: [.env] }'] : copyLines(copy))],
    ['# The maximum number of rounds, instead of the cap of the loop.', '# max_rounds: 5'],
    ['# After this many minutes a session asks a person.', '# max_minutes: 120'],
    ['# After this many US dollars a session asks a person.', '# max_cost_usd: 10'],
    ['# Let agents and tests write only to the folders of their work (Linux).', '# sandbox: true'],
    ['# A shell command that runs when a person is needed.', '# notify: notify-send "$UMPIRE_SESSION_NAME waits for $UMPIRE_QUESTION"'],
    ...(critics.length === 0 ? [] : [criticLines(critics)]),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function copyLines(files: readonly string[]): readonly string[] {
  const line = copySetting(files);
  const short = line.replace(/^workspace: \{ /, '  ').replace(/ \}$/, '');
  if (columnsOf(short) <= 80) return ['workspace:', short];
  return ['workspace:', '  copy:', ...entriesFor(files).map((entry) => `    - ${entry}`)];
}

function criticLines(critics: readonly DoctorCheck[]): readonly string[] {
  return [
    '# What the critics found here (check again with: umpire doctor). Their settings',
    '# are under critics.',
    ...critics.flatMap(({ name, message, hint }) => {
      // A setting of the file itself.
      const next = name === 'testing' && hint !== null ? `. ${lineOf(hint)}` : '';
      return wrap(`${lineOf(name)}: ${lineOf(message)}${next}`, '#     ', '#   ');
    }),
  ];
}

/** The setting that copies these files into worktrees, on one line. */
export function copySetting(files: readonly string[]): string {
  return `workspace: { copy: [${entriesFor(files).join(', ')}] }`;
}

function entriesFor(files: readonly string[]): readonly string[] {
  return [...new Set(files.map((file) => scalar(toFilePattern(file))))];
}

/** A pattern for this file. The reader drops blanks at the ends and backslashes, so `?` replaces them. */
function toFilePattern(file: string): string {
  return file.replaceAll('\\', '?').replace(/^\s+|\s+$/g, (blanks) => '?'.repeat(blanks.length));
}

/** A YAML text, quoted if it could mean something else. */
function scalar(text: string): string {
  if (/^[A-Za-z.][\w.-]*$/.test(text) && !NOT_TEXT.test(text)) return text;
  return JSON.stringify(text).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`,
  );
}

/** Texts that YAML reads as numbers or keywords. */
const NOT_TEXT = /^(?:\.\d.*|\.inf|\.nan|true|false|null|yes|no|on|off|[.-]+)$/i;

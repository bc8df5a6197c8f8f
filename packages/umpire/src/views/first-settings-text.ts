// The umpire.config.yaml that `umpire init` writes: short, with a comment for each key. doors/init.ts chooses the
// content; settings.ts can read it, whatever the files are called.

import type { DoctorCheck } from './doctor-page.js';
import { columnsOf, lineOf, wrap } from './safe-text.js';

export interface FirstChoices {
  /** Null if none was named and none is installed. */
  readonly agent: string | null;
  /** The agents that Umpire knows by name. */
  readonly known: readonly string[];
  /** Files for `workspace.copy`. */
  readonly copy: readonly string[];
  /** The tools that the critics found. */
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
    ...critics.flatMap(({ name, message }) => wrap(`${lineOf(name)}: ${lineOf(message)}`, '#     ', '#   ')),
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

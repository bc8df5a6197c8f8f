// The text of a new umpire.config.yaml. It stays valid whatever the names of files and tools. commands/init.ts chooses the values.

import type { Check } from './checkup-page.js';
import { columnsOf, lineOf, wrap } from './foreign-text.js';

export interface FirstChoices {
  /** Null: none given and none installed. */
  readonly agent: string | null;
  /** Files for `workspace.copy`. */
  readonly copy: readonly string[];
  /** The tools that the critics found. */
  readonly critics: readonly Check[];
}

export function settingsText({ agent, copy, critics }: FirstChoices): string {
  const parts: readonly (readonly string[])[] = [
    ['# Settings of Umpire. Every key is optional; command-line flags override them.', '# docs/settings.md lists all keys.'],
    [
      '# The agent for every role: claude, codex, gemini, opencode, person, or a name',
      '# under agents.',
      agent === null ? '# agent: claude' : `agent: ${scalar(agent)}`,
    ],
    ['# Untracked files to copy into every worktree.', ...(copy.length === 0 ? ['# workspace: { copy: [.env] }'] : copyLines(copy))],
    ['# Most rounds of a loop, instead of its own limit.', '# max_rounds: 5'],
    ['# Ask a person after this many minutes of a session.', '# max_minutes: 120'],
    ['# Ask a person after this many US dollars.', '# max_cost_usd: 10'],
    ['# Let agents and tests write only to their worktree (Linux only).', '# sandbox: true'],
    ['# A shell command that calls a person.', '# notify: notify-send "$UMPIRE_SESSION_NAME waits on $UMPIRE_QUESTION"'],
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

function criticLines(critics: readonly Check[]): readonly string[] {
  const said = critics.flatMap(({ name, message }) => wrap(`${lineOf(name)}: ${lineOf(message)}`, '#     ', '#   '));
  return ['# What the built-in critics found here. Check again with: umpire doctor', '# Configure them under critics.', ...said];
}

/** The setting that brings these files into worktrees, on one line. */
export function copySetting(files: readonly string[]): string {
  return `workspace: { copy: [${entriesFor(files).join(', ')}] }`;
}

function entriesFor(files: readonly string[]): readonly string[] {
  return [...new Set(files.map((file) => scalar(patternOf(file))))];
}

/** An entry that means this file. Blanks at its ends and backslashes are not kept by the reader: any one character stands for each. */
function patternOf(file: string): string {
  const blank = (blanks: string): string => '?'.repeat(blanks.length);
  return file.replaceAll('\\', '?').replace(/^\s+|\s+$/g, blank);
}

/** A text for YAML, in quotes where it could be taken for something else. */
function scalar(text: string): string {
  if (/^[A-Za-z.][\w.-]*$/.test(text) && !NO_TEXT.test(text)) return text;
  const escaped = (character: string): string => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
  return JSON.stringify(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped);
}

/** What YAML reads as a number or a word of its own. */
const NO_TEXT = /^(?:\.\d.*|\.inf|\.nan|true|false|null|yes|no|on|off|[.-]+)$/i;

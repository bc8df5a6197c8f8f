// The first settings of a project as text: short, a line of comment a key. Whatever files and tools are called, Umpire's own reader
// takes it. What goes into it is chosen by engine/first-settings.ts.

import type { Check } from './checkup-page.js';
import { columnsOf, lineOf, wrap } from './foreign-text.js';

export interface FirstChoices {
  /** Null: nobody said, and none is installed. */
  readonly agent: string | null;
  /** Files for `workspace.copy`. */
  readonly copy: readonly string[];
  /** What the critics have to measure with. */
  readonly critics: readonly Check[];
}

export function settingsText({ agent, copy, critics }: FirstChoices): string {
  const parts: readonly (readonly string[])[] = [
    ['# Settings of Umpire. Every key may be left out; flags of a command win over it.', '# docs/configuration.md has them all.'],
    [
      '# Who does every role: claude, codex, gemini, opencode, person, or an agent of',
      '# your own, set under agents.',
      agent === null ? '# agent: claude' : `agent: ${scalar(agent)}`,
    ],
    [
      '# Files that git does not track, and that every worktree gets a copy of.',
      ...(copy.length === 0 ? ['# workspace: { copy: [.env] }'] : copyLines(copy)),
    ],
    ['# How many rounds a loop may take, in place of its own cap.', '# max_rounds: 5'],
    ['# After so many minutes of a session a person is asked.', '# max_minutes: 120'],
    ['# And after so many US dollars.', '# max_cost_usd: 10'],
    ['# Agents and tests write where their work goes, and nowhere else (on Linux).', '# sandbox: true'],
    ['# A command for the shell, run when a person is needed.', '# notify: notify-send "$UMPIRE_SESSION_NAME waits on $UMPIRE_QUESTION"'],
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
  return ['# What the critics of Umpire found here (umpire doctor looks again). What they', '# are told is set under critics.', ...said];
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

// `umpire completion`: a script for the shell that asks `umpire complete` for candidates: commands, flags, loops, answers and sessions.
// The flags come from the help texts, so that no second list has to be kept.

import { basename } from 'node:path';
import { ANSWERS } from '@umpire/core/model/questions.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { PRESET_NAMES } from '../../agents/known/known-agents.js';
import { COLOR_CHOICES } from '../../views/colors.js';
import { STATE_WORDS } from '../../views/session-view.js';
import { projectAt, sessionFolders } from '../../sessions/find-sessions.js';
import { parseArguments, refuseExtra, usage } from './flags.js';
import { HELP } from './help.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';

const SCRIPTS = {
  bash: `_umpire() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(umpire complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _umpire umpire
`,
  zsh: `#compdef umpire
_umpire() {
  local -a candidates
  candidates=("\${(@f)$(umpire complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _umpire umpire
`,
  fish: `function __umpire_complete
  umpire complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c umpire -f -n 'test (count (__umpire_complete)) -gt 0' -a '(__umpire_complete)'
`,
} as const;

export async function runCompletion(args: readonly string[]): Promise<CommandOutcome> {
  const parsed = parseArguments(args, { '--help': 'switch' }, 'completion');
  if (parsed.switches.has('--help')) return showHelp('completion');
  const [shell] = parsed.rest;
  refuseExtra(parsed, 1, 'completion');
  if (shell === undefined || !Object.hasOwn(SCRIPTS, shell))
    throw usage(
      `umpire completion takes ${Object.keys(SCRIPTS).join(', ')}${shell === undefined ? '' : `, not "${shell.slice(0, 40)}"`}.`,
      'completion',
    );
  return { stdout: SCRIPTS[shell as keyof typeof SCRIPTS], exit: 0 };
}

/** The hidden command of those scripts: `complete -- words…`, the last of them not finished. One candidate a line. */
export function runComplete(args: readonly string[]): CommandOutcome {
  const words = args[0] === '--' ? args.slice(1) : args;
  const current = words.at(-1) ?? '';
  const found = candidates(words.slice(0, -1), current).filter((word) => word.startsWith(current) && SAFE.test(word));
  return { stdout: found.map((word) => `${word}\n`).join(''), exit: 0 };
}

/** The shell of a person takes these as words, also if an agent named the folder. */
const SAFE = /^[\w@%+=:,./-]+$/;

const LOOP_FIRST: ReadonlySet<string> = new Set(['run', 'check', 'decide', 'critique']);
const SESSION_FIRST: ReadonlySet<string> = new Set([
  'resume',
  'resolve',
  'status',
  'report',
  'logs',
  'diff',
  'apply',
  'clean',
  'replay',
  'dismiss',
  'pr',
]);

function candidates(before: readonly string[], current: string): readonly string[] {
  const [command, ...rest] = before;
  const topics = Object.keys(HELP).filter((name) => name !== 'umpire');
  if (command === undefined) return [...topics, 'help', '--version', '--help'];
  if (command === 'help') return topics;
  const text = Object.hasOwn(HELP, command) ? HELP[command as keyof typeof HELP] : '';
  const flag = rest.at(-1) ?? '';
  const values = flagValues(command, flag);
  if (values !== null) return values;
  if (flag.startsWith('--') && takesValue(text, flag)) return [];
  if (current.startsWith('-')) return [...flagsIn(text), '--help', '--color'];
  return argumentsOf(command, positionOf(text, rest), rest);
}

function flagValues(command: string, flag: string): readonly string[] | null {
  switch (flag) {
    case '--agent':
      return [...PRESET_NAMES, 'person'];
    case '--color':
      return COLOR_CHOICES;
    case '--loop':
      return BUILTIN_NAMES;
    case '--state':
      return command === 'list' ? STATE_WORDS : null;
    case '--scope':
      return ['testing', 'any'];
    default:
      return null;
  }
}

function flagsIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/^ {2}(?:-\w, )?(--[a-z][a-z-]*)/gm)].map(([, flag]) => flag ?? ''))];
}

/** In the help, the value of a flag is in capitals. */
function takesValue(text: string, flag: string): boolean {
  return new RegExp(`^ {2}${flag} [A-Z]`, 'm').test(text);
}

/** How many arguments stand before the current word, without flags and their values. */
function positionOf(text: string, rest: readonly string[]): number {
  return rest.filter((word, at) => !word.startsWith('-') && !takesValue(text, rest[at - 1] ?? '')).length;
}

function argumentsOf(command: string, position: number, rest: readonly string[]): readonly string[] {
  if (command === 'completion') return position === 0 ? Object.keys(SCRIPTS) : [];
  if (LOOP_FIRST.has(command) && position === 0) return BUILTIN_NAMES;
  if (command === 'resolve' && position === 1) return ANSWERS;
  const isSession = (SESSION_FIRST.has(command) && position === 0) || (command === 'decide' && position === 1);
  return isSession ? sessionNames(rest) : [];
}

function sessionNames(rest: readonly string[]): readonly string[] {
  const at = rest.indexOf('--project');
  try {
    return sessionFolders(projectAt(at < 0 ? '.' : (rest[at + 1] ?? '.'))).map((path) => basename(path));
  } catch {
    // Candidates are a convenience: an unreadable project has none.
    return [];
  }
}

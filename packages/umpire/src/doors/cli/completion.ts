// `umpire completion`: a script for the shell that asks `umpire complete` for candidates: commands, flags, loops, answers and sessions.

import { basename } from 'node:path';
import { choice, flagOf } from '@umpire/core/model/options.js';
import type { Option } from '@umpire/core/model/options.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { AGENT_NAMES, PRESET_NAMES } from '../../agents/known/known-agents.js';
import { COLOR_CHOICES } from '../../views/colors.js';
import { projectAt, sessionFolders } from '../../sessions/find-sessions.js';
import type { CommandOutcome } from './output.js';
import { COMMANDS } from './commands.js';
import type { Command, CommandName, Given } from './commands.js';

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

export async function runCompletion({ shell }: Given<'completion'>): Promise<CommandOutcome> {
  return { stdout: SCRIPTS[shell], exit: 0 };
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

function candidates(before: readonly string[], current: string): readonly string[] {
  const [command = '', ...rest] = before;
  const topics = Object.keys(COMMANDS);
  if (before.length === 0) return [...topics, 'help', '--version', '--help'];
  if (command === 'help') return topics;
  const { options, places = [] }: Pick<Command, 'options' | 'places'> = Object.hasOwn(COMMANDS, command)
    ? COMMANDS[command as CommandName]
    : { options: {} };
  const rows = new Map<string, Option>([['--color', choice(COLOR_CHOICES, 'WHEN', '')]]);
  for (const [name, row] of Object.entries(options)) {
    if (places.includes(name)) continue;
    rows.set(flagOf(name), row);
    if (row.short !== undefined) rows.set(row.short, row);
  }
  const takesValue = (word: string | undefined) => word?.startsWith('-') === true && (rows.get(word)?.takes.type ?? 'flag') !== 'flag';
  const last = rest.at(-1) ?? '';
  if (takesValue(last)) return wordsFor(rows.get(last), rest);
  if (current.startsWith('-')) return [...[...rows.keys()].filter((flag) => flag.startsWith('--')), '--help'];
  const position = rest.filter((word, at) => !word.startsWith('-') && !takesValue(rest[at - 1])).length;
  return wordsFor(options[places[Math.min(position, places.length - 1)] ?? ''], rest);
}

function wordsFor(row: Option | undefined, rest: readonly string[]): readonly string[] {
  if (row === undefined) return [];
  const { takes } = row;
  if (takes.type === 'agent') return AGENT_NAMES;
  if (takes.type === 'agents') return [...PRESET_NAMES, 'person'];
  if (takes.type === 'loop') return BUILTIN_NAMES;
  if (takes.type === 'session') {
    const at = rest.indexOf('--project');
    try {
      return sessionFolders(projectAt(at < 0 ? '.' : (rest[at + 1] ?? '.'))).map((path) => basename(path));
    } catch {
      // Candidates are a convenience: an unreadable project has none.
      return [];
    }
  }
  return 'words' in takes ? (takes.words ?? []) : [];
}

// Which commands an agent may run: those of the project, and those that only read. Each agent has its own language for such rules
// (presets.ts); over ACP Umpire decides itself. Pure.

import { readShell } from '@umpire/core/formats/shell-text.js';
import type { Assignment } from '@umpire/core/model/ports.js';

/** They change nothing. Claude Code knows such commands itself. */
export const READING_COMMANDS: readonly string[] = [
  ...['diff', 'log', 'show', 'status', 'blame'].map((name) => `git ${name}`),
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'grep',
  'pwd',
];

/** The commands of the project that this task may run, with the parts of a chain of commands. */
export function projectCommands({ commands, check }: Pick<Assignment, 'commands' | 'check'>): readonly string[] {
  // Rules have no escapes: `(`, `)`, `*` and `\` would mean something else.
  const all = [...(check === null ? [] : [check]), ...commands]
    .map((command) => command.trim())
    .filter((command) => /^[^()*\\\p{Cc}]{1,1000}$/u.test(command));
  return [...new Set(all.flatMap((command) => [command, ...splitPlainChain(command)]))];
}

/** The commands of a chain such as `npm run lint && npm test`. Empty if it has quotes, variables, files to write or anything else. */
function splitPlainChain(line: string): readonly string[] {
  const { commands, background, unreadFrom } = readShell(line);
  const isPlain = commands.every(
    ({ operator, group, env, redirects, words, written }) =>
      operator !== '&' &&
      group === null &&
      Object.keys(env).length === 0 &&
      redirects.every((redirect) => redirect === '2>&1') &&
      words.every((word, at) => word === written[at] && !/[$`]/.test(word)),
  );
  return isPlain && background === null && unreadFrom === null ? commands.map(({ words }) => words.join(' ')) : [];
}

/** May this line run? Each command in it must be allowed; further arguments are. */
export function isAllowedCommand(line: string, commands: readonly string[]): boolean {
  if (commands.includes(line.trim())) return true;
  const parts = splitPlainChain(line);
  const begins = (part: string, allowed: readonly string[]) =>
    allowed.some((command) => part === command || part.startsWith(`${command} `));
  // An argument may name a path outside the folder, or a file to write.
  return (
    parts.length > 0 &&
    parts.every(
      (part) => begins(part, commands) || (begins(part, READING_COMMANDS) && !/\s(?:\/|~|-o|--output)|\.\.\/|\s\.\.(?:\s|$)/.test(part)),
    )
  );
}

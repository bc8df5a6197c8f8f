// Which commands an agent may run: those of the project, and those that only read. Each agent has its own language for such rules
// (presets.ts); over ACP Umpire decides itself. Pure.

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
  const all = [...(check === null ? [] : [check]), ...commands].map((command) => command.trim()).filter(isPlain);
  return [...new Set(all.flatMap((command) => [command, ...partsOf(command)]))];
}

/** Rules have no escapes: `(`, `)`, `*` and `\` would mean something else. */
function isPlain(command: string): boolean {
  return /^[^()*\\\p{Cc}]{1,1000}$/u.test(command);
}

/** The commands of a chain such as `npm run lint && npm test`. One with other signs of a shell has no parts that are known. */
function partsOf(command: string): readonly string[] {
  const chain = command.replaceAll('2>&1', '');
  if (/["'`$<>&|;#\n\r]/.test(chain.replace(/&&|\|\||[|;]/g, ''))) return [];
  return chain
    .split(/&&|\|\||[|;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** May this line run? Each command in it must be allowed; further arguments are. */
export function isAllowedCommand(line: string, commands: readonly string[]): boolean {
  if (commands.includes(line.trim())) return true;
  const parts = partsOf(line);
  const begins = (part: string, allowed: readonly string[]) =>
    allowed.some((command) => part === command || part.startsWith(`${command} `));
  const reads = (part: string) => begins(part, READING_COMMANDS) && !LEAVES_FOLDER.test(part);
  return parts.length > 0 && parts.every((part) => begins(part, commands) || reads(part));
}

/** Arguments that name a path outside the folder, or a file to write. */
const LEAVES_FOLDER = /\s(?:\/|~|-o|--output)|\.\.\/|\s\.\.(?:\s|$)/;

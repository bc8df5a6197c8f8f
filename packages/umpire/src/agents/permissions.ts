// What an agent may do: which commands, and over ACP each single request. Allowed there, one call at a time: files in the working folder and the
// session folder, the commands of the project, and the kinds that the settings allow. Nothing is allowed permanently. Pure.

import { readShell } from '@umpire/core/formats/shell-text.js';
import type { Assignment } from '@umpire/core/model/ports.js';
import { basename, relative, resolve, sep } from 'node:path';
import type { PermissionRequest, AcpToolCall } from '@umpire/core/formats/acp-message.js';
import type { Allowable } from '../sessions/settings.js';
import { realPath } from '../sessions/file-system.js';
import { REFUSED_NAMES } from '@umpire/core/formats/reserved-files.js';
import { lineOf } from '../views/safe-text.js';

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
export function allowedCommands({ commands, check }: Pick<Assignment, 'commands' | 'check'>): readonly string[] {
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
function isAllowedCommand(line: string, commands: readonly string[]): boolean {
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

export type PermissionScope = Pick<Assignment, 'workdir' | 'session' | 'writes'> & {
  readonly allow: readonly Allowable[];
  /** These commands may run, whatever `allow` says. */
  readonly commands: readonly string[];
};

export interface Permission {
  /** The chosen option; null: no offered option fits. */
  readonly option: string | null;
  readonly isAllowed: boolean;
  readonly words: string;
}

export function answerPermission({ tool, options }: PermissionRequest, scope: PermissionScope): Permission {
  const once = options.find(({ kind }) => kind === 'allow_once');
  const why = explainRefusal(tool, scope) ?? (once === undefined ? 'it offers no one-time permission' : null);
  if (why === null && once !== undefined) return { option: once.id, isAllowed: true, words: `allowed once: ${describeRequest(tool)}` };
  const no = options.find(({ kind }) => kind === 'reject_once') ?? options.find(({ kind }) => kind === 'reject_always');
  return { option: no?.id ?? null, isAllowed: false, words: `refused: ${describeRequest(tool)} (${why ?? 'nothing allows it'})` };
}

/** `execute "npm test"` */
function describeRequest({ title, kind, paths }: AcpToolCall): string {
  const files = paths.filter((path) => title?.includes(basename(path)) !== true).slice(0, 3);
  const where = files.length === 0 ? '' : ` on ${files.map((path) => JSON.stringify(lineOf(path, 200))).join(', ')}`;
  return `${lineOf(kind ?? 'other', 40)} ${JSON.stringify(lineOf(title ?? 'a tool', 200))}${where}`;
}

function explainRefusal(
  { kind = 'other', paths, command }: AcpToolCall,
  { workdir, session, writes, allow, commands }: PermissionScope,
): string | null {
  switch (kind) {
    case 'think':
      return null;
    case 'read':
    case 'search':
      if (paths.length === 0) return kind === 'search' ? null : 'no file is named';
      // Reading may follow a link out of the folder, such as a package in node_modules: it changes nothing.
      return outside(paths, [workdir, session], (path) => resolve(workdir, path));
    case 'execute':
    case 'fetch':
      if (kind === 'execute' && command !== undefined && isAllowedCommand(command, commands)) return null;
      return allow.includes(kind) ? null : `not in the settings: \`allow: [${kind}]\``;
    case 'switch_mode':
      return 'the mode must not change';
    case 'edit':
    case 'delete':
    case 'move':
      if (paths.length === 0) return 'no file is named';
      break;
    default:
      if (paths.length === 0) return allow.includes('other') ? null : 'no file is named, and not in the settings: `allow: [other]`';
  }
  const real = (path: string) => realPath(resolve(workdir, path));
  if (paths.some((path) => isOwnFile(real(path), realPath(session)))) return 'only Umpire writes that file';
  const roots = (writes ? [workdir, session] : [session]).map(realPath);
  const found = outside(paths, roots, real);
  return found !== null && !writes && outside(paths, [realPath(workdir)], real) === null ? 'this task is read-only there' : found;
}

function outside(paths: readonly string[], roots: readonly string[], place: (path: string) => string): string | null {
  const path = paths.find((one) => !roots.some((root) => liesIn(place(one), root)));
  return path === undefined ? null : `${JSON.stringify(lineOf(path, 200))} is outside its folders`;
}

/** The journal, plan, logs and stored evidence of the session. */
function isOwnFile(path: string, session: string): boolean {
  return liesIn(path, session) && REFUSED_NAMES.has(relative(session, path).split(sep)[0] ?? '');
}

function liesIn(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

// Decides permission requests of agents over ACP. Allowed, one call at a time: files in the working folder and the session folder, the
// commands of the project, and the kinds that the settings allow. Nothing is allowed permanently.

import { basename, relative, resolve, sep } from 'node:path';
import type { PermissionRequest, AcpToolCall } from '@umpire/core/formats/acp-message.js';
import type { Assignment } from '@umpire/core/model/ports.js';
import type { Allowable } from '../sessions/default-settings.js';
import { realPath } from '../sessions/file-system.js';
import { REFUSED_NAMES } from '@umpire/core/formats/reserved-files.js';
import { lineOf } from '../views/safe-text.js';
import { isAllowedCommand } from './allowed-commands.js';

export type PermissionScope = Pick<Assignment, 'workdir' | 'session' | 'writes'> & {
  readonly allow: readonly Allowable[];
  /** These commands may run, whatever `allow` says. */
  readonly commands: readonly string[];
};

export interface Permission {
  /** The chosen option; null: no offered option fits. */
  readonly option: string | null;
  readonly isAllowed: boolean;
  /** Request and answer, for the log. */
  readonly words: string;
}

export function answerPermission({ tool, options }: PermissionRequest, scope: PermissionScope): Permission {
  const once = options.find(({ kind }) => kind === 'allow_once');
  const why = explainRefusal(tool, scope) ?? (once === undefined ? 'it offers no one-time permission' : null);
  if (why === null && once !== undefined) return { option: once.id, isAllowed: true, words: `allowed once: ${describeTool(tool)}` };
  const no = options.find(({ kind }) => kind === 'reject_once') ?? options.find(({ kind }) => kind === 'reject_always');
  return { option: no?.id ?? null, isAllowed: false, words: `refused: ${describeTool(tool)} (${why ?? 'nothing allows it'})` };
}

/** `execute "npm test"` */
function describeTool({ title, kind, paths }: AcpToolCall): string {
  const files = paths.filter((path) => title?.includes(basename(path)) !== true).slice(0, 3);
  const where = files.length === 0 ? '' : ` on ${files.map((path) => JSON.stringify(lineOf(path, 200))).join(', ')}`;
  return `${lineOf(kind ?? 'other', 40)} ${JSON.stringify(lineOf(title ?? 'a tool', 200))}${where}`;
}

/** Null where the call is allowed. */
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
  const path = paths.find((one) => !roots.some((root) => isInside(place(one), root)));
  return path === undefined ? null : `${JSON.stringify(lineOf(path, 200))} is outside its folders`;
}

/** The journal, plan, logs and stored evidence of the session. */
function isOwnFile(path: string, session: string): boolean {
  return isInside(path, session) && REFUSED_NAMES.has(relative(session, path).split(sep)[0] ?? '');
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

// What an agent over ACP may do when it asks: the one rule. Files in its working folder and the session folder, once each time; the command
// that is to pass; other commands, the network and what cannot be known only where the person's settings allow the kind. Nothing is ever allowed for good.

import { basename, relative, resolve, sep } from 'node:path';
import type { PermissionRequest, AcpToolCall } from '@umpire/core/formats/acp-message.js';
import type { Assignment } from '@umpire/core/ports.js';
import type { Allowable } from '../sessions/default-settings.js';
import { realPath } from '../sessions/entry.js';
import { REFUSED_NAMES } from '@umpire/core/formats/reserved-files.js';
import { showLine } from './hidden-text.js';

export type Places = Pick<Assignment, 'workdir' | 'session' | 'writes'> & {
  readonly allow: readonly Allowable[];
  /** Exactly this command may be run, whatever `allow` says. */
  readonly command?: string;
};

export interface Permission {
  /** The option that is chosen; null: none that is offered will do. */
  readonly option: string | null;
  readonly isAllowed: boolean;
  /** What was asked and answered, for the log. */
  readonly words: string;
}

export function answerPermission({ tool, options }: PermissionRequest, places: Places): Permission {
  const once = options.find(({ kind }) => kind === 'allow_once');
  const why = whyNot(tool, places) ?? (once === undefined ? 'it can only be allowed for good' : null);
  if (why === null && once !== undefined) return { option: once.id, isAllowed: true, words: `allowed once: ${toolWords(tool)}` };
  const no = options.find(({ kind }) => kind === 'reject_once') ?? options.find(({ kind }) => kind === 'reject_always');
  return { option: no?.id ?? null, isAllowed: false, words: `refused: ${toolWords(tool)}, since ${why ?? 'nothing allows it'}` };
}

/** `execute "npm test"` */
function toolWords({ title, kind, paths }: AcpToolCall): string {
  const files = paths.filter((path) => title?.includes(basename(path)) !== true).slice(0, 3);
  const where = files.length === 0 ? '' : ` on ${files.map((path) => JSON.stringify(showLine(path, 200))).join(', ')}`;
  return `${showLine(kind ?? 'other', 40)} ${JSON.stringify(showLine(title ?? 'a tool', 200))}${where}`;
}

/** Null where nothing speaks against it. */
function whyNot({ kind = 'other', paths, command }: AcpToolCall, { workdir, session, writes, allow, ...own }: Places): string | null {
  switch (kind) {
    case 'think':
      return null;
    case 'read':
    case 'search':
      if (paths.length === 0) return kind === 'search' ? null : 'it does not say which file';
      // Reading changes nothing: a link in the folder, such as a package in node_modules, may be followed.
      return outside(paths, [workdir, session], (path) => resolve(workdir, path));
    case 'execute':
    case 'fetch':
      if (kind === 'execute' && command !== undefined && command === own.command) return null;
      return allow.includes(kind) ? null : `the settings do not say \`allow: [${kind}]\``;
    case 'switch_mode':
      return 'its mode is not to change';
    case 'edit':
    case 'delete':
    case 'move':
      if (paths.length === 0) return 'it does not say which file';
      break;
    default:
      if (paths.length === 0) return allow.includes('other') ? null : 'it names no file, and the settings do not say `allow: [other]`';
  }
  const real = (path: string) => realPath(resolve(workdir, path));
  if (paths.some((path) => isOwnFile(real(path), realPath(session)))) return 'that file is written by Umpire';
  const roots = (writes ? [workdir, session] : [session]).map(realPath);
  const found = outside(paths, roots, real);
  return found !== null && !writes && outside(paths, [realPath(workdir)], real) === null ? 'this task only reads there' : found;
}

function outside(paths: readonly string[], roots: readonly string[], place: (path: string) => string): string | null {
  const path = paths.find((one) => !roots.some((root) => isInside(place(one), root)));
  return path === undefined ? null : `${JSON.stringify(showLine(path, 200))} lies outside its folders`;
}

/** The history, plan, logs and kept evidence of the session. */
function isOwnFile(path: string, session: string): boolean {
  return isInside(path, session) && REFUSED_NAMES.has(relative(session, path).split(sep)[0] ?? '');
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

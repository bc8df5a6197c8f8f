// The role texts of a loop: the project's own if a person trusts them, those beside the loop file, or those that come with Umpire.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RoleRef } from '@umpire/core/model/vocabulary.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { sha256 } from './hash.js';
import { packageRoot } from './package-root.js';
import { faultOf } from './session-folder.js';
import { isTrusted } from './trust.js';
import { readRegularFile } from './file-system.js';

/** A role definition with its text. */
export interface Role {
  readonly ref: RoleRef;
  readonly text: string;
}

/** Throws if the role has no definition: no verdict is given without one. */
export function loadRole(loop: string, role: string, project: string | null, loopFolder: string | null): RoleRef {
  const found = findRole(loop, role, project, loopFolder);
  if (found !== null) return found.ref;
  throw new UmpireError('role-missing', { role: `${loop}/${role}`, detail: 'neither the project nor the package contains it' });
}

/** The project's own role definition, else the one beside the loop file, else the one that comes with Umpire. */
export function findRole(loop: string, role: string, project: string | null, loopFolder: string | null): Role | null {
  const own = trustedRole(project, `.umpire/roles/${loop}/${role}.md`, `${loop}/${role}`, project);
  return own ?? trustedRole(loopFolder, `roles/${loop}/${role}.md`, `${loop}/${role}`, project) ?? shippedRole(loop, role);
}

function trustedRole(folder: string | null, path: string, name: string, project: string | null): Role | null {
  const found = readRole(folder, path, name);
  return found === null || folder === null || !isTrusted(join(folder, path), found.text, project) ? null : found;
}

const SHIPPED = new Map<string, Role>();

/** Read once: the package does not change while the process runs, which may serve many sessions. */
function shippedRole(loop: string, role: string): Role | null {
  const name = `${loop}/${role}`;
  const known = SHIPPED.get(name);
  if (known !== undefined) return known;
  const found = readRole(packageRoot(), `roles/${name}.md`, name) ?? readRole(packageRoot(), `roles/${role}.md`, name);
  if (found !== null) SHIPPED.set(name, found);
  return found;
}

function readRole(folder: string | null, path: string, name: string): Role | null {
  if (folder === null || !existsSync(join(folder, path))) return null;
  try {
    const bytes = readRegularFile(join(folder, path));
    return { ref: { path, sha256: sha256(bytes) }, text: bytes.toString('utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new UmpireError('role-missing', { role: name, detail: `${path}: ${faultOf(error)}` });
  }
}

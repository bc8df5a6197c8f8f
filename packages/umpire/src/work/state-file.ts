// Small JSON files with state, replaced atomically: after a crash there is the old one or the new one. A missing file, a damaged file and
// an unreadable file are three different results.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Schema } from '@umpire/core/model/schema.js';
import { faultOf } from '../sessions/session-folder.js';

/**
 * Beside the worktree that it describes. Module resolvers that look for the worktree's folder (`require('..')` in a test) try names with
 * `.js`, `.json` and the like first, so the state has none of these extensions.
 */
export function stateFileOf(folder: string, worktree: string): string {
  return join(folder, `${worktree}.state`);
}

export type StateRead<T> = { readonly kind: 'note'; readonly note: T } | { readonly kind: 'missing' } | { readonly kind: 'damaged' };

export function writeStateFile(path: string, note: unknown): void {
  const draft = `${path}.new`;
  try {
    writeFileSync(draft, `${JSON.stringify(note)}\n`);
    renameSync(draft, path);
  } catch (error) {
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

/** Damaged: it is truncated, empty or does not fit the schema. */
export function readState<T>(path: string, schema: Schema<T>): StateRead<T> {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'missing' };
    throw new UmpireError('read-failed', { path, detail: faultOf(error) });
  }
  try {
    const note: unknown = JSON.parse(content);
    return schema.fits(note) ? { kind: 'note', note } : { kind: 'damaged' };
  } catch {
    return { kind: 'damaged' };
  }
}

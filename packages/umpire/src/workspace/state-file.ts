// Small JSON files with state, replaced atomically: after a crash there is the old one or the new one. A missing file, a damaged file and
// an unreadable file are three different results.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { UmpireError } from '@umpire/core/errors.js';
import type { Shape } from '@umpire/core/formats/shape.js';
import { faultOf } from '../sessions/session-folder.js';

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

/** Truncated, empty or of another shape is damaged. */
export function readStateFile<T>(path: string, shape: Shape<T>): StateRead<T> {
  const text = textOf(path);
  if (text === null) return { kind: 'missing' };
  try {
    const note: unknown = JSON.parse(text);
    return shape(note) === null ? { kind: 'note', note: note as T } : { kind: 'damaged' };
  } catch {
    return { kind: 'damaged' };
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new UmpireError('read-failed', { path, detail: faultOf(error) });
  }
}

// Creates temporary folders, with a clear error if TMPDIR is missing or not writable.

import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { faultOf } from './session-folder.js';

/** Returns its path with links resolved. The caller removes it. */
export function makeScratch(name: string): string {
  try {
    return realpathSync.native(mkdtempSync(join(tmpdir(), `umpire-${name}-`)));
  } catch (error) {
    throw new UmpireError('write-failed', { path: `the folder for temporary files (TMPDIR=${tmpdir()})`, detail: faultOf(error) });
  }
}

// A folder for what is needed only for a moment. Where the system's place for such is missing or takes nothing, that is told as such.

import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { faultOf } from './folder.js';

/** Its path, links resolved. Whoever asks for it removes it. */
export function makeScratch(name: string): string {
  try {
    return realpathSync.native(mkdtempSync(join(tmpdir(), `umpire-${name}-`)));
  } catch (error) {
    throw new UmpireError('write-failed', { path: `the folder for temporary files (TMPDIR=${tmpdir()})`, detail: faultOf(error) });
  }
}

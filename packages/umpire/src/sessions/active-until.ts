// The `until` that judges agent sessions in a person's checkout, one for each project. Its record lies in the user's state folder: a
// repository that brings its own must not have a command run, and an agent that edits the project must not change its check.

import { rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { flag, listOf, object, orNull, text, whole } from '@umpire/core/model/schema.js';
import type { Infer } from '@umpire/core/model/schema.js';
import { parseJson } from '@umpire/core/formats/json-text.js';
import { keyFolder } from './journal-key.js';
import { realPath } from './file-system.js';
import { sha256 } from './hash.js';
import { faultOf, makeFolders, openFolder, readBytes, writeAtomically } from './session-folder.js';

const ACTIVE_UNTIL = object({
  project: text,
  /** The session folder, absolute. */
  session: text,
  command: text,
  report: orNull(text),
  /** The commit at which it began; tests are compared with it. */
  base: text,
  /** The cap that the person chose; null: the default. */
  maxRounds: orNull(whole),
  /** The id of the agent session that it judges: the first one that stops. */
  agent: orNull(text),
  /** The guard sent the agent back, and nothing was measured since. */
  isSentBack: flag,
  /** Fingerprints of the breaches that were reported to the person. */
  told: listOf(text),
});
export type ActiveUntil = Infer<typeof ACTIVE_UNTIL>;

/** That of the folder, or of the nearest folder above it that has one. */
export function findActiveUntil(start: string): ActiveUntil | null {
  for (let folder = realPath(resolve(start)); ; folder = dirname(folder)) {
    const active = readActiveUntil(folder);
    if (active !== null || folder === dirname(folder)) return active;
  }
}

/** Null if there is none. A record that cannot be read runs nothing. */
function readActiveUntil(project: string): ActiveUntil | null {
  const place = recordFile(project);
  if (place === null) return null;
  try {
    const read = readBytes(openFolder(dirname(place)), basename(place));
    const json = read.kind === 'bytes' ? parseJson(Buffer.from(read.bytes).toString('utf8')) : null;
    if (json === null || !json.ok || !ACTIVE_UNTIL.fits(json.value)) return null;
    return json.value.project === realPath(project) ? json.value : null;
  } catch {
    return null;
  }
}

export function writeActiveUntil(active: ActiveUntil): void {
  const place = recordFile(active.project);
  if (place === null) throw new UmpireError('write-failed', { path: 'the state of until --here', detail: 'there is no home folder' });
  try {
    makeFolders(dirname(place));
    writeAtomically(openFolder(dirname(place)), basename(place), `${JSON.stringify({ ...active, project: realPath(active.project) })}\n`);
  } catch (error) {
    throw new UmpireError('write-failed', { path: place, detail: faultOf(error) });
  }
}

export function removeActiveUntil(project: string): void {
  const place = recordFile(project);
  if (place !== null) rmSync(place, { force: true });
}

function recordFile(project: string): string | null {
  const folder = keyFolder();
  return folder === null ? null : join(folder, 'until', `${sha256(realPath(project)).slice(0, 32)}.json`);
}

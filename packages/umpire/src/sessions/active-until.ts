// The `until` that judges agent sessions in a person's checkout, one for each project. Its record lies in the user's state folder: a
// repository that brings its own must not have a command run, and an agent that edits the project must not change its check.

import { rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { flag, listOf, object, orNull, text, whole } from '@umpire/core/formats/shape.js';
import { parseJson } from '@umpire/core/formats/json-text.js';
import { keyFolder } from './journal-key.js';
import { realPath } from './file-system.js';
import { sha256 } from './hash.js';
import { faultOf, makeFolders, openFolder, readBytes, writeAtomically } from './session-folder.js';

export interface ActiveUntil {
  readonly project: string;
  /** The session folder, absolute. */
  readonly session: string;
  readonly command: string;
  readonly report: string | null;
  /** The commit at which it began; tests are compared with it. */
  readonly base: string;
  /** The cap that the person chose; null: the default. */
  readonly maxRounds: number | null;
  /** The id of the agent session that it judges: the first one that stops. */
  readonly agent: string | null;
  /** The guard sent the agent back, and nothing was measured since. */
  readonly isSentBack: boolean;
  /** Fingerprints of the breaches that were reported to the person. */
  readonly told: readonly string[];
}

const SHAPE = object<ActiveUntil>({
  project: text,
  session: text,
  command: text,
  report: orNull(text),
  base: text,
  maxRounds: orNull(whole),
  agent: orNull(text),
  isSentBack: flag,
  told: listOf(text),
});

/** That of the folder, or of the nearest folder above it that has one. */
export function findActiveUntil(start: string): ActiveUntil | null {
  for (let folder = realPath(resolve(start)); ; folder = dirname(folder)) {
    const active = readActiveUntil(folder);
    if (active !== null || folder === dirname(folder)) return active;
  }
}

/** Null if there is none. A record that cannot be read runs nothing. */
function readActiveUntil(project: string): ActiveUntil | null {
  const place = placeFor(project);
  if (place === null) return null;
  try {
    const read = readBytes(openFolder(dirname(place)), basename(place));
    const json = read.kind === 'bytes' ? parseJson(Buffer.from(read.bytes).toString('utf8')) : null;
    if (json === null || !json.ok || SHAPE(json.value) !== null) return null;
    const active = json.value as ActiveUntil;
    return active.project === realPath(project) ? active : null;
  } catch {
    return null;
  }
}

export function writeActiveUntil(active: ActiveUntil): void {
  const place = placeFor(active.project);
  if (place === null) throw new UmpireError('write-failed', { path: 'the state of until --here', detail: 'there is no home folder' });
  try {
    makeFolders(dirname(place));
    writeAtomically(openFolder(dirname(place)), basename(place), `${JSON.stringify({ ...active, project: realPath(active.project) })}\n`);
  } catch (error) {
    throw new UmpireError('write-failed', { path: place, detail: faultOf(error) });
  }
}

export function removeActiveUntil(project: string): void {
  const place = placeFor(project);
  if (place !== null) rmSync(place, { force: true });
}

function placeFor(project: string): string | null {
  const folder = keyFolder();
  return folder === null ? null : join(folder, 'until', `${sha256(realPath(project)).slice(0, 32)}.json`);
}

// Files that people write in YAML: a loop of their own, the project's settings. Loaded only where there is one, since the
// YAML reader and the schema cost more start-up time than a verdict.

import { readFileSync, statSync } from 'node:fs';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { decodeExactly } from '@umpire/core/formats/decode-text.js';
import { linesOf, parseLoop, parsePipelines } from '@umpire/core/loops/loop-file.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import { faultOf } from './folder.js';

export { parseSettings } from './settings.js';

const MAX_LOOP_BYTES = 1024 * 1024;

export function readLoopFile(path: string): Loop {
  return parseLoop(readLoopText(path), path);
}

/** What a run of the loop in this file begins with. */
export function readPipelinesFile(path: string): Pipeline {
  return parsePipelines(readLoopText(path), path);
}

/** A loop to be checked: its table may have gaps. `lineOf` finds the line of a part of it. */
export function readDraftFile(path: string): {
  readonly loop: Loop;
  readonly lineOf: (part: readonly (string | number)[]) => number | null;
} {
  const text = readLoopText(path);
  return { loop: parseLoop(text, path, { gaps: true }), lineOf: linesOf(text) };
}

function readLoopText(path: string): string {
  let bytes: Buffer;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw new UmpireError('loop-unreadable', { file: path, detail: 'it is not a regular file' });
    if (stat.size > MAX_LOOP_BYTES) throw new UmpireError('loop-unreadable', { file: path, detail: 'it is larger than 1 MB' });
    bytes = readFileSync(path);
  } catch (error) {
    if (isUmpireError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UmpireError('loop-unreadable', { file: path, detail: code === 'ENOENT' ? 'there is no such file' : faultOf(error) });
  }
  const decoded = decodeExactly(bytes);
  if (!decoded.ok) throw new UmpireError('loop-unreadable', { file: path, detail: decoded.problem });
  return decoded.text;
}

// Reads loop files in YAML. Loaded late: the YAML reader and the schema take longer to start than a verdict takes.

import { statSync } from 'node:fs';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { decodeExactly } from '@umpire/core/formats/decode-text.js';
import { linesOf, parseLoop, parsePipelines } from '@umpire/core/loops/loop-file.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import { faultOf } from './session-folder.js';
import { readRegularFile } from './file-system.js';

const MAX_LOOP_BYTES = 1024 * 1024;

export function readLoopFile(path: string): Loop {
  return parseLoop(readLoopText(path), path);
}

/** The pipelines of a loop file: the first tasks of a run. */
export function readPipelinesFile(path: string): Pipeline {
  return parsePipelines(readLoopText(path), path);
}

/** A loop for `umpire check`: its table may have gaps. `lineOf` finds the line of a part. */
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
    bytes = readRegularFile(path);
  } catch (error) {
    if (isUmpireError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UmpireError('loop-unreadable', { file: path, detail: code === 'ENOENT' ? 'the file does not exist' : faultOf(error) });
  }
  const decoded = decodeExactly(bytes);
  if (!decoded.ok) throw new UmpireError('loop-unreadable', { file: path, detail: decoded.problem });
  return decoded.text;
}

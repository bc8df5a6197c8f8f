// Files that people write in YAML: a loop of their own, the project's settings. Loaded only where there is one, since the
// YAML reader and the schema cost more start-up time than a verdict.

import { readFileSync, statSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { UmpireError, isUmpireError } from '../errors.js';
import { decodeExactly } from '../formats/decode.js';
import { linesOf, parseLoop } from '../loops/loop-file.js';
import type { Loop } from '../loops/loop.js';
import { faultOf } from './folder.js';

const MAX_LOOP_BYTES = 1024 * 1024;

export function readLoopFile(path: string): Loop {
  return parseLoop(readLoopText(path), path);
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

export interface Settings {
  readonly strict: boolean;
}

/** umpire.config.yaml. Keys of other commands are theirs. */
export function parseSettings(text: string, file: string): Settings {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [fault] = document.errors;
  if (fault !== undefined)
    throw new UmpireError('config-invalid', {
      file,
      line: `:${lines.linePos(fault.pos[0]).line}`,
      detail: fault.message.replace(/\.$/, ''),
    });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch {
    throw new UmpireError('config-invalid', { file, line: '', detail: 'its aliases unfold into too much' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UmpireError('config-invalid', { file, line: '', detail: 'it must be a list of settings, such as "strict: true"' });
  const { strict = false } = value as { strict?: unknown };
  if (typeof strict !== 'boolean')
    throw new UmpireError('config-invalid', { file, line: '', detail: `strict must be true or false, not ${JSON.stringify(strict)}` });
  return { strict };
}

// Resolves a loop from a built-in name, the path of a loop file, or a loop object.

import { dirname, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { BUILTIN_NAMES, builtinLoop } from '@umpire/core/loops/builtin.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import type { Loop } from '@umpire/core/loops/loop.js';

export interface ChosenLoop {
  readonly loop: Loop;
  /** The absolute folder of its file, which may contain its own role texts. */
  readonly folder: string | null;
}

export async function resolveLoop(loop: string | Loop): Promise<ChosenLoop> {
  if (typeof loop !== 'string') return { loop, folder: null };
  const builtin = builtinLoop(loop);
  if (builtin !== null) return { loop: builtin, folder: null };
  const looksLikeFile = /[./\\]/.test(loop);
  if (!looksLikeFile)
    throw new UmpireError('unknown-loop', { name: loop, known: BUILTIN_NAMES.join(', '), meant: didYouMean(loop, BUILTIN_NAMES) });
  const { readLoopFile } = await import('./loop-files.js');
  return { loop: readLoopFile(loop), folder: dirname(resolve(loop)) };
}

// Reads a loop and proves it. A loop file may have gaps that judging would refuse: the check reports where.

import { basename } from 'node:path';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { checkLoop } from '@umpire/core/proof/check.js';
import type { Proof } from '@umpire/core/proof/check.js';
import { resolveLoop } from './resolve-loop.js';

export interface Checked {
  readonly loop: Loop;
  readonly proof: Proof;
  /** The place of a part, such as `my-loop.yaml:57`; null if the loop has no file. */
  readonly placeOf: (part: readonly (string | number)[]) => string | null;
}

/** `loop`: a built-in loop's name, the path of a loop file, or a loop from `defineLoop`. */
export async function check(loop: string | Loop): Promise<Checked> {
  if (typeof loop !== 'string' || builtinLoop(loop) !== null || !/[./\\]/.test(loop)) {
    const { loop: chosen } = await resolveLoop(loop);
    return { loop: chosen, proof: checkLoop(chosen), placeOf: () => null };
  }
  const { readDraftFile } = await import('./loop-files.js');
  const draft = readDraftFile(loop);
  const placeOf = (part: readonly (string | number)[]) => {
    const line = draft.lineOf(part);
    return line === null ? basename(loop) : `${basename(loop)}:${line}`;
  };
  return { loop: draft.loop, proof: checkLoop(draft.loop), placeOf };
}

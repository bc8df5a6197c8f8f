// Finds the loop to be checked and proves it. A file may have gaps that judging would refuse: the check says where.

import { basename } from 'node:path';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { checkLoop } from '@umpire/core/proof/check.js';
import type { Proof } from '@umpire/core/proof/check.js';
import { resolveLoop } from './loop-choice.js';

export interface Checked {
  readonly loop: Loop;
  readonly proof: Proof;
  /** Where a part of the loop stands, such as `my-loop.yaml:57`; null where there is no file. */
  readonly placeOf: (part: readonly (string | number)[]) => string | null;
}

/** `loop`: a built-in loop's name, the path of a loop file, or a loop from `defineLoop`. */
export async function check(loop: string | Loop): Promise<Checked> {
  if (typeof loop !== 'string' || builtinLoop(loop) !== null || !/[./\\]/.test(loop)) {
    const { loop: chosen } = await resolveLoop(loop);
    return { loop: chosen, proof: checkLoop(chosen), placeOf: () => null };
  }
  const { readDraftFile } = await import('./authored.js');
  const draft = readDraftFile(loop);
  const placeOf = (part: readonly (string | number)[]) => {
    const line = draft.lineOf(part);
    return line === null ? basename(loop) : `${basename(loop)}:${line}`;
  };
  return { loop: draft.loop, proof: checkLoop(draft.loop), placeOf };
}

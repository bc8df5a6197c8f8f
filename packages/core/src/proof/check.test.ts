// The built-in loops are proven, and every broken variant of them is caught with the right complaint.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { applyEdits, readVariants } from '../../../../test/support/variants.js';
import { builtinLoops } from '../loops/builtin.js';
import { defineLoop } from '../loops/define-loop.js';
import { parseLoop } from '../loops/loop-file.js';
import type { LoopInput } from '../loops/define-loop.js';
import { checkLoop } from './check.js';

const root = join(import.meta.dirname, '..', '..', '..', '..');

function brokenLoop(loop: string, edits: Parameters<typeof applyEdits>[1]) {
  const text = readFileSync(join(root, 'packages', 'core', 'src', 'loops', `${loop}.yaml`), 'utf8');
  return defineLoop(applyEdits(parse(text), edits) as LoopInput, { gaps: true });
}

describe('the built-in loops', () => {
  it.each(builtinLoops().map((loop) => [loop.loop, loop] as const))('%s is proven', (_, loop) => {
    const proof = checkLoop(loop);
    expect(proof.complaints).toEqual([]);
    expect(proof.held).toEqual([]);
    expect(proof.revisions).toBe(loop.cap.default - loop.round.first);
  });

  it('is what the example is, too', () => {
    const path = join(root, 'examples', 'docs-review', 'docs-review.yaml');
    expect(checkLoop(parseLoop(readFileSync(path, 'utf8'), path)).complaints).toEqual([]);
  });
});

describe('a broken variant', () => {
  it.each(readVariants().map((variant) => [variant.name, variant] as const))('%s', (_, variant) => {
    const proof = checkLoop(brokenLoop(variant.loop, variant.edits));
    const found = proof.complaints.map(({ code, at }) => `${code} ${at}`);
    expect(found).toEqual(expect.arrayContaining(variant.complaints.map(({ code, at }) => `${code} ${at}`)));
    expect(proof.holds).toBe(false);
  });
});

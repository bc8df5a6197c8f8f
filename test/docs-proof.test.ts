// docs/prove-and-replay.md is true: its commands print what it shows, and it names every complaint and every field of a proof.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { defineLoop } from '@umpire/core/loops/define-loop.js';
import type { LoopInput } from '@umpire/core/loops/define-loop.js';
import { checkLoop } from '@umpire/core/proof/check.js';
import { CODES } from '@umpire/core/proof/refutation.js';
import { playPage } from './support/console.js';
import { codeIn, readPage, tableOf } from './support/page.js';

const page = readPage('docs/prove-and-replay.md');

it('shows the real output of the commands', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-proving-'));
  try {
    expect(await playPage(page, folder)).toBeGreaterThan(12);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('names every field of the proof', () => {
  const loop = defineLoop({ ...(parse(page.blocks[0]?.text ?? '') as LoopInput) });
  const proof = checkLoop(loop);
  const [complaint] = proof.complaints;
  const [, list = ''] = page.text.split('`--json` prints one object: ');
  const named = new Set([...(list.split('\n')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  const keys = [...Object.keys(proof), ...Object.keys(complaint ?? {}), 'place', ...Object.keys(complaint?.story ?? {})];
  expect(keys.filter((key) => !named.has(key))).toEqual([]);
});

it('names every kind of complaint', () => {
  const named = tableOf(page, 'complaint | when').flatMap(([cell = '']) => codeIn(cell));
  expect(named.toSorted()).toEqual([...CODES].toSorted());
});

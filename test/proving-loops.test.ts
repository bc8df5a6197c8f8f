// The page on proving loops is played from top to bottom: its files are written where it writes them, its commands run, and
// what they print is what it shows.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { defineLoop } from '@umpire/core/loops/loop-file.js';
import type { LoopInput } from '@umpire/core/loops/loop-file.js';
import { checkLoop } from '@umpire/core/proof/check.js';
import { CODES } from '@umpire/core/proof/refutation.js';
import { prepareConsole, runConsole } from './support/console.js';

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'proving-loops.md'), 'utf8');

interface Block {
  readonly kind: string;
  readonly file: string;
  /** A key of the file that this block is put in place of. */
  readonly part: string;
  readonly text: string;
}

const blocks: readonly Block[] = [...page.matchAll(/^```(\w+)(?: (\S+))?(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
  ([, kind = '', file = '', part = '', text = '']) => ({ kind, file, part, text }),
);

/** The text with one top-level key replaced, or added at the end. */
function withPart(text: string, part: string, block: string): string {
  const section = new RegExp(`^${part}:\\n(?: .*\\n)*`, 'm');
  return section.test(text) ? text.replace(section, () => block) : text + block;
}

function write(folder: string, { file, part, text }: Block): void {
  const path = join(folder, file);
  writeFileSync(path, part === '' ? text : withPart(readFileSync(path, 'utf8'), part, text));
}

it('shows what the commands really print', () => {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-proving-'));
  try {
    prepareConsole(folder);
    let ran = 0;
    for (const block of blocks) {
      if (block.kind !== 'console') {
        write(folder, block);
        continue;
      }
      for (const { line, shown, printed } of runConsole(block.text, folder)) {
        ran++;
        expect({ line, printed }).toEqual({ line, printed: shown });
      }
    }
    expect(ran).toBeGreaterThan(12);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('names every field of the proof', () => {
  const loop = defineLoop({ ...(parse(blocks[0]?.text ?? '') as LoopInput) });
  const proof = checkLoop(loop);
  const [complaint] = proof.complaints;
  const [, list = ''] = page.split('`--json` one object: ');
  const named = new Set([...(list.split('\n')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  const keys = [...Object.keys(proof), ...Object.keys(complaint ?? {}), 'place', ...Object.keys(complaint?.story ?? {})];
  expect(keys.filter((key) => !named.has(key))).toEqual([]);
});

it('names every complaint there is', () => {
  const [, table = ''] = page.split('| complaint |');
  const named = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => [
    ...cell.matchAll(/`([a-z-]+)`/g),
  ]);
  expect(named.map(([, code = '']) => code).toSorted()).toEqual([...CODES].toSorted());
});

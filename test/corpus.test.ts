// Real reports of other tools, given to every reader, as an agent might do by mistake. Each is read or refused with a sentence; none
// crashes a reader. The corpus lies outside the project; UMPIRE_CORPUS names its folder.

import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { READERS } from '@umpire/core/formats/readers.js';

const named = process.env['UMPIRE_CORPUS'];

it('every report is read or refused, by every reader', (context) => {
  if (named === undefined) return context.skip('UMPIRE_CORPUS is not set, so the reports of other tools were not tried');
  const corpus = resolve(import.meta.dirname, '..', named);
  const files = readdirSync(corpus, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length, `UMPIRE_CORPUS names ${named}, and there is no corpus`).toBeGreaterThan(40);
  let read = 0;
  for (const entry of files) {
    const text = decodeTolerantly(readFileSync(join(entry.parentPath, entry.name)));
    for (const [name, reader] of Object.entries(READERS)) {
      const result = reader(text, { path: entry.name });
      if (result.ok) read++;
      else expect(result.unreadable.problem, `${name} on ${entry.name}`).toMatch(/\w{3}/);
    }
  }
  expect(read).toBeGreaterThan(0);
});

// Evidence is kept by content: what lies under its hash is that evidence, whoever put something else there before.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepBlobs } from './commit-verdict.js';
import { openFolder } from './session-folder.js';
import { sha256 } from './hash.js';

it.each([
  ['of the same size', 'pass: trux'],
  ['that a crash cut short', 'pass:'],
  ['that is right already', 'pass: true'],
])('has the evidence where a blob was %s', (_, lying) => {
  const root = mkdtempSync(join(tmpdir(), 'umpire-blobs-'));
  try {
    const evidence = 'pass: true';
    const place = join(root, 'blobs', sha256(evidence));
    mkdirSync(join(root, 'blobs'));
    writeFileSync(place, lying);
    keepBlobs(openFolder(root), new Map([[sha256(evidence), evidence]]));
    expect(readFileSync(place, 'utf8')).toBe(evidence);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

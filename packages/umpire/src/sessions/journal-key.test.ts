// The key that signs journals: made once, readable for its user only, and never a reason to stop.

import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { afterEach, expect, it, vi } from 'vitest';
import { readJournalKey, requireJournalKey } from './journal-key.js';

const folders: string[] = [];

function newState(): string {
  const path = mkdtempSync(join(tmpdir(), 'umpire-key-'));
  folders.push(path);
  vi.stubEnv('XDG_STATE_HOME', path);
  return path;
}

afterEach(() => {
  vi.unstubAllEnvs();
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

it('makes the key at first need, for its user only, and signs with it', () => {
  const place = join(newState(), 'umpire', 'journal.key');
  expect(readJournalKey()).toBe(null);
  const key = requireJournalKey();
  expect(readJournalKey()).toBe(key);
  expect({ mode: statSync(place).mode & 0o777, size: statSync(place).size }).toEqual({ mode: 0o600, size: 32 });
  const digest = 'a'.repeat(64);
  expect(key?.sign(digest)).toBe(createHmac('sha256', readFileSync(place)).update(digest).digest('hex'));
  expect(readdirSync(join(place, '..'))).toEqual(['journal.key']);
});

it('is one key for processes that make it at the same time', async () => {
  const state = newState();
  const script = join(state, 'make.cjs');
  const contents = `import { requireJournalKey } from './journal-key.js'; process.stdout.write(requireJournalKey().id);`;
  buildSync({ stdin: { contents, resolveDir: import.meta.dirname }, bundle: true, platform: 'node', outfile: script, logLevel: 'error' });
  const made = await Promise.all(Array.from({ length: 6 }, () => promisify(execFile)(process.execPath, [script])));
  expect(new Set(made.map(({ stdout }) => stdout))).toEqual(new Set([requireJournalKey()?.id]));
});

it('is missing where it cannot be kept, or is damaged', () => {
  writeFileSync(join(newState(), 'umpire'), 'in the way');
  expect(requireJournalKey()).toBe(null);
  const folder = join(newState(), 'umpire');
  mkdirSync(folder);
  writeFileSync(join(folder, 'journal.key'), 'short');
  expect([readJournalKey(), requireJournalKey()]).toEqual([null, null]);
});

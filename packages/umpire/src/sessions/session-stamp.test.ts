import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acquireLock } from './lock.js';
import { openFolder } from './folder.js';
import { stampOf } from './session-stamp.js';

it('differs once something has happened, and only then', async () => {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-stamp-')));
  try {
    const session = join(folder, 'one');
    mkdirSync(session);
    const seen = [stampOf(session)];
    const look = (): number => seen.push(stampOf(session));
    writeFileSync(join(session, 'journal.ndjson'), '{}\n');
    look();
    appendFileSync(join(session, 'journal.ndjson'), '{}\n');
    look();
    writeFileSync(join(session, 'tasks.csv'), 'id\n');
    look();
    const lock = await acquireLock(openFolder(session), 0);
    look();
    expect(new Set(seen).size).toBe(5);
    lock.release();
    expect(stampOf(session)).toBe(seen[3]);
    expect(stampOf(session)).toBe(stampOf(session));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.each(['nowhere', '\0', join(process.execPath, 'x')])('of what cannot be looked at it is a word, too: %j', (path) => {
  expect(stampOf(path)).toBe('unseen');
});

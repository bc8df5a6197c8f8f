// What killed processes left is removed; what a living one writes, and what a person has, is not.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFolder } from './folder.js';
import { removeLeftovers } from './leftovers.js';

it('removes old files of processes that are gone, and nothing else', () => {
  const root = mkdtempSync(join(tmpdir(), 'umpire-leftovers-'));
  try {
    const gone = spawnSync(process.execPath, ['--version']).pid;
    const session = join(root, 'session');
    const beside = join(root, 'beside');
    for (const place of [session, join(session, 'tasks'), beside]) mkdirSync(place);
    symlinkSync(beside, join(session, 'verdicts'));
    const old = (...parts: readonly string[]) => {
      const place = join(root, ...parts);
      writeFileSync(place, 'half of it');
      utimesSync(place, 1_000_000_000, 1_000_000_000);
    };
    old('session', `.umpire-tmp-${gone}-1`);
    old('session', 'tasks', `.umpire-tmp-${gone}-22`);
    old('session', `.umpire-tmp-${process.pid}-3`);
    const kept = ['.umpire-tmp-notes', `.umpire-tmp-${process.ppid}-1`, `.umpire-tmp-${gone}-1.bak`, 'tasks.csv'];
    for (const name of kept) old('session', name);
    old('beside', `.umpire-tmp-${gone}-1`);
    mkdirSync(join(session, `.umpire-tmp-${gone}-9`));
    writeFileSync(join(session, `.umpire-tmp-${gone}-8`), 'of just now');
    removeLeftovers(openFolder(session));
    expect(readdirSync(session).toSorted()).toEqual(
      [...kept, `.umpire-tmp-${gone}-8`, `.umpire-tmp-${gone}-9`, 'tasks', 'verdicts'].toSorted(),
    );
    expect([readdirSync(join(session, 'tasks')), readdirSync(beside)]).toEqual([[], [`.umpire-tmp-${gone}-1`]]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

// Who counts as dead: a lock left behind must not keep a session busy.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFolder } from './session-folder.js';
import { acquireLock, acquireToClean, holderOf } from './lock.js';

it.skipIf(process.platform !== 'linux')(
  'takes over from a process that was killed and that nobody has waited for, as in a container',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'umpire-lock-'));
    // The shell becomes a program that waits for no child: what has ended stays in the table of processes.
    const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [text] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(text.toString('utf8'));
      // Until then the shell itself would collect the child.
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
      const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      writeFileSync(join(root, '.umpire-lock'), JSON.stringify({ pid, host: hostname(), started: stat()[19] }));
      const folder = openFolder(root);
      expect(holderOf(folder)).toEqual({ who: `process ${pid} on ${hostname()}`, isDead: false });
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => stat()[0]).toBe('Z');
      expect(holderOf(folder)?.isDead).toBe(true);
      const lock = await acquireLock(folder, 1000);
      lock.release();
      expect(holderOf(folder)).toBeNull();
    } finally {
      parent.kill('SIGKILL');
      rmSync(root, { recursive: true, force: true });
    }
  },
);

it('replaces a lock whose bytes a power loss dropped', async () => {
  const root = mkdtempSync(join(tmpdir(), 'umpire-lock-'));
  try {
    const place = join(root, '.umpire-lock');
    writeFileSync(place, '');
    await expect(acquireLock(openFolder(root), 1)).rejects.toMatchObject({ code: 'session-busy' });
    const aMinuteAgo = Date.now() / 1000 - 60;
    utimesSync(place, aMinuteAgo, aMinuteAgo);
    (await acquireLock(openFolder(root), 1)).release();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

it('tells that the folder takes no lock, also where what is in the way cannot be removed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'umpire-lock-'));
  try {
    mkdirSync(join(root, `.umpire-lock-${process.pid}`));
    await expect(acquireLock(openFolder(root), 1)).rejects.toMatchObject({ code: 'write-failed' });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

it.skipIf(process.platform !== 'linux')('is not asked for by who makes room on a full disk, unless somebody is at work there', async () => {
  const root = mkdtempSync(join(tmpdir(), 'umpire-lock-'));
  const folder = openFolder(root);
  const fill = () => symlinkSync('/dev/full', join(root, `.umpire-lock-${process.pid}`));
  try {
    fill();
    await expect(acquireLock(folder, 1)).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('the disk is full'),
    });
    fill();
    (await acquireToClean(folder, 1)).release();
    writeFileSync(join(root, '.umpire-lock'), 'somebody');
    fill();
    await expect(acquireToClean(folder, 1)).rejects.toMatchObject({ code: 'write-failed' });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

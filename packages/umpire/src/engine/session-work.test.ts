import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder } from '../../../../test/support/git-project.js';
import { withApplyLock } from './session-work.js';

cleanUpAfterwards();

it('acts one after another, also where the first one fails', async () => {
  const home = join(temporaryFolder(), 'home');
  const order: string[] = [];
  const first = withApplyLock(home, async () => {
    order.push('first begins');
    await new Promise((done) => setImmediate(done));
    order.push('first ends');
    throw new Error('the first one fails');
  });
  const second = withApplyLock(home, async () => order.push('second'));
  await expect(first).rejects.toThrow('the first one fails');
  await second;
  expect(order).toEqual(['first begins', 'first ends', 'second']);
});

it('names who is at it, and the lock that another machine may have left', async () => {
  const home = temporaryFolder();
  const lock = join(home, '.umpire-lock');
  writeFileSync(lock, JSON.stringify({ pid: 7, host: 'another-machine', started: '1' }));
  await expect(withApplyLock(home, async () => 'done', 0)).rejects.toMatchObject({
    code: 'apply-busy',
    message: 'Another process is applying a session: process 7 on another-machine.',
    hint: expect.stringContaining(lock) as string,
  });
});

it('says what is wrong where there can be no lock, and not that somebody is at it', async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, `.umpire-lock-${process.pid}`));
  await expect(withApplyLock(home, async () => 'done', 0)).rejects.toMatchObject({ code: 'write-failed' });
});

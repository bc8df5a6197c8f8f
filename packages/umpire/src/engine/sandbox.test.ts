// Which places of a session are whose.

import { randomUUID } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder } from '../../../../test/support/assignment.js';
import { hasBubblewrap } from '../../../../test/support/bubblewrap.js';
import type { SessionStarted } from '@umpire/core/decider/events.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { keyFolder, requireJournalKey } from '../sessions/journal-key.js';
import { packageRoot } from '../sessions/package-root.js';
import { installedAt, openSessionSandbox } from './sandbox.js';

const cacheBefore = process.env['XDG_CACHE_HOME'];
beforeAll(() => {
  process.env['XDG_CACHE_HOME'] = newFolder();
});
afterAll(() => {
  if (cacheBefore === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cacheBefore;
});

const RUN = { run: randomUUID(), earlier: [] };

it('says what is in the way where a folder of its own cannot be made', async () => {
  const [project, session] = [newFolder(), newFolder()];
  writeFileSync(join(session, 'blobs'), 'planted\n');
  const started = { session: 's', project, workspace: null } as unknown as SessionStarted;
  await expect(openSessionSandbox(started, session, DEFAULT_SETTINGS, RUN)).rejects.toMatchObject({
    code: 'write-failed',
    message: expect.stringContaining('blobs') as string,
  });
});

it.skipIf(!hasBubblewrap)('Umpire itself is out of reach, also where npm keeps what npx runs', async () => {
  const [project, session] = [newFolder(), newFolder()];
  const started = { session: 's', project, workspace: null } as unknown as SessionStarted;
  const sandbox = await openSessionSandbox(started, session, DEFAULT_SETTINGS, RUN);
  const words = sandbox.around({ argv: ['/bin/sh'], workdir: session, env: {} });
  const own = realpathSync.native(packageRoot());
  expect(words.flatMap((word, at) => (word === own ? [words.at(at - 1)] : []))).toEqual(['--ro-bind-try', own]);
  sandbox.close();
});

it.skipIf(!hasBubblewrap)('the key of journals, the record of trust and the settings of the person are out of reach', async () => {
  const [project, session, config] = [newFolder(), newFolder(), join(newFolder(), 'config')];
  const started = { session: 's', project, workspace: null } as unknown as SessionStarted;
  expect(requireJournalKey()).not.toBe(null);
  const key = join(keyFolder() ?? '', 'journal.key');
  const before = process.env['XDG_CONFIG_HOME'];
  process.env['XDG_CONFIG_HOME'] = config;
  mkdirSync(join(config, 'umpire'), { recursive: true });
  const settings = { ...DEFAULT_SETTINGS, sandbox: true, sandboxWrite: [config] };
  const sandbox = await openSessionSandbox(started, session, settings, { ...RUN, run: randomUUID() });
  process.env['XDG_CONFIG_HOME'] = before;
  const text = `cat '${key}'; touch '${keyFolder() ?? ''}/planted' '${config}/umpire/config.yaml'; touch '${config}/other'`;
  const [file = '', ...args] = sandbox.around({ argv: ['/bin/sh', '-c', text], workdir: session, env: {} });
  expect(spawnSync(file, args, { encoding: 'utf8' }).stdout).toBe('');
  expect([existsSync(key), existsSync(join(keyFolder() ?? '', 'planted'))]).toEqual([true, false]);
  expect(readdirSync(config)).toEqual(['other', 'umpire']);
  expect(readdirSync(join(config, 'umpire'))).toEqual([]);
  sandbox.close();
});

it.each([
  ['/home/me/.npm/_npx/1f/node_modules/umpire', '/home/me/.npm/_npx/1f/node_modules'],
  ['/home/me/.cache/pnpm/dlx/1/node_modules/.pnpm/umpire@1/node_modules/umpire', '/home/me/.cache/pnpm/dlx/1/node_modules'],
  ['/home/me/umpire', '/home/me/umpire'],
])('what Umpire loads lies with it: %s', (root, place) => {
  expect(installedAt(root)).toBe(place);
});

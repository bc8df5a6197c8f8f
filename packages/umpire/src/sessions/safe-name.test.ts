// Names on disk: plain ids as they are, no two ids with the same one.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanUpAfterwards, temporaryFolder } from '../../../../test/support/git-project.js';
import { listLogs, logsOf } from './agent-logs.js';
import { safeName } from './safe-name.js';

cleanUpAfterwards();

const PLAIN = ['DEV-001', 'TDVAL-recheck-2', 'FIX-1-3', 'a_b', 'v1.2', '1'];

test('a plain id is its own name', () => {
  expect(PLAIN.map(safeName)).toEqual(PLAIN);
});

test('no two ids share a name, and each is a name that every system takes', () => {
  const long = 'x'.repeat(120);
  const ids = ['a/b', 'a_b', 'a b', 'a:b', '..', '.', '', '-x', 'a..b', 'x.lock', 'ä', `${long}1`, `${long}2`];
  const names = ids.map(safeName);
  expect(new Set(names).size).toBe(ids.length);
  expect(names.filter((name) => !/^\w[\w.-]{0,99}$/.test(name) || /\.\.|\.lock$/.test(name))).toEqual([]);
});

test('logs are found by the task', () => {
  const session = temporaryFolder();
  mkdirSync(join(session, 'logs'));
  const log = (name: string) => writeFileSync(join(session, 'logs', `${name}.txt`), 'x');
  const found = (word: string) => logsOf(listLogs(session), word).map(({ name }) => name);
  log('a_b-1');
  expect([found('a/b'), found('a_b'), found('a_b-1')]).toEqual([[], ['a_b-1'], ['a_b-1']]);
  log(`${safeName('a/b')}-1`);
  expect([found('a/b'), found('a_b')]).toEqual([[`${safeName('a/b')}-1`], ['a_b-1']]);
});

import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, realAssignment } from '../../../../test/support/assignment.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { readResultFile, claimTaskFiles } from './task-files.js';
import { taskFileOf } from './prompt.js';
import { SOAK } from '../../../../test/support/campaign.js';

function taskAt(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function plainTask(assignment: Parameters<typeof taskFileOf>[0]): unknown {
  return JSON.parse(JSON.stringify(taskFileOf(assignment)));
}

test('each that is in use has its own files, and a free one is used again', () => {
  const first = realAssignment({ goal: 'a much longer goal than the next' });
  const second = { ...first, goal: 'short' };
  const one = claimTaskFiles(first);
  const two = claimTaskFiles(second);
  expect([taskAt(one.taskFile), taskAt(two.taskFile)]).toEqual([plainTask(first), plainTask(second)]);
  one.release();
  const again = claimTaskFiles(second);
  expect([again.taskFile, taskAt(again.taskFile)]).toEqual([one.taskFile, plainTask(second)]);
  two.release();
  again.release();
  expect(readdirSync(join(first.session, 'agents'))).toEqual(['1.task.json', '2.task.json']);
});

test('nothing that was left on it is taken for the result', () => {
  const assignment = realAssignment();
  const { resultFile, release } = claimTaskFiles(assignment);
  writeFileSync(resultFile, '{"status":"completed"}');
  expect(readResultFile(resultFile)).toEqual({ file: Buffer.from('{"status":"completed"}') });
  release();
  claimTaskFiles(assignment).release();
  expect(readResultFile(resultFile)).toEqual({ file: null });
  mkdirSync(join(resultFile, 'deep'), { recursive: true });
  claimTaskFiles(assignment).release();
  expect(readResultFile(resultFile)).toEqual({ file: null });
});

test('links that an agent put there are never written through', () => {
  const precious = join(newFolder(), 'precious');
  for (const link of [symlinkSync, linkSync]) {
    writeFileSync(precious, 'mine');
    const assignment = realAssignment();
    const slot = claimTaskFiles(assignment);
    slot.release();
    unlinkSync(slot.taskFile);
    link(precious, slot.taskFile);
    link(precious, slot.resultFile);
    claimTaskFiles(assignment).release();
    expect([readFileSync(precious, 'utf8'), taskAt(slot.taskFile)]).toEqual(['mine', plainTask(assignment)]);
    unlinkSync(precious);
  }
});

test('a result that is no plain file, or too large, is not read', SOAK, () => {
  const folder = newFolder();
  const at = (name: string): string => join(folder, name);
  spawnSync('mkfifo', [at('pipe')]);
  symlinkSync('/etc/hostname', at('link'));
  mkdirSync(at('folder'));
  writeFileSync(at('large'), Buffer.alloc(1024 * 1024 + 1));
  for (const name of ['pipe', 'link', 'folder']) expect(readResultFile(at(name))).toEqual({ file: null, fault: 'not a regular file' });
  expect(readResultFile(at('large'))).toEqual({ file: null, fault: 'larger than 1 MB' });
  // As much as is allowed, and nothing.
  for (const size of [1024 * 1024, 0]) {
    writeFileSync(at('plain'), Buffer.alloc(size, 'x'));
    expect(readResultFile(at('plain'))).toEqual({ file: Buffer.alloc(size, 'x') });
  }
});

test('a session that cannot be written to is the fault of nobody but the disk', () => {
  const assignment = realAssignment();
  writeFileSync(join(assignment.session, 'agents'), 'a file');
  expect(() => claimTaskFiles(assignment)).toThrow(UmpireError);
});

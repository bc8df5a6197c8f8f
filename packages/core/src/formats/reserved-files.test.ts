// Prompts, permission requests and the sandbox use the same list of reserved files.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerPermission } from '@umpire/umpire/agents/permissions.js';
import { JOURNAL } from '@umpire/umpire/sessions/journal-file.js';
import { TASKS } from '@umpire/umpire/sessions/tasks-file.js';
import { SNAPSHOT } from '@umpire/umpire/work/repository.js';
import { RESERVED_NAMES, REFUSED_NAMES, SEALED_FOLDERS, SEALED_NAMES, RESERVED_FILES_TEXT } from './reserved-files.js';

const HIDDEN = ['.umpire-lock', '.umpire-tasks.csv', '.umpire-tasks-next.csv'];

test('prompts name the files that agents may see', () => {
  expect(RESERVED_FILES_TEXT).toBe('tasks.csv, journal.ndjson, verdicts/, blobs/, logs/ and earlier/');
});

test('refuses changes to sealed files and to tasks.csv', () => {
  expect([...REFUSED_NAMES].toSorted()).toEqual([...SEALED_NAMES, TASKS, '.umpire-tasks.csv', '.umpire-tasks-next.csv'].toSorted());
  expect(SEALED_NAMES).toEqual(expect.arrayContaining([JOURNAL, SNAPSHOT, '.umpire-lock', ...SEALED_FOLDERS]));
});

test('over ACP refuses reserved files, not evidence, board and results', () => {
  const session = '/nowhere/session';
  const isAllowed = (name: string) =>
    answerPermission({ tool: { kind: 'edit', paths: [join(session, name)] }, options: [{ id: 'yes', kind: 'allow_once' }] } as never, {
      workdir: '/nowhere/work',
      session,
      writes: true,
      allow: [],
      commands: [],
    }).isAllowed;
  expect([TASKS, JOURNAL, SNAPSHOT, 'verdicts/x.md', 'blobs/x', 'logs/x', 'earlier/x/y', ...HIDDEN].filter(isAllowed)).toEqual([]);
  const theirs = [
    'artifacts/a.md',
    'results/run.json',
    'discoveries.ndjson',
    'interactive/T.json',
    'validation/v.json',
    'agents/1.result.json',
  ];
  expect(theirs.filter((name) => !isAllowed(name))).toEqual([]);
});

test('no task of a loop may write its details there', () => {
  expect([...REFUSED_NAMES].filter((name) => !RESERVED_NAMES.has(name))).toEqual([]);
});

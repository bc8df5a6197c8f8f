// W7: whose edit of tasks.csv it is, also after a crash between the end of a task and the next write of the file; changed verdict pages.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Event } from '@umpire/core/decider/events.js';
import { TO_REVIEW, begun, done, projected, start, told, verdict } from '../../../../test/support/session-events.js';
import { openFolder } from './session-folder.js';
import { openSessionFiles } from './session-files.js';

let folder = '';
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Umpire wrote the file after `written` and ended. Somebody edits the file. The next process begins with `events`. */
function editedAfter(written: readonly Event[], events: readonly Event[], removed = ''): readonly string[] {
  folder = mkdtempSync(join(tmpdir(), 'umpire-files-'));
  const open = (story: readonly Event[]) =>
    openSessionFiles({ folder: openFolder(folder), state: () => told(story).state, now: () => new Date(0), roleText: () => '' });
  open(written).show();
  const path = join(folder, 'tasks.csv');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^(SHIP-001,)[^,]*/m, '$1Mine'));
  if (removed !== '') rmSync(join(folder, removed));
  return open(events)
    .readEdit()
    .map(({ type }) => type);
}

it.each<readonly [string, readonly Event[], readonly Event[], string]>([
  ['no task ran', begun(), begun(), 'TasksEdited'],
  [
    'no task ran since the file was written',
    [...begun(), start('DESIGN-001'), done('DESIGN-001')],
    [...begun(), start('DESIGN-001'), done('DESIGN-001')],
    'TasksEdited',
  ],
  ['a task was running', begun(), [...begun(), start('DESIGN-001')], 'EditHeld'],
  ['a task had ended', begun(), [...begun(), start('DESIGN-001'), done('DESIGN-001')], 'EditHeld'],
])('W7: after a crash where %s', (_, written, events, type) => {
  expect(editedAfter(written, events)).toEqual([type]);
});

it('W7: holds an edit where an agent removed the record of the last write', () => {
  const events = [...begun(), start('DESIGN-001'), done('DESIGN-001')];
  expect(editedAfter(events, events, '.umpire-tasks.csv')).toEqual(['EditHeld']);
});

it('W7: keeps earlier held edits beside the latest', () => {
  const events = [...begun(), start('DESIGN-001')];
  editedAfter(begun(), events);
  const files = openSessionFiles({
    folder: openFolder(folder),
    state: () => told(events).state,
    now: () => new Date(0),
    roleText: () => '',
  });
  const path = join(folder, 'tasks.csv');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('Mine', 'Yours'));
  expect(files.readEdit().map(({ type }) => type)).toEqual(['EditHeld']);
  expect([readFileSync(`${path}.held`, 'utf8'), readFileSync(`${path}.held-1`, 'utf8')]).toEqual([text.replace('Mine', 'Yours'), text]);
});

it('W7: writes verdict pages again that somebody changed or removed, and says so', () => {
  folder = mkdtempSync(join(tmpdir(), 'umpire-files-'));
  const events = [...TO_REVIEW, verdict('REVIEW-001', { outcome: 'escalate' })];
  const show = (story: readonly Event[]) =>
    openSessionFiles({ folder: openFolder(folder), state: () => told(story).state, now: () => new Date(0), roleText: () => '' }).show();
  expect(show(events).map(({ type }) => type)).toEqual(['VerdictProjected']);
  const after = [...events, projected(events.length)];
  expect(show(after)).toEqual([]);
  const [name = ''] = readdirSync(join(folder, 'verdicts'));
  const page = join(folder, 'verdicts', name);
  const text = readFileSync(page, 'utf8');
  const restored = [{ type: 'StrayChanges', data: { wave: expect.any(Number) as number, files: [`verdicts/${name}`] } }];
  writeFileSync(page, `Approved.\n${text}`);
  expect([show(after), readFileSync(page, 'utf8')]).toEqual([restored, text]);
  rmSync(page);
  expect([show(after), readFileSync(page, 'utf8')]).toEqual([restored, text]);
});

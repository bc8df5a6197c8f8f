import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  COMPLETE,
  ESCALATED,
  FIXED,
  TO_REVIEW,
  begun,
  done,
  row,
  start,
  verdict,
  writeStory,
} from '../../../../test/support/session-events.js';
import type { Event } from '@umpire/core/decider/events.js';
import { openFolder } from './session-folder.js';
import { acquireLock, holderOf } from './lock.js';
import { readSession } from './session-record.js';
import { findSessions, latestSession, resolveSession, sessionStamp } from './find-sessions.js';

let project = '';

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'umpire-sessions-')));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const own = (name: string) => join(project, '.umpire', 'sessions', name);
const foreign = (name: string) => join(project, '.workflow', '.csv-wave', name);

const JUDGED: readonly Event[] = [
  { type: 'SessionObserved', data: { session: 's', tasks: 1 } },
  begun()[1] as Event,
  verdict('REVIEW-001', { unverified: true, waivers: ['the reviewer converged at a low score'] }),
];

const TASKS = 'id,description,role,deps,status\nDEV-001,Do it,developer,,completed\nREVIEW-001,Look,reviewer,DEV-001,completed\n';

/** What `act` throws, as `code: message`. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint: string };
    return `${code}: ${message} ${hint}`.replaceAll(project, '<project>');
  }
  throw new Error('It was not refused.');
}

it('finds every session of a project with where it stands, the latest first', () => {
  writeStory(own('a-complete'), COMPLETE);
  writeStory(own('b-waits'), ESCALATED);
  writeStory(own('c-stopped'), FIXED);
  writeStory(foreign('d-judged'), JUDGED);
  mkdirSync(foreign('e-never'), { recursive: true });
  writeFileSync(join(foreign('e-never'), 'tasks.csv'), TASKS);
  mkdirSync(join(own('f-unreadable'), 'journal.ndjson'), { recursive: true });
  expect(findSessions(join(project, '.umpire')).map(({ name, state, unverified, waitsOn }) => [name, state, unverified, waitsOn])).toEqual([
    ['a-complete', 'complete', false, null],
    ['c-stopped', 'interrupted', false, null],
    ['b-waits', 'awaiting', false, 'your decision (rule R5)'],
    ['d-judged', 'judged only', true, null],
    ['e-never', 'never judged', false, null],
    ['f-unreadable', 'unreadable', false, null],
  ]);
  expect(findSessions(project)[0]).toMatchObject({
    path: own('a-complete'),
    loops: ['review'],
    mode: 'sprint',
    goal: 'Make the payment flow safe.\nCards are never logged.',
    lastAt: '2026-03-01T09:24:00.000Z',
    chains: [{ loop: 'review', chain: '1', round: 2, maxRounds: 3, decision: 'CONVERGE' }],
  });
});

it('takes the session with the last event for the latest, of all or of those that it runs', () => {
  expect(refusal(() => latestSession(project))).toContain('session-none: No sessions in "<project>".');
  writeStory(own('old'), TO_REVIEW);
  writeStory(own('new'), COMPLETE);
  mkdirSync(foreign('never'), { recursive: true });
  expect(latestSession(project)).toBe(own('new'));
  writeStory(foreign('judged'), [...JUDGED, ...Array.from({ length: 40 }, () => JUDGED[2] as Event)]);
  expect(latestSession(project)).toBe(foreign('judged'));
  expect(latestSession(project, 'run')).toBe(own('new'));
  rmSync(own('new'), { recursive: true });
  rmSync(own('old'), { recursive: true });
  expect(refusal(() => latestSession(project, 'run'))).toContain('session-none');
});

it('knows a session by its path, its name, and a part that fits one only', () => {
  for (const name of ['review-login-2026-03-01', 'review-pay-2026-03-01', 'debt-pay-2026-03-02']) writeStory(own(name), TO_REVIEW);
  const check = (word: string, name: string) => expect(basename(resolveSession(word, project))).toBe(name);
  check('review-pay-2026-03-01', 'review-pay-2026-03-01');
  check('debt', 'debt-pay-2026-03-02');
  check('login', 'review-login-2026-03-01');
  check(own('debt-pay-2026-03-02'), 'debt-pay-2026-03-02');
  expect(refusal(() => resolveSession('review', project))).toBe(
    'session-ambiguous: "review" matches several sessions: review-login-2026-03-01, review-pay-2026-03-01. Give more of the name, or the path.',
  );
  expect(refusal(() => resolveSession('nothing', project))).toMatch(
    /^session-unknown: Unknown session "nothing"\. Sessions here: debt-pay-2026-03-02, review-login-2026-03-01, review-pay-2026-03-01\./,
  );
  expect(refusal(() => resolveSession('./nothing', project))).toMatch(/^session-missing: /);
  writeStory(foreign('debt-pay-2026-03-02'), TO_REVIEW);
  expect(refusal(() => resolveSession('debt-pay-2026-03-02', project))).toContain(
    '.umpire/sessions/debt-pay-2026-03-02, .workflow/.csv-wave/debt-pay-2026-03-02',
  );
  // A name that is also the beginning of another is not ambiguous.
  writeStory(own('debt-pay-2026-03-02-2'), TO_REVIEW);
  rmSync(foreign('debt-pay-2026-03-02'), { recursive: true });
  check('debt-pay-2026-03-02', 'debt-pay-2026-03-02');
});

it('names the latest sessions first where none is meant', () => {
  for (let n = 10; n < 30; n++) writeStory(own(`old-${n}`), TO_REVIEW);
  writeStory(own('yesterday'), COMPLETE);
  expect(refusal(() => resolveSession('nothing', project))).toContain('Sessions here: yesterday, old-10, old-11,');
});

it('takes whole words of a name before parts of one, in capitals or not', () => {
  const names = ['until-team-3-label', 'until-team-30-cart', 'debt-team-31', 'review-debtors'].map((name) => `${name}-2026-03-01`);
  for (const name of names) writeStory(own(name), TO_REVIEW);
  const check = (word: string, name: string) => expect(basename(resolveSession(word, project))).toBe(name);
  check('until-team-3', 'until-team-3-label-2026-03-01');
  check('team-3', 'until-team-3-label-2026-03-01');
  check('TEAM-31', 'debt-team-31-2026-03-01');
  check('Car', 'until-team-30-cart-2026-03-01');
  // How a name begins says more than what it holds.
  check('deb', 'debt-team-31-2026-03-01');
  expect(refusal(() => resolveSession('until-t', project))).toContain('session-ambiguous');
});

it('tells by the lock whether somebody is at work, and takes none itself', async () => {
  const path = own('s');
  writeStory(path, TO_REVIEW);
  const folder = openFolder(path);
  expect(holderOf(folder)).toBe(null);
  const lock = await acquireLock(folder, 0);
  expect(holderOf(folder)).toEqual({ who: `process ${process.pid} on ${hostname()}`, isDead: false });
  expect(readSession(path)).toMatchObject({ word: 'running', notes: [`Running in process ${process.pid} on ${hostname()}.`] });
  lock.release();
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  writeFileSync(join(path, '.umpire-lock'), JSON.stringify({ pid, host: hostname(), started: '1' }));
  expect(holderOf(folder)?.isDead).toBe(true);
  expect(readSession(path)).toMatchObject({ word: 'interrupted', notes: [] });
});

it('waits for a lock while the program goes on, and no longer than it is told to', async () => {
  const folder = openFolder(project);
  const lock = await acquireLock(folder, 0);
  await expect(acquireLock(folder, 0)).rejects.toThrow(`process ${process.pid} on ${hostname()}`);
  const waiting = acquireLock(folder, 3_600_000);
  // Would never be heard if the wait held up the program.
  setTimeout(lock.release, 20);
  const second = await waiting;
  expect(holderOf(folder)?.who).toBe(`process ${process.pid} on ${hostname()}`);
  second.release();
  expect(holderOf(folder)).toBe(null);
});

it('reads past a torn last line, and says so', () => {
  const path = own('s');
  writeStory(path, TO_REVIEW);
  appendFileSync(join(path, 'journal.ndjson'), '{"v":1,"seq":13,"ts":"2026-0');
  const record = readSession(path);
  expect(record).toMatchObject({ word: 'interrupted', brokenAt: null });
  expect(record.notes).toEqual(['Line 13 of journal.ndjson is incomplete (a crash, or a write in progress). Umpire ignores it.']);
  expect(record.events.length).toBe(TO_REVIEW.length);
  expect(basename(latestSession(project))).toBe('s');
});

it('shows what holds before a broken line, and which line that is', () => {
  const path = own('s');
  writeStory(path, COMPLETE);
  const file = join(path, 'journal.ndjson');
  writeFileSync(file, readFileSync(file, 'utf8').replace('What VERIFY-001 found.', 'What VERIFY-001 hid.'));
  const record = readSession(path);
  expect(record).toMatchObject({ word: 'unreadable', brokenAt: 11 });
  expect(record.events.length).toBe(10);
  expect(record.notes).toEqual([
    'journal.ndjson is broken at line 11: the line was changed (its hash does not match). Umpire shows only the lines before it.',
  ]);
  expect(findSessions(project)).toMatchObject([{ state: 'unreadable', loops: ['review'] }]);
});

it('lists the tasks of a session that others run, and says where they cannot be read', () => {
  writeStory(foreign('s'), JUDGED);
  writeFileSync(join(foreign('s'), 'tasks.csv'), TASKS);
  expect(readSession(foreign('s')).tasks.map(({ task, wave }) => [task.id, wave])).toEqual([
    ['DEV-001', 1],
    ['REVIEW-001', 2],
  ]);
  writeFileSync(join(foreign('s'), 'tasks.csv'), TASKS.replace('DEV-001,completed', 'DEV-009,completed'));
  expect(readSession(foreign('s'))).toMatchObject({ word: 'judged only', tasks: [], notes: [expect.stringContaining('tasks.csv:3: ')] });
});

it('takes nothing that makes no sense for a session, and lists the others', () => {
  writeStory(own('good'), COMPLETE);
  const circle = [row('A', 'developer', 'B'), row('B', 'developer', 'A')];
  writeStory(own('forged'), [...begun(circle), start('A'), done('A')].slice(0, 3));
  expect(findSessions(project).map(({ name, state }) => [name, state])).toEqual([
    ['good', 'complete'],
    ['forged', 'unreadable'],
  ]);
});

it('differs once something has happened, and only then', async () => {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-stamp-')));
  try {
    const session = join(folder, 'one');
    mkdirSync(session);
    const seen = [sessionStamp(session)];
    const look = (): number => seen.push(sessionStamp(session));
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
    expect(sessionStamp(session)).toBe(seen[3]);
    expect(sessionStamp(session)).toBe(sessionStamp(session));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.each(['nowhere', '\0', join(process.execPath, 'x')])('of what cannot be looked at it is a word, too: %j', (path) => {
  expect(sessionStamp(path)).toBe('unseen');
});

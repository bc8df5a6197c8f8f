// The journal while a session runs: what was told is on the disk, a torn tail is cut back, any cut leaves a valid beginning.

import { RUN_SETTINGS, usualValues } from '@umpire/core/model/options.js';
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { NEW_SESSION } from '@umpire/core/decider/evolve.js';
import { pendingEffects } from '@umpire/core/decider/pending-effects.js';
import type { Event, Recorded } from '@umpire/core/decider/events.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import { openFolder } from './session-folder.js';
import { CHAIN_START, printJournalLine } from '@umpire/core/formats/journal.js';
import { sha256 } from './hash.js';
import { JOURNAL, checkJournal, journalOf, readJournal } from './journal-file.js';
import { keepJournal, openJournal } from './journal-writer.js';
import type { OpenJournal } from './journal-writer.js';
import { SOAK } from '../../../../test/support/campaign.js';

const folders: string[] = [];

function session(): string {
  const path = mkdtempSync(join(tmpdir(), 'umpire-journal-'));
  folders.push(path);
  return path;
}

afterEach(() => {
  vi.unstubAllEnvs();
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

const now = () => new Date('2026-03-01T10:00:00Z');
const CLOCKS = { now, elapsedMs: () => 0 };

const SETTINGS = {
  ...usualValues(RUN_SETTINGS),
  agents: {},
  agentCommand: null,
  yes: false,
};

function startOf(tasks: number): readonly Event[] {
  const rows = Array.from({ length: tasks }, (_, i) => ({
    id: `T-${i}`,
    description: `Schaue nach \u00fc ${i}.`,
    role: 'scanner',
    status: 'pending',
  }));
  const columns = ['id', 'description', 'role', 'deps', 'wave', 'status', 'findings', 'error'];
  const base = { session: 's', loop: 'debt', goal: 'g', project: '/p', loopFolder: null, mode: 'scan', why: '', critic: 'validator' };
  const data = { ...base, judged: false, columns, rows, gates: [], writers: [], settings: SETTINGS, workspace: null };
  return [
    { type: 'SessionStarted', data },
    { type: 'RunBegun', data: { run: 'r', by: 'run', settings: SETTINGS, head: null } },
  ];
}

function finished(task: string): Event {
  const findings = 'Nichts gefunden, au\u00dfer einer \ud83d\ude80 im Kommentar.';
  return { type: 'TaskFinished', data: { task, attempt: 1, status: 'completed', findings, error: '', outputs: {}, usage: NO_USAGE } };
}

it('tells of an event only once it is on the disk, and of several that wait with one write', () => {
  const path = session();
  const seen: { readonly type: string; readonly lines: number }[] = [];
  const lines = () => readFileSync(join(path, JOURNAL), 'utf8').split('\n').length - 1;
  const journal = openJournal(openFolder(path), CLOCKS, (event) => seen.push({ type: event.type, lines: lines() }));
  journal.record(...startOf(2));
  journal.record({ type: 'TaskStarted', data: { task: 'T-0', attempt: 1, agent: 'a' } });
  expect(seen).toEqual([]);
  expect(journal.state.run?.running).toEqual(new Set(['T-0']));
  journal.flush();
  expect(seen).toEqual(['SessionStarted', 'RunBegun', 'TaskStarted'].map((type) => ({ type, lines: 3 })));
  journal.close();
});

it('goes on after any cut in the last 4 KiB with a beginning of the same story', SOAK, () => {
  const path = session();
  const told: Recorded[] = [];
  const journal = openJournal(openFolder(path), CLOCKS, (event) => told.push(event));
  journal.record(...startOf(20));
  for (let i = 0; i < 20; i++)
    journal.record({ type: 'TaskStarted', data: { task: `T-${i}`, attempt: 1, agent: 'a' } }, finished(`T-${i}`));
  journal.flush();
  journal.close();
  const whole = readFileSync(join(path, JOURNAL));
  expect(whole.length).toBeGreaterThan(4096 + 1000);
  const story = told.map(({ seq, ts, ms, type, data }) => ({ seq, ts, ms, type, data }));
  const beginnings = [...story.map((_, index) => JSON.stringify(story.slice(0, index))), JSON.stringify(story)];
  let cuts = 0;
  for (let length = whole.length; length >= whole.length - 4096; length--) {
    const { events, torn, goodBytes } = journalOf(whole.subarray(0, length));
    expect(JSON.stringify(events) === beginnings[events.length]).toBe(true);
    expect(torn).toBe(goodBytes < length);
    expect(whole.subarray(0, goodBytes).toString('utf8').split('\n').length - 1).toBe(events.length);
    cuts++;
  }
  expect(cuts).toBe(4097);
});

it('cuts a torn tail away before it writes on, and the story is whole again', () => {
  const path = session();
  const first = openJournal(openFolder(path), CLOCKS, () => undefined);
  first.record(...startOf(2), finished('T-0'));
  first.flush();
  first.close();
  const whole = readFileSync(join(path, JOURNAL));
  writeFileSync(join(path, JOURNAL), whole.subarray(0, whole.length - 30));
  const second = openJournal(openFolder(path), CLOCKS, () => undefined);
  expect(second.wasTorn).toBe(true);
  expect(pendingEffects(second.state)).toEqual([
    { type: 'RunTask', task: 'T-0', attempt: 1, agent: null, conversation: null },
    { type: 'RunTask', task: 'T-1', attempt: 1, agent: null, conversation: null },
  ]);
  second.record(finished('T-1'));
  second.flush();
  second.close();
  const again = readJournal(openFolder(path));
  expect(again.torn).toBe(false);
  expect(again.events.map(({ type }) => type)).toEqual(['SessionStarted', 'RunBegun', 'TaskFinished']);
});

it('refuses a broken chain with the number of the line', () => {
  const path = session();
  const first = openJournal(openFolder(path), CLOCKS, () => undefined);
  first.record(...startOf(2), finished('T-0'), finished('T-1'));
  first.flush();
  first.close();
  const text = readFileSync(join(path, JOURNAL), 'utf8');
  writeFileSync(join(path, JOURNAL), text.replace('"task":"T-0"', '"task":"T-1"'));
  expect(() => openJournal(openFolder(path), CLOCKS, () => undefined)).toThrow('journal.ndjson is damaged at line 3');
});

it('W7: notices lines that were changed in place, whatever their size and times, and goes on after a mere touch', () => {
  const path = session();
  const journal = openJournal(openFolder(path), CLOCKS, () => undefined);
  const file = join(path, JOURNAL);
  /** The clock of the file system moves in steps of a few milliseconds. */
  const later = (act: () => void) => {
    const { ctimeMs } = statSync(file);
    do act();
    while (statSync(file).ctimeMs === ctimeMs);
  };
  journal.record(...startOf(2));
  journal.flush();
  later(() => utimesSync(file, 1, 1));
  journal.record({ type: 'TaskStarted', data: { task: 'T-0', attempt: 1, agent: 'a' } });
  journal.flush();
  const { atime, mtime } = statSync(file);
  const text = readFileSync(file, 'utf8').replace('"T-1"', '"X-1"');
  later(() => {
    writeFileSync(file, text);
    utimesSync(file, atime, mtime);
  });
  journal.record(finished('T-0'));
  expect(() => journal.flush()).toThrow('its lines are not the ones that Umpire wrote');
  journal.close();
});

it('writes nothing more after a write that failed: half a line may be on the disk', () => {
  const written: string[] = [];
  const told: number[] = [];
  const append = (text: string) => {
    if (written.length === 1) throw new Error('The disk is full.');
    written.push(text);
  };
  const journal = keepJournal(
    { state: NEW_SESSION, lines: 0, head: CHAIN_START },
    {
      append,
      sync: () => Promise.resolve(),
      now,
      tell: ({ seq }) => told.push(seq),
      hash: () => CHAIN_START,
      elapsedMs: () => 0,
      key: null,
    },
  );
  journal.record(...startOf(1));
  journal.flush();
  journal.record(finished('T-0'));
  expect(journal.flush).toThrow('The disk is full.');
  written.push('');
  expect(journal.flush).toThrow('The disk is full.');
  expect(written).toHaveLength(2);
  expect(told).toEqual([1, 2]);
});

it('tells of what it settles once that is durable, and of nothing after a sync that failed', async () => {
  const log: string[] = [];
  const syncs = [() => Promise.resolve(), () => Promise.reject(new Error('The disk is gone.'))];
  const journal = keepJournal(
    { state: NEW_SESSION, lines: 0, head: CHAIN_START },
    {
      append: (text, durable) => log.push(`${text.split('\n').length - 1} lines, ${durable ? 'durable' : 'not yet durable'}`),
      sync: async () => {
        await syncs.shift()?.();
        log.push('synced');
      },
      now,
      tell: ({ seq }) => log.push(`told of ${seq}`),
      hash: () => CHAIN_START,
      elapsedMs: () => 0,
      key: null,
    },
  );
  await journal.settle();
  journal.record(...startOf(1));
  await journal.settle();
  journal.record(finished('T-0'));
  await expect(journal.settle()).rejects.toThrow('The disk is gone.');
  expect(journal.flush).toThrow('The disk is gone.');
  expect(log).toEqual(['2 lines, not yet durable', 'synced', 'told of 1', 'told of 2', '1 lines, not yet durable']);
});

it('has no getter of its own: its hidden class would hold every session of a process until the heap is swept', () => {
  const journal = openJournal(openFolder(session()), CLOCKS, () => undefined);
  journal.record(...startOf(1));
  journal.flush();
  journal.close();
  expect(journal.state.run?.tasks).toHaveLength(1);
  expect(Object.values(Object.getOwnPropertyDescriptors(journal)).filter((own) => 'get' in own)).toEqual([]);
});

it('dates each event by its own time, also where several share one', () => {
  const times = [5, 5, 7, 6].map((ms) => new Date(Date.UTC(2026, 2, 1) + ms));
  const told: string[] = [];
  const journal = keepJournal(
    { state: NEW_SESSION, lines: 0, head: CHAIN_START },
    {
      append: () => undefined,
      sync: () => Promise.resolve(),
      now: () => times.shift() ?? now(),
      tell: ({ ts }) => told.push(ts.slice(-4)),
      hash: () => CHAIN_START,
      elapsedMs: () => 0,
      key: null,
    },
  );
  journal.record(...startOf(3));
  for (const id of ['T-0', 'T-1', 'T-2']) journal.record(finished(id));
  journal.flush();
  expect(told).toEqual(['005Z', '005Z', '005Z', '007Z', '006Z']);
});

it('refuses a line that was not written with its key, and only says so where the key is missing', () => {
  const path = session();
  const write = (...events: readonly Event[]): OpenJournal => {
    const journal = openJournal(openFolder(path), CLOCKS, () => undefined);
    journal.record(...events);
    journal.flush();
    journal.close();
    return journal;
  };
  expect(write(...startOf(1)).unsigned).toBe(null);
  expect(write(finished('T-0')).unsigned).toBe(null);
  const before = readFileSync(join(path, JOURNAL), 'utf8');
  const { head } = readJournal(openFolder(path));
  // With a valid hash: an agent that knows the format and not the key.
  const event = { seq: 4, ts: now().toISOString(), type: 'TaskSkipped', data: { task: 'T-0', reason: 'x' } };
  const forged = `${before}${printJournalLine(1, event, head, sha256).line}`;
  writeFileSync(join(path, JOURNAL), forged);
  expect(() => write()).toThrow('journal.ndjson is damaged at line 4: its HMAC is missing');
  expect(checkJournal(openFolder(path))).toMatchObject({ chain: { unbroken: false, line: 4 } });
  vi.stubEnv('XDG_STATE_HOME', join(path, 'elsewhere'));
  expect(write().unsigned).toBe('not authenticated here');
  expect(checkJournal(openFolder(path))).toMatchObject({ chain: { unbroken: true, authentication: 'not authenticated here' } });
  // Without a state folder a journal begins unsigned, and stays so.
  vi.stubEnv('XDG_STATE_HOME', join(path, JOURNAL));
  rmSync(join(path, JOURNAL));
  writeFileSync(join(path, JOURNAL), '');
  expect(write(...startOf(1)).unsigned).toBe('no key');
  vi.unstubAllEnvs();
  expect(write(finished('T-0')).unsigned).toBe('not authenticated');
  expect(checkJournal(openFolder(path))).toMatchObject({ chain: { lines: 3, authentication: 'not authenticated' } });
});

it('records the time that passed, not what the clock shows, and reads the same sum', () => {
  let clockMs = Date.UTC(2026, 2, 1, 10);
  let elapsed = 5000.7;
  let text = '';
  const journal = keepJournal(
    { state: NEW_SESSION, lines: 0, head: CHAIN_START },
    {
      append: (more) => void (text += more),
      sync: () => Promise.resolve(),
      now: () => new Date(clockMs),
      elapsedMs: () => elapsed,
      tell: () => undefined,
      hash: sha256,
      key: null,
    },
  );
  journal.record(...startOf(2));
  for (const [jump, passed] of [
    [10 * 3_600_000, 250.5],
    [-20 * 3_600_000, 1000],
    // No clock of a system does this.
    [0, -7000],
    [0, 7500],
  ] as const) {
    clockMs += jump;
    elapsed += passed;
    journal.record({ type: 'TimePassed', data: { atWork: 1, waiting: 0 } });
  }
  journal.flush();
  expect(journal.state.run?.activeMs).toBe(250 + 1001 + 500);
  expect(journalOf(Buffer.from(text)).state.run?.activeMs).toBe(journal.state.run?.activeMs);
  expect(() => journalOf(Buffer.from(text.replace('"ms":251', '"ms":-25')))).toThrow('damaged at line 3');
});

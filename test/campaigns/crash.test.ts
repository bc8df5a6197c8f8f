// Kills the command at every change it makes to the disk, cuts its writes, fills the disk and lets the machine lose power. The next run must
// come to the same verdict and the same folder as an undisturbed one.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireJournalKey } from '@umpire/umpire/sessions/journal-key.js';
import { openFolder } from '@umpire/umpire/sessions/session-folder.js';
import { readJournal } from '@umpire/umpire/sessions/journal-file.js';
import { blobsIn, openRecordedEvidence } from '@umpire/umpire/sessions/recorded-evidence.js';
import { SEED, isSoak } from '../support/campaign.js';
import { runInProcess } from '../support/in-process.js';
import { randomBelow } from '../support/mutate.js';
import { LOSSES, diskAfter, readTrace, writeDisk } from '../support/power-loss.js';

const root = join(import.meta.dirname, '..', '..');
const command = join(root, 'dist', 'umpire.cjs');
const hook = join(root, 'test', 'support', 'fault.cjs');
const recorder = join(root, 'test', 'support', 'power-recorder.cjs');

/** Verdicts with every kind of effect: new tasks, fix files, skipped tasks and results. */
const CASES = [
  ['kill', 'design', 'examples/sessions/design'],
  ['kill', 'review', 'fixtures/spec/R4/session'],
  ['kill', 'brainstorm', 'examples/sessions/brainstorm'],
  ['tear', 'review', 'fixtures/spec/R4/session'],
  ['full', 'review', 'fixtures/spec/R4/session'],
] as const;

// The first verdict on a machine also makes the key of journals, which would be counted as changes.
requireJournalKey();

function run(loop: string, session: string, fault = 'none:0') {
  return spawnSync(process.execPath, ['--require', hook, command, 'decide', loop, session, '--json'], {
    encoding: 'utf8',
    env: { ...process.env, UMPIRE_FAULT: fault, UMPIRE_FAULT_COUNT: '1' },
  });
}

async function within(use: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-crash-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every file with its text, without times, hashes and leftovers of a dead process. */
function filesOf(session: string): Readonly<Record<string, string>> {
  const out: Record<string, string> = {};
  for (const entry of readdirSync(session, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.umpire-')) continue;
    const path = join(entry.parentPath, entry.name);
    out[path.slice(session.length + 1)] = readFileSync(path, 'utf8')
      .replace(/"(ts|prev|mac|hash)":"[^"]*"/g, '"$1":""')
      .replace(/"session":"[^"]*","tasks":\d+/g, '');
  }
  return out;
}

function copy(from: string, folder: string, name: string): string {
  const session = join(folder, name);
  cpSync(join(root, from), session, { recursive: true });
  return session;
}

/** Nothing is deleted from the board: an incomplete line stays and is skipped. */
function wholeLines(board: string): string {
  return board
    .split('\n')
    .filter((line) => line === '' || line.endsWith('}'))
    .join('\n');
}

/** The journal may note that effects were written twice (before and after a crash); nothing else may differ. */
function withoutNotes(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const journal = (files['journal.ndjson'] ?? '')
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"type":"VerdictProjected"'))
    .map((line) => line.replace(/"seq":\d+/, ''));
  return { ...files, 'journal.ndjson': journal.join('\n'), 'discoveries.ndjson': wholeLines(files['discoveries.ndjson'] ?? '') };
}

describe('a verdict that is interrupted', () => {
  it.each(isSoak ? CASES : CASES.filter(([, loop]) => loop === 'review'))('%s at every change: %s', async (kind, loop, from) => {
    await within((folder) => {
      const calm = copy(from, folder, 'calm');
      const first = run(loop, calm);
      const changes = Number(/changes: (\d+)/.exec(first.stderr)?.[1]);
      expect(changes).toBeGreaterThan(10);
      const wanted = withoutNotes(filesOf(calm));
      // Every change in the soak; in the fast tests every tenth, beginning with another one in each case.
      const step = isSoak ? 1 : 10;
      for (let at = isSoak ? 1 : 1 + (loop.length % step); at <= changes; at += step) {
        const session = copy(from, folder, `${kind}-${at}`);
        const broken = run(loop, session, `${kind}:${at}`);
        if (kind === 'kill') expect(broken.signal, `change ${at}`).toBe('SIGKILL');
        if (kind === 'full' && broken.status === 1) expect(broken.stdout, `change ${at}`).toMatch(/the disk is full/);
        if (kind === 'full') expect(broken.signal, `change ${at}`).toBe(null);
        const after = run(loop, session);
        expect({ at, exit: after.status, verdict: JSON.parse(after.stdout) as unknown }).toEqual({
          at,
          exit: first.status,
          verdict: JSON.parse(first.stdout) as unknown,
        });
        expect({ at, files: withoutNotes(filesOf(session)) }).toEqual({ at, files: wanted });
      }
    });
  });
});

/** Evidence that the journal names and that is not there. */
function lostEvidence(session: string): readonly string[] {
  const folder = openFolder(session);
  return readJournal(folder).events.flatMap((event) => {
    if (event.type !== 'VerdictGiven') return [];
    const opened = openRecordedEvidence(blobsIn(folder), event.data.scene);
    return opened.ok ? [] : opened.lost;
  });
}

describe('a verdict that loses power', () => {
  const cases = CASES.filter(([kind]) => kind === 'kill');
  it.each(isSoak ? cases : cases.filter(([, loop]) => loop === 'review'))('%s at every change: %s', async (_, loop, from) => {
    await within(async (folder) => {
      const session = copy(from, folder, 'session');
      const trace = join(folder, 'trace');
      const env = { ...process.env, UMPIRE_RECORD: session, UMPIRE_RECORD_TO: trace };
      const calm = spawnSync(process.execPath, ['--require', recorder, command, 'decide', loop, session, '--json'], {
        encoding: 'utf8',
        env,
      });
      const wanted = { exit: calm.status, verdict: JSON.parse(calm.stdout) as unknown, files: withoutNotes(filesOf(session)) };
      const recorded = readTrace(trace);
      const changes = recorded.changes.length;
      expect(changes).toBeGreaterThan(20);
      // Every change in the soak; in the fast tests every eighth, and the two plain losses.
      for (let at = 0; at <= changes; at += isSoak ? 1 : 8) {
        for (const loss of isSoak ? LOSSES : LOSSES.slice(0, 2)) {
          const where = `${loss} after change ${at}: ${JSON.stringify(recorded.changes[at - 1] ?? null)}`;
          rmSync(session, { recursive: true });
          writeDisk(diskAfter(recorded, at, loss, randomBelow(SEED + at)));
          const lost = lostEvidence(session);
          const after = await runInProcess(folder, ['decide', loop, session, '--json']);
          const verdict = JSON.parse(after.stdout) as unknown;
          expect({ where, lost, exit: after.exit, verdict, files: withoutNotes(filesOf(session)) }).toEqual({ where, lost: [], ...wanted });
        }
      }
    });
  });
});

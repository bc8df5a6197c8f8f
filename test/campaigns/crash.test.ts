// Kills the command at every change it makes to the disk, cuts its writes and fills the disk. The next run must come to the same
// verdict and the same folder as an undisturbed one.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireJournalKey } from '@umpire/umpire/sessions/journal-key.js';
import { isSoak } from '../support/campaign.js';

const root = join(import.meta.dirname, '..', '..');
const command = join(root, 'dist', 'umpire.cjs');
const hook = join(root, 'test', 'support', 'fault.cjs');

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

function within<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-crash-'));
  try {
    return use(folder);
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
  it.each(isSoak ? CASES : CASES.filter(([, loop]) => loop === 'review'))('%s at every change: %s', (kind, loop, from) => {
    within((folder) => {
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

// Continues sessions after an answer: `umpire resume` in a process of its own, which outlives the server.

import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { UmpireError } from '@umpire/core/model/errors.js';
import { JOURNAL } from '../../sessions/journal-file.js';
import { statOf } from '../../sessions/file-system.js';
import { packageRoot } from '../../sessions/package-root.js';

const LOOK_MS = 50;
const MOST_TROUBLE_BYTES = 4000;
/** Complete, waiting for a person, interrupted. */
const GOOD_ENDS: ReadonlySet<number | null> = new Set([0, 4, 130]);

export class ContinuingRuns {
  private readonly troubles = new Map<string, string>();

  constructor(private readonly project: string) {}

  /** Why the last process of the session ended early; null if it did not. */
  troubleOf(session: string): string | null {
    return this.troubles.get(session) ?? null;
  }

  /** Resolves once the process has recorded that it runs, or has ended well. Throws if it ends before. */
  async start(session: string, name: string, flags: readonly string[] = []): Promise<void> {
    this.troubles.delete(session);
    const before = sizeOfJournal(session);
    // A pipe would stop the run when this process is stopped; a file that has no name is gone with its last reader.
    const folder = mkdtempSync(join(tmpdir(), 'umpire-serve-'));
    const stderr = openSync(join(folder, 'stderr'), 'wx+', 0o600);
    rmSync(folder, { recursive: true });
    const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'umpire.cjs'), 'resume', session, ...flags], {
      cwd: this.project,
      detached: true,
      stdio: ['ignore', 'ignore', stderr],
    });
    child.unref();
    const ended = { isTrue: false };
    child.once('error', (error) => {
      ended.isTrue = true;
      this.troubles.set(session, error.message);
      closeSync(stderr);
    });
    child.once('exit', (code) => {
      ended.isTrue = true;
      if (!GOOD_ENDS.has(code)) this.troubles.set(session, readEnd(stderr));
      closeSync(stderr);
    });
    while (!ended.isTrue && sizeOfJournal(session) === before) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const trouble = this.troubleOf(session);
    if (trouble !== null && sizeOfJournal(session) === before)
      throw new UmpireError('run-not-continued', { session: name, detail: trouble });
  }
}

function sizeOfJournal(session: string): number {
  return statOf(join(session, JOURNAL))?.size ?? 0;
}

function readEnd(fd: number): string {
  const { size } = fstatSync(fd);
  const bytes = Buffer.alloc(Math.min(size, MOST_TROUBLE_BYTES));
  const read = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
  return stripVTControlCharacters(bytes.toString('utf8', 0, read)).trim();
}

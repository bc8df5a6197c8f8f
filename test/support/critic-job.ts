// A job for a built-in critic with its own session folder, and access to its evidence and its output.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { startGuardian } from '@umpire/umpire/agents/guardian.js';
import type { Guardian } from '@umpire/umpire/agents/guardian.js';
import type { CriticJob } from '@umpire/umpire/critics/critic.js';
import { DEFAULT_SETTINGS } from '@umpire/umpire/sessions/settings.js';
import { temporaryFolder } from './git-project.js';

let guardian: Guardian | null = null;

/** Every test file that makes jobs calls this. */
export function endGuardianAfterwards(): void {
  afterAll(async () => {
    await guardian?.close();
    guardian = null;
  });
}

export interface TestJob {
  readonly job: CriticJob;
  /** A piece of evidence, parsed. */
  readonly evidence: (path: string) => unknown;
  /** Lines for people. */
  readonly said: string[];
}

export function jobFor(project: string, changes: Partial<CriticJob> = {}): TestJob {
  guardian ??= startGuardian(randomUUID());
  const said: string[] = [];
  const job: CriticJob = {
    project,
    session: temporaryFolder(),
    row: {},
    base: null,
    round: null,
    settings: DEFAULT_SETTINGS.critics,
    guard: DEFAULT_SETTINGS.guard,
    guardian,
    watch: { signal: new AbortController().signal, log: () => undefined },
    timeoutMs: 60_000,
    now: () => new Date(),
    say: (line) => void said.push(line),
    ...changes,
  };
  return { job, evidence: (path) => JSON.parse(readFileSync(join(job.session, path), 'utf8')) as unknown, said };
}

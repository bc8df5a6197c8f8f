// For tests of agents: an assignment, an observer that records the output, and waiting for a condition.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Assignment, Watch } from '@umpire/core/model/ports.js';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'umpire-agents-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

/** An empty folder, deleted after the tests. If test files share this module (`npm run check`), the first one deleted its parent. */
export function newFolder(): string {
  mkdirSync(base, { recursive: true });
  return mkdtempSync(join(base, `${++made}-`));
}

export function assignmentOf(changes: Partial<Assignment> = {}): Assignment {
  return {
    session: '/session',
    loop: 'review',
    goal: 'Payments that never double-charge.',
    task: {
      id: 'DEV-001',
      title: 'Retry safely',
      description: 'Make the retry idempotent.',
      role: 'developer',
      sprint_num: '1',
      deps: [],
      context_from: ['DESIGN-001'],
    },
    instruction: 'Make the retry idempotent.',
    attempt: 1,
    round: 2,
    role: { name: 'developer', text: 'You write the code.' },
    before: null,
    base: null,
    changed: [],
    dismissed: [],
    check: null,
    failure: '',
    diff: '',
    history: [],
    commands: [],
    conversation: null,
    budget: { costUsd: null, tokens: null },
    prevContext: [{ id: 'DESIGN-001', findings: 'One key per charge.' }],
    findings: [{ severity: 'high', message: 'The key is not stored.', artifact: 'src/pay.ts', line: 12, fingerprint: 'f1' }],
    checks: false,
    rules: ['Only change files of the payments module.'],
    outputs: ['review_score', 'gc_signal'],
    outputTypes: { review_score: 'number', gc_signal: ['CONVERGED', 'REVISION_NEEDED'] },
    turns: [],
    interactive: false,
    workdir: '/work',
    writes: true,
    timeoutMs: 60_000,
    ...changes,
  };
}

/** Its session folder and working folder exist. */
export function realAssignment(changes: Partial<Assignment> = {}): Assignment {
  return assignmentOf({ session: newFolder(), workdir: newFolder(), ...changes });
}

export interface Heard extends Watch {
  readonly stop: () => void;
  readonly text: (stream?: 'stdout' | 'stderr') => string;
}

export function newWatch(): Heard {
  const controller = new AbortController();
  const said: { readonly stream: string; readonly chunk: Uint8Array }[] = [];
  return {
    signal: controller.signal,
    log: (stream, chunk) => void said.push({ stream, chunk: Uint8Array.from(chunk) }),
    stop: () => controller.abort(),
    text: (stream = 'stdout') => Buffer.concat(said.filter((one) => one.stream === stream).map((one) => one.chunk)).toString('utf8'),
  };
}

/** Waits until the condition holds. False if it does not hold in time. */
export async function until(condition: () => boolean, withinMs = 20_000): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}

/** Whether the process still runs. A zombie has ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (!existsSync('/proc/self/stat')) return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

/** The process ids that programs wrote to these files. Waits until all files exist. */
export async function pidsIn(folder: string, names: readonly string[]): Promise<readonly number[]> {
  const read = (name: string): number => (existsSync(join(folder, name)) ? Number(readFileSync(join(folder, name), 'utf8')) : 0);
  if (!(await until(() => names.every((name) => read(name) > 0)))) throw new Error(`not all of ${names.join(', ')} appeared`);
  return names.map(read);
}

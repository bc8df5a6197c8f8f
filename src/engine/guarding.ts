// How the guard stands over a run: which loops it looks at, what becomes of a breach, and what it found in each task's work.

import type { Breach, SessionStarted } from '../brain/run-messages.js';
import type { Settings } from '../runtime/default-settings.js';
import type { Inspector } from '../workspace/inspector.js';
import type { Inspection } from './inspection.js';

/** Tests are what the testing loop makes, so a lie in them is taken back; elsewhere it is told. */
const LOOPS: Readonly<Record<string, Pick<Inspection, 'scope' | 'takesBack'>>> = {
  testing: { scope: 'testing', takesBack: true },
  debt: { scope: 'any', takesBack: false },
  review: { scope: 'any', takesBack: false },
};

export interface Guarding {
  readonly inspect: Inspector;
  readonly breachesOf: (task: string, attempt: number) => readonly Breach[];
}

/** Null where the loop has no tests to guard. Allowances are those of the person's own checkout: agents do not write there. */
export function guardingFor(
  { loop, loopFolder }: Pick<SessionStarted, 'loop' | 'loopFolder'>,
  { guard: { allowances } }: Pick<Settings, 'guard'>,
  now: () => Date,
): Guarding | null {
  const manner = loopFolder === null && Object.hasOwn(LOOPS, loop) ? LOOPS[loop] : undefined;
  if (manner === undefined) return null;
  const found = new Map<string, readonly Breach[]>();
  const key = (task: string, attempt: number) => `${attempt} ${task}`;
  return {
    inspect: async (work) => {
      const { inspectWork } = await import('./inspection.js');
      const { breaches, corrections } = inspectWork(work, { ...manner, allowances, today: now().toISOString().slice(0, 10) });
      found.set(key(work.task, work.attempt), breaches);
      return corrections;
    },
    breachesOf: (task, attempt) => found.get(key(task, attempt)) ?? [],
  };
}

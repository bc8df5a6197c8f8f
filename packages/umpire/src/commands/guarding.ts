// How the guard stands over a run: which loops it looks at, what becomes of a breach, and what it found in each task's work.

import type { Breach, SessionStarted } from '@umpire/core/decider/events.js';
import type { TestResult } from '@umpire/core/model.js';
import type { Agent } from '@umpire/core/ports.js';
import type { LoopGuard, Settings } from '../sessions/default-settings.js';
import { CONFIG } from '../sessions/project.js';
import { nearestWord } from '@umpire/core/formats/nearest-word.js';
import type { Inspector } from '../workspace/inspector.js';

/**
 * Tests are what the testing loop makes, and what the plain loop asks: a lie in them is taken back. Elsewhere it is told. Loops of
 * people's own are not looked at unless the settings name them.
 */
const LOOPS: Readonly<Record<string, LoopGuard>> = {
  testing: { breaches: 'obey', scope: 'testing' },
  until: { breaches: 'obey', scope: 'any' },
  debt: { breaches: 'tell', scope: 'any' },
  review: { breaches: 'tell', scope: 'any' },
};

const OTHERS: LoopGuard = { breaches: 'off', scope: 'any' };

/** What agents are told beside the rules of their task. Those of the testing loop say the first of it already. */
const HONEST_TESTS: readonly string[] = [
  'Do not delete, skip, empty or weaken a test, and do not mock away what it tests.',
  'Leave settings as they are: those of tests, coverage, lint and types, of CI, and the scripts of the package.',
];
const ONLY_TESTS = 'Change test files, their fixtures and snapshots only.';
const TAKEN_BACK = 'A change that breaks these rules is taken back before your work is merged, and the report names it.';

export interface Guarding {
  readonly inspect: Inspector;
  readonly breachesOf: (task: string, attempt: number) => readonly Breach[];
  /** The agent, who is told what is taken back. */
  readonly warned: (agent: Agent) => Agent;
}

export interface GuardedRun {
  readonly started: Pick<SessionStarted, 'loop' | 'loopFolder' | 'command'>;
  /** Of the person's own checkout: agents do not write there. */
  readonly config: Pick<Settings, 'guard'>;
  readonly now: () => Date;
  /** Tests that were measured on this commit, and failed. */
  readonly failedAt: (commit: string) => readonly TestResult[];
  readonly say: (note: string) => void;
}

/** Null where the loop is not looked at. */
export function guardingFor({ started, config, now, failedAt, say }: GuardedRun): Guarding | null {
  const { allowances, loops } = config.guard;
  const { breaches: manner, scope } = mannerOf(started, config);
  const slip = Object.hasOwn(loops, started.loop) ? null : nearestWord(started.loop, Object.keys(loops));
  // Else nobody would know that the setting is for no loop.
  if (slip !== null)
    say(
      `${CONFIG} has guard.loops.${slip}, and this loop is called ${started.loop}: if that is a slip, mend it. Here the guard is at ${manner}.`,
    );
  if (manner === 'off') return null;
  const takesBack = manner === 'obey';
  const found = new Map<string, readonly Breach[]>();
  const key = (task: string, attempt: number) => `${attempt} ${task}`;
  return {
    inspect: async (work) => {
      const { inspectWork } = await import('./inspection.js');
      const today = now().toISOString().slice(0, 10);
      const { breaches, corrections } = inspectWork(work, {
        scope,
        takesBack,
        allowances,
        today,
        measured: failedAt(work.base),
        command: started.command,
      });
      found.set(key(work.task, work.attempt), breaches);
      return corrections;
    },
    breachesOf: (task, attempt) => found.get(key(task, attempt)) ?? [],
    warned: (agent) => (takesBack ? warned(agent, rulesOf(started, scope)) : agent),
  };
}

function mannerOf({ loop, loopFolder }: GuardedRun['started'], { guard: { loops } }: GuardedRun['config']): LoopGuard {
  const usual = loopFolder === null && Object.hasOwn(LOOPS, loop) ? (LOOPS[loop] ?? OTHERS) : OTHERS;
  return { ...usual, ...(Object.hasOwn(loops, loop) ? loops[loop] : {}) };
}

function rulesOf({ loop }: GuardedRun['started'], scope: LoopGuard['scope']): readonly string[] {
  if (loop === 'testing') return [TAKEN_BACK];
  return [...(scope === 'testing' ? [ONLY_TESTS] : []), ...HONEST_TESTS, TAKEN_BACK];
}

function warned(agent: Agent, rules: readonly string[]): Agent {
  return {
    ...agent,
    run: (assignment, watch) =>
      agent.run(assignment.writes ? { ...assignment, rules: [...assignment.rules, ...rules] } : assignment, watch),
  };
}

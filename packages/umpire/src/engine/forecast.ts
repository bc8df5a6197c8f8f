// What a session may need, said before it starts: the most agent runs by its rules, and what earlier sessions of the loop cost.

import { isUmpireError } from '@umpire/core/model/errors.js';
import { mostAgentRuns } from '@umpire/core/decider/most-runs.js';
import type { MostRuns, RunsInput } from '@umpire/core/decider/most-runs.js';
import { count } from '../views/words.js';
import { latestFirst } from '../sessions/find-sessions.js';
import { statOf } from '../sessions/file-system.js';
import { JOURNAL } from '../sessions/journal-file.js';
import { readSession } from '../sessions/session-record.js';
import { join } from 'node:path';

export interface Forecast extends MostRuns {
  /** Of earlier sessions of this loop in this project; null where none reported any. */
  readonly past: { readonly sessions: number; readonly tokens: number; readonly costUsd: number } | null;
  /** More runs than the settings allow without asking. */
  readonly asks: boolean;
}

export function forecastSession(input: RunsInput, project: string, askAbove: number): Forecast {
  const most = mostAgentRuns(input);
  return { ...most, past: pastUsage(project, input.loop.loop), asks: most.runs > askAbove };
}

/** Older sessions say less, and a long journal takes long to read. */
const MAX_SESSIONS = 10;
const MAX_JOURNAL_BYTES = 4 * 1024 * 1024;

function pastUsage(project: string, loop: string): Forecast['past'] {
  const spent = latestFirst(project)
    .filter((path) => (statOf(join(path, JOURNAL))?.size ?? 0) <= MAX_JOURNAL_BYTES)
    .slice(0, MAX_SESSIONS)
    .flatMap((path) => {
      try {
        const { run } = readSession(path).state;
        if (run === null || run.started.loop !== loop || run.ended === null) return [];
        return run.tokens > 0 || run.costUsd > 0 ? [{ tokens: run.tokens, costUsd: run.costUsd }] : [];
      } catch (error) {
        // A broken session says nothing about the next one.
        if (isUmpireError(error)) return [];
        throw error;
      }
    });
  if (spent.length === 0) return null;
  return {
    sessions: spent.length,
    tokens: median(spent.map(({ tokens }) => tokens)),
    costUsd: median(spent.map(({ costUsd }) => costUsd)),
  };
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** `At most 5 agent runs in 5 rounds. Earlier sessions: $0.42 (median of 3).` */
export function forecastWords({ runs, rounds, perFile, past }: Forecast): string {
  const files = perFile ? ', with findings in one file' : '';
  const most = `At most ${count(runs, 'agent run')} in ${count(rounds, 'round')}${files}.`;
  if (past === null) return most;
  const cost = past.costUsd > 0 ? `$${past.costUsd.toFixed(2)}` : count(past.tokens, 'token');
  return `${most} Earlier sessions of this loop: ${cost} (median of ${past.sessions}).`;
}

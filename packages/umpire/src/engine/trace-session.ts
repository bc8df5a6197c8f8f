// The telemetry of a session that this process runs by itself: its events, and how many of its agents are at work.

import type { Recorded } from '@umpire/core/decider/events.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Settings } from '../sessions/default-settings.js';
import { TELEMETRY_PROVIDERS } from '../agents/known/known-agents.js';
import { readJournal } from '../sessions/journal-file.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { openTelemetry } from '../telemetry/open-telemetry.js';

interface SessionTelemetry {
  readonly event: (event: Recorded, state: SessionState) => void;
  /** The agents in the project's settings, which name the models. */
  readonly traceAgents: (agents: Settings['agents']) => void;
  readonly close: () => Promise<void>;
}

export async function traceSession(folder: SessionFolder, say: (note: string) => void = () => undefined): Promise<SessionTelemetry> {
  const telemetry = await openTelemetry(process.env, TELEMETRY_PROVIDERS, say);
  let agents: Settings['agents'] = {};
  const past = () => readJournal(folder).events;
  return {
    event: (event, state) => {
      telemetry.event(event, state, { id: folder.root, past, agents });
      if (state.run !== null) telemetry.slots(state.run.running.size, state.run.settings.concurrency);
    },
    traceAgents: (known) => {
      agents = known;
    },
    close: telemetry.close,
  };
}

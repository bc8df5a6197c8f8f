// What the rest of the program tells telemetry about: events of sessions, and what a fleet measures.

import type { Recorded } from '@umpire/core/decider/events.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { AgentSettings } from '../sessions/default-settings.js';

/** A session as its trace needs it. */
export interface TracedSession {
  /** Tells the sessions of one process apart, such as the folder. */
  readonly id: string;
  /** Its journal from the first line on; later lines do no harm. Read only if this process did not see the event before. */
  readonly past: () => Iterable<Recorded>;
  /** The agents in the project's settings. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
}

/** No function throws, waits for the network or returns a rejected promise. */
export interface Telemetry {
  /** An event that is durable now, and the state with it. */
  readonly event: (event: Recorded, state: SessionState, session: TracedSession) => void;
  /** How long a conductor took to decide about one input. */
  readonly turn: (ms: number) => void;
  /** How long an offer waited until a worker took it. */
  readonly queueAge: (ms: number) => void;
  readonly leaseLost: () => void;
  /** Agents at work in this process, and how many may be. */
  readonly slots: (used: number, total: number) => void;
  /** Sends the rest; takes two seconds at most. */
  readonly close: () => Promise<void>;
}

// Which critic Umpire runs itself for a loop, and how it does a task of a run: alone, after an agent whose findings it weighs, or,
// where there is nothing it could measure, with the agent in its place.

import { isUmpireError } from '@umpire/core/errors.js';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/ports.js';
import { NO_USAGE } from '@umpire/core/ports.js';
import type { RunSettings, SessionStarted } from '@umpire/core/decider/events.js';
import { unmeasured } from '../critics/critic.js';
import type { Critic, CriticEnd, CriticJob } from '../critics/critic.js';
import type { Guardian } from '../agents/guardian.js';
import type { Settings } from '../sessions/default-settings.js';

/** `alone`: measures by itself. `after`: an agent does its part first, and what it left is weighed or counted. */
interface BuiltInCritic {
  /** Loaded where it is needed: its libraries would weigh on every start. */
  readonly load: () => Promise<Critic>;
  readonly stands: 'alone' | 'after';
}

const CRITICS: Readonly<Record<string, BuiltInCritic>> = {
  testing: { load: async () => (await import('../critics/testing.js')).testingCritic, stands: 'alone' },
  debt: { load: async () => (await import('../critics/debt.js')).debtCritic, stands: 'alone' },
  design: { load: async () => (await import('../critics/design.js')).designCritic, stands: 'alone' },
  review: { load: async () => (await import('../critics/review.js')).reviewCritic, stands: 'after' },
  brainstorm: { load: async () => (await import('../critics/brainstorm.js')).brainstormCritic, stands: 'after' },
};

/** The name by which a critic's role is given to Umpire itself, where another agent would play it. */
export const BUILT_IN = 'builtin';

export const CRITIC_LOOPS: readonly string[] = Object.keys(CRITICS);

export async function loadCritic(loop: string): Promise<Critic | null> {
  const critic = Object.hasOwn(CRITICS, loop) ? CRITICS[loop] : undefined;
  return critic === undefined ? null : critic.load();
}

export interface CriticSeat {
  readonly started: Pick<SessionStarted, 'loop' | 'loopFolder' | 'critic' | 'workspace' | 'project'>;
  readonly settings: Pick<RunSettings, 'agents'>;
  readonly config: Settings;
  readonly guardian: Guardian;
  readonly now: () => Date;
}

export interface Casting extends Pick<CriticSeat, 'settings'> {
  readonly started: Pick<SessionStarted, 'loop' | 'loopFolder' | 'critic'>;
  /** Does the agent of this name play every role that it is given, the critic's too? */
  readonly playsAll: (name: string) => boolean;
}

/** Is the critic's role done by Umpire itself? Not where an agent is named for that very role. */
export function isBuiltIn({ started, settings, playsAll }: Casting): boolean {
  if (started.loopFolder !== null || !Object.hasOwn(CRITICS, started.loop)) return false;
  const named = settings.agents[started.critic];
  if (named !== undefined) return named === BUILT_IN;
  const general = settings.agents['*'];
  return general === undefined || !playsAll(general);
}

/** `agent`: who does every role that nobody is named for; null where there is none. */
export function builtInCritic(seat: CriticSeat, agent: Agent | null): Agent {
  const critic = CRITICS[seat.started.loop] as BuiltInCritic;
  const measure: Measure = async (assignment, watch) => {
    const kept = new Map<string, Uint8Array>();
    return { end: await endOf((await critic.load())({ ...jobOf(seat, assignment, watch), kept })), kept };
  };
  return {
    name: agent === null || critic.stands === 'alone' ? BUILT_IN : `${agent.name} and ${BUILT_IN}`,
    run: async (assignment, watch) => {
      if (critic.stands === 'after' && agent !== null) return weighed(assignment, watch, agent, measure);
      const measurement = await measure(assignment, watch);
      if (watch.signal.aborted) return { kind: 'interrupted' };
      // Where nothing can be measured an agent may testify.
      if (measurement.end.unable === true && agent !== null) return testified(await agent.run(assignment, watch), measurement.end);
      return endingOf(measurement);
    },
  };
}

/** A tool that fails, such as git, measures nothing. The run goes on, and is told. */
async function endOf(measuring: Promise<CriticEnd>): Promise<CriticEnd> {
  try {
    return await measuring;
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return unmeasured('error', error.message);
  }
}

interface Measurement {
  readonly end: CriticEnd;
  readonly kept: ReadonlyMap<string, Uint8Array>;
}

type Measure = (assignment: Assignment, watch: Watch) => Promise<Measurement>;

async function weighed(assignment: Assignment, watch: Watch, agent: Agent, measure: Measure): Promise<Ending> {
  const said = await agent.run(assignment, watch);
  if (said.kind !== 'completed') return said;
  const measurement = await measure(assignment, watch);
  if (watch.signal.aborted) return { kind: 'interrupted', usage: said.usage };
  if (measurement.end.unable === true) return said;
  const measured = endingOf(measurement);
  if (measured.kind !== 'completed') return { ...measured, usage: said.usage };
  return {
    ...said,
    findings: `${measured.findings} ${said.findings}`.trim().slice(0, 500),
    outputs: { ...said.outputs, ...measured.outputs },
    ...(measured.measured === undefined ? {} : { measured: measured.measured }),
  };
}

/** Nothing could be measured, and an agent stood in: its own findings say so. */
function testified(said: Ending, { summary }: CriticEnd): Ending {
  if (said.kind !== 'completed' && said.kind !== 'failed') return said;
  return { ...said, findings: `Testified, not measured. ${said.findings} (${summary})`.slice(0, 500) };
}

function endingOf({ end: { outcome, summary, outputs, notes }, kept }: Measurement): Extract<Ending, { kind: 'completed' | 'failed' }> {
  const isMeasured = outcome === 'pass' || outcome === 'fail';
  return {
    kind: isMeasured ? 'completed' : 'failed',
    findings: summary,
    error: isMeasured ? '' : `${outcome}: ${notes.join(' ') || summary}`.slice(0, 500),
    outputs,
    usage: NO_USAGE,
    measured: kept,
  };
}

function jobOf(
  { started, config, guardian, now }: CriticSeat,
  { task, workdir, session, round, timeoutMs }: Assignment,
  watch: Watch,
): CriticJob {
  const row = Object.fromEntries(
    Object.entries(task).map(([name, value]) => [name, Array.isArray(value) ? value.join(';') : String(value)]),
  );
  const say = (line: string) => watch.log('stderr', Buffer.from(`${line}\n`));
  return {
    project: workdir,
    origin: started.project,
    session,
    row,
    base: started.workspace?.base ?? null,
    round,
    settings: config.critics,
    guardian,
    watch,
    timeoutMs,
    now,
    say,
  };
}

// Folds the events of a session into spans. Ids follow from the session alone, so every process that continues it adds to the same trace.
// Spans name tasks, roles and agents; goals, prompts, findings and code stay out.

import type { EventData, Recorded } from '@umpire/core/decider/events.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { BUILT_IN, CHECK } from '@umpire/core/decider/agent-choice.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { Usage } from '@umpire/core/model/ports.js';
import type { AgentSettings } from '../sessions/settings.js';
import { sha256 } from '../sessions/hash.js';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Null: the root of the trace. */
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
}

/** What later spans need of earlier events. It changes in place: a session may have 100,000 events. */
export interface Trace {
  /** The last event that is part of it. */
  seq: number;
  traceId: string;
  started: (EventData<'SessionStarted'> & { readonly ms: number }) | null;
  /** By task and attempt: those whose agent is at work. */
  readonly atWork: Map<string, EventData<'TaskStarted'> & { readonly ms: number }>;
  /** By task and attempt: since when their work waits to be merged. */
  readonly submitted: Map<string, number>;
  /** When tasks of an ended session were opened again; null: it did not end, or it is not open again. */
  reopenedMs: number | null;
  ends: number;
}

export interface TracedAgents {
  readonly settings: Readonly<Record<string, AgentSettings>>;
  /** The names of the GenAI conventions by agent. */
  readonly providers: ReadonlyMap<string, string>;
}

/** The end of an attempt, for the metrics. */
export interface AttemptEnd {
  readonly agent: string;
  readonly usage: Usage;
}

export function newTrace(): Trace {
  return { seq: 0, traceId: '', started: null, atWork: new Map(), submitted: new Map(), reopenedMs: null, ends: 0 };
}

/** The spans that end with this event, and the attempt that does. */
export function takeEvent(
  trace: Trace,
  event: Recorded,
  state: SessionState,
  agents: TracedAgents,
): { readonly spans: readonly TraceSpan[]; readonly ended: AttemptEnd | null } {
  const ms = Date.parse(event.ts);
  trace.seq = event.seq;
  if (event.type === 'SessionStarted') {
    trace.traceId = sha256(`${event.data.session}\n${event.ts}`).slice(0, 32);
    trace.started = { ...event.data, ms };
  }
  // Another program runs the session.
  if (trace.started === null) return NONE;
  if (event.type === 'TaskStarted') trace.atWork.set(attemptName(event.data), { ...event.data, ms });
  if (event.type === 'TasksReopened' && trace.ends > 0) trace.reopenedMs ??= ms;
  if (event.type === 'VerdictGiven') return { spans: [verdictSpan(trace, event.seq, event.data, ms)], ended: null };
  if (event.type === 'SessionEnded') return { spans: [sessionSpan(trace, trace.started, event.data, state, ms)], ended: null };
  return endsAttempt(event) ? endAttempt(trace, event, state, agents) : NONE;
}

const NONE = { spans: [], ended: null } as const;

const OUTCOMES = {
  TaskSubmitted: null,
  TaskFinished: null,
  TaskAsked: 'asked',
  TaskBlocked: 'blocked',
  TaskInterrupted: 'interrupted',
  TaskPostponed: 'postponed',
  TaskLimited: 'limited',
} as const;

type AttemptEvent = Extract<Recorded, { readonly type: keyof typeof OUTCOMES }>;

function endsAttempt(event: Recorded): event is AttemptEvent {
  return event.type in OUTCOMES;
}

/** Work that changes files ends twice: when it is submitted, and when it is merged. */
function endAttempt(trace: Trace, event: AttemptEvent, state: SessionState, agents: TracedAgents): ReturnType<typeof takeEvent> {
  const { data } = event;
  const ms = Date.parse(event.ts);
  const key = attemptName(data);
  const began = trace.atWork.get(key);
  const submittedMs = trace.submitted.get(key);
  trace.atWork.delete(key);
  trace.submitted.delete(key);
  if (event.type === 'TaskSubmitted') trace.submitted.set(key, ms);
  const outcome = 'status' in data ? data.status : (OUTCOMES[event.type] ?? '');
  const failed = FAILURES.has(outcome);
  const task = {
    'umpire.task.id': data.task,
    'umpire.task.attempt': data.attempt,
    'umpire.outcome': outcome,
    'error.type': failed ? outcome : undefined,
  };
  if (began === undefined) {
    if (submittedMs === undefined) return NONE;
    const merge = makeSpan(trace, ['merge', key], `merge ${data.task}`, [submittedMs, ms], task, failed);
    return { spans: [{ ...merge, parentSpanId: makeSpanId(trace, 'attempt', key) }], ended: null };
  }
  const { agent } = began;
  const usage = data.usage ?? UNKNOWN;
  const settings = agents.settings[agent];
  const conversation = ('conversation' in data ? data.conversation : undefined) ?? began.conversation;
  const isModel = settings === undefined ? !WITHOUT_MODEL.has(agent) : settings.runs.kind !== 'person';
  const preset = settings === undefined ? agent : settings.runs.kind === 'preset' ? (settings.runs.uses ?? agent) : '';
  const attributes = {
    ...(isModel
      ? {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': agent,
          'gen_ai.provider.name': agents.providers.get(preset),
          'gen_ai.request.model': settings?.model,
          'gen_ai.conversation.id': conversation,
        }
      : { 'umpire.agent': agent }),
    ...task,
    'umpire.task.role': state.run === null ? undefined : findTask(state.run, data.task)?.role,
    'umpire.usage.tokens': usage.unknown?.includes('tokens') === true ? undefined : usage.tokens,
    'umpire.cost_usd': usage.unknown?.includes('cost') === true ? undefined : usage.costUsd,
  };
  const name = isModel ? `invoke_agent ${agent}` : `${agent} ${data.task}`;
  return { spans: [makeSpan(trace, ['attempt', key], name, [began.ms, ms], attributes, failed)], ended: { agent, usage } };
}

function verdictSpan(trace: Trace, seq: number, { verdict, scene }: EventData<'VerdictGiven'>, ms: number): TraceSpan {
  const { decision, outcome, rule, round, maxRounds, chain, unverified } = verdict;
  const attributes = {
    'umpire.task.id': scene.critic ?? undefined,
    'umpire.verdict.decision': decision,
    'umpire.verdict.outcome': outcome,
    'umpire.verdict.rule': rule,
    'umpire.verdict.round': round,
    'umpire.verdict.max_rounds': maxRounds,
    'umpire.verdict.chain': chain,
    'umpire.unverified': unverified,
  };
  return makeSpan(trace, ['verdict', seq], `verdict ${decision}`, [ms, ms], attributes, false);
}

/** The root, at the first end. A session that is reopened and ends again adds a span of its own: ids must stay unique. */
function sessionSpan(
  trace: Trace,
  started: NonNullable<Trace['started']>,
  { outcome, unverified }: EventData<'SessionEnded'>,
  state: SessionState,
  ms: number,
): TraceSpan {
  const isRoot = ++trace.ends === 1;
  const startMs = isRoot ? started.ms : (trace.reopenedMs ?? ms);
  trace.reopenedMs = null;
  const attributes = {
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.workflow.name': started.loop,
    'umpire.mode': started.mode,
    'umpire.outcome': outcome,
    'umpire.unverified': unverified,
    'umpire.usage.tokens': state.run?.tokens,
    'umpire.cost_usd': state.run?.costUsd,
    'error.type': outcome === 'complete' ? undefined : outcome,
  };
  const name = isRoot ? `invoke_workflow ${started.loop}` : 'reopened';
  const span = makeSpan(trace, isRoot ? ['session'] : ['session', trace.ends], name, [startMs, ms], attributes, outcome === 'failed');
  return isRoot ? { ...span, parentSpanId: null } : span;
}

function makeSpan(
  trace: Trace,
  of: readonly (string | number)[],
  name: string,
  [startMs, endMs]: readonly [number, number],
  attributes: Attributes,
  failed: boolean,
): TraceSpan {
  return {
    traceId: trace.traceId,
    spanId: makeSpanId(trace, ...of),
    parentSpanId: makeSpanId(trace, 'session'),
    name,
    // The clock may have been set back.
    startMs: Math.min(startMs, endMs),
    endMs,
    attributes: { 'umpire.session': trace.started?.session, 'umpire.loop': trace.started?.loop, ...attributes },
    failed,
  };
}

function makeSpanId({ traceId }: Trace, ...of: readonly (string | number)[]): string {
  return sha256([traceId, ...of].join('\n')).slice(0, 16);
}

/** Asking a person is no failure. */
const FAILURES: ReadonlySet<string> = new Set(['failed', 'blocked', 'interrupted', 'postponed', 'limited']);

/** Umpire's own critics, the command of `until`, and people. */
const WITHOUT_MODEL: ReadonlySet<string> = new Set([BUILT_IN, CHECK, 'person']);

const UNKNOWN: Usage = { tokens: 0, costUsd: 0, unknown: ['tokens', 'cost'] };

function attemptName({ task, attempt }: { readonly task: string; readonly attempt: number }): string {
  return `${task}\n${attempt}`;
}

// `run`, `resume` and `resolve` for programs: what is handed in is looked at first, agents may be plain functions, and the report says
// in one place what a program asks next.

import { resolve as absolute } from 'node:path';
import { isUmpireError } from '@umpire/core/errors.js';
import * as engine from '../commands/session.js';
import type { RunWatch } from '../commands/opened-session.js';
import { RANGES } from '../commands/run-flags.js';
import type { RunFlags } from '../commands/run-flags.js';
import { answersIn } from '@umpire/core/decider/question.js';
import { ANSWERS } from '@umpire/core/decider/events.js';
import type { Answer, Question } from '@umpire/core/decider/events.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { PipelinesInput } from '@umpire/core/loops/loop-file.js';
import type { Verdict } from '@umpire/core/model.js';
import { questionWords } from '../report/session-question.js';
import { verdictsIn } from '../report/session-view.js';
import { readSession } from '../sessions/session-record.js';
import { CALL, DATE, FLAG, LOOP, NAMES, NUMBER, OBJECT, PATH, SIGNAL, TEXT, checkRequest, checkValue, oneOf, within } from './arguments.js';
import type { Takes } from './arguments.js';
import { loopGiven, pipelineGiven } from './loops.js';
import { agentsOf } from './own-agents.js';
import type { OwnAgents } from './own-agents.js';
import { watched } from './watching.js';

/** As the engine takes it, save that agents may be plain functions, and one agent needs no list. */
type ForPrograms<Request extends RunFlags & RunWatch> = Omit<Request, 'agent' | 'agents' | 'onOpen' | 'wordOf'> & {
  /** Who does what: `NAME` for every role that has none of its own, `ROLE=NAME` for one. */
  readonly agent?: string | readonly string[];
  /** Agents that are functions of the calling program, by name. */
  readonly agents?: OwnAgents;
};

export interface RunRequest extends ForPrograms<Omit<engine.RunRequest, 'pipeline'>> {
  /** The tasks it begins with, in place of the loop's own: what `pipelines` of a loop file holds. */
  readonly pipeline?: PipelinesInput;
}

export type ResumeRequest = ForPrograms<engine.ResumeRequest>;
export type ResolveRequest = ForPrograms<engine.ResolveRequest>;

/** What a session waits for, with its words for people and what may be answered. */
export type OpenQuestion = Question & {
  /** What is waited on, in a few words. */
  readonly asks: string;
  /** The reason, the agent's words, or the plan. */
  readonly detail: string;
  readonly answers: readonly Answer[];
};

export interface RunReport extends engine.RunReport {
  readonly question: OpenQuestion | null;
  /** Why it ended as it did; empty where it has not ended. */
  readonly reason: string;
  /** Every verdict so far, the oldest first. */
  readonly verdicts: readonly Verdict[];
}

const FLAGS: Takes<Omit<RunFlags, 'agent'> & Omit<RunWatch, 'agents' | 'onOpen' | 'wordOf'> & Pick<RunRequest, 'agent' | 'agents'>> = {
  agent: NAMES,
  agents: OBJECT,
  agentCommand: TEXT,
  maxRounds: within(RANGES.maxRounds, true),
  concurrency: within(RANGES.concurrency, true),
  maxMinutes: within(RANGES.maxMinutes),
  maxCostUsd: within(RANGES.maxCostUsd),
  maxTokens: within(RANGES.maxTokens, true),
  timeoutMinutes: within(RANGES.timeoutMinutes),
  retries: within(RANGES.retries, true),
  stopWhenStalled: FLAG,
  strict: FLAG,
  sandbox: FLAG,
  yes: FLAG,
  onEvent: CALL,
  onNote: CALL,
  signal: SIGNAL,
  now: CALL,
};

const RUN: Takes<RunRequest> = {
  loop: LOOP,
  goal: TEXT,
  project: PATH,
  session: PATH,
  mode: TEXT,
  pipeline: OBJECT,
  target: within(RANGES.target),
  command: TEXT,
  report: TEXT,
  ...FLAGS,
};

const RESUME: Takes<ResumeRequest> = { session: PATH, retry: FLAG, ...FLAGS };

const RESOLVE: Takes<ResolveRequest> = {
  session: PATH,
  answer: oneOf(...ANSWERS),
  reason: TEXT,
  who: TEXT,
  rounds: NUMBER,
  costUsd: NUMBER,
  minutes: NUMBER,
  tokens: NUMBER,
  ...FLAGS,
};

/** Runs a loop from its first task to its end, or until a person is needed or `signal` is given: `status` says which. */
export async function run(request: RunRequest): Promise<RunReport> {
  checkRequest('run', request, RUN, ['loop']);
  const { session, pipeline, ...rest } = request;
  const loop = await loopGiven(request.loop);
  const place = session === undefined ? {} : { session: absolute(session) };
  const plan = pipeline === undefined ? {} : { pipeline: await pipelineGiven(pipeline, loop) };
  return started('run', rest, (watch) => engine.run({ ...watch, loop, ...place, ...plan }));
}

/** Takes a session on that was stopped or killed, or whose failed tasks are to be run again (`retry`). */
export async function resume(request: ResumeRequest): Promise<RunReport> {
  checkRequest('resume', request, RESUME, ['session']);
  const session = absolute(request.session);
  return started('resume', request, (watch) => engine.resume({ ...watch, session }));
}

/** Answers what a session waits for, and takes it on. `question.answers` of its report says what may be answered. */
export async function resolve(request: ResolveRequest): Promise<RunReport> {
  checkRequest('resolve', request, RESOLVE, ['session', 'answer']);
  const session = absolute(request.session);
  return started('resolve', request, (watch) => engine.resolve({ ...watch, session }));
}

type ForEngine<Request> = Omit<Request, 'agent' | 'agents'> & {
  readonly agent?: readonly string[];
  readonly agents?: RunWatch['agents'] & {};
};

async function started<Request extends ForPrograms<RunFlags & RunWatch>>(
  door: string,
  request: Request,
  act: (request: ForEngine<Request>) => Promise<engine.RunReport>,
): Promise<RunReport> {
  const { agent, agents, ...rest } = request;
  const own = agents === undefined ? {} : { agents: agentsOf(door, agents) };
  const named = agent === undefined ? {} : { agent: typeof agent === 'string' ? [agent] : agent };
  const clock = request.now === undefined ? {} : { now: clockOf(door, request.now) };
  let place: string | null = null;
  const onOpen = (session: string) => {
    place = session;
  };
  const report = await watched(request, (watch) =>
    act({ ...rest, ...named, ...own, ...clock, ...watch, onOpen }).catch((error: unknown) => {
      // A set-up command that was ended on the way is no fault of its own.
      if (place === null || !watch.signal.aborted || !isUmpireError(error) || error.code !== 'setup-failed') throw error;
      return { session: place, status: 'interrupted', unverified: false, question: null, state: readSession(place).state } as const;
    }),
  );
  return reportFor(report);
}

/** What it tells goes into names and into the journal. */
function clockOf(door: string, now: () => Date): () => Date {
  return () => {
    const told = now();
    checkValue(door, 'what now() tells', told, DATE);
    return told;
  };
}

function reportFor(report: engine.RunReport): RunReport {
  const { state, question } = report;
  const { run: now } = state;
  return {
    ...report,
    question: question === null || now === null ? null : openQuestion(now, question),
    reason: now?.ended?.reason ?? '',
    verdicts: verdictsIn(state).map(({ verdict }) => verdict),
  };
}

function openQuestion(now: RunState, question: Question): OpenQuestion {
  const { what, detail } = questionWords(now, question);
  return { ...question, asks: what, detail, answers: answersIn(now, question) };
}

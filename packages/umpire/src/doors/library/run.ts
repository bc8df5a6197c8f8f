// Library functions `run`, `resume` and `resolve`. They check their arguments, accept functions as agents, and add the open question and
// all verdicts to the report.

import { resolve as absolute } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import * as engine from '../../engine/session.js';
import type { RunWatch } from '../../engine/opened-session.js';
import type { RunFlags } from '../../engine/run-flags.js';
import { answersIn } from '@umpire/core/decider/question.js';
import type { Answer, Question } from '@umpire/core/model/questions.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { PipelinesInput } from '@umpire/core/loops/pipeline.js';
import type { Verdict } from '@umpire/core/model/vocabulary.js';
import { questionWords } from '../../views/session-question.js';
import { verdictsIn } from '../../views/session-view.js';
import { readSession } from '../../sessions/session-record.js';
import { CALL, DATE, OBJECT, SIGNAL, checkRequest, checkValue, validateLoop, validatePipeline } from './argument-checks.js';
import { RESOLVE, RESUME, RUN, needed } from '@umpire/core/model/options.js';
import { agentsOf } from './function-agents.js';
import type { OwnAgents } from './function-agents.js';
import { withCallbacks } from './callbacks.js';

type ForCommandsOnly =
  | 'topic'
  | 'commits'
  | 'onOpen'
  | 'onForecast'
  | 'onBlind'
  | 'onUncommitted'
  | 'onTrust'
  | 'wordOf'
  | 'via'
  | 'elapsedMs';

/** Agents may be functions, and a single agent needs no list. */
type ProgramRequest<Request extends RunFlags & RunWatch> = Omit<Request, 'agent' | 'agents' | ForCommandsOnly> & {
  /** `NAME`: the agent for every role. `ROLE=NAME`: the agent for one role. */
  readonly agent?: string | readonly string[];
  /** Functions of the calling program as agents, by name. */
  readonly agents?: OwnAgents;
};

export interface RunRequest extends ProgramRequest<Omit<engine.RunParameters, 'pipeline'>> {
  /** Replaces the loop's own pipeline: like `pipelines` in a loop file. */
  readonly pipeline?: PipelinesInput;
}

export type ResumeRequest = ProgramRequest<Omit<engine.ResumeParameters, 'question'>>;
export type ResolveRequest = ProgramRequest<Omit<engine.ResolveParameters, 'question'>>;

/** The question that a session waits on, with its possible answers. */
export type OpenQuestion = Question & {
  /** The question in a few words. */
  readonly asks: string;
  /** The reason, the agent's question, or the plan. */
  readonly detail: string;
  readonly answers: readonly Answer[];
};

export interface RunReport extends engine.RunResult {
  readonly question: OpenQuestion | null;
  /** Why it ended; empty if it has not ended. */
  readonly reason: string;
  /** All verdicts, oldest first. */
  readonly verdicts: readonly Verdict[];
}

const PROGRAM = { agents: OBJECT, onEvent: CALL, onNote: CALL, signal: SIGNAL, now: CALL };

/** Runs a loop to its end, or until a person is needed or `signal` is aborted: `status` says which. */
export async function run(request: RunRequest): Promise<RunReport> {
  checkRequest('run', request, { ...RUN, pipeline: OBJECT, ...PROGRAM });
  const { session, pipeline, ...rest } = request;
  const loop = await validateLoop(request.loop);
  const place = session === undefined ? {} : { session: absolute(session) };
  const plan = pipeline === undefined ? {} : { pipeline: await validatePipeline(pipeline, loop) };
  return runWith('run', rest, (watch) => engine.run({ ...watch, loop, ...place, ...plan }));
}

/** Continues a session that was stopped or killed. `retry`: runs failed tasks again. */
export async function resume(request: ResumeRequest): Promise<RunReport> {
  checkRequest('resume', request, { ...RESUME, session: needed(RESUME.session), ...PROGRAM });
  const session = absolute(request.session);
  return runWith('resume', request, (watch) => engine.resume({ ...watch, session }));
}

/** Answers the question of a session and continues it. `question.answers` of its report lists the possible answers. */
export async function resolve(request: ResolveRequest): Promise<RunReport> {
  checkRequest('resolve', request, { ...RESOLVE, who: RESOLVE.reason, ...PROGRAM });
  const session = absolute(request.session);
  return runWith('resolve', request, (watch) => engine.resolve({ ...watch, session }));
}

type EngineRequest<Request> = Omit<Request, 'agent' | 'agents'> & {
  readonly agent?: readonly string[];
  readonly agents?: RunWatch['agents'] & {};
};

async function runWith<Request extends ProgramRequest<RunFlags & RunWatch>>(
  call: string,
  request: Request,
  act: (request: EngineRequest<Request>) => Promise<engine.RunResult>,
): Promise<RunReport> {
  const { agent, agents, ...rest } = request;
  const own = agents === undefined ? {} : { agents: agentsOf(call, agents) };
  const named = agent === undefined ? {} : { agent: typeof agent === 'string' ? [agent] : agent };
  const clock = request.now === undefined ? {} : { now: clockOf(call, request.now) };
  let place: string | null = null;
  const onOpen = (session: string) => {
    place = session;
  };
  const report = await withCallbacks(request, (watch) =>
    act({ ...rest, ...named, ...own, ...clock, ...watch, onOpen }).catch((error: unknown) => {
      // The signal ended the set-up command, so its failure is not an error.
      if (place === null || !watch.signal.aborted || !isUmpireError(error) || error.code !== 'setup-failed') throw error;
      return { session: place, status: 'interrupted', unverified: false, question: null, state: readSession(place).state } as const;
    }),
  );
  const { state, question } = report;
  const { run: now } = state;
  return {
    ...report,
    question: question === null || now === null ? null : openQuestion(now, question),
    reason: now?.ended?.reason ?? '',
    verdicts: verdictsIn(state).map(({ verdict }) => verdict),
  };
}

/** The time goes into names and into the journal, so it is checked. */
function clockOf(call: string, now: () => Date): () => Date {
  return () => {
    const time = now();
    checkValue(call, 'the result of now()', time, DATE);
    return time;
  };
}

function openQuestion(now: RunState, question: Question): OpenQuestion {
  const { what, detail } = questionWords(now, question);
  return { ...question, asks: what, detail, answers: answersIn(now, question) };
}

// Runs one task with one program: finds the program, sets its environment, passes the task (prompt on stdin, task file) and turns its end
// into the ending of the task. No shell parses anything. child-process.ts runs the process, result.ts reads the result.

import { resolve } from 'node:path';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/model/ports.js';
import { isFile, isFolder } from '../sessions/file-system.js';
import { inheritedVariables } from '../sessions/environment.js';
import { environmentIn } from '../sessions/python-environment.js';
import { runChildProcess } from './child-process.js';
import type { ChildEnd, Launch } from './child-process.js';
import type { AgentReport } from './event-stream.js';
import type { Guardian } from './guardian.js';
import { CAUSE_ADVICE, limitResetMs, retryDelayMs, classifyAgentFault } from './failure-cause.js';
import type { FailureCause } from './known/known-agent.js';
import { lineOf } from '../views/safe-text.js';
import { MAX_RESULT_BYTES } from './last-json-object.js';
import { findProgramFault, firstParagraph, fullOutputHint, readProgramResult } from './result.js';
import type { Exit, ProgramOutput } from './result.js';
import { readResultFile, claimTaskFiles } from './task-files.js';
import type { ClaimedTaskFiles } from './task-files.js';
import { fullPromptFor } from './prompt.js';

export interface ProgramSpec {
  readonly name: string;
  /** The program and its arguments. A relative path counts from `base`, never from a worktree. */
  readonly argv: readonly string[];
  readonly base?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The shorter of this and the assignment's timeout applies. */
  readonly timeoutMs?: number;
  readonly graceMs?: number;
  readonly mostBytes?: number;
  /** How long processes that it leaves behind may still print. */
  readonly drainMs?: number;
}

export interface ProgramRun {
  /** More arguments and variables for this run. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input: Launch['input'];
  readonly finish: Launch['finish'];
  readonly watch: Watch;
  readonly readEnd: (end: EndedProcess) => ProgramResult;
}

interface ProgramResult {
  readonly exit: Exit;
  readonly report: AgentReport | null;
  /** It ended as asked, also when it was asked at its timeout. */
  readonly isOrderly: boolean;
  readonly note?: string;
}

interface ProgramOutcome {
  readonly ending: Ending;
  readonly report: AgentReport | null;
  /** It ended as it should, but without a valid result: it may be asked for one. */
  readonly lacksResult: boolean;
  /** It failed by itself, before its model did anything, and no server is the cause. */
  readonly hasNotBegun: boolean;
}

type EndedProcess = Extract<ChildEnd, { kind: 'ended' }>;

const GRACE_MS = 5000;

const MAX_OUTPUT_BYTES = 1024 ** 3;

let calls = 0;

/** One run of the program. An agent may need several for a task. */
type RunProgram = (plan: ProgramRun, taskFiles: ClaimedTaskFiles, assignment: Assignment) => Promise<ProgramOutcome>;

export function programRunner(spec: ProgramSpec, guardian: Guardian): RunProgram {
  const program = resolveProgram(spec);
  const inherited = inheritedEnv(spec, guardian);
  const environmentFor = environmentIn(inherited);
  const { name, graceMs = GRACE_MS } = spec;
  return async ({ args = [], input, finish, watch, readEnd, ...plan }, taskFiles, assignment) => {
    const { session, workdir } = assignment;
    const timeoutMs = Math.min(spec.timeoutMs ?? Infinity, assignment.timeoutMs);
    const call = `${guardian.run}-${++calls}`;
    const places = { UMPIRE_SESSION: session, UMPIRE_TASK_FILE: taskFiles.taskFile, UMPIRE_RESULT_FILE: taskFiles.resultFile };
    // The person's own settings win.
    const planned = Object.entries(plan.env ?? {}).filter(([variable]) => !Object.hasOwn(spec.env ?? {}, variable));
    const env: Readonly<Record<string, string>> = Object.assign(
      Object.create(inherited),
      Object.fromEntries(planned),
      environmentFor(workdir),
      places,
      { UMPIRE_CALL: call },
    );
    const argv = [...program, ...args];
    const launch = {
      argv,
      workdir,
      writable: [session],
      env,
      mark: `UMPIRE_CALL=${call}`,
      input,
      timeoutMs,
      finish,
      graceMs,
      tailBytes: MAX_RESULT_BYTES,
      mostBytes: spec.mostBytes ?? MAX_OUTPUT_BYTES,
      ...(spec.drainMs === undefined ? {} : { drainMs: spec.drainMs }),
    };
    const end = await runChildProcess(launch, guardian, watch);
    const outcome = (ending: Ending, report: AgentReport | null = null): ProgramOutcome => ({
      ending,
      report,
      lacksResult: false,
      hasNotBegun: false,
    });
    if (end.kind === 'unstarted')
      return outcome({ kind: 'broken', reason: explainUnstarted(end.error, argv, assignment, name), usage: NO_USAGE });
    const { exit, report, isOrderly, note } = readEnd(end);
    const { stdout, stderr } = end;
    const left = { stdout, stderr, exit, report, ...readResultFile(taskFiles.resultFile) };
    const { ending, lacksResult } = readProgramResult(left, assignment, name);
    // Many agents report their usage when asked to finish.
    if (end.stopped?.by === 'abort') return outcome(interruptedAfter(ending), report);
    if (end.stopped?.by === 'flood')
      return outcome(
        {
          kind: 'broken',
          reason: `The agent ${JSON.stringify(name)} printed more than 1 GB; Umpire killed its processes. ${fullOutputHint(session, assignment.task.id)}`,
          usage: ending.usage ?? NO_USAGE,
        },
        report,
      );
    if (end.stopped !== null) {
      const late = afterTimeout(ending, isOrderly, end.stopped.how, timeoutMs, name, report?.fault ?? null);
      return outcome(late.kind === 'broken' ? explainBroken(late, left, note) : late, report);
    }
    if (ending.kind !== 'broken') return outcome(ending, report);
    const last = explainBroken(ending, left, note);
    const isServer = last.passing !== undefined || last.limit !== undefined || causeOf(left) !== null;
    return { ending: last, report, lacksResult, hasNotBegun: !lacksResult && !isServer && ending.usage.tokens === 0 };
  };
}

/** Its answer without a result, where a check decides and not the agent's word. */
export function completedWithout({ ending, report }: ProgramOutcome, { outputs }: Assignment): Ending {
  // A program of one's own has no events, and its output is in the log.
  const findings = report === null ? 'The agent ended and gave no result.' : firstParagraph(report.text);
  if (findings === '') return ending;
  const empty = Object.fromEntries(outputs.map((column) => [column, '']));
  return { kind: 'completed', findings, error: '', outputs: empty, usage: ending.usage ?? NO_USAGE };
}

export async function withTaskFiles(
  assignment: Assignment,
  { signal }: Watch,
  run: (taskFiles: ClaimedTaskFiles) => Promise<Ending>,
): Promise<Ending> {
  if (signal.aborted) return { kind: 'interrupted' };
  const taskFiles = claimTaskFiles(assignment);
  try {
    return await run(taskFiles);
  } finally {
    taskFiles.release();
  }
}

function interruptedAfter({ usage = NO_USAGE }: Ending): Ending {
  const isNothing = usage.tokens === 0 && usage.costUsd === 0 && usage.unknown === undefined;
  return isNothing ? { kind: 'interrupted' } : { kind: 'interrupted', usage };
}

/** A valid result after the request to finish counts. Otherwise the timeout is the reason. */
function afterTimeout(
  ending: Ending,
  isOrderly: boolean,
  how: 'asked' | 'killed',
  timeoutMs: number,
  name: string,
  fault: string | null,
): Ending {
  if (isOrderly && (ending.kind === 'completed' || ending.kind === 'failed')) return ending;
  const what = how === 'asked' ? 'Umpire asked it to finish, and it ended without a valid result' : 'Umpire killed its processes';
  const last = fault === null ? '' : ` Last error: ${JSON.stringify(firstParagraph(fault))}.`;
  const reason = `The agent ${JSON.stringify(name)} timed out after ${timeoutMs / 1000} seconds; ${what}.${last}`;
  return { kind: 'broken', reason, usage: ending.usage ?? NO_USAGE, cutOff: true };
}

/** The exit status that asks for a later retry: EX_TEMPFAIL of sysexits.h. */
const TRY_LATER = 75;

type Broken = Extract<Ending, { kind: 'broken' }>;

function causeOf(left: ProgramOutput): FailureCause | null {
  const fault = findProgramFault(left);
  return fault === null ? null : classifyAgentFault(fault);
}

/** Adds to the reason of a broken ending the explanation and advice, and marks a temporary error and an exhausted plan. */
function explainBroken(ending: Broken, left: ProgramOutput, note: string | undefined): Broken {
  const { exit } = left;
  const fault = findProgramFault(left);
  const cause = fault === null ? null : classifyAgentFault(fault);
  const advice =
    cause === null || cause === 'passing' || cause === 'budget' || exit.words?.includes('sign in with') === true
      ? []
      : [CAUSE_ADVICE[cause]];
  const reason = [ending.reason, ...(note === undefined ? [] : [note]), ...advice].join(' ');
  const isPassing = cause === 'passing' || (exit.code === TRY_LATER && exit.words === undefined);
  return {
    ...ending,
    reason,
    ...(cause === 'budget' ? { cutOff: true } : {}),
    ...(isPassing ? { passing: { afterMs: fault === null ? null : retryDelayMs(fault) } } : {}),
    ...(cause === 'limit' && fault !== null ? { limit: { resetsAtMs: limitResetMs(fault, Date.now()) } } : {}),
  };
}

/** Resolves the path before the run: in the worktree an agent could replace the program. */
function resolveProgram({ argv, base = process.cwd() }: ProgramSpec): readonly string[] {
  const [program = '', ...args] = argv;
  // `node my-agent.mjs`, `sh tools/agent.sh`: the script is the person's file, too.
  const at = args.findIndex((word) => !word.startsWith('-'));
  const script = args[at];
  const path = script !== undefined && SCRIPT.test(script) ? resolve(base, script) : null;
  const rest = path !== null && isFile(path) ? args.with(at, path) : args;
  return [program.includes('/') ? resolve(base, program) : program, ...rest];
}

const SCRIPT = /^(?:\.{1,2}\/)*[\w@+-][\w./@+-]{0,200}$/;

/** Read once: copying the environment costs more than most of the other work for a task. */
function inheritedEnv({ env = {} }: ProgramSpec, guardian: Guardian): Readonly<Record<string, string>> {
  const inherited = Object.entries(inheritedVariables()).filter(([name]) => !name.startsWith('UMPIRE_'));
  return { ...Object.fromEntries(inherited), ...env, UMPIRE_RUN: guardian.run };
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'program not found; install it, or correct its name or the PATH',
  ENOTDIR: 'a part of its path is a file, not a folder; correct its name',
  EACCES: 'not executable; check its permissions',
  ENOEXEC: 'this system cannot run it; a script needs a first line such as #!/bin/sh',
  E2BIG: 'its arguments and environment are too long',
  EAGAIN: 'the system allows no more processes',
  ENOMEM: 'there is not enough memory',
  EMFILE: 'too many files are open',
};

function explainUnstarted(error: NodeJS.ErrnoException, argv: readonly string[], assignment: Assignment, name: string): string {
  const program = JSON.stringify(lineOf(argv[0] ?? '', 200));
  // The system reports a missing folder like a missing program.
  const lost = !isFolder(assignment.workdir);
  const fault = lost ? `its working folder ${assignment.workdir} does not exist` : (FAULTS[error.code ?? ''] ?? error.message);
  return `The agent ${JSON.stringify(name)} could not be started (${program}): ${fault}.`;
}

export interface CommandSpec extends ProgramSpec {
  /** The signal that asks the program to finish; null: it cannot be asked. */
  readonly finish?: Launch['finish'];
}

/** A program of the person's own: prompt on stdin, the result from a file or its output. */
export function commandAgent(spec: CommandSpec, guardian: Guardian): Agent {
  const { name, finish = 'SIGTERM' } = spec;
  const runProgram = programRunner(spec, guardian);
  return {
    name,
    run: (assignment, watch) =>
      withTaskFiles(assignment, watch, async (taskFiles) => {
        const plan: ProgramRun = {
          input: fullPromptFor(assignment, taskFiles),
          finish,
          watch,
          readEnd: ({ code, signal, stopped }) => ({
            exit: { code, signal },
            report: null,
            isOrderly: stopped?.how === 'asked' && code === 0,
          }),
        };
        const outcome = await runProgram(plan, taskFiles, assignment);
        return outcome.lacksResult && assignment.check !== null ? completedWithout(outcome, assignment) : outcome.ending;
      }),
  };
}

// A conversation of an agent as the text that a journal keeps: `ID`, or `ID#NOTE` with what is needed to continue it, such as its tokens so
// far, its cost so far or its folder.

interface ConversationText {
  readonly id: string;
  readonly note: string;
}

/** Null where there is none, or where its id could be read as an option. */
export function readConversation(text: string | null): ConversationText | null {
  const [, id, , note = ''] = /^([A-Za-z0-9][\w.-]{0,199})(#(.*))?$/s.exec(text ?? '') ?? [];
  return id === undefined ? null : { id, note };
}

export function writeConversation({ id, note }: ConversationText): string {
  return note === '' ? id : `${id}#${note}`;
}

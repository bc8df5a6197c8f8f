// Runs one task with one program: finds the program, sets its environment, passes the task (prompt on stdin, task file) and turns its end
// into the ending of the task. No shell parses anything. child-process.ts runs the process, result.ts reads the result.

import { resolve } from 'node:path';
import { NO_USAGE } from '@umpire/core/ports.js';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/ports.js';
import { isFile, isFolder } from '../sessions/file-system.js';
import { inheritedVariables } from '../sessions/environment.js';
import { environmentIn } from '../sessions/python-environment.js';
import { runChildProcess } from './child-process.js';
import type { ChildEnd, Launch } from './child-process.js';
import type { AgentReport } from './event-stream.js';
import type { Guardian } from './guardian.js';
import { CAUSE_ADVICE, retryDelayMs, classifyFailure } from './failure-cause.js';
import { lineOf } from '../report/safe-text.js';
import { MAX_RESULT_BYTES } from './last-json-object.js';
import { findFault, fullOutputHint, readResult } from './result.js';
import type { Exit, ProgramOutput } from './result.js';
import { readResultFile, claimTaskFiles } from './task-files.js';
import type { ClaimedTaskFiles } from './task-files.js';
import { EventStream } from './event-stream.js';
import { promptFor } from './prompt.js';

export interface ProgramSpec {
  readonly name: string;
  /** The program and its arguments. A relative path counts from `base`, never from a worktree. */
  readonly argv: readonly string[];
  readonly base?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The shorter of this and the assignment's timeout applies. */
  readonly timeoutMs?: number;
  /** Time to end after a request to finish. */
  readonly graceMs?: number;
  /** Output limit. */
  readonly mostBytes?: number;
  /** How long processes that it leaves behind may still print. */
  readonly drainMs?: number;
}

/** Input, output and end of one run of a program. */
export interface ProgramRun {
  readonly input: Launch['input'];
  readonly finish: Launch['finish'];
  readonly watch: Watch;
  readonly readEnd: (end: EndedProcess) => ProgramResult;
}

export interface ProgramResult {
  readonly exit: Exit;
  readonly report: AgentReport | null;
  /** It ended as asked, also when it was asked at its timeout. */
  readonly isOrderly: boolean;
  /** A sentence that explains a broken ending. */
  readonly note?: string;
}

export type EndedProcess = Extract<ChildEnd, { kind: 'ended' }>;

export type PlanRun = (assignment: Assignment, taskFiles: ClaimedTaskFiles, watch: Watch) => ProgramRun;

const GRACE_MS = 5000;

const MAX_OUTPUT_BYTES = 1024 ** 3;

let calls = 0;

export function programAgent(spec: ProgramSpec, guardian: Guardian, planRun: PlanRun): Agent {
  const argv = resolveProgram(spec);
  const inherited = inheritedEnv(spec, guardian);
  const environmentFor = environmentIn(inherited);
  const { name, graceMs = GRACE_MS } = spec;
  const runProgram = async (taskFiles: ClaimedTaskFiles, assignment: Assignment, watch: Watch): Promise<Ending> => {
    const { session, workdir } = assignment;
    const timeoutMs = Math.min(spec.timeoutMs ?? Infinity, assignment.timeoutMs);
    const call = `${guardian.run}-${++calls}`;
    const places = { UMPIRE_SESSION: session, UMPIRE_TASK_FILE: taskFiles.taskFile, UMPIRE_RESULT_FILE: taskFiles.resultFile };
    const env: Readonly<Record<string, string>> = Object.assign(Object.create(inherited), environmentFor(workdir), places, {
      UMPIRE_CALL: call,
    });
    const { input, finish, watch: processWatch, readEnd } = planRun(assignment, taskFiles, watch);
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
    const end = await runChildProcess(launch, guardian, processWatch);
    if (end.kind === 'unstarted') return { kind: 'broken', reason: explainUnstarted(end.error, argv, assignment, name), usage: NO_USAGE };
    const { exit, report, isOrderly, note } = readEnd(end);
    const { stdout, stderr } = end;
    const left = { stdout, stderr, exit, report, ...readResultFile(taskFiles.resultFile) };
    const ending = readResult(left, assignment, name);
    // Many agents report their usage when asked to finish.
    if (end.stopped?.by === 'abort') return interruptedAfter(ending);
    if (end.stopped?.by === 'flood') return { kind: 'broken', reason: describeFlood(name, assignment), usage: ending.usage ?? NO_USAGE };
    const last = end.stopped === null ? ending : afterTimeout(ending, isOrderly, end.stopped.how, timeoutMs, name);
    return last.kind === 'broken' ? explainBroken(last, left, note) : last;
  };
  const run = async (assignment: Assignment, watch: Watch): Promise<Ending> => {
    if (watch.signal.aborted) return { kind: 'interrupted' };
    const taskFiles = claimTaskFiles(assignment);
    try {
      return await runProgram(taskFiles, assignment, watch);
    } finally {
      taskFiles.release();
    }
  };
  return { name, run };
}

function interruptedAfter({ usage = NO_USAGE }: Ending): Ending {
  return usage.tokens > 0 || usage.costUsd > 0 ? { kind: 'interrupted', usage } : { kind: 'interrupted' };
}

/** A valid result after the request to finish counts. Otherwise the timeout is the reason. */
function afterTimeout(ending: Ending, isOrderly: boolean, how: 'asked' | 'killed', timeoutMs: number, name: string): Ending {
  if (isOrderly && (ending.kind === 'completed' || ending.kind === 'failed')) return ending;
  const what = how === 'asked' ? 'Umpire asked it to finish, and it ended without a valid result' : 'Umpire killed its processes';
  const reason = `The agent ${JSON.stringify(name)} timed out after ${timeoutMs / 1000} seconds; ${what}.`;
  return { kind: 'broken', reason, usage: ending.usage ?? NO_USAGE };
}

function describeFlood(name: string, { session, task }: Assignment): string {
  return `The agent ${JSON.stringify(name)} printed more than 1 GB; Umpire killed its processes. ${fullOutputHint(session, task.id)}`;
}

/** The exit status that asks for a later retry: EX_TEMPFAIL of sysexits.h. */
const TRY_LATER = 75;

/** Adds to the reason of a broken ending the explanation and advice, and marks a temporary error. */
function explainBroken(ending: Extract<Ending, { kind: 'broken' }>, { exit, ...left }: ProgramOutput, note: string | undefined): Ending {
  const fault = findFault({ exit, ...left });
  const cause = fault === null ? null : classifyFailure(fault);
  const advice = cause === null || cause === 'passing' || exit.words?.includes('sign in with') === true ? [] : [CAUSE_ADVICE[cause]];
  const reason = [ending.reason, ...(note === undefined ? [] : [note]), ...advice].join(' ');
  const isPassing = cause === 'passing' || (exit.code === TRY_LATER && exit.words === undefined);
  return { ...ending, reason, ...(isPassing ? { passing: { afterMs: fault === null ? null : retryDelayMs(fault) } } : {}) };
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
  readonly finish?: 'SIGINT' | 'SIGTERM' | null;
  /** It prints events on stdout (event-stream.ts). */
  readonly events?: true;
}

export function commandAgent(spec: CommandSpec, guardian: Guardian): Agent {
  const { finish = 'SIGTERM' } = spec;
  return programAgent(spec, guardian, (assignment, taskFiles, watch) => {
    const events = spec.events === true ? new EventStream() : null;
    return {
      input: promptFor(assignment, taskFiles),
      finish,
      watch: events === null ? watch : logEvents(events, watch),
      readEnd: ({ code, signal, stopped }) => {
        const report = events?.end() ?? null;
        return { exit: { code, signal }, report, isOrderly: stopped?.how === 'asked' && code === 0, ...deniedToolNote(report) };
      },
    };
  });
}

/** A denied tool may explain why the agent failed. */
function deniedToolNote(report: AgentReport | null): { readonly note?: string } {
  if (report?.refused === undefined) return {};
  const what = JSON.stringify(lineOf(report.refused, 200));
  return { note: `Its own settings denied ${what}; allow it there (docs/agents.md, "Presets").` };
}

function logEvents(events: EventStream, { signal, log }: Watch): Watch {
  return {
    signal,
    log: (stream, chunk) => {
      log(stream, chunk);
      if (stream === 'stdout') events.write(chunk);
    },
  };
}

// The agent that is a program (SPEC section 7): prompt on stdin, places in the environment, result in a file or on stdout.
// Running the process is child.ts's, reading the result result.ts's. No shell parses anything.

import { resolve } from 'node:path';
import { NO_USAGE } from '../ports.js';
import type { Agent, Assignment, Ending, Watch } from '../ports.js';
import { isFile, isFolder } from '../runtime/entry.js';
import { surroundings } from '../runtime/environment.js';
import { runChild } from './child.js';
import type { ChildEnd } from './child.js';
import { EventStream } from './event-stream.js';
import { readResultFile, takeSlot } from './task-slot.js';
import type { TaskSlot } from './task-slot.js';
import type { Guardian } from './guardian.js';
import { showLine } from './hidden-text.js';
import { promptFor } from './prompt.js';
import { MAX_RESULT_BYTES, readResult } from './result.js';

export interface CommandSpec {
  readonly name: string;
  /** The program and its arguments. A program named by a relative path is looked for from `base`, never in a worktree. */
  readonly argv: readonly string[];
  readonly base?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The shorter of this and the assignment's own holds. */
  readonly timeoutMs?: number;
  /** How it is asked to finish; null: it cannot be asked. */
  readonly finish?: 'SIGINT' | 'SIGTERM' | null;
  /** So long it has after it was asked. */
  readonly graceMs?: number;
  /** It tells of its run in events on stdout (event-stream.ts). */
  readonly events?: true;
}

const GRACE_MS = 5000;

let calls = 0;

export function commandAgent(spec: CommandSpec, guardian: Guardian): Agent {
  const argv = withProgram(spec);
  const inherited = inheritedEnv(spec, guardian);
  const { name, finish = 'SIGTERM', graceMs = GRACE_MS } = spec;
  const runAt = async (slot: TaskSlot, assignment: Assignment, watch: Watch): Promise<Ending> => {
    const { session, workdir } = assignment;
    const timeoutMs = Math.min(spec.timeoutMs ?? Infinity, assignment.timeoutMs);
    const call = `${guardian.run}-${++calls}`;
    const places = { UMPIRE_SESSION: session, UMPIRE_TASK_FILE: slot.taskFile, UMPIRE_RESULT_FILE: slot.resultFile };
    const env: Readonly<Record<string, string>> = Object.assign(Object.create(inherited), places, { UMPIRE_CALL: call });
    const input = promptFor(assignment, slot);
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
    };
    const events = spec.events === true ? new EventStream() : null;
    const end = await runChild(launch, guardian, events === null ? watch : heardBy(events, watch));
    if (end.kind === 'unstarted') return { kind: 'broken', reason: whyUnstarted(end.error, argv, assignment, name), usage: NO_USAGE };
    if (end.stopped?.by === 'abort') return { kind: 'interrupted' };
    const { code, signal, stdout, stderr } = end;
    const handed = { stdout, stderr, exit: { code, signal }, told: events?.end() ?? null, ...readResultFile(slot.resultFile) };
    const ending = readResult(handed, assignment, name);
    return end.stopped === null ? ending : afterTimeout(ending, end, timeoutMs, name);
  };
  const run = async (assignment: Assignment, watch: Watch): Promise<Ending> => {
    if (watch.signal.aborted) return { kind: 'interrupted' };
    const slot = takeSlot(assignment);
    try {
      return await runAt(slot, assignment, watch);
    } finally {
      slot.leave();
    }
  };
  return { name, run };
}

function heardBy(events: EventStream, { signal, log }: Watch): Watch {
  return {
    signal,
    log: (stream, chunk) => {
      log(stream, chunk);
      if (stream === 'stdout') events.write(chunk);
    },
  };
}

/** One that hands in a result and exits in good order when it is asked to finish has done what it was asked. Else the time-out is the reason. */
function afterTimeout(ending: Ending, end: Extract<ChildEnd, { kind: 'ended' }>, timeoutMs: number, name: string): Ending {
  const orderly = end.stopped?.how === 'asked' && end.code === 0;
  if (orderly && (ending.kind === 'completed' || ending.kind === 'failed')) return ending;
  const how = end.stopped?.how === 'asked' ? 'it was asked to finish and ended without a valid result' : 'its processes were killed';
  const reason = `The agent ${JSON.stringify(name)} ran out of time after ${timeoutMs / 1000} seconds; ${how}.`;
  return { kind: 'broken', reason, usage: 'usage' in ending ? ending.usage : NO_USAGE };
}

/** A path is resolved now: in the worktree an agent could have put another program in its place. */
function withProgram({ argv, base = process.cwd() }: CommandSpec): readonly string[] {
  const [program = '', ...args] = argv;
  // `node my-agent.mjs`, `sh tools/agent.sh`: the script is the person's too.
  const at = args.findIndex((word) => !word.startsWith('-'));
  const script = args[at];
  const path = script !== undefined && SCRIPT.test(script) ? resolve(base, script) : null;
  const rest = path !== null && isFile(path) ? args.with(at, path) : args;
  return [program.includes('/') ? resolve(base, program) : program, ...rest];
}

const SCRIPT = /^[\w@+-][\w./@+-]{0,200}$/;

/** Taken once: reading the whole environment costs more than most of what is done for a task. */
function inheritedEnv({ env = {} }: CommandSpec, guardian: Guardian): Readonly<Record<string, string>> {
  const inherited = Object.entries(surroundings()).filter(([name]) => !name.startsWith('UMPIRE_'));
  return { ...Object.fromEntries(inherited), ...env, UMPIRE_RUN: guardian.run };
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program; install it, or mend its name or the PATH',
  ENOTDIR: 'a part of its path is a file, not a folder; mend its name',
  EACCES: 'it may not be executed; check its permissions',
  ENOEXEC: 'it is no program that this system can run; a script needs a first line such as #!/bin/sh',
  E2BIG: 'its arguments and environment are too long',
  EAGAIN: 'the system allows no more processes',
  ENOMEM: 'there is not enough memory',
  EMFILE: 'too many files are open',
};

function whyUnstarted(error: NodeJS.ErrnoException, argv: readonly string[], assignment: Assignment, name: string): string {
  const program = JSON.stringify(showLine(argv[0] ?? '', 200));
  // The system says the same of a missing program and a missing folder.
  const lost = !isFolder(assignment.workdir);
  const fault = lost ? `its working folder ${assignment.workdir} is not there` : (FAULTS[error.code ?? ''] ?? error.message);
  return `The agent ${JSON.stringify(name)} could not be started (${program}): ${fault}.`;
}

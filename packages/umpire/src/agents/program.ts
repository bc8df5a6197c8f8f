// One task for one program, however it is talked with: where the program is found, what its environment tells it, where it leaves its
// result, how its end becomes the ending of the task. Running the process is child.ts's, reading the result result.ts's.

import { resolve } from 'node:path';
import { NO_USAGE } from '@umpire/core/ports.js';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/ports.js';
import { isFile, isFolder } from '../sessions/entry.js';
import { surroundings } from '../sessions/environment.js';
import { environmentIn } from '../sessions/python-environment.js';
import { runChild } from './child.js';
import type { ChildEnd, Launch } from './child.js';
import type { Told } from './event-stream.js';
import type { Guardian } from './guardian.js';
import { CAUSE_NOTES, askedMs, causeOf } from './fault-cause.js';
import { showLine } from './hidden-text.js';
import { MAX_RESULT_BYTES } from './last-object.js';
import { faultOf, keptWords, readResult } from './result.js';
import type { Exit, Handed } from './result.js';
import { readResultFile, takeSlot } from './task-slot.js';
import type { TaskSlot } from './task-slot.js';

export interface ProgramSpec {
  readonly name: string;
  /** The program and its arguments. A program named by a relative path is looked for from `base`, never in a worktree. */
  readonly argv: readonly string[];
  readonly base?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The shorter of this and the assignment's own holds. */
  readonly timeoutMs?: number;
  /** So long it has after it was asked to finish. */
  readonly graceMs?: number;
  /** So much it may print. */
  readonly mostBytes?: number;
  /** So long those whom it leaves behind may still print. */
  readonly drainMs?: number;
}

/** How one run of a program is talked with and listened to. */
export interface Manner {
  readonly input: Launch['input'];
  readonly finish: Launch['finish'];
  readonly watch: Watch;
  readonly handed: (end: Ended) => Handover;
}

export interface Handover {
  readonly exit: Exit;
  readonly told: Told | null;
  /** It did what it was asked, also where it was only asked when its time was up. */
  readonly isOrderly: boolean;
  /** A sentence that explains why it broke, where it did. */
  readonly note?: string;
}

export type Ended = Extract<ChildEnd, { kind: 'ended' }>;

export type Approach = (assignment: Assignment, slot: TaskSlot, watch: Watch) => Manner;

const GRACE_MS = 5000;

const MOST_OUTPUT = 1024 ** 3;

let calls = 0;

export function programAgent(spec: ProgramSpec, guardian: Guardian, approach: Approach): Agent {
  const argv = withProgram(spec);
  const inherited = inheritedEnv(spec, guardian);
  const differing = environmentIn(inherited);
  const { name, graceMs = GRACE_MS } = spec;
  const runAt = async (slot: TaskSlot, assignment: Assignment, watch: Watch): Promise<Ending> => {
    const { session, workdir } = assignment;
    const timeoutMs = Math.min(spec.timeoutMs ?? Infinity, assignment.timeoutMs);
    const call = `${guardian.run}-${++calls}`;
    const places = { UMPIRE_SESSION: session, UMPIRE_TASK_FILE: slot.taskFile, UMPIRE_RESULT_FILE: slot.resultFile };
    const env: Readonly<Record<string, string>> = Object.assign(Object.create(inherited), differing(workdir), places, {
      UMPIRE_CALL: call,
    });
    const { input, finish, watch: heard, handed } = approach(assignment, slot, watch);
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
      mostBytes: spec.mostBytes ?? MOST_OUTPUT,
      ...(spec.drainMs === undefined ? {} : { drainMs: spec.drainMs }),
    };
    const end = await runChild(launch, guardian, heard);
    if (end.kind === 'unstarted') return { kind: 'broken', reason: whyUnstarted(end.error, argv, assignment, name), usage: NO_USAGE };
    const { exit, told, isOrderly, note } = handed(end);
    const { stdout, stderr } = end;
    const left = { stdout, stderr, exit, told, ...readResultFile(slot.resultFile) };
    const ending = readResult(left, assignment, name);
    // Asked to finish, many still say what they used.
    if (end.stopped?.by === 'abort') return interruptedAfter(ending);
    if (end.stopped?.by === 'flood') return { kind: 'broken', reason: floodWords(name, assignment), usage: ending.usage ?? NO_USAGE };
    const last = end.stopped === null ? ending : afterTimeout(ending, isOrderly, end.stopped.how, timeoutMs, name);
    return last.kind === 'broken' ? explained(last, left, note) : last;
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

function interruptedAfter({ usage = NO_USAGE }: Ending): Ending {
  return usage.tokens > 0 || usage.costUsd > 0 ? { kind: 'interrupted', usage } : { kind: 'interrupted' };
}

/** One that hands in a result in good order when it is asked to finish has done what it was asked. Else the time-out is the reason. */
function afterTimeout(ending: Ending, isOrderly: boolean, how: 'asked' | 'killed', timeoutMs: number, name: string): Ending {
  if (isOrderly && (ending.kind === 'completed' || ending.kind === 'failed')) return ending;
  const what = how === 'asked' ? 'it was asked to finish and ended without a valid result' : 'its processes were killed';
  const reason = `The agent ${JSON.stringify(name)} ran out of time after ${timeoutMs / 1000} seconds; ${what}.`;
  return { kind: 'broken', reason, usage: ending.usage ?? NO_USAGE };
}

function floodWords(name: string, { session, task }: Assignment): string {
  return `The agent ${JSON.stringify(name)} printed more than 1 GB, and its processes were killed. ${keptWords(session, task.id)}`;
}

/** The exit status by which a program says that it may go well a little later: EX_TEMPFAIL of sysexits.h. */
const TRY_LATER = 75;

/** Why it broke, what a person does about it, and whether it passes by itself. `note`: what explains it, where something does. */
function explained(ending: Extract<Ending, { kind: 'broken' }>, { exit, ...left }: Handed, note: string | undefined): Ending {
  const fault = faultOf({ exit, ...left });
  const cause = fault === null ? null : causeOf(fault);
  const advice = cause === null || cause === 'passing' || exit.words?.includes('sign in') === true ? [] : [CAUSE_NOTES[cause]];
  const reason = [ending.reason, ...(note === undefined ? [] : [note]), ...advice].join(' ');
  const isPassing = cause === 'passing' || (exit.code === TRY_LATER && exit.words === undefined);
  return { ...ending, reason, ...(isPassing ? { passing: { afterMs: fault === null ? null : askedMs(fault) } } : {}) };
}

/** A path is resolved now: in the worktree an agent could have put another program in its place. */
function withProgram({ argv, base = process.cwd() }: ProgramSpec): readonly string[] {
  const [program = '', ...args] = argv;
  // `node my-agent.mjs`, `sh tools/agent.sh`: the script is the person's too.
  const at = args.findIndex((word) => !word.startsWith('-'));
  const script = args[at];
  const path = script !== undefined && SCRIPT.test(script) ? resolve(base, script) : null;
  const rest = path !== null && isFile(path) ? args.with(at, path) : args;
  return [program.includes('/') ? resolve(base, program) : program, ...rest];
}

const SCRIPT = /^(?:\.{1,2}\/)*[\w@+-][\w./@+-]{0,200}$/;

/** Taken once: reading the whole environment costs more than most of what is done for a task. */
function inheritedEnv({ env = {} }: ProgramSpec, guardian: Guardian): Readonly<Record<string, string>> {
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

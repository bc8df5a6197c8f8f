// One program from its start to its end, in a process group of its own: input, output, time-out, abort. However it ends, its
// whole group has been killed when the promise resolves. What it printed means nothing here.

import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Watch } from '@umpire/core/ports.js';
import { onAbort } from '../sessions/abort-listeners.js';
import { sweepProcesses } from './guardian.js';
import type { Guardian } from './guardian.js';
import { Tail } from './tail.js';

export interface Launch {
  readonly argv: readonly string[];
  readonly workdir: string;
  /** Folders beside it that the program may write in, where a sandbox holds it. */
  readonly writable?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** An entry of `env` that is this launch's alone, by which processes that left the group are found. */
  readonly mark: string;
  /** Told all at once, or by somebody who talks with it while it runs. */
  readonly input: string | Talk;
  readonly timeoutMs: number;
  /** How it is asked to finish, where nobody talks with it; null where it cannot be asked. */
  readonly finish: 'SIGINT' | 'SIGTERM' | null;
  readonly graceMs: number;
  readonly tailBytes: number;
  /** So much it may print; left out: as much as it likes. */
  readonly mostBytes?: number;
  /** So long those who are left in the group when it has ended have to print what they still hold; left out: a moment. */
  readonly drainMs?: number;
}

/** Somebody who talks with a program. What it says comes through `watch.log`. */
export interface Talk {
  begin(line: TalkLine): void;
  /** Asks it to finish; false where that cannot be asked now. */
  finish(): boolean;
}

export interface TalkLine {
  /** False: it does not read, and more would only pile up. */
  readonly say: (text: string) => boolean;
  /** Nothing more is wanted of it: its input ends, and it may end by itself, or is asked to at once. */
  readonly leave: (isUrgent: boolean) => void;
}

export type ChildEnd =
  | { readonly kind: 'unstarted'; readonly error: NodeJS.ErrnoException }
  | {
      readonly kind: 'ended';
      readonly code: number | null;
      readonly signal: string | null;
      /** `asked`: it ended when it was asked to finish. `killed`: it had to be killed. */
      readonly stopped: { readonly by: 'timeout' | 'abort' | 'flood'; readonly how: 'asked' | 'killed' } | null;
      readonly stdout: Uint8Array;
      readonly stderr: Uint8Array;
    };

/** So long the rest of the output is waited for after the program has exited: a process that left the group may hold the pipe. */
const PIPE_WAIT_MS = 250;

/** Left in the group, they are most often the end of a pipe. */
const DRAIN_MS = 100;

/** Timers take no more; nobody waits for 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const STDERR_BYTES = 4096;

/** So long a program that is no longer wanted has before it is told so by a signal. */
const LEAVE_MS = 3000;

/** So much may lie in front of a program that is talked with. */
const MOST_UNREAD = 64 * 1024 * 1024;

/** Rejects where `watch.log` throws: then the output cannot be kept, and that is no fault of the program. */
export function runChild(launch: Launch, guardian: Guardian, watch: Watch): Promise<ChildEnd> {
  let child: ChildProcessWithoutNullStreams;
  try {
    const { workdir } = launch;
    const [program = '', ...args] = guardian.sandbox?.around(launch) ?? launch.argv;
    // Programs that ask PWD where they are would else be where this process was started.
    const env: Readonly<Record<string, string>> = Object.assign(Object.create(launch.env), { PWD: workdir });
    child = spawn(program, args, { cwd: workdir, env, detached: true, stdio: 'pipe' });
  } catch (error) {
    return Promise.resolve({ kind: 'unstarted', error: error as NodeJS.ErrnoException });
  }
  const { pid } = child;
  if (pid === undefined) {
    child.stdin.on('error', () => undefined);
    return new Promise((resolve) => child.once('error', (error) => resolve({ kind: 'unstarted', error })));
  }
  guardian.watch(pid);
  return new Run(child, pid, launch, guardian, watch).ended;
}

class Run {
  readonly ended: Promise<ChildEnd>;
  private readonly stdout: Tail;
  private readonly stderr = new Tail(STDERR_BYTES);
  private readonly timer: NodeJS.Timeout;
  private readonly unhear: () => void;
  private grace: NodeJS.Timeout | null = null;
  private drain: NodeJS.Timeout | null = null;
  private released = false;
  private left = false;
  private stopped: { by: 'timeout' | 'abort' | 'flood'; how: 'asked' | 'killed' } | null = null;
  private exit: { code: number | null; signal: string | null } | null = null;
  private received = 0;
  private resolve: (end: ChildEnd) => void = () => undefined;
  private reject: (fault: unknown) => void = () => undefined;

  constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly group: number,
    private readonly launch: Launch,
    private readonly guardian: Guardian,
    private readonly watch: Watch,
  ) {
    this.stdout = new Tail(launch.tailBytes);
    this.ended = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => this.stop('timeout'), Math.min(launch.timeoutMs, MAX_TIMER_MS));
    this.unhear = onAbort(watch.signal, () => this.stop('abort'));
    if (watch.signal.aborted) this.stop('abort');
    child.stdout.on('data', (chunk: Buffer) => this.take('stdout', chunk));
    child.stderr.on('data', (chunk: Buffer) => this.take('stderr', chunk));
    // A program need not read its input: a broken pipe is no error.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.on('error', () => undefined);
    child.once('exit', (code, signal) => this.exited(code, signal));
    child.once('close', () => this.finish());
    if (typeof launch.input === 'string') child.stdin.end(launch.input);
    else launch.input.begin({ say: (text) => this.say(text), leave: (isUrgent) => this.leave(isUrgent) });
  }

  private say(text: string): boolean {
    if (!this.left && this.exit === null) this.child.stdin.write(text);
    return this.child.stdin.writableLength <= MOST_UNREAD;
  }

  /** It has said all that it was asked for, so its time can no longer run out. */
  private leave(isUrgent: boolean): void {
    if (this.left || this.exit !== null) return;
    this.left = true;
    clearTimeout(this.timer);
    this.child.stdin.end();
    if (this.stopped === null) this.grace = setTimeout(() => this.ask('SIGTERM'), isUrgent ? 0 : LEAVE_MS);
  }

  private ask(signal: 'SIGINT' | 'SIGTERM'): void {
    signalGroup(this.group, signal);
    this.grace = setTimeout(() => this.kill(), this.launch.graceMs);
  }

  private take(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this.received += chunk.length;
    (stream === 'stdout' ? this.stdout : this.stderr).add(chunk);
    try {
      this.watch.log(stream, chunk);
    } catch (fault) {
      this.reject(fault);
      this.kill();
    }
    // All of it is kept: one that prints without end would fill the disk long before its time is up.
    if (this.received <= (this.launch.mostBytes ?? Infinity) || this.stopped !== null || this.exit !== null) return;
    this.stopped = { by: 'flood', how: 'killed' };
    this.kill();
  }

  /** Asks first, then kills. A run that is being stopped stays so, even where the time ran out before. */
  private stop(by: 'timeout' | 'abort'): void {
    if (this.exit !== null) return;
    if (this.stopped !== null) {
      if (by === 'abort') this.stopped.by = by;
      return;
    }
    const { input, finish, graceMs } = this.launch;
    this.stopped = { by, how: 'asked' };
    if (this.grace !== null) clearTimeout(this.grace);
    if (typeof input === 'string' || this.left) {
      if (finish === null) this.kill();
      else this.ask(finish);
    } else if (input.finish()) this.grace = setTimeout(() => this.kill(), graceMs);
    else this.kill();
  }

  private kill(): void {
    if (this.exit !== null) return;
    if (this.stopped !== null) this.stopped.how = 'killed';
    signalGroup(this.group, 'SIGKILL');
  }

  /** The program is gone, and so must be whoever it left in its group; they may finish a sentence, such as `tee` at the end of a pipe. */
  private exited(code: number | null, signal: string | null): void {
    this.exit = { code, signal };
    clearTimeout(this.timer);
    if (this.grace !== null) clearTimeout(this.grace);
    this.unhear();
    this.child.stdin.destroy();
    if (this.stopped === null && signalGroup(this.group, 0)) this.drain = setTimeout(() => this.endGroup(), this.drainMs);
    else this.endGroup();
    if (this.stopped !== null) sweepProcesses(this.launch.mark);
    this.awaitPipes(this.received, 20);
  }

  private get drainMs(): number {
    return this.launch.drainMs ?? DRAIN_MS;
  }

  private endGroup(): void {
    if (this.released) return;
    this.released = true;
    if (this.drain !== null) clearTimeout(this.drain);
    if (this.drain !== null || this.stopped !== null) signalGroup(this.group, 'SIGKILL');
    this.guardian.release(this.group);
  }

  /** Goes on while output still comes; then whoever holds the pipes is not waited for. */
  private awaitPipes(received: number, rounds: number): void {
    this.grace = setTimeout(
      () => {
        // What lies in the pipes is read before this is asked, also where the process was busy all the time.
        setImmediate(() => {
          if (this.received > received && rounds > 0) this.awaitPipes(this.received, rounds - 1);
          else this.finish();
        });
      },
      Math.max(PIPE_WAIT_MS, this.drainMs),
    );
  }

  private finish(): void {
    this.endGroup();
    if (this.grace !== null) clearTimeout(this.grace);
    this.child.stdout.destroy();
    this.child.stderr.destroy();
    const { code, signal } = this.exit ?? { code: null, signal: null };
    this.resolve({ kind: 'ended', code, signal, stopped: this.stopped, stdout: this.stdout.bytes(), stderr: this.stderr.bytes() });
  }
}

/** False where nobody is left in the group. That is the rule, and an error to Node: without its stack it costs a third. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  } finally {
    Error.stackTraceLimit = limit;
  }
}

// Runs one program in its own process group: input, output, timeout, abort. When the promise resolves, everything that it has started is
// dead: by the sandbox, by a supervisor, or else its group. This file does not interpret the output.

import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Watch } from '@umpire/core/model/ports.js';
import { onAbort } from '../sessions/abort-listeners.js';
import { sweepProcesses } from './guardian.js';
import type { Guardian } from './guardian.js';
import { END_ALL, superviseProgram } from './supervisor.js';

// Keeps the end of a stream in bounded memory.

export class TailBuffer {
  private buffer = Buffer.alloc(0);
  private length = 0;

  constructor(private readonly most: number) {}

  add(chunk: Uint8Array): void {
    const piece = chunk.length > this.most ? chunk.subarray(chunk.length - this.most) : chunk;
    if (this.length + piece.length > this.buffer.length) {
      // Holds up to twice the limit, so that old bytes are dropped rarely and all at once.
      const kept = this.bytes();
      const size = Math.min(Math.max(this.buffer.length * 2, kept.length + piece.length, 1024), this.most * 2);
      const buffer = size > this.buffer.length ? Buffer.allocUnsafe(size) : this.buffer;
      buffer.set(kept, 0);
      this.buffer = buffer;
      this.length = kept.length;
    }
    this.buffer.set(piece, this.length);
    this.length += piece.length;
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(Math.max(0, this.length - this.most), this.length);
  }
}

export interface Launch {
  readonly argv: readonly string[];
  readonly workdir: string;
  /** Other folders that the program may write to inside a sandbox. */
  readonly writable?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A run of Umpire's own, not of an agent. */
  readonly isCheck?: boolean;
  /** An entry of `env` unique to this launch, to find processes that left the group. */
  readonly mark: string;
  /** Text to write at once, or a dialogue that writes while the program runs. */
  readonly input: string | Dialogue;
  readonly timeoutMs: number;
  /** The signal that asks the program to finish, without a dialogue; null: it cannot be asked. */
  readonly finish: 'SIGINT' | 'SIGTERM' | null;
  readonly graceMs: number;
  readonly tailBytes: number;
  readonly mostBytes?: number;
  /** How long processes left in the group may still print after the program has ended; default: DRAIN_MS. */
  readonly drainMs?: number;
}

/** Writes to a running program. The program's output arrives through `watch.log`. */
export interface Dialogue {
  begin(line: DialogueInput): void;
  /** Asks the program to finish; false where that is not possible now. */
  finish(): boolean;
}

export interface DialogueInput {
  /** False: the program does not read its input. */
  readonly say: (text: string) => boolean;
  /** Ends the input. The program may then end by itself; with `isUrgent` it gets a signal at once. */
  readonly leave: (isUrgent: boolean) => void;
}

export type ChildEnd =
  | { readonly kind: 'unstarted'; readonly error: NodeJS.ErrnoException }
  | {
      readonly kind: 'ended';
      readonly code: number | null;
      readonly signal: string | null;
      /** `asked`: it ended after the request to finish. `killed`: it had to be killed. */
      readonly stopped: { readonly by: 'timeout' | 'abort' | 'flood'; readonly how: 'asked' | 'killed' } | null;
      readonly stdout: Uint8Array;
      readonly stderr: Uint8Array;
    };

/** How long to wait for output after the program has exited: a process that left the group may hold the pipe. */
const PIPE_WAIT_MS = 250;

/** Processes left in the group are mostly the end of a pipe, such as `tee`. */
const DRAIN_MS = 100;

/** The maximum of Node's timers, about 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How long a supervisor has to end everything before its group is killed. */
const END_ALL_MS = 2000;

const STDERR_BYTES = 4096;

/** How long a program has to end by itself after its input was closed. */
const LEAVE_MS = 3000;

const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Rejects where `watch.log` throws: Umpire cannot store the output, which is not the program's fault. */
export function runChildProcess(launch: Launch, guardian: Guardian, watch: Watch): Promise<ChildEnd> {
  let child: ChildProcessWithoutNullStreams;
  const supervised = guardian.sandbox === null ? superviseProgram(launch, launch.drainMs ?? DRAIN_MS) : null;
  try {
    const { workdir } = launch;
    const [program = '', ...args] = supervised?.argv ?? guardian.sandbox?.around(launch) ?? launch.argv;
    // Programs that read PWD would otherwise get the folder of this process.
    const env: Readonly<Record<string, string>> = Object.assign(Object.create(launch.env), { PWD: workdir }, supervised?.env);
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
  return new Run(child, pid, launch, supervised !== null, guardian, watch).ended;
}

class Run {
  readonly ended: Promise<ChildEnd>;
  private readonly stdout: TailBuffer;
  private readonly stderr = new TailBuffer(STDERR_BYTES);
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
    private readonly isSupervised: boolean,
    private readonly guardian: Guardian,
    private readonly watch: Watch,
  ) {
    this.stdout = new TailBuffer(launch.tailBytes);
    this.ended = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => this.stop('timeout'), Math.min(launch.timeoutMs, MAX_TIMER_MS));
    this.unhear = onAbort(watch.signal, () => this.stop('abort'));
    if (watch.signal.aborted) this.stop('abort');
    child.stdout.on('data', (chunk: Buffer) => this.take('stdout', chunk));
    child.stderr.on('data', (chunk: Buffer) => this.take('stderr', chunk));
    // A program need not read its input, so a broken pipe is no error.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.on('error', () => undefined);
    child.once('exit', (code, signal) => this.exited(code, signal));
    child.once('close', () => this.finish());
    if (typeof launch.input === 'string') child.stdin.end(launch.input);
    else launch.input.begin({ say: (text) => this.say(text), leave: (isUrgent) => this.leave(isUrgent) });
  }

  private say(text: string): boolean {
    if (!this.left && this.exit === null) this.child.stdin.write(text);
    return this.child.stdin.writableLength <= MAX_UNREAD_BYTES;
  }

  /** The dialogue is complete, so the timeout no longer applies. */
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
    // All output is stored: an endless printer would fill the disk before its timeout.
    if (this.received <= (this.launch.mostBytes ?? Infinity) || this.stopped !== null || this.exit !== null) return;
    this.stopped = { by: 'flood', how: 'killed' };
    this.kill();
  }

  /** Asks first, then kills. An abort overrides an earlier timeout as the reason. */
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
    if (this.grace !== null) clearTimeout(this.grace);
    // Killed with its group, a supervisor could end nobody who left the group.
    if (this.isSupervised && this.child.kill(END_ALL)) {
      // The program may have stopped it.
      this.child.kill('SIGCONT');
      this.grace = setTimeout(() => signalGroup(this.group, 'SIGKILL'), END_ALL_MS);
    } else signalGroup(this.group, 'SIGKILL');
  }

  /** Processes left in the group are killed too, after a moment to print their last output. */
  private exited(code: number | null, signal: string | null): void {
    this.exit = { code, signal };
    clearTimeout(this.timer);
    if (this.grace !== null) clearTimeout(this.grace);
    this.unhear();
    this.child.stdin.destroy();
    if (this.stopped === null && signalGroup(this.group, 0)) this.drain = setTimeout(() => this.endGroup(), this.drainMs);
    else this.endGroup();
    // A killed supervisor has ended nobody.
    if (this.stopped !== null || signal !== null) sweepProcesses(this.launch.mark);
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

  /** Waits while output still comes, then gives up on whoever holds the pipes. */
  private awaitPipes(received: number, rounds: number): void {
    this.grace = setTimeout(
      () => {
        // setImmediate reads what is in the pipes first, also where this process was busy.
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

/** False where the group is empty. That is the usual case and an error in Node; without a stack trace it costs a third. */
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

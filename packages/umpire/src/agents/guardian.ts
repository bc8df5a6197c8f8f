// After `kill -9` of a run none of its children may live on. One small process for the whole run knows their groups and hears,
// by the end of its input, that the run is gone. Starting and ending children in good order is left to child.ts.

import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { UmpireError } from '@umpire/core/errors.js';
import type { Sandbox } from '@umpire/core/ports.js';

export interface Guardian {
  /** The run's id. Children carry it in their environment as UMPIRE_RUN. */
  readonly run: string;
  /** What its children are held in. */
  readonly sandbox: Sandbox | null;
  /** To be called at once after a child was started as the leader of a group. */
  watch(group: number): void;
  /** The group has ended. It is never killed afterwards: its number may be another's by then. */
  release(group: number): void;
  /** The run ends in good order. What is still watched is killed; what left its group on purpose, such as a server, lives on. */
  close(): Promise<void>;
}

/**
 * Keeps the list of groups. When its input ends without a goodbye it kills them, then (where there is /proc) whoever has the
 * run's id in the environment: a child started a moment before the run died, one that left its group, a set-up command. It looks
 * again until nobody is left, since a process may be starting another one just then.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
bye=
groups=' '
while IFS= read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) group=\${line#-}
      case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
    bye) bye=yes; break ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
[ -z "$bye" ] && [ -r /proc/self/environ ] || exit 0
tries=0
while [ $tries -lt 100 ]; do
  found=$(grep -lszE "^UMPIRE_(RUN|SETUP)=$1\\$" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit 0
  for file in $found; do
    file=\${file#/proc/}
    kill -s KILL "\${file%/environ}"
  done
  tries=$((tries + 1))
done
`;

/** A run's id: letters, digits and dashes, and long enough to be nobody else's. */
const RUN_ID = /^[A-Za-z0-9-]{8,64}$/;

export function startGuardian(run: string, sandbox: Sandbox | null = null): Guardian {
  if (!RUN_ID.test(run)) throw new Error(`a run cannot be called ${JSON.stringify(run)}: 8 to 64 letters, digits and dashes are`);
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'umpire-guardian', run], {
    cwd: '/',
    // Not the run's own environment: a guardian of a run inside a run must outlive it to do its work.
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/bin:/bin` },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // A guardian that was killed leaves nothing to do here; `resume` ends what such a run leaves.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  if (child.pid === undefined) throw new UmpireError('guardian-failed');
  child.unref();
  const { stdin } = child;
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // One ends as the next begins, and one write tells of both: what ended is told at the latest before anything else is waited for.
  let untold = '';
  const tell = (lines: string) => {
    untold = '';
    if (lines !== '') stdin.write(lines);
  };
  // A write to an idle pipe reaches the system before it returns: a kill in the next instant loses nothing.
  return {
    run,
    sandbox,
    watch: (group) => tell(`${untold}+${group}\n`),
    release: (group) => {
      if (untold === '') setImmediate(() => tell(untold));
      untold += `-${group}\n`;
    },
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      stdin.end(`${untold}bye\n`);
      untold = '';
      await gone;
    },
  };
}

/** Ends what an earlier run left behind, its guardian having died with it. Says how many were ended. Without /proc: none. */
export function sweepRun(run: string): number {
  return RUN_ID.test(run) ? sweepProcesses(`UMPIRE_RUN=${run}`) : 0;
}

const bell = new Int32Array(new SharedArrayBuffer(4));

/** Ends all processes, but this one, that have this very entry in the environment that they were started with. */
export function sweepProcesses(entry: string): number {
  const ended = new Set<number>();
  for (let tries = 0; tries < 100; tries += 1) {
    const found = processesWith(Buffer.from(`\0${entry}\0`));
    if (found.length === 0) break;
    for (const pid of found) {
      ended.add(pid);
      endProcess(pid);
    }
    Atomics.wait(bell, 0, 0, 2);
  }
  return ended.size;
}

function processesWith(entry: Buffer): readonly number[] {
  return listProcesses().filter((pid) => pid !== process.pid && environmentOf(pid).includes(entry));
}

function listProcesses(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** With a zero byte on both sides of every entry. Nothing for those that ended and those of other people. */
function environmentOf(pid: number): Buffer {
  try {
    return Buffer.concat([Buffer.alloc(1), readFileSync(`/proc/${pid}/environ`), Buffer.alloc(1)]);
  } catch {
    return Buffer.alloc(0);
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself a moment ago.
  }
}

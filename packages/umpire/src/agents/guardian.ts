// Kills the child processes of a run after `kill -9`. One small process per run knows their groups and notices the end of the run by the
// end of its input. child-process.ts handles the normal start and end.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Sandbox } from '@umpire/core/model/ports.js';
import { personalPath } from '../sessions/environment.js';

export interface Guardian {
  /** The run's id. Child processes have it in their environment as UMPIRE_RUN. */
  readonly run: string;
  readonly sandbox: Sandbox | null;
  /** Call this directly after starting a child as the leader of a group. */
  watch(group: number): void;
  /** The group has ended. It must not be killed later: another group may have its number by then. */
  release(group: number): void;
  /**
   * Normal end of the run. Kills the groups that are still watched; a process that left its group on purpose, such as a server, continues.
   */
  close(): Promise<void>;
}

function ownPath(): string {
  return `${personalPath()}:/usr/bin:/bin`;
}

/** Removes the folder `$1`. A program may have made folders in it that cannot be written. */
const REMOVE = 'rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwX -- "$1"; rm -rf -- "$1"; } 2>/dev/null';

export function removeCopies(folder: string): void {
  spawnSync('/bin/sh', ['-c', REMOVE, 'sh', folder], { stdio: 'ignore', env: { PATH: ownPath() } });
}

/**
 * Reads the list of groups. When its input ends without `bye`, it first tells supervisors to end all that they have (supervisor.ts), then
 * kills the groups, then (with /proc) every process with the run's id in its
 * environment: a child started just before the run died, one that left its group, a set-up command. It repeats until none is left, since a
 * process may just be starting another one. Last it removes the private copies of the sandbox: they contain logins.
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
if [ -z "$bye" ]; then
  for group in $groups; do kill -s USR1 "$group"; done
  tries=0
  for group in $groups; do
    while [ $tries -lt 100 ] && kill -s 0 "$group"; do sleep 0.01; tries=$((tries + 1)); done
  done
fi
for group in $groups; do kill -s KILL -- "-$group"; done
[ -z "$bye" ] || exit 0
tries=0
while [ $tries -lt 100 ] && [ -r /proc/self/environ ]; do
  found=$(grep -lszE "^UMPIRE_(RUN|SETUP)=$1\\$" /proc/[0-9]*/environ)
  [ -n "$found" ] || break
  for file in $found; do
    file=\${file#/proc/}
    kill -s KILL "\${file%/environ}"
  done
  tries=$((tries + 1))
done
shift
[ -z "$1" ] || { ${REMOVE}; }
`;

/** Letters, digits and dashes, long enough to be unique. */
const RUN_ID = /^[A-Za-z0-9-]{8,64}$/;

export function startGuardian(run: string, sandbox: Sandbox | null = null): Guardian {
  if (!RUN_ID.test(run)) throw new Error(`invalid run id ${JSON.stringify(run)}: expected 8 to 64 letters, digits and dashes`);
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'umpire-guardian', run, sandbox?.copies ?? ''], {
    cwd: '/',
    // Not the run's environment: the guardian of a nested run must outlive the outer one.
    env: { PATH: ownPath() },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // If the guardian was killed, `resume` kills what the run left.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  if (child.pid === undefined) throw new UmpireError('guardian-failed');
  child.unref();
  const { stdin } = child;
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // One write reports the end of a group and the start of the next. An end alone is written before the next wait.
  let untold = '';
  const sendLines = (lines: string) => {
    untold = '';
    if (lines !== '') stdin.write(lines);
  };
  // A write to an idle pipe reaches the system before it returns, so a kill directly afterwards loses nothing.
  return {
    run,
    sandbox,
    watch: (group) => sendLines(`${untold}+${group}\n`),
    release: (group) => {
      if (untold === '') setImmediate(() => sendLines(untold));
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

/** Kills what an earlier run and its dead guardian left. Returns the number of processes; without /proc: 0. */
export function sweepRun(run: string): number {
  return RUN_ID.test(run) ? sweepProcesses(`UMPIRE_RUN=${run}`) : 0;
}

const bell = new Int32Array(new SharedArrayBuffer(4));

/** Kills all processes, except this one, that were started with this entry in their environment. */
export function sweepProcesses(entry: string): number {
  const ended = new Set<number>();
  for (let tries = 0; tries < 100; tries += 1) {
    const found = listProcesses().filter((pid) => pid !== process.pid && `\0${readProc(pid, 'environ')}\0`.includes(`\0${entry}\0`));
    if (found.length === 0) break;
    for (const pid of found) {
      ended.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended a moment ago.
      }
    }
    Atomics.wait(bell, 0, 0, 2);
  }
  return ended.size;
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

// Whether this process descends from a task of a run. Agents, critics and set-up commands carry the run's id in their environment; with
// /proc, the ancestors of this process and their session leaders are looked at too, since a program can clear its own environment. A
// program that leaves its process tree on purpose is not found.

/** UMPIRE_SETUP: set-up commands, see open-workspace.ts. */
const MARK = /\0UMPIRE_(?:RUN|SETUP)=/;

/** For everything that only a person may do. `action`: such as `answer for a person`. */
export function refuseInsideTask(action: string, pid = process.pid): void {
  if (isInsideTask(pid)) throw new UmpireError('inside-task', { action });
}

function isInsideTask(start: number): boolean {
  // Without /proc, this process's own variables are all there is.
  if (process.env['UMPIRE_RUN'] !== undefined || process.env['UMPIRE_SETUP'] !== undefined) return true;
  const seen = new Set<number>();
  const open = [start];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    if (!(pid > 0) || seen.has(pid)) continue;
    seen.add(pid);
    if (MARK.test(`\0${readProc(pid, 'environ')}`)) return true;
    const stat = readProc(pid, 'stat');
    // After the name, which may hold anything: state, parent, group, session.
    const [, parent, , leader] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    open.push(Number(parent), Number(leader));
  }
  return false;
}

/** Empty for ended processes, those of other users, and without /proc. */
function readProc(pid: number, file: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

// Whether this process descends from a task of a run. Agents, critics and set-up commands carry the run's id in their environment; with
// /proc, the ancestors of this process and their session leaders are looked at too, since a program can clear its own environment. A
// program that leaves its process tree on purpose is not found.

import { readFileSync } from 'node:fs';
import { UmpireError } from '@umpire/core/model/errors.js';

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

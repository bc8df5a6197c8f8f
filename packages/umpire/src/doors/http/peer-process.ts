// The process at the other end of a connection on loopback, where the system tells (/proc). An agent's task may hold a key that it found
// in a file or a browser: its requests are refused all the same (W6).

import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** `127.0.0.1` in the byte order of /proc/net/tcp. */
const LOOPBACK = '0100007F';

/** Null where it cannot be found: another user's process, another machine behind ssh, no /proc. */
export function pidOfPeer(peerPort: number, ownPort: number): number | null {
  const inode = inodeOf(peerPort, ownPort);
  if (inode === null) return null;
  const wanted = `socket:[${inode}]`;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => filesOf(pid).some((fd) => targetOf(`/proc/${pid}/fd/${fd}`) === wanted));
  return found === undefined ? null : Number(found);
}

function inodeOf(peerPort: number, ownPort: number): string | null {
  const [peer, own] = [peerPort, ownPort].map((port) => `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  try {
    for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
      const fields = line.trim().split(/\s+/);
      if (fields[1] === peer && fields[2] === own) return fields[9] ?? null;
    }
  } catch {
    // No /proc.
  }
  return null;
}

function filesOf(pid: string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

// Reads discoveries.ndjson in pieces: the entries that a loop asks for, and the rounds that Umpire's own lines remember.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Discovery } from '../model.js';
import type { Trace, Traces } from '../brain/chains.js';
import { DiscoveryScanner } from '../formats/discoveries.js';
import type { DiscoveryScan } from '../formats/discoveries.js';
import { faultOf } from './folder.js';
import type { SessionFolder } from './folder.js';

export const BOARD = 'discoveries.ndjson';

export interface Board {
  readonly state: 'ok' | 'missing' | 'unreadable' | 'unread';
  readonly problem: string | null;
  readonly scan: DiscoveryScan;
}

const PIECE_BYTES = 1 << 18;

export function readBoard(folder: SessionFolder, types: ReadonlySet<string>, expired: () => boolean): Board {
  const scanner = new DiscoveryScanner(types);
  const done = (state: Board['state'], problem: string | null = null): Board => ({ state, problem, scan: scanner.end() });
  const place = join(folder.root, BOARD);
  let fd: number;
  try {
    const stat = statSync(place, { throwIfNoEntry: false });
    if (stat === undefined) return done('missing');
    if (!stat.isFile()) return done('unreadable', 'it is not a regular file');
    fd = openSync(place, 'r');
  } catch (error) {
    return done('unreadable', faultOf(error));
  }
  try {
    const piece = new Uint8Array(PIECE_BYTES);
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) {
      scanner.push(piece.subarray(0, read));
      if (expired()) return done('unread');
    }
    return done('ok');
  } catch (error) {
    return done('unreadable', faultOf(error));
  } finally {
    closeSync(fd);
  }
}

const MOST_ROUNDS = 10_000;

/** What Umpire's own gc_decision lines remember of a loop: they outlive a deleted journal. */
export function tracesOnBoard(entries: readonly Discovery[], loop: string): Traces {
  const chains = new Map<string, Trace>();
  const targets = new Map<string, number>();
  let cap: number | null = null;
  for (const { worker, type, data } of entries) {
    const { chain, round, outcome, status, maxRounds, target } = data;
    if (type !== 'gc_decision' || worker !== 'umpire' || data['loop'] !== loop || status === 'partial') continue;
    if (typeof chain !== 'string' || !isCount(round)) continue;
    const reached = outcome === 'revise' ? round + 1 : round;
    chains.set(chain, { round: Math.max(chains.get(chain)?.round ?? 0, reached), open: outcome === 'revise' || outcome === 'escalate' });
    if (isCount(maxRounds) && maxRounds > 0) cap = Math.min(cap ?? maxRounds, maxRounds);
    if (typeof target === 'number') targets.set(chain, Math.max(targets.get(chain) ?? 0, target));
  }
  return { chains, targets, cap };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_ROUNDS;
}

// Reads discoveries.ndjson in pieces: the entries that a loop asks for, and the rounds that Umpire's own lines remember.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Discovery } from '../model.js';
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
  let fd: number;
  try {
    fd = openSync(join(folder.root, BOARD), 'r');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? done('missing') : done('unreadable', faultOf(error));
  }
  try {
    if (!fstatSync(fd).isFile()) return done('unreadable', 'it is not a regular file');
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

/** The round each chain of a loop has reached, by Umpire's own gc_decision lines: they outlive a deleted journal. */
export function roundsOnBoard(entries: readonly Discovery[], loop: string): ReadonlyMap<string, number> {
  const rounds = new Map<string, number>();
  for (const { worker, type, data } of entries) {
    const { chain, round, outcome, status } = data;
    if (type !== 'gc_decision' || worker !== 'umpire' || data['loop'] !== loop || status === 'partial') continue;
    if (typeof chain !== 'string' || typeof round !== 'number' || !Number.isInteger(round) || round < 0 || round > MOST_ROUNDS) continue;
    const reached = outcome === 'revise' ? round + 1 : round;
    rounds.set(chain, Math.max(rounds.get(chain) ?? 0, reached));
  }
  return rounds;
}

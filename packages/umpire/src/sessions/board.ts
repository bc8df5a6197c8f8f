// Reads discoveries.ndjson in pieces: the entries that a loop asks for, and the rounds that Umpire's own lines remember.

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { DiscoveryScanner } from '@umpire/core/formats/discoveries.js';
import type { DiscoveryScan } from '@umpire/core/formats/discoveries.js';
import type { Anomaly } from '@umpire/core/model.js';
import { statOf } from './entry.js';
import { faultOf } from './folder.js';
import type { SessionFolder } from './folder.js';

export const BOARD = 'discoveries.ndjson';

export interface Board {
  readonly state: 'ok' | 'missing' | 'unreadable' | 'unread';
  readonly problem: string | null;
  readonly scan: DiscoveryScan;
}

/** Where there is none, and for loops that read nothing there. */
export const NO_BOARD: Board = { state: 'missing', problem: null, scan: new DiscoveryScanner(new Set()).end() };

const PIECE_BYTES = 1 << 18;

export function readBoard(folder: SessionFolder, types: ReadonlySet<string>, expired: () => boolean): Board {
  const place = join(folder.root, BOARD);
  let fd: number;
  try {
    const stat = statOf(place);
    if (stat === undefined) return NO_BOARD;
    if (!stat.isFile()) return { ...NO_BOARD, state: 'unreadable', problem: 'it is not a regular file' };
    fd = openSync(place, 'r');
  } catch (error) {
    return { ...NO_BOARD, state: 'unreadable', problem: faultOf(error) };
  }
  const scanner = new DiscoveryScanner(types);
  const done = (state: Board['state'], problem: string | null = null): Board => ({ state, problem, scan: scanner.end() });
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

/** Malformed lines are skipped, and said. */
export function unreadLines({ scan }: Board): readonly Anomaly[] {
  if (scan.firstMalformed === null) return [];
  const { line, problem } = scan.firstMalformed;
  const message = `${scan.malformed} of ${scan.lines} lines could not be read and were skipped; the first is line ${line}: ${problem}`;
  return [{ rule: BOARD, message }];
}

// Reads discoveries.ndjson in pieces: the entries that a loop asks for, and Umpire's own decisions.

import { closeSync, constants, readSync } from 'node:fs';
import { join } from 'node:path';
import { DiscoveryScanner } from '@umpire/core/formats/discoveries.js';
import type { DiscoveryScan } from '@umpire/core/formats/discoveries.js';
import type { Anomaly } from '@umpire/core/model/vocabulary.js';
import { openRegularFile, statOf } from './file-system.js';
import { faultOf } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';

export const BOARD = 'discoveries.ndjson';

export interface Board {
  readonly state: 'ok' | 'missing' | 'unreadable' | 'unread';
  readonly problem: string | null;
  readonly scan: DiscoveryScan;
}

/** For sessions without a board, and for loops that do not read it. */
export const NO_BOARD: Board = { state: 'missing', problem: null, scan: new DiscoveryScanner(new Set()).end() };

const PIECE_BYTES = 1 << 18;

export function readBoard(folder: SessionFolder, types: ReadonlySet<string>, expired: () => boolean): Board {
  const place = join(folder.root, BOARD);
  let fd: number;
  try {
    const stat = statOf(place);
    if (stat === undefined) return NO_BOARD;
    if (!stat.isFile()) return { ...NO_BOARD, state: 'unreadable', problem: 'it is not a regular file' };
    fd = openRegularFile(place, constants.O_RDONLY);
  } catch (error) {
    return { ...NO_BOARD, state: 'unreadable', problem: faultOf(error) };
  }
  const scanner = new DiscoveryScanner(types);
  const endScan = (state: Board['state'], problem: string | null = null): Board => ({ state, problem, scan: scanner.end() });
  try {
    const piece = new Uint8Array(PIECE_BYTES);
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) {
      scanner.push(piece.subarray(0, read));
      if (expired()) return endScan('unread');
    }
    return endScan('ok');
  } catch (error) {
    return endScan('unreadable', faultOf(error));
  } finally {
    closeSync(fd);
  }
}

/** Malformed lines are skipped and reported. */
export function malformedLines({ scan }: Board): readonly Anomaly[] {
  if (scan.firstMalformed === null) return [];
  const { line, problem } = scan.firstMalformed;
  const message = `${scan.malformed} of ${scan.lines} lines are malformed and were skipped, first line ${line}: ${problem}`;
  return [{ rule: BOARD, message }];
}

// Where commands write: the process's own stdout and stderr, or a buffer in a test.

import { writeSync } from 'node:fs';

export interface Output {
  /**
   * Writes all of the data, also into a pipe that is full for a moment. Null if it is written or nobody reads any more (a closed pipe,
   * a terminal that is gone), else the reason, such as a full disk.
   */
  readonly write: (fd: 1 | 2, data: string | Uint8Array) => string | null;
  /** Writes progress to stderr and drops it if the reader is slow or gone. */
  readonly writeProgress: (data: Uint8Array) => void;
}

export const PROCESS_OUTPUT: Output = { write: writeAll, writeProgress };

function writeAll(fd: 1 | 2, data: string | Uint8Array): string | null {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  let from = 0;
  while (from < bytes.length) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE' || code === 'EIO') return null;
      if (code !== 'EAGAIN') return message;
    }
  }
  return null;
}

function writeProgress(data: Uint8Array): void {
  try {
    writeSync(2, data);
  } catch {
    // Nobody is reading.
  }
}

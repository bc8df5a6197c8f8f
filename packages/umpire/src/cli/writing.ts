// What a command prints, written to the last byte: also into a pipe that takes less at a time, or none for a moment.

import { writeSync } from 'node:fs';

/** Null where all is written, or nobody reads any more: a closed pipe, a terminal that is gone. Else why the rest is not, such as a full disk. */
export function writeAll(fd: 1 | 2, data: string | Uint8Array): string | null {
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

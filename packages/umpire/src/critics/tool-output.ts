// What a tool prints, kept in a file while it runs. Of very much, the start and the end: a test that prints for an hour fills no
// disk.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { TailBuffer } from '../agents/tail-buffer.js';

/** Of output for people. */
const HALF_BYTES = 8 * 1024 * 1024;

/** Of a report that a tool prints: nothing of it can be left out, so one that is larger is cut off, and cannot be read. */
export const WHOLE = { start: 256 * 1024 * 1024, end: 0 };

export class KeptOutput {
  private readonly file: number | null;
  private written = 0;
  private rest: TailBuffer | null = null;
  private beyond = 0;

  /** Null keeps nothing. */
  constructor(
    path: string | null,
    private readonly bounds = { start: HALF_BYTES, end: HALF_BYTES },
  ) {
    if (path !== null) mkdirSync(dirname(path), { recursive: true });
    this.file = path === null ? null : openSync(path, 'w');
  }

  add(chunk: Uint8Array): void {
    if (this.file === null) return;
    const now = chunk.subarray(0, Math.max(0, this.bounds.start - this.written));
    if (now.length > 0) writeSync(this.file, now);
    this.written += now.length;
    if (now.length === chunk.length || this.bounds.end === 0) return;
    this.rest ??= new TailBuffer(this.bounds.end);
    this.rest.add(chunk.subarray(now.length));
    this.beyond += chunk.length - now.length;
  }

  close(): void {
    if (this.file === null) return;
    if (this.rest !== null) {
      const end = this.rest.bytes();
      if (this.beyond > end.length) writeSync(this.file, `\n[${this.beyond - end.length} bytes are left out here]\n`);
      writeSync(this.file, end);
    }
    closeSync(this.file);
  }
}

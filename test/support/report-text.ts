// Gives a text to a reader of tool reports in chunks of a given size, like a stream. `readAny` collects a small text before a reader sees
// it, so only `readAs` tests the borders between chunks.

import type { Format, ReadOptions } from '@umpire/reports/format.js';
import { openReport, type OpenOptions, type OpenReport } from '@umpire/reports/open-report.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';

export function readAs(format: Format, text: string, options: ReadOptions = {}, step = Infinity): ToolReport {
  return feed(openReport({ ...options, format }), Buffer.from(text), step);
}

export function readAny(bytes: string | Uint8Array, options: OpenOptions = {}, step = Infinity): ToolReport {
  return feed(openReport(options), typeof bytes === 'string' ? Buffer.from(bytes) : bytes, step);
}

/** Reuses one buffer for all chunks, so a reader that keeps a chunk fails. */
export function feed(reader: OpenReport, bytes: Uint8Array, step: number): ToolReport {
  const size = Math.min(step, Math.max(1, bytes.length));
  const chunk = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    chunk.set(piece);
    reader.write(chunk.subarray(0, piece.length));
    chunk.fill(0x58);
  }
  return reader.end();
}

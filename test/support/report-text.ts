// Gives a text to a reader of tool reports in chunks of a given size, like a stream. `readAny` collects a small text before a reader sees
// it, so only `readAs` tests the borders between chunks.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** A recorded report of a tool, as `umpire read` takes it without `--format`. */
export function readFixture(path: string): ToolReport {
  const file = join(import.meta.dirname, '../../fixtures/tools', path);
  return readAny(readFileSync(file), { root: '/project', name: path.split('/').at(-1) ?? '' }, 1000);
}

/** `failed shop > TestSize (size_test.go:9): got 4, want 3`, with the first line of the message. */
export function tellTests({ results = [] }: ToolReport): readonly string[] {
  return results.map(({ id, status, file, line, message }) => {
    const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
    return `${status} ${id}${place}${message === null ? '' : `: ${message.split('\n', 1)[0]}`}`;
  });
}

/** `junit fail 3/1/0/2`: passed, failed, errored, skipped; then its problems. */
export function tellReport({ format, outcome, tests, problems }: ToolReport): readonly string[] {
  const counts = tests === undefined ? '' : ` ${tests.passed}/${tests.failed}/${tests.errored}/${tests.skipped}`;
  return [`${format} ${outcome}${counts}`, ...problems.map(({ message }) => message)];
}

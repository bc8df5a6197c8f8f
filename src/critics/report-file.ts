// A tool's report on disk, read piece by piece by whatever reader knows it. What is in it is formats/tools' to say.

import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { LookedAt } from '../formats/tools/format.js';
import { formatById, openReport } from '../formats/tools/open-report.js';
import type { ToolReport } from '../model.js';
import { statOf } from '../runtime/entry.js';
import { faultOf } from '../runtime/folder.js';

const CHUNK_BYTES = 256 * 1024;

export interface ReportPlace {
  /** As `read --format` takes it: the caller knows which tool wrote it, so nothing is guessed. Null: by its content. */
  readonly format: string | null;
  /** The project's absolute path: paths in the report become relative to it. */
  readonly root: string;
  /** How many tests, findings and files are listed; all are counted. */
  readonly keep?: number;
  /** Told of the files that a linter says it looked at. */
  readonly looked?: LookedAt;
}

/** Never throws. A file that is not there is `missing`. */
export function readReport(path: string, { format, root, keep, looked }: ReportPlace): ToolReport {
  const known = format === null ? null : formatById(format);
  if (format !== null && known === null) return without('error', format, `there is no reader for ${format}`);
  let file: number;
  try {
    if (statOf(path)?.isFile() !== true) return without('missing', format, 'it was not written; expected a report');
    file = openSync(path, 'r');
  } catch (error) {
    return without('error', format, `it cannot be read: ${faultOf(error)}`);
  }
  try {
    const options = {
      name: basename(path),
      root,
      ...(keep === undefined ? {} : { keep }),
      ...(looked === undefined ? {} : { looked }),
    };
    const reader = openReport(known === null ? options : { ...options, format: known });
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) reader.write(chunk.subarray(0, length));
    return reader.end();
  } catch (error) {
    return without('error', format, `it cannot be read: ${faultOf(error)}`);
  } finally {
    closeSync(file);
  }
}

function without(outcome: 'error' | 'missing', format: string | null, message: string): ToolReport {
  return { format: format ?? 'unknown', outcome, findings: [], problems: [{ message }] };
}

// `umpire read`: streams reports of tools from files or stdin through the readers of the reports package.

import { UmpireError } from '@umpire/core/model/errors.js';
import { worstOutcome } from '@umpire/core/formats/check-outcome.js';
import type { CheckOutcome, ToolReport } from '@umpire/core/model/vocabulary.js';
import type { Format } from '@umpire/reports/format.js';
import { FORMATS } from '@umpire/reports/formats.js';
import { formatById, type OpenOptions, openReport } from '@umpire/reports/open-report.js';
import { createReadStream } from 'node:fs';
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

export interface ReadRequest {
  /** Paths; `-` is stdin. */
  readonly reports: readonly string[];
  /** Read all of them as this format. */
  readonly format?: string;
  /** Absolute paths in this folder become relative. Default: the current folder. */
  readonly root?: string;
  /** Most tests, findings and files that each report lists. All are counted. */
  readonly keep?: number;
}

export interface ReportRead extends ToolReport {
  /** As given. */
  readonly path: string;
}

export interface ReportsRead {
  readonly reports: readonly ReportRead[];
  /** The worst of them. */
  readonly outcome: CheckOutcome;
}

const CHUNK_BYTES = 256 * 1024;

/** A missing or unreadable report is an outcome. A wrong format name or a folder throws. */
export async function readReports(request: ReadRequest): Promise<ReportsRead> {
  const options = optionsOf(request);
  const found = await Promise.all(request.reports.map((path) => (path === '-' ? Promise.resolve(null) : stat(path).catch(() => null))));
  const folder = request.reports.find((_, at) => found[at]?.isDirectory() === true);
  if (folder !== undefined) throw new UmpireError('report-folder', { path: folder.replace(/(?<=.)\/$/, '') });
  const reports: ReportRead[] = [];
  for (const path of request.reports) reports.push({ path, ...(await readOne(path, options)) });
  return { reports, outcome: worstOutcome(reports.map(({ outcome }) => outcome)) };
}

function optionsOf({ format, root, keep }: ReadRequest): OpenOptions {
  const named: Format | null = format === undefined ? null : formatById(format);
  if (format !== undefined && named === null)
    throw new UmpireError('format-unknown', { name: format.slice(0, 40), known: FORMATS.map(({ id }) => id).join(', ') });
  return { root: resolve(root ?? '.'), ...(named === null ? {} : { format: named }), ...(keep === undefined ? {} : { keep }) };
}

async function readOne(path: string, options: OpenOptions): Promise<ToolReport> {
  try {
    if (path !== '-' && !isReadable(await stat(path), path))
      return unopened(new Error('it is a pipe or a device. Give a file, or pipe into umpire read -'), options);
    const reader = openReport({ ...options, name: path });
    const chunks = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES });
    for await (const chunk of chunks) reader.write(chunk as Buffer);
    return reader.end();
  } catch (error) {
    return unopened(error, options);
  }
}

/** A pipe that a shell opened for the command ends; one in a folder may never. */
function isReadable(entry: Stats, path: string): boolean {
  return entry.isFile() || (!entry.isCharacterDevice() && /^\/(?:dev|proc\/self)\/fd\//.test(path));
}

function unopened(error: unknown, { format }: OpenOptions): ToolReport {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
  const why = code === 'EACCES' || code === 'EPERM' ? 'permission denied' : message.slice(0, 200);
  return {
    format: format?.id ?? 'unknown',
    outcome: isMissing ? 'missing' : 'error',
    findings: [],
    problems: [{ message: isMissing ? 'no such file; run the tool that writes it, or check the path' : `it cannot be read: ${why}` }],
  };
}

// `umpire read`: streams reports of tools from files or stdin through the readers of the reports package.

import { UmpireError } from '@umpire/core/model/errors.js';
import { worstOutcome } from '@umpire/core/formats/check-outcome.js';
import type { CheckOutcome, ToolReport } from '@umpire/core/model/vocabulary.js';
import type { Format } from '@umpire/reports/format.js';
import { FORMATS } from '@umpire/reports/formats.js';
import { formatById, type OpenOptions, openReport } from '@umpire/reports/open-report.js';
import { TopKeys } from '@umpire/reports/report-head.js';
import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
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

const CHUNK = 256 * 1024;

/** A missing or unreadable report is an outcome. A wrong format name or a folder throws. */
export async function readReports(request: ReadRequest): Promise<ReportsRead> {
  const options = optionsOf(request);
  const found = await Promise.all(request.reports.map((path) => statReport(path)));
  const folder = request.reports.find((_, at) => found[at]?.isDirectory() === true);
  if (folder !== undefined) throw new UmpireError('report-folder', { path: folder.replace(/(?<=.)\/$/, '') });
  const reports: ReportRead[] = [];
  for (const [at, path] of request.reports.entries()) reports.push({ path, ...(await readOne(path, found[at] ?? null, options)) });
  return { reports, outcome: worstOutcome(reports.map(({ outcome }) => outcome)) };
}

function optionsOf({ format, root, keep }: ReadRequest): OpenOptions {
  const named: Format | null = format === undefined ? null : formatById(format);
  if (format !== undefined && named === null)
    throw new UmpireError('format-unknown', { name: format.slice(0, 40), known: FORMATS.map(({ id }) => id).join(', ') });
  return { root: resolve(root ?? '.'), ...(named === null ? {} : { format: named }), ...(keep === undefined ? {} : { keep }) };
}

async function statReport(path: string): Promise<Stats | null> {
  return path === '-' ? null : stat(path).catch(() => null);
}

async function readOne(path: string, found: Stats | null, options: OpenOptions): Promise<ToolReport> {
  if (path === '-') return readStdin(options);
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    return unopened(error, options);
  }
  try {
    return await readFile(handle, { ...options, name: path }, found?.isFile() === true);
  } catch (error) {
    return unopened(error, options);
  } finally {
    await handle.close();
  }
}

/** A file can be read a second time for its outermost keys; a pipe cannot. */
async function readFile(handle: FileHandle, options: OpenOptions, isRegular: boolean): Promise<ToolReport> {
  let reader = openReport(options);
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, isRegular ? position : null);
    if (bytesRead === 0) return reader.end();
    position += bytesRead;
    reader.write(buffer.subarray(0, bytesRead));
    if (!reader.needsKeys || !isRegular) continue;
    reader = openReport({ ...options, keys: await allKeys(handle, buffer) });
    position = 0;
  }
}

async function allKeys(handle: FileHandle, buffer: Buffer): Promise<ReadonlySet<string>> {
  const top = new TopKeys();
  for (let position = 0; !top.hasAll;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    top.write(buffer.subarray(0, bytesRead));
  }
  return top.keys;
}

async function readStdin(options: OpenOptions): Promise<ToolReport> {
  const reader = openReport(options);
  try {
    for await (const chunk of process.stdin) reader.write(chunk as Buffer);
  } catch (error) {
    return unopened(error, options);
  }
  return reader.end();
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

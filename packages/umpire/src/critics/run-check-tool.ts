// Calls a tool of check-tools.ts and reads what it leaves. A tool that broke, ignored its settings or checked no file gives no result: its
// silence proves nothing.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { CheckOutcome, Finding, ToolReport } from '@umpire/core/model/vocabulary.js';
import type { CheckedFiles } from '@umpire/reports/format.js';
import { withoutColours } from '@umpire/reports/line-stream.js';
import { toProjectPath } from '@umpire/reports/project-path.js';
import { hidesFailure, readPrinted, readReport } from '../runners/report-file.js';
import { errorWords, howToolEnded, runTool, shownWord, whyUnended } from '../runners/run-tool.js';
import type { ShownPlaces, ToolRun } from '../runners/run-tool.js';
import { statOf } from '../sessions/file-system.js';
import { readJson } from './check-tools.js';
import type { CheckTool } from './check-tools.js';
import type { CriticJob } from './critic.js';

export interface CheckRun {
  readonly outcome: CheckOutcome;
  readonly findings: readonly Finding[];
  /** Findings from before it gave up, where its outcome is `error`. */
  readonly partial: readonly Finding[];
  /** Why there is no result; null where there is one. */
  readonly problem: string | null;
  readonly use: ToolUse;
  /** The call that asked which files it checks; null where it was not asked. */
  readonly asked: ToolUse | null;
  /** Of the given files, those that it checked. */
  readonly checked: readonly string[];
  /** Says that some files may not have been checked; null where all is known. */
  readonly doubt: string | null;
}

/** Runs a tool on some files. Its settings may exclude some of them: it says nothing about those. */
export async function runCheckToolOn(job: CriticJob, tool: CheckTool, scratch: string, files: readonly string[]): Promise<CheckRun> {
  const { files: asked, use } = await askCheckedFiles(job, tool, scratch, files);
  const missing = { ...withoutResult('missing', noFileChecked(tool)), checked: [] };
  if (use !== null && asked?.length === 0) return { ...missing, use, asked: null, doubt: null };
  const run = { ...(await runCheckTool(job, tool, scratch, asked ?? files)), asked: use };
  return isMeasured(run.outcome) && run.checked.length === 0 && run.doubt === null ? { ...run, ...missing } : run;
}

/** `scratch`: a folder outside the project for its report. No `files`: everything that its own configuration names. */
export async function runCheckTool(job: CriticJob, tool: CheckTool, scratch: string, files: readonly string[]): Promise<CheckRun> {
  const report = join(scratch, `${tool.name.replaceAll(' ', '-')}.report`);
  const run = await runTool(job, {
    name: tool.program ?? tool.name,
    version: tool.version,
    argv: tool.argv(report, files),
    workdir: job.project,
    scratch,
    ...(tool.env === undefined ? {} : { env: tool.env(report) }),
    ...(tool.prints === true ? { keepStdout: report } : {}),
  });
  const seen = new CheckedFileList();
  for (const file of tool.listed?.(report) ?? []) seen.add(toProjectPath(file, job.project) ?? '');
  const result = readToolResult(tool, run, { report, scratch, project: job.project }, seen);
  const { files: checked, doubt } = seen.of(tool.name, files, files.length === 0 ? undefined : tool.universe?.());
  return { ...result, use: run.use, asked: null, checked, doubt };
}

type CheckReading = Pick<CheckRun, 'outcome' | 'findings' | 'problem' | 'partial'>;

interface ReportPlaces extends ShownPlaces {
  readonly report: string;
}

function withoutResult(outcome: CheckOutcome, problem: string, partial: readonly Finding[] = []): CheckReading {
  return { outcome, findings: [], problem, partial };
}

function withResult(outcome: CheckOutcome, findings: readonly Finding[]): CheckReading {
  return { outcome, findings, problem: null, partial: [] };
}

function readToolResult(tool: CheckTool, run: ToolRun, places: ReportPlaces, checked: CheckedFileList): CheckReading {
  const { report: path, project: root } = places;
  const unended = whyUnended(run, tool.name);
  if (unended !== null) return withoutResult(unended.outcome, unended.problem);
  const printed = withoutColours(`${run.head}${run.tail}`);
  const unsettled = tool.unsettled?.exec(printed)?.[0].trim();
  if (unsettled !== undefined) {
    const said = shownWord(unsettled.slice(0, 300), places);
    return withoutResult('error', `${tool.name} could not use its settings and continued without them: ${said}`);
  }
  if (tool.idle?.test(printed) === true) return withoutResult('missing', noFileChecked(tool));
  const works = run.code !== null && tool.statuses.includes(run.code);
  if (tool.read !== undefined) {
    const file = join(path, tool.file ?? '');
    const isUnwritten = run.code === 0 && !existsSync(file) && printed.trim() === '';
    if (isUnwritten && tool.unwritten !== undefined) return withoutResult('missing', tool.unwritten);
    const findings = works ? tool.read(readJson(file)) : null;
    return findings === null
      ? withoutResult('error', `${tool.name} ${describeFault(run, null)}${describeOutput(run, places)}`)
      : withResult(findings.length > 0 ? 'fail' : 'pass', findings);
  }
  if (run.code === 0 && tool.isSilentWhenClean === true && run.head.trim() === '') return withResult('pass', []);
  // A report that is an empty list.
  const size = run.code === 0 ? (statOf(path)?.size ?? 0) : 0;
  if (size > 0 && size < 10 && readFileSync(path, 'utf8').trim() === '[]') {
    const counted = tool.counted?.(path) ?? null;
    if (counted !== null) checked.count(counted);
    return tool.isEmptyWhenClean === true && !checked.isNone ? withResult('pass', []) : withoutResult('missing', noFileChecked(tool));
  }
  const place = { format: tool.format, root, keep: 100_000, checkedFiles: checked };
  const report = tool.prints === true ? readPrinted(path, place) : readReport(path, place);
  if (checked.isNone) return withoutResult('missing', noFileChecked(tool));
  const fault = report.findings.find((finding) => tool.isOwnFault?.(finding) === true);
  if (fault !== undefined) {
    const { rule, artifact, line, message } = fault;
    const where = artifact === null ? '' : `${artifact}${line === null ? '' : `:${line}`}: `;
    const said = `${where}${rule ?? 'error'}: ${shownWord(message, places)}`;
    return withoutResult('error', `${tool.name} cannot use its settings (${howToolEnded(run)}): ${said}`);
  }
  // The exit status says that it found something, but the report is empty: its settings may silence it.
  const isMute = run.code !== 0 && report.outcome === 'pass' && report.findings.length === 0;
  const isWhole = isMeasured(report.outcome) && !isMute && !hidesFailure(report) && (tool.countsFiles !== true || checked.isStated);
  if (works && isWhole) {
    if (tool.counts === undefined) return withResult(report.outcome, report.findings);
    const counted = report.findings.filter(tool.counts);
    return withResult(counted.length > 0 ? 'fail' : 'pass', counted);
  }
  const problem = `${tool.name} ${describeFault(run, report)}${describeOutput(run, places)}`;
  return withoutResult(run.code === NO_PROGRAM ? 'missing' : 'error', problem, report.findings);
}

/** The exit status of shells, and of wrappers such as pyenv, for a program that does not exist. */
const NO_PROGRAM = 127;

function describeFault(run: ToolRun, report: ToolReport | null): string {
  const how = howToolEnded(run);
  const [fault] = report !== null && (report.findings.length > 0 || hidesFailure(report)) ? report.problems : [];
  if (fault !== undefined) return `left a report that is only partly readable (${how}): ${fault.message}.`;
  if (report?.outcome === 'pass' && run.code !== 0) return `lists nothing in its report (${how}). Check whether its settings silence it.`;
  return `left no readable report (${how}).`;
}

/** The error lines of its output. */
export function describeOutput(run: Pick<ToolRun, 'head' | 'tail'>, places: ShownPlaces | null): string {
  const words = errorWords(run, 'first', places);
  return words === '' ? '' : ` Output: ${words}`;
}

function noFileChecked({ name }: CheckTool): string {
  return `${name} checked none of these files; its settings exclude them.`;
}

interface CheckedAnswer {
  /** Null where it gives none. */
  readonly files: readonly string[] | null;
  /** Null where it was not asked. */
  readonly use: ToolUse | null;
}

/** Those of `files` that the tool says it checks. */
async function askCheckedFiles(job: CriticJob, tool: CheckTool, scratch: string, files: readonly string[]): Promise<CheckedAnswer> {
  const { asks, name, version } = tool;
  if (asks === undefined) return { files: null, use: null };
  const answer = join(scratch, `${name}.files`);
  const call = { name, version, argv: asks.argv(files), workdir: job.project, scratch, isQuiet: true, keepStdout: answer };
  const run = await runTool(job, call);
  // One path a line, absolute or from the project.
  const lines = run.outcome === 'ended' ? readFileSync(answer, 'utf8').split('\n') : [];
  const roots = [job.project, realpathSync.native(job.project)];
  const paths = lines.flatMap((line) => (line.trim() === '' ? [] : roots.map((root) => relative(root, resolve(root, line.trim())))));
  const named = new Set(paths.map((path) => path.split(sep).join('/')));
  const known = files.filter((path) => named.has(path));
  // A tool that does not understand the question fails and names no file.
  const isAnswer = run.outcome === 'ended' && (run.code === 0 || known.length > 0);
  const taken = (isAnswer ? known : files).filter((path) => asks.passesOver?.(path) !== true);
  return { files: isAnswer || asks.passesOver !== undefined ? taken : null, use: run.use };
}

/** Collects the files that a report says were checked. */
export class CheckedFileList implements CheckedFiles {
  private readonly named = new Set<string>();
  private stated: number | null = null;

  add(path: string): void {
    this.named.add(path);
  }

  count(files: number): void {
    this.stated = files;
  }

  /** It states that no file was checked. */
  get isNone(): boolean {
    return this.stated === 0;
  }

  /** It states which files, or how many, were checked. */
  get isStated(): boolean {
    return this.stated !== null || this.named.size > 0;
  }

  /**
   * The checked ones of `files`; all of them where the report says nothing about files. `among`: the number of files that a tool
   * could check that always takes the whole project.
   */
  of(tool: string, files: readonly string[], among?: number): Pick<CheckRun, 'doubt'> & { readonly files: readonly string[] } {
    if (this.named.size > 0) return { files: files.filter((path) => this.named.has(path)), doubt: null };
    const { stated } = this;
    if (stated === null || stated >= (among ?? files.length)) return { files, doubt: null };
    if (stated === 0) return { files: [], doubt: null };
    const many = among === undefined ? `the ${files.length} changed files` : `${among} files`;
    return { files: [], doubt: `${tool} checked ${stated} of ${many} and does not say which.` };
  }
}

// Runs one linter or type checker of a project and reads its report. A tool that broke, ignored its settings or checked no file gives
// no result: its silence proves nothing.

import { readFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { CheckOutcome, Finding, ToolReport } from '@umpire/core/model/vocabulary.js';
import type { CheckedFiles } from '@umpire/reports/format.js';
import { withoutColours } from '@umpire/reports/line-stream.js';
import { toProjectPath } from '@umpire/reports/project-path.js';
import { statOf } from '../sessions/file-system.js';
import type { CriticJob } from './critic.js';
import { errorWords } from '../runners/error-words.js';
import { shownWord } from '../runners/run-tool.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { ShownPlaces } from '../runners/run-tool.js';
import { hidesFailure, readPrinted, readReport } from '../runners/report-file.js';
import { howToolEnded, runTool } from '../runners/run-tool.js';
import type { ToolRun } from '../runners/run-tool.js';

export interface LintTool {
  readonly name: string;
  readonly kind: 'types' | 'lint';
  readonly language: 'script' | 'python';
  readonly version: string | null;
  /** The id of its report format. */
  readonly format: string;
  /** Does it check files of this name? */
  readonly takes: (path: string) => boolean;
  /** `report`: where its report goes. No `files`: everything that its own configuration names. */
  readonly argv: (report: string, files: readonly string[]) => readonly string[];
  /** Does it print its report instead of writing it? */
  readonly prints: boolean;
  /** Exit statuses of a run that worked. */
  readonly statuses: readonly number[];
  /** Is this about its own settings, so that it did not check what it should? */
  readonly isOwnFault?: (finding: Finding) => boolean;
  /** A run that prints nothing and exits with 0 is clean. */
  readonly isSilentWhenClean?: boolean;
  /** An empty list and exit status 0 mean a clean run; of other tools they mean that no file was checked. */
  readonly isEmptyWhenClean?: boolean;
  /** The number of files that it could check, for a tool that always takes the whole project. */
  readonly universe?: () => number;
  /** A complete report states the number of checked files. */
  readonly countsFiles?: boolean;
  /** Its output when it ignores its settings and continues. */
  readonly unsettled?: RegExp;
  /** Its output when it finds no file to check. */
  readonly idle?: RegExp;
  /** Added to its environment. */
  readonly env?: (scratch: string) => Readonly<Record<string, string>>;
  /** The checked files, absolute, where it lists them beside its report; else null. */
  readonly listed?: (scratch: string) => readonly string[] | null;
  /** The number of checked files, where it states it beside an empty report; else null. */
  readonly counted?: (scratch: string) => number | null;
  /** How to ask which of some files it checks. */
  readonly asks?: FileQuestion;
}

export interface LintRun {
  readonly tool: string;
  readonly kind: 'types' | 'lint';
  readonly outcome: CheckOutcome;
  readonly report: ToolReport;
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
export async function runLintToolOn(job: CriticJob, tool: LintTool, scratch: string, files: readonly string[]): Promise<LintRun> {
  const { files: asked, use } = await askCheckedFiles(job, tool, scratch, files);
  const missing = { outcome: 'missing', report: noReport(tool), problem: noFileChecked(tool), checked: [], partial: [] } as const;
  if (use !== null && asked?.length === 0) return { tool: tool.name, kind: tool.kind, ...missing, use, asked: null, doubt: null };
  const run = { ...(await runLintTool(job, tool, scratch, asked ?? files)), asked: use };
  const isRead = run.outcome === 'pass' || run.outcome === 'fail';
  return isRead && run.checked.length === 0 && run.doubt === null ? { ...run, ...missing } : run;
}

/** `scratch`: a folder outside the project for its report. */
export async function runLintTool(job: CriticJob, tool: LintTool, scratch: string, files: readonly string[]): Promise<LintRun> {
  const report = join(scratch, `${tool.name}.report`);
  const run = await runTool(job, {
    name: tool.name,
    version: tool.version,
    argv: tool.argv(report, files),
    workdir: job.project,
    scratch,
    ...(tool.env === undefined ? {} : { env: tool.env(scratch) }),
    ...(tool.prints ? { keepStdout: report } : {}),
  });
  const seen = new CheckedFileList();
  for (const file of tool.listed?.(scratch) ?? []) seen.add(toProjectPath(file, job.project) ?? '');
  const read = readLintResult(tool, run, { report, scratch, project: job.project }, seen);
  const { files: checked, doubt } = seen.of(tool.name, files, files.length === 0 ? undefined : tool.universe?.());
  return { tool: tool.name, kind: tool.kind, ...read, use: run.use, asked: null, checked, doubt };
}

type LintResult = Pick<LintRun, 'outcome' | 'report' | 'problem' | 'partial'>;

interface LintPaths extends ShownPlaces {
  readonly scratch: string;
  readonly report: string;
}

function readLintResult(tool: LintTool, run: ToolRun, places: LintPaths, checked: CheckedFileList): LintResult {
  const { report: path, project: root } = places;
  const none = noReport(tool);
  const without = (outcome: CheckOutcome, problem: string | null, partial: readonly Finding[] = []): LintResult => ({
    outcome,
    report: none,
    problem,
    partial,
  });
  const clean: LintResult = { outcome: 'pass', report: { ...none, outcome: 'pass' }, problem: null, partial: [] };
  if (run.outcome === 'timeout') return without('timeout', `${tool.name} timed out.`);
  if (run.outcome === 'interrupted') return without('error', `${tool.name} was stopped.`);
  if (run.outcome === 'unstarted') return without('missing', run.problem);
  const printed = withoutColours(`${run.head}${run.tail}`);
  const unsettled = tool.unsettled?.exec(printed)?.[0].trim();
  if (unsettled !== undefined)
    return without(
      'error',
      `${tool.name} could not use its settings and continued without them: ${shownWord(unsettled.slice(0, 300), places)}`,
    );
  if (tool.idle?.test(printed) === true) return without('missing', noFileChecked(tool));
  if (run.code === 0 && tool.isSilentWhenClean === true && run.head.trim() === '') return clean;
  if (run.code === 0 && isEmptyList(path)) {
    const counted = tool.counted?.(places.scratch) ?? null;
    if (counted !== null) checked.count(counted);
    return tool.isEmptyWhenClean === true && !checked.isNone ? clean : without('missing', noFileChecked(tool));
  }
  const place = { format: tool.format, root, keep: 100_000, checkedFiles: checked };
  const report = tool.prints ? readPrinted(path, place) : readReport(path, place);
  if (checked.isNone) return without('missing', noFileChecked(tool));
  const fault = report.findings.find((finding) => tool.isOwnFault?.(finding) === true);
  if (fault !== undefined) return without('error', faultWords(tool, run, fault, places));
  // The exit status says that it found something, but the report is empty: its settings may silence it.
  const isMute = run.code !== 0 && report.outcome === 'pass' && report.findings.length === 0;
  const isWhole = isMeasured(report.outcome) && !isMute && !hidesFailure(report) && (tool.countsFiles !== true || checked.isStated);
  if (run.code !== null && tool.statuses.includes(run.code) && isWhole)
    return { outcome: report.outcome, report, problem: null, partial: [] };
  return without(run.code === NO_PROGRAM ? 'missing' : 'error', problemOf(tool, run, report, places), report.findings);
}

/** The exit status of shells, and of wrappers such as pyenv, for a program that does not exist. */
const NO_PROGRAM = 127;

function faultWords({ name }: LintTool, run: ToolRun, { rule, artifact, line, message }: Finding, places: LintPaths): string {
  const where = artifact === null ? '' : `${artifact}${line === null ? '' : `:${line}`}: `;
  return `${name} cannot use its settings (${howToolEnded(run)}): ${where}${rule ?? 'error'}: ${shownWord(message, places)}`;
}

function problemOf(tool: LintTool, run: ToolRun, report: ToolReport, places: LintPaths): string {
  const said = errorWords(run, 'first', places);
  const how = howToolEnded(run);
  const [fault] = report.findings.length > 0 || hidesFailure(report) ? report.problems : [];
  const what =
    fault !== undefined
      ? `left a report that is only partly readable (${how}): ${fault.message}.`
      : report.outcome === 'pass' && run.code !== 0
        ? `lists nothing in its report (${how}). Check whether its settings silence it.`
        : `left no readable report (${how}).`;
  return `${tool.name} ${what}${said === '' ? '' : ` Output: ${said}`}`;
}

function noReport({ format }: LintTool): ToolReport {
  return { format, outcome: 'error', findings: [], problems: [] };
}

function noFileChecked({ name }: LintTool): string {
  return `${name} checked none of these files; its settings exclude them.`;
}

/** A report that is an empty list. */
function isEmptyList(path: string): boolean {
  const size = statOf(path)?.size ?? 0;
  return size > 0 && size < 10 && readFileSync(path, 'utf8').trim() === '[]';
}

/** How to ask a tool which of some files it would check. */
export interface FileQuestion {
  readonly argv: (files: readonly string[]) => readonly string[];
  /** Files that it names but only loads. */
  readonly passesOver?: (path: string) => boolean;
}

interface CheckedAnswer {
  /** Null where it gives none. */
  readonly files: readonly string[] | null;
  /** Null where it was not asked. */
  readonly use: ToolUse | null;
}

/** Those of `files` that the tool says it checks. */
export async function askCheckedFiles(
  job: CriticJob,
  tool: { readonly name: string; readonly version: string | null; readonly asks?: FileQuestion },
  scratch: string,
  files: readonly string[],
): Promise<CheckedAnswer> {
  const { asks } = tool;
  if (asks === undefined) return { files: null, use: null };
  const answer = join(scratch, `${tool.name}.files`);
  const call = { name: tool.name, version: tool.version, argv: asks.argv(files), workdir: job.project, scratch, isQuiet: true };
  const run = await runTool(job, { ...call, keepStdout: answer });
  const named = run.outcome === 'ended' ? namedIn(answer, job.project) : new Set<string>();
  const known = files.filter((path) => named.has(path));
  // A tool that does not understand the question fails and names no file.
  const isAnswer = run.outcome === 'ended' && (run.code === 0 || known.length > 0);
  const taken = (isAnswer ? known : files).filter((path) => asks.passesOver?.(path) !== true);
  return { files: isAnswer || asks.passesOver !== undefined ? taken : null, use: run.use };
}

/** One path a line, absolute or from the project. */
function namedIn(answer: string, project: string): ReadonlySet<string> {
  const roots = [project, realpathSync.native(project)];
  const lines = readFileSync(answer, 'utf8').split('\n');
  return new Set(
    lines
      .filter((line) => line.trim() !== '')
      .flatMap((line) => roots.map((root) => relative(root, resolve(root, line.trim())).split(sep).join('/'))),
  );
}

export interface CheckedSelection {
  readonly files: readonly string[];
  /** Says that some files may not have been checked; null where all is known. */
  readonly doubt: string | null;
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
  of(tool: string, files: readonly string[], among?: number): CheckedSelection {
    if (this.named.size > 0) return { files: files.filter((path) => this.named.has(path)), doubt: null };
    const { stated } = this;
    if (stated === null || stated >= (among ?? files.length)) return { files, doubt: null };
    if (among !== undefined && stated > 0)
      return { files: [], doubt: `${tool} checked ${stated} of ${among} files and does not say which.` };
    const doubt = `${tool} checked ${stated} of the ${files.length} changed files and does not say which.`;
    return { files: [], doubt: stated === 0 ? null : doubt };
  }
}

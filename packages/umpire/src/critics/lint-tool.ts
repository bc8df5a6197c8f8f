// One linter or type checker of a project, from the call to what its report says. A tool that broke, did not use its settings or looked at
// no file has no reading: its silence is no news. What findings mean for a verdict is left to the critics.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckOutcome, Finding, ToolReport } from '@umpire/core/model.js';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import { withoutColours } from '@umpire/reports/line-stream.js';
import { placeInProject } from '@umpire/reports/places.js';
import { statOf } from '../sessions/file-system.js';
import type { CriticJob } from './critic.js';
import { errorWords } from './error-words.js';
import { askWhatItLooksAt, LookedFiles } from './lint-looked.js';
import type { LookQuestion } from './lint-looked.js';
import { shownWord } from './provenance.js';
import type { ShownPlaces, ToolUse } from './provenance.js';
import { readPrinted, readReport } from './report-file.js';
import { runTool } from './tool.js';
import type { ToolRun } from './tool.js';

export interface LintTool {
  readonly name: string;
  readonly kind: 'types' | 'lint';
  readonly language: 'script' | 'python';
  readonly version: string | null;
  /** As the readers know it. */
  readonly format: string;
  /** Does it lint this file? Asked where only some files are to be looked at. */
  readonly takes: (path: string) => boolean;
  /** `report`: where its report goes. `files` empty: all that its own configuration says. */
  readonly argv: (report: string, files: readonly string[]) => readonly string[];
  /** Does it print its report instead of writing it? */
  readonly prints: boolean;
  /** Exit statuses that are no accident. */
  readonly statuses: readonly number[];
  /** A run that prints nothing and ends with 0 is clean. */
  readonly isSilentWhenClean?: boolean;
  /** An empty list and an end with 0 is clean; of others it says that no file was looked at. */
  readonly isEmptyWhenClean?: boolean;
  /** How many files there are that it may be about, where it is not handed any. */
  readonly universe?: () => number;
  /** A whole report says how many files it is about. */
  readonly countsFiles?: boolean;
  /** What it says where it does not use its settings, and goes on all the same. */
  readonly unsettled?: RegExp;
  /** What it says where it found no file to look at. */
  readonly idle?: RegExp;
  /** Added to its environment. */
  readonly env?: (scratch: string) => Readonly<Record<string, string>>;
  /** Files that it says it looked at, absolute, where it says that beside its report; null where it does not. */
  readonly listed?: (scratch: string) => readonly string[] | null;
  /** How many files it looked at, where it says that beside an empty report; null where it does not. */
  readonly counted?: (scratch: string) => number | null;
  /** How it is asked which of some files it looks at. */
  readonly looks?: LookQuestion;
}

export interface LintRun {
  readonly tool: string;
  readonly kind: 'types' | 'lint';
  readonly outcome: CheckOutcome;
  readonly report: ToolReport;
  /** What it found before it gave up, where its outcome is `error`. */
  readonly partial: readonly Finding[];
  /** Why there is no reading; null where there is one. */
  readonly problem: string | null;
  readonly use: ToolUse;
  /** The question which files it looks at; null where it was not asked. */
  readonly asked: ToolUse | null;
  /** Of the files that it was handed, those that it looked at. */
  readonly looked: readonly string[];
  /** Files that it may have looked at or not; null where there are none. */
  readonly doubt: string | null;
}

/** Runs one on some files, of which it may leave some out: what it does not look at, it says nothing of. */
export async function runLintToolOn(job: CriticJob, tool: LintTool, scratch: string, files: readonly string[]): Promise<LintRun> {
  const { files: asked, use } = await askWhatItLooksAt(job, tool, scratch, files);
  const missing = { outcome: 'missing', report: noReport(tool), problem: looksAtNone(tool), looked: [], partial: [] } as const;
  if (use !== null && asked?.length === 0) return { tool: tool.name, kind: tool.kind, ...missing, use, asked: null, doubt: null };
  const run = { ...(await runLintTool(job, tool, scratch, asked ?? files)), asked: use };
  const isRead = run.outcome === 'pass' || run.outcome === 'fail';
  return isRead && run.looked.length === 0 && run.doubt === null ? { ...run, ...missing } : run;
}

/** Runs one. `scratch`: a folder outside the project for its report. */
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
  const seen = new LookedFiles();
  for (const file of tool.listed?.(scratch) ?? []) seen.file(placeInProject(file, job.project) ?? '');
  const read = readingOf(tool, run, { report, scratch, project: job.project }, seen);
  const { files: looked, doubt } = seen.of(tool.name, files, files.length === 0 ? undefined : tool.universe?.());
  return { tool: tool.name, kind: tool.kind, ...read, use: run.use, asked: null, looked, doubt };
}

type Reading = Pick<LintRun, 'outcome' | 'report' | 'problem' | 'partial'>;

interface Places extends ShownPlaces {
  readonly scratch: string;
  readonly report: string;
}

function readingOf(tool: LintTool, run: ToolRun, places: Places, looked: LookedFiles): Reading {
  const { report: path, project: root } = places;
  const none = noReport(tool);
  const without = (outcome: CheckOutcome, problem: string | null, partial: readonly Finding[] = []): Reading => ({
    outcome,
    report: none,
    problem,
    partial,
  });
  const clean: Reading = { outcome: 'pass', report: { ...none, outcome: 'pass' }, problem: null, partial: [] };
  if (run.outcome === 'timeout') return without('timeout', `${tool.name} took too long and was ended.`);
  if (run.outcome === 'interrupted') return without('error', `${tool.name} was stopped.`);
  if (run.outcome === 'unstarted') return without('missing', run.problem);
  const printed = withoutColours(`${run.head}${run.tail}`);
  const unsettled = tool.unsettled?.exec(printed)?.[0].trim();
  if (unsettled !== undefined)
    return without('error', `${tool.name} could not use its settings and went on without: ${shownWord(unsettled.slice(0, 300), places)}`);
  if (tool.idle?.test(printed) === true) return without('missing', looksAtNone(tool));
  if (run.code === 0 && tool.isSilentWhenClean === true && run.head.trim() === '') return clean;
  if (run.code === 0 && isEmptyList(path)) {
    const counted = tool.counted?.(places.scratch) ?? null;
    if (counted !== null) looked.count(counted);
    return tool.isEmptyWhenClean === true && !looked.isNone ? clean : without('missing', looksAtNone(tool));
  }
  const place = { format: tool.format, root, keep: 100_000, looked };
  const report = tool.prints ? readPrinted(path, place) : readReport(path, place);
  if (looked.isNone) return without('missing', looksAtNone(tool));
  // An end that says "found something" over a report of nothing: its settings may keep it quiet.
  const isMute = run.code !== 0 && report.outcome === 'pass' && report.findings.length === 0;
  const isWhole = isMeasured(report.outcome) && !isMute && (tool.countsFiles !== true || looked.isStated);
  if (run.code !== null && tool.statuses.includes(run.code) && isWhole)
    return { outcome: report.outcome, report, problem: null, partial: [] };
  return without(run.code === NO_PROGRAM ? 'missing' : 'error', problemOf(tool, run, report, places), report.findings);
}

/** By which shells, and programs that only stand for others, say that there is none of that name. */
const NO_PROGRAM = 127;

function problemOf(tool: LintTool, run: ToolRun, report: ToolReport, places: Places): string {
  const said = errorWords(run, 'first', places);
  const how = run.code === null ? `was ended by ${run.signal ?? 'a signal'}` : `ended with status ${run.code}`;
  const [fault] = report.findings.length > 0 ? report.problems : [];
  const what =
    fault !== undefined
      ? `left a report of which not all can be read: ${fault.message}.`
      : report.outcome === 'pass' && run.code !== 0
        ? 'lists nothing in its report; do its settings keep it quiet?'
        : 'left no report that can be read.';
  return `${tool.name} ${how} and ${what}${said === '' ? '' : ` It said: ${said}`}`;
}

function noReport({ format }: LintTool): ToolReport {
  return { format, outcome: 'error', findings: [], problems: [] };
}

function looksAtNone({ name }: LintTool): string {
  return `${name} looks at none of these files: its settings leave them out.`;
}

/** A report that no file was looked at. */
function isEmptyList(path: string): boolean {
  const size = statOf(path)?.size ?? 0;
  return size > 0 && size < 10 && readFileSync(path, 'utf8').trim() === '[]';
}

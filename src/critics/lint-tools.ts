// The linters and type checkers that a project has, found from its own files and packages, and how each is asked for a report.
// What their findings mean for a verdict is left to the critics.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckOutcome, ToolReport } from '../model.js';
import { statOf } from '../runtime/entry.js';
import type { CriticJob } from './critic.js';
import { errorWords } from './error-words.js';
import { askWhatItLooksAt, LookedFiles } from './lint-looked.js';
import type { LookQuestion } from './lint-looked.js';
import type { ShownPlaces, ToolUse } from './provenance.js';
import { readReport } from './report-file.js';
import { findTool, readManifest, runTool } from './tool.js';
import type { FoundTool, ToolRun } from './tool.js';

export interface LintTool {
  readonly name: string;
  readonly kind: 'types' | 'lint';
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
  /** How it is asked which of some files it looks at. */
  readonly looks?: LookQuestion;
}

export interface LintRun {
  readonly tool: string;
  readonly kind: 'types' | 'lint';
  readonly outcome: CheckOutcome;
  readonly report: ToolReport;
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

const SCRIPT = /\.[cm]?[jt]sx?$/;
const WEB = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|jsonc?|css|graphql)$/;

/** Those that the project has both the package and the settings of. */
export function findLintTools(project: string): readonly LintTool[] {
  const names = new Set(existsSync(project) ? readdirSync(project) : []);
  const found = [eslint(project, names), oxlint(project, names), biome(project, names), tsc(project, names)];
  return found.filter((tool) => tool !== null);
}

function eslint(project: string, names: ReadonlySet<string>): LintTool | null {
  const isSet =
    [...names].some((name) => name.startsWith('eslint.config.') || name.startsWith('.eslintrc')) || hasKey(project, 'eslintConfig');
  const tool = isSet ? findTool(project, 'eslint') : null;
  if (tool === null) return null;
  const flat = [...names].some((name) => name.startsWith('eslint.config.'));
  const argv = (report: string, files: readonly string[]) => [
    ...node(tool),
    '--format',
    'json',
    '--output-file',
    report,
    '--no-error-on-unmatched-pattern',
    ...(flat ? ['--no-warn-ignored'] : []),
    '--',
    ...(files.length === 0 ? ['.'] : files),
  ];
  return { ...lint('eslint', tool), takes: (path) => SCRIPT.test(path), argv, prints: false, statuses: [0, 1] };
}

function oxlint(project: string, names: ReadonlySet<string>): LintTool | null {
  const tool =
    names.has('.oxlintrc.json') || names.has('oxlint.config.ts') || isDeclared(project, 'oxlint') ? findTool(project, 'oxlint') : null;
  if (tool === null) return null;
  const argv = (_report: string, files: readonly string[]) => [...node(tool), '--format', 'json', ...files];
  const looks = { argv: (files: readonly string[]) => [...node(tool), '--debug=files', ...files] };
  return { ...lint('oxlint', tool), takes: (path) => SCRIPT.test(path), argv, prints: true, statuses: [0, 1], looks };
}

function biome(project: string, names: ReadonlySet<string>): LintTool | null {
  const tool = names.has('biome.json') || names.has('biome.jsonc') ? findTool(project, '@biomejs/biome', 'biome') : null;
  if (tool === null) return null;
  const argv = (_report: string, files: readonly string[]) => [
    ...node(tool),
    'lint',
    '--reporter=json',
    '--max-diagnostics=10000',
    '--no-errors-on-unmatched',
    ...files,
  ];
  return { ...lint('biome', tool), takes: (path) => WEB.test(path), argv, prints: true, statuses: [0, 1] };
}

function tsc(project: string, names: ReadonlySet<string>): LintTool | null {
  const tool = names.has('tsconfig.json') && !onlyRefers(join(project, 'tsconfig.json')) ? findTool(project, 'typescript', 'tsc') : null;
  if (tool === null) return null;
  // Types are of the whole: a change in one file breaks another.
  const argv = () => [...node(tool), '--project', 'tsconfig.json', '--noEmit', '--pretty', 'false'];
  const common = { name: 'tsc', kind: 'types', version: tool.version, format: 'tsc' } as const;
  const isChecked = /"checkJs"\s{0,20}:\s{0,20}true/.test(configText(join(project, 'tsconfig.json')));
  const looks = {
    argv: () => [...node(tool), '--project', 'tsconfig.json', '--noEmit', '--listFilesOnly'],
    // What is written in JavaScript is loaded for its types, and checked only where that is asked for.
    passesOver: (path: string) => !isChecked && /\.[cm]?jsx?$/.test(path),
  };
  return { ...common, takes: (path) => SCRIPT.test(path), argv, prints: true, statuses: [0, 1, 2], isSilentWhenClean: true, looks };
}

/** It names other projects and no file of its own: `tsc` would check nothing and be silent. Its build mode would write files. */
function onlyRefers(path: string): boolean {
  const text = configText(path);
  return text.includes('"references"') && /"files"\s{0,20}:\s{0,20}\[\s{0,200}\]/.test(text);
}

function configText(path: string): string {
  return readFileSync(path, 'utf8').slice(0, 1024 * 1024);
}

function lint(name: string, tool: FoundTool): Pick<LintTool, 'name' | 'kind' | 'version' | 'format'> {
  return { name, kind: 'lint', version: tool.version, format: name };
}

function node(tool: FoundTool): readonly string[] {
  return [process.execPath, tool.bin];
}

function hasKey(project: string, key: string): boolean {
  return Object.hasOwn(readManifest(project) ?? {}, key);
}

function isDeclared(project: string, name: string): boolean {
  const { dependencies, devDependencies } = readManifest(project) ?? {};
  return [dependencies, devDependencies].some((list) => typeof list === 'object' && list !== null && Object.hasOwn(list, name));
}

/** Runs one on some files, of which it may leave some out: what it does not look at, it says nothing of. */
export async function runLintToolOn(job: CriticJob, tool: LintTool, scratch: string, files: readonly string[]): Promise<LintRun> {
  const { files: asked, use } = await askWhatItLooksAt(job, tool, scratch, files);
  const missing = { outcome: 'missing', report: noReport(tool), problem: looksAtNone(tool), looked: [] } as const;
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
    ...(tool.prints ? { keepStdout: report } : {}),
  });
  const seen = new LookedFiles();
  const read = readingOf(tool, run, { report, scratch, project: job.project }, seen);
  const { files: looked, doubt } = seen.of(tool.name, files);
  return { tool: tool.name, kind: tool.kind, ...read, use: run.use, asked: null, looked, doubt };
}

interface Places extends ShownPlaces {
  readonly report: string;
}

function readingOf(tool: LintTool, run: ToolRun, places: Places, looked: LookedFiles): Pick<LintRun, 'outcome' | 'report' | 'problem'> {
  const { report: path, project: root } = places;
  const none = noReport(tool);
  if (run.outcome === 'timeout') return { outcome: 'timeout', report: none, problem: `${tool.name} took too long and was ended.` };
  if (run.outcome === 'interrupted') return { outcome: 'error', report: none, problem: `${tool.name} was stopped.` };
  if (run.outcome === 'unstarted') return { outcome: 'missing', report: none, problem: run.problem };
  const isClean = run.code === 0 && tool.isSilentWhenClean === true && run.head.trim() === '';
  if (isClean) return { outcome: 'pass', report: { ...none, outcome: 'pass' }, problem: null };
  if (run.code === 0 && isEmptyList(path)) return { outcome: 'missing', report: none, problem: looksAtNone(tool) };
  const report = readReport(path, { format: tool.format, root, keep: 100_000, looked });
  if (looked.isNone) return { outcome: 'missing', report: none, problem: looksAtNone(tool) };
  if (run.code !== null && tool.statuses.includes(run.code) && report.outcome !== 'error' && report.outcome !== 'missing')
    return { outcome: report.outcome, report, problem: null };
  const said = errorWords(run, 'first', places);
  const how = run.code === null ? `was ended by ${run.signal ?? 'a signal'}` : `ended with status ${run.code}`;
  return {
    outcome: 'error',
    report: none,
    problem: `${tool.name} ${how} and left no report that can be read.${said === '' ? '' : ` It said: ${said}`}`,
  };
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

// The linters and type checkers that a project has, found from its own files and packages, and how each is asked for a report.
// What their findings mean for a verdict is left to the critics.

import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckOutcome, ToolReport } from '../model.js';
import type { CriticJob } from './critic.js';
import type { ToolUse } from './provenance.js';
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
}

export interface LintRun {
  readonly tool: string;
  readonly kind: 'types' | 'lint';
  readonly outcome: CheckOutcome;
  readonly report: ToolReport;
  /** Why there is no reading; null where there is one. */
  readonly problem: string | null;
  readonly use: ToolUse;
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
  return { ...lint('oxlint', tool), takes: (path) => SCRIPT.test(path), argv, prints: true, statuses: [0, 1] };
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
  return { ...common, takes: (path) => SCRIPT.test(path), argv, prints: true, statuses: [0, 1, 2], isSilentWhenClean: true };
}

/** It names other projects and no file of its own: `tsc` would check nothing and be silent. Its build mode would write files. */
function onlyRefers(path: string): boolean {
  const text = readFileSync(path, 'utf8').slice(0, 1024 * 1024);
  return text.includes('"references"') && /"files"\s{0,20}:\s{0,20}\[\s{0,200}\]/.test(text);
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
  const read = readingOf(tool, run, report, job.project);
  return { tool: tool.name, kind: tool.kind, ...read, use: run.use };
}

function readingOf(tool: LintTool, run: ToolRun, path: string, root: string): Pick<LintRun, 'outcome' | 'report' | 'problem'> {
  const none: ToolReport = { format: tool.format, outcome: 'error', findings: [], problems: [] };
  if (run.outcome === 'timeout') return { outcome: 'timeout', report: none, problem: `${tool.name} took too long and was ended.` };
  if (run.outcome === 'interrupted') return { outcome: 'error', report: none, problem: `${tool.name} was stopped.` };
  if (run.outcome === 'unstarted') return { outcome: 'missing', report: none, problem: run.problem };
  const isClean = run.code === 0 && tool.isSilentWhenClean === true && run.head.trim() === '';
  if (isClean) return { outcome: 'pass', report: { ...none, outcome: 'pass' }, problem: null };
  if (run.code === 0 && isEmptyList(path))
    return { outcome: 'missing', report: none, problem: `${tool.name} looks at none of these files: its settings leave them out.` };
  const report = readReport(path, { format: tool.format, root, keep: 100_000 });
  if (run.code !== null && tool.statuses.includes(run.code) && report.outcome !== 'error' && report.outcome !== 'missing')
    return { outcome: report.outcome, report, problem: null };
  const said = lastLines(run.tail === '' ? run.head : run.tail);
  const how = run.code === null ? `was ended by ${run.signal ?? 'a signal'}` : `ended with status ${run.code}`;
  return { outcome: 'error', report: none, problem: `${tool.name} ${how} and left no report that can be read. ${said}`.trim() };
}

/** A report that no file was looked at. */
function isEmptyList(path: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0 && size < 10 && readFileSync(path, 'utf8').trim() === '[]';
}

function lastLines(text: string): string {
  const last = text.trim().split('\n').slice(-3).join(' / ').slice(-300);
  return last === '' ? '' : `It said: ${last}`;
}

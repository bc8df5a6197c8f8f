// Measures types, lint and quality of one state of a project for the debt critic. The tests are project-tests.ts's.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { isMeasured, STATUS_RULE } from '@umpire/core/formats/debt-measurement.js';
import type { DebtMeasurement, ToolMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { makeFinding } from '@umpire/core/formats/finding.js';
import { isObject } from '@umpire/core/formats/json-text.js';
import { isStarter, programName } from '@umpire/core/formats/shell-text.js';
import type { Finding } from '@umpire/core/model/vocabulary.js';
import { splitCommand } from '../agents/command-line.js';
import type { CommandLine } from '../sessions/default-settings.js';
import { makeScratch } from '../sessions/temporary-folder.js';
import type { CriticJob } from './critic.js';
import { statusesOf } from './exit-statuses.js';
import { findPackages } from '../runners/find-tests.js';
import { runLintTool } from './lint-run.js';
import type { LintTool } from './lint-run.js';
import { findLintTools, isTscFault } from './lint-tools.js';
import { listScriptCommands } from '../runners/package-scripts.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { findQualityTools, outputOf } from './quality-tools.js';
import type { MeasuredTool } from './quality-tools.js';
import { readPrinted, readReport } from '../runners/report-file.js';
import { readManifest, runTool, timeLeft } from '../runners/run-tool.js';
import type { ToolRun } from '../runners/run-tool.js';

/** All but the tests, which every critic measures. */
export type ToolsState = Omit<DebtMeasurement, 'tests'>;

export interface MeasuredTools {
  readonly state: ToolsState;
  readonly uses: readonly ToolUse[];
}

/** `files`: of the project, relative to it. */
export async function measureTools(job: CriticJob, files: readonly string[]): Promise<MeasuredTools> {
  const scratch = makeScratch('debt');
  try {
    const types = await toolsOf(job, 'types', scratch);
    const lint = await toolsOf(job, 'lint', scratch);
    const quality = await qualityOf(job, scratch);
    const state = {
      types: measuresOf(types, job.project),
      lint: measuresOf(lint, job.project),
      quality: measuresOf(quality, job.project),
      lines: sourceLines(job.project, files),
    };
    return { state, uses: [...types, ...lint, ...quality].flatMap(({ use }) => use ?? []) };
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function toolsOf(job: CriticJob, check: 'types' | 'lint', scratch: string): Promise<readonly MeasuredTool[]> {
  const command = job.settings.debt.checks[check];
  if (command === false) return [];
  if (command !== undefined) return [await runCheckCommand(job, check, command, scratch)];
  const measured: MeasuredTool[] = [];
  for (const [index, { path, tool }] of findLintPlaces(job.project, check).entries()) {
    const own = join(scratch, `${check}-${index}`);
    mkdirSync(own);
    const place = path === '' ? job : { ...job, project: join(job.project, path), timeoutMs: timeLeft(job) };
    const run = await runLintTool(place, tool, own, []);
    const findings = run.report.findings.map((finding) => placed(finding, path));
    const name = path === '' ? tool.name : `${tool.name} in ${path}`;
    const use = path === '' ? run.use : { ...run.use, workdir: path };
    measured.push({ measure: whole({ tool: name, outcome: run.outcome, problem: run.problem, findings }), use });
  }
  return measured;
}

/** Those of the project; where it has none of its own for a language, those of its packages. */
export function findLintPlaces(project: string, kind: LintTool['kind']): readonly { readonly path: string; readonly tool: LintTool }[] {
  const at = (path: string) =>
    findLintTools(join(project, path))
      .filter((tool) => tool.kind === kind)
      .map((tool) => ({ path, tool }));
  const own = at('');
  const missed = LANGUAGES.filter((language) => !own.some(({ tool }) => tool.language === language));
  const packaged = missed.length === 0 ? [] : findPackages(project).flatMap(at);
  return [...own, ...packaged.filter(({ tool }) => missed.includes(tool.language))];
}

const LANGUAGES: readonly LintTool['language'][] = ['script', 'python'];

function placed(finding: Finding, path: string): Finding {
  if (finding.artifact === null) return finding;
  const artifact = inPackages(finding.artifact);
  if (path === '' && artifact === finding.artifact) return finding;
  return makeFinding({ ...finding, artifact: path === '' ? artifact : `${path}/${artifact}` });
}

/** A copy of the project has links to its packages: how far away they are must not make what is found in them look new. */
function inPackages(artifact: string): string {
  return artifact.slice(/(?<=^|\/)(?:node_modules|site-packages)\//.exec(artifact)?.index ?? 0);
}

async function qualityOf(job: CriticJob, scratch: string): Promise<readonly MeasuredTool[]> {
  const { checks, complexity } = job.settings.debt;
  if (checks.quality === false) return [];
  if (checks.quality !== undefined) return [await runCheckCommand(job, 'quality', checks.quality, scratch)];
  const measured: MeasuredTool[] = [];
  for (const [index, tool] of findQualityTools(job.project, complexity).entries()) {
    const own = join(scratch, `quality-${index}`);
    mkdirSync(own);
    measured.push(await tool.measure(job, own));
  }
  return measured;
}

/** A tool that calls itself failed and lists nothing has found something all the same. */
function whole(measure: ToolMeasurement): ToolMeasurement {
  if (measure.outcome !== 'fail' || measure.findings.length > 0) return measure;
  const message = `${measure.tool} failed without listing a finding`;
  return { ...measure, findings: [makeFinding({ severity: 'high', message, rule: STATUS_RULE })] };
}

/** The place of a copy must not make its findings look like others. */
function measuresOf(measured: readonly MeasuredTool[], project: string): readonly ToolMeasurement[] {
  const own = (finding: Finding): Finding => {
    const isPlaced = finding.message.includes(project) || (finding.artifact?.startsWith(project) ?? false);
    if (!isPlaced) return finding;
    const plain = (text: string): string => text.replaceAll(`${project}/`, '').replaceAll(project, '.');
    return makeFinding({
      ...finding,
      message: plain(finding.message),
      artifact: finding.artifact === null ? null : plain(finding.artifact),
    });
  };
  return measured.map(({ measure }) => ({ ...measure, findings: measure.findings.map(own) }));
}

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|go|rs|java|kt|kts|cs|php|swift|scala|c|h|cc|cpp|hpp|css|scss|less|sh|sql)$/;

function sourceLines(project: string, files: readonly string[]): number {
  return files.filter((path) => SOURCE.test(path)).reduce((sum, path) => sum + linesIn(join(project, path)), 0);
}

function linesIn(path: string): number {
  try {
    return readFileSync(path, 'latin1')
      .split('\n')
      .filter((line) => line.trim() !== '').length;
  } catch {
    return 0;
  }
}

const KEPT = 100_000;

/** Readers of lines that pass over those they do not know. */
const PASSES_OVER: ReadonlySet<string> = new Set(['flake8', 'mypy']);

/** `check`: for people. `scratch`: a folder outside the project. */
export async function runCheckCommand(job: CriticJob, check: string, command: CommandLine, scratch: string): Promise<MeasuredTool> {
  const name = `the ${check} command`;
  const argv = wordsOf(command);
  if (typeof argv === 'string') return { measure: { tool: name, outcome: 'error', problem: argv, findings: [] }, use: null };
  const printed = join(scratch, `${check}.report`);
  const run = await runTool(job, { name: argv[0] ?? check, argv, workdir: job.project, scratch, keepStdout: printed });
  return { measure: commandMeasure(name, run, printed, job.project, statusesOfCommand(argv, job.project)), use: run.use };
}

/** The statuses of the one known tool that a command runs, also by a script of package.json; null where it is none or several. */
export function statusesOfCommand(argv: readonly string[], project: string): readonly number[] | null {
  const scripts = readManifest(project)?.['scripts'];
  const commands = listScriptCommands(isObject(scripts) ? scripts : {}, { words: argv });
  const [only] = commands.length === 1 ? commands : [];
  const program = only?.words.find((word) => !isStarter(word) && !word.startsWith('-')) ?? '';
  return statusesOf(programName(program));
}

function wordsOf(command: CommandLine): readonly string[] | string {
  if (typeof command !== 'string') return command.length > 0 ? command : 'The command in the settings is empty.';
  try {
    return splitCommand(command);
  } catch (error) {
    if (isUmpireError(error)) return error.message;
    throw error;
  }
}

function commandMeasure(tool: string, run: ToolRun, printed: string, root: string, statuses: readonly number[] | null): ToolMeasurement {
  const without = (outcome: ToolMeasurement['outcome'], problem: string): ToolMeasurement => ({ tool, outcome, problem, findings: [] });
  if (run.outcome === 'timeout') return without('timeout', `${tool} timed out.`);
  if (run.outcome === 'interrupted') return without('error', `${tool} was stopped.`);
  // The settings ask for it, so it is not merely missing.
  if (run.outcome === 'unstarted') return without('error', run.problem ?? `${tool} could not be started.`);
  if (run.code === null) return without('error', `${tool} was killed by ${run.signal ?? 'a signal'}.${outputOf(run)}`);
  // A script, or the shell in it, found no such program: that is no finding.
  if (run.code === 126 || run.code === 127) return without('error', `${tool} could not run (exit status ${run.code}).${outputOf(run)}`);
  if (statuses?.includes(run.code) === false) return without('error', `${tool} broke (exit status ${run.code}).${outputOf(run)}`);
  const place = { format: null, root, keep: KEPT };
  const report = readPrinted(printed, place);
  if (report.outcome === 'error' && report.format !== 'unknown')
    return without('error', `${tool} left an unreadable report: ${report.problems[0]?.message ?? 'it is damaged'}.`);
  const findings = isMeasured(report.outcome) ? report.findings : [];
  if (report.format === 'tsc' && findings.some(isTscFault))
    return without('error', `${tool} could not use its settings (exit status ${run.code}).${outputOf(run)}`);
  const message = run.code === 0 ? `${tool} reports a failure` : `${tool} failed (exit status ${run.code})`;
  const failure = makeFinding({ severity: 'high', message, rule: STATUS_RULE });
  // Other lines around it may be another tool's, and so may the failure: the report does not speak for all of them.
  const isWhole = !PASSES_OVER.has(report.format) && isMeasured(readReport(printed, place).outcome);
  const isUnexplained = run.code !== 0 && !isWhole;
  if (findings.length > 0) return { tool, outcome: 'fail', problem: null, findings: isUnexplained ? [...findings, failure] : findings };
  if (run.code === 0 && report.outcome !== 'fail') return { tool, outcome: 'pass', problem: null, findings };
  return { tool, outcome: 'fail', problem: null, findings: [failure] };
}

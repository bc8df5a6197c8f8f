// Measures types, lint and quality of one state of a project for the debt critic. The tests are project-tests.ts's.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { isMeasured, STATUS_RULE } from '@umpire/core/formats/debt-measurement.js';
import type { DebtMeasurement, ToolMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { makeFinding } from '@umpire/core/formats/finding.js';
import { isObject } from '@umpire/core/formats/json-text.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { isStarter, programName } from '@umpire/core/formats/shell-text.js';
import type { Finding } from '@umpire/core/model/vocabulary.js';
import { splitCommand } from '../agents/program-lookup.js';
import { findPackages } from '../runners/find-tests.js';
import { listScriptCommands } from '../runners/package-scripts.js';
import { readText } from '../runners/project-files.js';
import { readPrinted, readReport } from '../runners/report-file.js';
import { howToolEnded, readManifest, runTool, timeLeft, whyUnended } from '../runners/run-tool.js';
import type { ToolRun } from '../runners/run-tool.js';
import type { CommandLine } from '../sessions/settings.js';
import { makeScratch } from '../sessions/session-folder.js';
import { findCheckTools, findComplexityTool, findStatuses, isTscFault } from './check-tools.js';
import type { CheckTool, ToolKind } from './check-tools.js';
import type { CriticJob } from './critic.js';
import { describeOutput, runCheckTool } from './run-check-tool.js';

/** All but the tests, which every critic measures. */
export type ToolsState = Omit<DebtMeasurement, 'tests'>;

export interface MeasuredTools {
  readonly state: ToolsState;
  readonly uses: readonly ToolUse[];
}

export interface MeasuredTool {
  readonly measure: ToolMeasurement;
  readonly use: ToolUse | null;
}

/** `files`: of the project, relative to it. */
export async function measureTools(job: CriticJob, files: readonly string[]): Promise<MeasuredTools> {
  const scratch = makeScratch('debt');
  try {
    const uses: ToolUse[] = [];
    const measured = async (kind: ToolKind): Promise<readonly ToolMeasurement[]> => {
      const found = await measureKind(job, kind, scratch);
      uses.push(...found.flatMap(({ use }) => use ?? []));
      return found.map(({ measure }) => {
        // The place of a copy must not make its findings look like others.
        const project = job.project;
        const stripPlace = (text: string): string => text.replaceAll(`${project}/`, '').replaceAll(project, '.');
        const findings = measure.findings.map((finding): Finding => {
          const { message, artifact } = finding;
          const isPlaced = message.includes(project) || (artifact?.startsWith(project) ?? false);
          return isPlaced
            ? makeFinding({ ...finding, message: stripPlace(message), artifact: artifact === null ? null : stripPlace(artifact) })
            : finding;
        });
        return { ...measure, findings };
      });
    };
    const state = { types: await measured('types'), lint: await measured('lint'), quality: await measured('quality') };
    return { state: { ...state, lines: countSourceLines(job.project, files) }, uses };
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function measureKind(job: CriticJob, kind: ToolKind, scratch: string): Promise<readonly MeasuredTool[]> {
  const { [kind]: command, complexity } = job.settings.debt;
  if (command === false) return [];
  if (command !== undefined) return [await runCheckCommand(job, kind, command, scratch)];
  const measured: MeasuredTool[] = [];
  for (const [index, { path, tool }] of findToolPlaces(job.project, kind, complexity).entries()) {
    const own = join(scratch, `${kind}-${index}`);
    mkdirSync(own);
    const place = path === '' ? job : { ...job, project: join(job.project, path), timeoutMs: timeLeft(job) };
    const { outcome, problem, findings, use } = await runCheckTool(place, tool, own, []);
    const name = path === '' ? tool.name : `${tool.name} in ${path}`;
    const measure = {
      tool: name,
      outcome,
      problem,
      findings: findings.map((finding) => {
        if (finding.artifact === null) return finding;
        // A copy of the project has links to its packages: how far away they are must not make what is found in them look new.
        const artifact = finding.artifact.slice(/(?<=^|\/)(?:node_modules|site-packages)\//.exec(finding.artifact)?.index ?? 0);
        if (path === '' && artifact === finding.artifact) return finding;
        return makeFinding({ ...finding, artifact: path === '' ? artifact : `${path}/${artifact}` });
      }),
    };
    // A tool that calls itself failed and lists nothing has found something all the same.
    const unlisted = makeFinding({ severity: 'high', message: `${name} failed without listing a finding`, rule: STATUS_RULE });
    const isUnlisted = outcome === 'fail' && findings.length === 0;
    measured.push({
      measure: isUnlisted ? { ...measure, findings: [unlisted] } : measure,
      use: path === '' ? use : { ...use, workdir: path },
    });
  }
  return measured;
}

export interface ToolPlace {
  /** From the project; empty for the project itself. */
  readonly path: string;
  readonly tool: CheckTool;
}

/** Those of the project; where it has no linter or type checker of its own for a language, those of its packages. */
export function findToolPlaces(project: string, kind: ToolKind, complexity: number): readonly ToolPlace[] {
  const at = (path: string) => findCheckTools(join(project, path), [kind]).map((tool) => ({ path, tool }));
  const own = at('');
  const complexityTool = kind === 'quality' ? findComplexityTool(project, complexity) : null;
  if (complexityTool !== null) return [{ path: '', tool: complexityTool }, ...own];
  if (kind === 'quality') return own;
  const missed = LANGUAGES.filter((language) => !own.some(({ tool }) => tool.language === language));
  const packaged = missed.length === 0 ? [] : findPackages(project).flatMap(at);
  return [...own, ...packaged.filter(({ tool }) => missed.includes(tool.language))];
}

const LANGUAGES: readonly CheckTool['language'][] = ['script', 'python'];

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|go|rs|java|kt|kts|cs|php|swift|scala|c|h|cc|cpp|hpp|css|scss|less|sh|sql)$/;

function countSourceLines(project: string, files: readonly string[]): number {
  return files.reduce((sum, path) => {
    const text = SOURCE.test(path) ? readText(join(project, path)) : null;
    return text === null ? sum : sum + text.split('\n').filter((line) => line.trim() !== '').length;
  }, 0);
}

const KEPT = 100_000;

/** Readers of lines that pass over those they do not know. */
const PASSES_OVER: ReadonlySet<string> = new Set(['flake8', 'mypy']);

/** `check`: for people. `scratch`: a folder outside the project. */
async function runCheckCommand(job: CriticJob, check: string, command: CommandLine, scratch: string): Promise<MeasuredTool> {
  const name = `the ${check} command`;
  const broken = (problem: string): MeasuredTool => ({ measure: { tool: name, outcome: 'error', problem, findings: [] }, use: null });
  let argv: readonly string[];
  try {
    argv = typeof command === 'string' ? splitCommand(command) : command;
  } catch (error) {
    if (isUmpireError(error)) return broken(error.message);
    throw error;
  }
  if (argv.length === 0) return broken('The command in the settings is empty.');
  const printed = join(scratch, `${check}.report`);
  const run = await runTool(job, { name: argv[0] ?? check, argv, workdir: job.project, scratch, keepStdout: printed });
  return { measure: measureCommandRun(name, run, printed, job.project, findCommandStatuses(argv, job.project)), use: run.use };
}

/** The statuses of the one known tool that a command runs, also by a script of package.json; null where it is none or several. */
export function findCommandStatuses(argv: readonly string[], project: string): readonly number[] | null {
  const scripts = readManifest(project)?.['scripts'];
  const commands = listScriptCommands(isObject(scripts) ? scripts : {}, { words: argv });
  const [only] = commands.length === 1 ? commands : [];
  const program = only?.words.find((word) => !isStarter(word) && !word.startsWith('-')) ?? '';
  return findStatuses(programName(program));
}

function measureCommandRun(tool: string, run: ToolRun, printed: string, root: string, statuses: readonly number[] | null): ToolMeasurement {
  const withoutFindings = (outcome: ToolMeasurement['outcome'], problem: string): ToolMeasurement => ({
    tool,
    outcome,
    problem,
    findings: [],
  });
  const unended = whyUnended(run, tool);
  // The settings ask for it, so it is not merely missing.
  if (unended !== null) return withoutFindings(unended.outcome === 'timeout' ? 'timeout' : 'error', unended.problem);
  const broke = (what: string) => withoutFindings('error', `${tool} ${what} (${howToolEnded(run)}).${describeOutput(run, null)}`);
  // A script, or the shell in it, found no such program: that is no finding.
  if (run.code === 126 || run.code === 127) return broke('could not run');
  if (run.code === null || statuses?.includes(run.code) === false) return broke('broke');
  const place = { format: null, root, keep: KEPT };
  const report = readPrinted(printed, place);
  if (report.outcome === 'error' && report.format !== 'unknown')
    return withoutFindings('error', `${tool} left an unreadable report: ${report.problems[0]?.message ?? 'it is damaged'}.`);
  const findings = isMeasured(report.outcome) ? report.findings : [];
  if (report.format === 'tsc' && findings.some(isTscFault)) return broke('could not use its settings');
  const message = run.code === 0 ? `${tool} reports a failure` : `${tool} failed (exit status ${run.code})`;
  const failure = makeFinding({ severity: 'high', message, rule: STATUS_RULE });
  // Other lines around it may be another tool's, and so may the failure: the report does not speak for all of them.
  const isWhole = !PASSES_OVER.has(report.format) && isMeasured(readReport(printed, place).outcome);
  const isUnexplained = run.code !== 0 && !isWhole;
  if (findings.length > 0) return { tool, outcome: 'fail', problem: null, findings: isUnexplained ? [...findings, failure] : findings };
  if (run.code === 0 && report.outcome !== 'fail') return { tool, outcome: 'pass', problem: null, findings };
  return { tool, outcome: 'fail', problem: null, findings: [failure] };
}

// A check that the project's settings give as a command of its own: its words are run, never by a shell. A report that it prints is
// read; without one its exit status is all that is compared.

import { join } from 'node:path';
import { splitCommand } from '../agents/command-line.js';
import { isUmpireError } from '@umpire/core/errors.js';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { ToolMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { makeFinding } from '@umpire/core/formats/finding.js';
import type { CommandLine } from '../sessions/default-settings.js';
import type { CriticJob } from './critic.js';
import { saidBy } from './quality-tools.js';
import type { Measured } from './quality-tools.js';
import { readPrinted, readReport } from './report-file.js';
import { runTool } from './tool.js';
import type { ToolRun } from './tool.js';

const KEPT = 100_000;

/** Of the one finding that stands for a failure of which nothing more is known. */
export const STATUS_RULE = 'exit-status';

/** Readers of lines that pass over those they do not know. */
const PASSES_OVER: ReadonlySet<string> = new Set(['flake8', 'mypy']);

/** `check`: for people. `scratch`: a folder outside the project. */
export async function runCheckCommand(job: CriticJob, check: string, command: CommandLine, scratch: string): Promise<Measured> {
  const name = `the ${check} command`;
  const argv = wordsOf(command);
  if (typeof argv === 'string') return { measure: { tool: name, outcome: 'error', problem: argv, findings: [] }, use: null };
  const printed = join(scratch, `${check}.report`);
  const run = await runTool(job, { name: argv[0] ?? check, argv, workdir: job.project, scratch, keepStdout: printed });
  return { measure: measureOf(name, run, printed, job.project), use: run.use };
}

function wordsOf(command: CommandLine): readonly string[] | string {
  if (typeof command !== 'string') return command.length > 0 ? command : 'The settings name an empty command.';
  try {
    return splitCommand(command);
  } catch (error) {
    if (isUmpireError(error)) return error.message;
    throw error;
  }
}

function measureOf(tool: string, run: ToolRun, printed: string, root: string): ToolMeasurement {
  const without = (outcome: ToolMeasurement['outcome'], problem: string): ToolMeasurement => ({ tool, outcome, problem, findings: [] });
  if (run.outcome === 'timeout') return without('timeout', `${tool} took too long and was ended.`);
  if (run.outcome === 'interrupted') return without('error', `${tool} was stopped.`);
  // The settings ask for it, so it is not merely missing.
  if (run.outcome === 'unstarted') return without('error', run.problem ?? `${tool} could not be started.`);
  if (run.code === null) return without('error', `${tool} was ended by ${run.signal ?? 'a signal'}.${saidBy(run)}`);
  // A script, or the shell in it, found no such program: that is no finding.
  if (run.code === 126 || run.code === 127)
    return without('error', `${tool} ended with status ${run.code}: it could not be run.${saidBy(run)}`);
  const place = { format: null, root, keep: KEPT };
  const report = readPrinted(printed, place);
  if (report.outcome === 'error' && report.format !== 'unknown')
    return without('error', `${tool} left a report that cannot be read: ${report.problems[0]?.message ?? 'it is damaged'}.`);
  const findings = isMeasured(report.outcome) ? report.findings : [];
  const message = run.code === 0 ? `${tool} reports a failure` : `${tool} ended with status ${run.code}`;
  const failure = makeFinding({ severity: 'high', message, rule: STATUS_RULE });
  // Other lines around it may be another tool's, and so may the failure: the report does not speak for all of them.
  const isWhole = !PASSES_OVER.has(report.format) && isMeasured(readReport(printed, place).outcome);
  const isUnexplained = run.code !== 0 && !isWhole;
  if (findings.length > 0) return { tool, outcome: 'fail', problem: null, findings: isUnexplained ? [...findings, failure] : findings };
  if (run.code === 0 && report.outcome !== 'fail') return { tool, outcome: 'pass', problem: null, findings };
  return { tool, outcome: 'fail', problem: null, findings: [failure] };
}

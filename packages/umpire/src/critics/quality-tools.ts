// The quality tools that a project declares: knip for unused code, jscpd for duplication, the complexity rule of its linter. Nothing
// is installed.

import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJscpd } from '@umpire/core/formats/jscpd-findings.js';
import type { ToolMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import { readKnip } from '@umpire/core/formats/knip-findings.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import type { Finding } from '@umpire/core/model/vocabulary.js';
import type { CriticJob } from './critic.js';
import { errorWords } from '../runners/error-words.js';
import { EXIT_STATUSES } from './exit-statuses.js';
import { runLintTool } from './lint-run.js';
import { findLintTools } from './lint-tools.js';
import type { LintTool } from './lint-run.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { findTool, howToolEnded, readManifest, runTool } from '../runners/run-tool.js';
import type { FoundTool, ToolRun } from '../runners/run-tool.js';

export interface MeasuredTool {
  readonly measure: ToolMeasurement;
  readonly use: ToolUse | null;
}

export interface QualityTool {
  /** For people: `knip`, `complexity by eslint`. */
  readonly name: string;
  readonly version: string | null;
  /** The project's linter, asked for one rule. */
  readonly isLinter: boolean;
  /** `scratch`: a folder outside the project, for reports. */
  readonly measure: (job: CriticJob, scratch: string) => Promise<MeasuredTool>;
}

export function findQualityTools(project: string, complexity: number): readonly QualityTool[] {
  const names = new Set(existsSync(project) ? readdirSync(project) : []);
  const linter = findLintTools(project).find(({ name }) => name === 'eslint' || name === 'oxlint');
  const found: readonly (QualityTool | null)[] = [
    linter === undefined ? null : complexityOf(linter, complexity),
    duplicationIn(project, names),
    unusedIn(project, names),
  ];
  return found.filter((tool) => tool !== null);
}

/** ESLint's own rule, as linters name it: `complexity`, `eslint(complexity)`. */
const COMPLEXITY = /^(?:eslint[(/])?complexity\)?$/;

function complexityOf(linter: LintTool, most: number): QualityTool {
  const name = `complexity by ${linter.name}`;
  const measure: QualityTool['measure'] = async (job, scratch) => {
    const argv = linter.name === 'eslint' ? eslintAsked(linter, most) : oxlintAsked(linter, most, job.project, scratch);
    const run = await runLintTool(job, { ...linter, name: `${linter.name}-complexity`, argv }, scratch, []);
    const findings = run.report.findings.filter(({ rule }) => COMPLEXITY.test(rule ?? ''));
    const outcome = isMeasured(run.outcome) ? (findings.length > 0 ? 'fail' : 'pass') : run.outcome;
    return { measure: { tool: name, outcome, problem: run.problem, findings }, use: { ...run.use, name: linter.name } };
  };
  return { name, version: linter.version, isLinter: true, measure };
}

/** The project's own configuration with one rule more. */
function eslintAsked(linter: LintTool, most: number): LintTool['argv'] {
  return (report, files) => {
    const [node = '', bin = '', ...rest] = linter.argv(report, files);
    return [node, bin, '--rule', `complexity: [warn, ${most}]`, ...rest];
  };
}

/** The rule alone, by a configuration of our own: the words of a command cannot say its limit. What the project leaves out stays out. */
function oxlintAsked(linter: LintTool, most: number, project: string, scratch: string): LintTool['argv'] {
  const config = join(scratch, 'complexity.json');
  const own = jsonAt(join(project, '.oxlintrc.json'));
  const said = isObject(own) ? own['ignorePatterns'] : undefined;
  const ignorePatterns = Array.isArray(said) ? said.filter((pattern) => typeof pattern === 'string') : [];
  const rules = { 'eslint/complexity': ['warn', { max: most }] };
  writeFileSync(config, JSON.stringify({ categories: { correctness: 'off' }, rules }));
  return (report, files) => {
    const [node = '', bin = '', ...rest] = linter.argv(report, files);
    return [node, bin, '-c', config, '--disable-nested-config', ...ignorePatterns.map((pattern) => `--ignore-pattern=${pattern}`), ...rest];
  };
}

const JSCPD_SETTINGS = ['.jscpd.json'];
const JSCPD_ASIDE = '**/node_modules/**,**/.git/**,**/.umpire/**,**/dist/**,**/build/**,**/coverage/**';

function duplicationIn(project: string, names: ReadonlySet<string>): QualityTool | null {
  const isSet = JSCPD_SETTINGS.some((name) => names.has(name)) || hasMember(project, 'jscpd');
  const tool = isSet || isDeclared(project, 'jscpd') ? findTool(project, 'jscpd') : null;
  if (tool === null) return null;
  const measure: QualityTool['measure'] = async (job, scratch) => {
    const output = join(scratch, 'jscpd');
    const aside = isSet ? [] : ['--ignore', JSCPD_ASIDE];
    // A threshold would end it with another status: how much is too much is not its to say here.
    const asked = ['--reporters', 'json', '--output', output, '--silent', '--threshold', '100', '--exitCode', '0', ...aside, '.'];
    const run = await runTool(job, { ...callOf('jscpd', tool, job, scratch), argv: [process.execPath, tool.bin, ...asked] });
    const report = join(output, 'jscpd-report.json');
    // Where every file is short it ends without a report and without a word.
    if (run.code === 0 && !existsSync(report) && `${run.head}${run.tail}`.trim() === '') {
      const problem = 'jscpd found no file that is long enough to compare.';
      return { measure: { tool: 'jscpd', outcome: 'missing', problem, findings: [] }, use: run.use };
    }
    return { measure: measureOf('jscpd', run, EXIT_STATUSES.jscpd, report, readJscpd), use: run.use };
  };
  return { name: 'jscpd', version: tool.version, isLinter: false, measure };
}

const KNIP_SETTINGS = /^\.?knip\.(?:jsonc?|[cm]?[jt]s)$|^knip\.config\.[cm]?[jt]s$/;

function unusedIn(project: string, names: ReadonlySet<string>): QualityTool | null {
  const isSet = [...names].some((name) => KNIP_SETTINGS.test(name)) || hasMember(project, 'knip');
  const tool = isSet || isDeclared(project, 'knip') ? findTool(project, 'knip') : null;
  if (tool === null) return null;
  const measure: QualityTool['measure'] = async (job, scratch) => {
    const report = join(scratch, 'knip.json');
    const argv = [process.execPath, tool.bin, '--reporter', 'json', '--no-exit-code', '--no-progress'];
    const run = await runTool(job, { ...callOf('knip', tool, job, scratch), argv, keepStdout: report });
    return { measure: measureOf('knip', run, EXIT_STATUSES.knip, report, readKnip), use: run.use };
  };
  return { name: 'knip', version: tool.version, isLinter: false, measure };
}

function callOf(name: string, tool: FoundTool, job: CriticJob, scratch: string) {
  return { name, version: tool.version, workdir: job.project, scratch };
}

type ReadFindings = (value: unknown) => readonly Finding[] | null;

function measureOf(tool: string, run: ToolRun, statuses: readonly number[], report: string, read: ReadFindings): ToolMeasurement {
  const without = (outcome: ToolMeasurement['outcome'], problem: string): ToolMeasurement => ({ tool, outcome, problem, findings: [] });
  if (run.outcome === 'timeout') return without('timeout', `${tool} timed out.`);
  if (run.outcome === 'interrupted') return without('error', `${tool} was stopped.`);
  if (run.outcome === 'unstarted') return without('missing', run.problem ?? `${tool} could not be started.`);
  const findings = run.code !== null && statuses.includes(run.code) ? read(jsonAt(report)) : null;
  if (findings !== null) return { tool, outcome: findings.length > 0 ? 'fail' : 'pass', problem: null, findings };
  return without('error', `${tool} left no readable report (${howToolEnded(run)}).${outputOf(run)}`);
}

/** The error lines of its output. */
export function outputOf(run: Pick<ToolRun, 'head' | 'tail'>): string {
  const words = errorWords(run, 'first', null);
  return words === '' ? '' : ` Output: ${words}`;
}

const MOST_BYTES = 64 * 1024 * 1024;

function jsonAt(path: string): unknown {
  try {
    const bytes = readFileSync(path);
    const json = bytes.length > MOST_BYTES ? null : parseJson(bytes.toString('utf8'));
    return json?.ok === true ? json.value : null;
  } catch {
    return null;
  }
}

function hasMember(project: string, key: string): boolean {
  return isObject(readManifest(project)?.[key]);
}

function isDeclared(project: string, name: string): boolean {
  const manifest = readManifest(project) ?? {};
  return ['dependencies', 'devDependencies'].some((key) => isObject(manifest[key]) && Object.hasOwn(manifest[key], name));
}

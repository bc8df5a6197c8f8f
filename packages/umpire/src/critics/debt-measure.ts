// Measures one state of a project for the debt critic: types, lint and quality first, its tests last, since a suite that hangs uses
// up the time. Which tools there are is lint-tools.ts's and quality-tools.ts's.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFinding } from '@umpire/core/formats/finding.js';
import type { DebtMeasurement, ToolMeasurement } from '@umpire/core/formats/debt-measurement.js';
import type { Finding } from '@umpire/core/model.js';
import { makeScratch } from '../sessions/temporary-folder.js';
import type { CriticJob } from './critic.js';
import { runCheckCommand, STATUS_RULE } from './debt-command.js';
import { openSuite } from './debt-suite.js';
import type { Suite } from './debt-suite.js';
import { runLintTool } from './lint-tool.js';
import { findLintTools } from './lint-tools.js';
import type { LintTool } from './lint-tool.js';
import type { ToolUse } from './provenance.js';
import { findQualityTools } from './quality-tools.js';
import type { Measured } from './quality-tools.js';
import { packagesOf } from './testing-places.js';
import { timeLeft } from './tool.js';

export interface MeasuredState {
  readonly state: DebtMeasurement;
  readonly suite: Suite;
  readonly uses: readonly ToolUse[];
}

/** `files`: of the project, relative to it. Whoever asks closes the suite. */
export async function measureState(job: CriticJob, files: readonly string[]): Promise<MeasuredState> {
  const scratch = makeScratch('debt');
  try {
    const types = await toolsOf(job, 'types', scratch);
    const lint = await toolsOf(job, 'lint', scratch);
    const quality = await qualityOf(job, scratch);
    const suite = await openSuite(job);
    const state = {
      tests: suite.measure,
      types: measuresOf(types, job.project),
      lint: measuresOf(lint, job.project),
      quality: measuresOf(quality, job.project),
      lines: sourceLines(job.project, files),
    };
    const uses = [...types, ...lint, ...quality].flatMap(({ use }) => use ?? []);
    return { state, suite, uses: [...uses, ...suite.uses] };
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function toolsOf(job: CriticJob, check: 'types' | 'lint', scratch: string): Promise<readonly Measured[]> {
  const command = job.settings.debt.checks[check];
  if (command === false) return [];
  if (command !== undefined) return [await runCheckCommand(job, check, command, scratch)];
  const measured: Measured[] = [];
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
  const packaged = missed.length === 0 ? [] : packagesOf(project).flatMap(at);
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

async function qualityOf(job: CriticJob, scratch: string): Promise<readonly Measured[]> {
  const { checks, complexity } = job.settings.debt;
  if (checks.quality === false) return [];
  if (checks.quality !== undefined) return [await runCheckCommand(job, 'quality', checks.quality, scratch)];
  const measured: Measured[] = [];
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
  const message = `${measure.tool} says that it failed, and does not say at what`;
  return { ...measure, findings: [makeFinding({ severity: 'high', message, rule: STATUS_RULE })] };
}

/** The place of a copy must not make its findings look like others. */
function measuresOf(measured: readonly Measured[], project: string): readonly ToolMeasurement[] {
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

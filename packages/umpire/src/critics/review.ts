// The critic of the review loop: tests that regressed or that the change weakened, findings of linters, type checkers and reports in the
// changed lines, and those of a reviewing agent, weighed into one score. core/formats/review-score.ts has the formula; docs/review-a-change.md explains it.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangedLines } from '@umpire/core/formats/changed-lines.js';
import { isChanged } from '@umpire/core/formats/changed-lines.js';
import { makeFinding } from '@umpire/core/formats/finding.js';
import { TEST_REGRESSION } from '@umpire/core/formats/regressions-measured.js';
import { readReview } from '@umpire/core/formats/review-results.js';
import { dimensionOf, REVIEW_DIMENSIONS, REVIEW_WEIGHTS, scoreReview } from '@umpire/core/formats/review-score.js';
import type { ReviewScore } from '@umpire/core/formats/review-score.js';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest } from '@umpire/core/formats/debt-measurement.js';
import type { CheckOutcome, Finding, Grade, Severity } from '@umpire/core/model/vocabulary.js';
import { isFile, statOf } from '../sessions/file-system.js';
import { openBase } from './baseline.js';
import type { OpenBase } from './baseline.js';
import { findBaseCommit, findChange } from './change.js';
import type { CriticChange } from './change.js';
import { findProjectRepository } from './commit-copy.js';
import { leave, unmeasured } from './critic.js';
import type { Critic, CriticJob } from './critic.js';
import { findCheckTools, isToolSettings, noteAbsentTools } from './check-tools.js';
import type { CheckTool } from './check-tools.js';
import { runCheckTool, runCheckToolOn } from './run-check-tool.js';
import { findFiles } from '../runners/project-files.js';
import { describeFailures, describeUnstable, listTests, nameTests } from './failure-lines.js';
import { measureProjectTests } from './project-tests.js';
import { chooseScope, findRelated } from './test-scope.js';
import type { ProjectTests } from './project-tests.js';
import { findHead, provenanceOf, readJudgedContent } from './provenance.js';
import { otherCommit } from '@umpire/core/formats/provenance.js';
import type { Provenance, ToolUse } from '@umpire/core/formats/provenance.js';
import type { UnverifiedCheck } from '@umpire/core/formats/unverified-checks.js';
import { hidesFailure, placeFindings, readReport } from '../runners/report-file.js';
import { manifestFault } from '../runners/run-tool.js';
import { listFew } from '../work/session-git.js';
import { makeScratch } from '../sessions/session-folder.js';

export const REVIEW_RESULTS = 'artifacts/review-results.json';
/** The source of what a reviewing agent found. */
const REVIEWER = 'reviewer';
const MOST_REPORTS = 50;
const MOST_FINDINGS = 1000;
/** Listed as findings, of tests and of the guard; all tests are counted. */
const MOST_REGRESSIONS = 50;
/** Files that one linter gets. */
const MOST_FILES = 500;

/** One source of findings: a linter, a report, the reviewing agent. */
interface ReviewSource {
  readonly name: string;
  readonly grade: Grade;
  readonly outcome: CheckOutcome;
  readonly problem: string | null;
  readonly findings: readonly Finding[];
  readonly uses: readonly ToolUse[];
  /** Changed files that it checked. */
  readonly checked: readonly string[];
  /** The name of the check, where it could not be measured and the verdict must say so. */
  readonly unverified: string | null;
}

/** What most sources have not. */
const BLANK = { problem: null, findings: [], uses: [], checked: [], unverified: null } as const;

interface LintSource extends ReviewSource {
  readonly tool: CheckTool;
}

export const reviewCritic: Critic = async (job) => {
  const started = job.now();
  const change = findChange(job.project, job.base);
  if (change === null)
    return unmeasured('missing', 'Nothing to review: this is not a git repository, or it has no commit to compare with.');
  const { weakened, doubts } = await guardSource(job, change);
  if (change.lines.size === 0 && weakened === null)
    return unmeasured('missing', `Nothing to review: no line was added or changed since ${change.base.slice(0, 10)}.`);
  const testimony = testimonyIn(job);
  const linted = await withoutBrokenBefore(job, change, await lint(job, change));
  // Last, because tests that hang use up the time.
  const tests = await testSource(job);
  const reports = gatherReports(job, change, started);
  const measured = [...linted, ...reports, ...[tests, weakened].filter((source) => source !== null)];
  // What people asked for on the pull request.
  const asked = job.comments ?? [];
  const comments: ReviewSource = { ...BLANK, name: 'review comments', grade: 'testified', outcome: 'fail', findings: asked };
  const sources = [...measured, ...(testimony === null ? [] : [testimony.source]), ...(asked.length === 0 ? [] : [comments])];
  const problems = sources.flatMap(({ problem }) => problem ?? []);
  // A broken tool may have missed anything: its silence approves nothing.
  const broken = measured.filter(({ outcome }) => outcome === 'error' || outcome === 'timeout');
  if (broken.length > 0)
    return { ...unmeasured(broken.some(({ outcome }) => outcome === 'error') ? 'error' : 'timeout', problems.join(' ')), notes: problems };
  const read = sources.filter(({ outcome }) => isMeasured(outcome));
  const hasMeasured = read.some(({ grade }) => grade === 'measured');
  if (!hasMeasured && linted.some(({ unverified }) => unverified !== null)) return unmeasured('error', problems.join(' '));
  // Tests that pass say nothing of the change itself.
  if (read.every((source) => source === tests && source.outcome === 'pass'))
    return unmeasured(
      'missing',
      'Nothing checked the changed files: no configured linter covers them, no report was found, and no reviewer left results.',
    );
  if (!hasMeasured && tests === null && asked.length === 0)
    return unmeasured('missing', 'No configured linter covers the changed files, and the settings say that there are no tests.');
  const findings = read.flatMap((source) => source.findings);
  const unread = unreadFiles(change, sources);
  const fault = manifestFault(job.project);
  const manifest = fault === null ? [] : [`package.json cannot be read: ${fault}. Linters configured in it were not found.`];
  const notes = [
    ...problems,
    ...(tests?.notes ?? []),
    ...manifest,
    ...noteAbsentTools(job.project),
    ...unreadNotes(change, sources, unread),
  ];
  const score = scoreReview(findings, testimony ?? { score: null, signal: null });
  const tools = measured.flatMap(({ uses }) => uses);
  const provenance = provenanceOf(job, await readJudgedContent(job), started, tools);
  leave(job, REVIEW_RESULTS, resultsPage(score, sources, { ...change, unread, doubts }, tests?.figures ?? null, provenance));
  return {
    outcome: score.signal === 'CONVERGED' ? 'pass' : 'fail',
    summary: `${describeScore(score, findings, read)} ${notes.join(' ')}`.trim().slice(0, 500),
    outputs: { review_score: String(score.score), gc_signal: score.signal },
    files: [REVIEW_RESULTS],
    notes,
  };
};

interface TestSource extends ReviewSource {
  readonly figures: ProjectTests;
  readonly notes: readonly string[];
}

interface GuardFound {
  readonly weakened: ReviewSource | null;
  /** What nobody could look at, and tests that pass only as the change has them. */
  readonly doubts: readonly UnverifiedCheck[];
}

/** Tests that the change deleted, skipped or weakened. Null where there are none: the guard says nothing else of a change. */
async function guardSource(job: CriticJob, { base }: CriticChange): Promise<GuardFound> {
  const { findWeakenedTests } = await import('./guard-change.js');
  const { breaches, problem, unverified: doubts, uses } = await findWeakenedTests(job, 'review', base);
  if (breaches.length === 0 && problem === null) return { weakened: null, doubts };
  const findings = breaches.slice(0, MOST_REGRESSIONS).map(({ rule, file, line, message: said, test }) => {
    const message = `${said}${test === undefined ? '' : ` Test: ${JSON.stringify(test)}.`}`.slice(0, 300);
    return makeFinding({ severity: 'critical', message, artifact: file, line, rule, dimension: 'correctness' });
  });
  const outcome = breaches.length > 0 ? 'fail' : 'missing';
  return { weakened: { ...BLANK, name: 'guard', grade: 'measured', outcome, problem, findings, uses }, doubts };
}

/** The project's tests against the base commit. Null where the settings say that there are none. */
async function testSource(job: CriticJob): Promise<TestSource | null> {
  const base = findBaseCommit(job.project, job.base);
  const isRelated = base !== null && chooseScope(job, 'all') === 'related';
  const figures = await measureProjectTests(job, isRelated ? findRelated(job.project, base) : null);
  if (figures.isNone) return null;
  const { outcome, problem, regressions, flaky, known, quarantined, uses } = figures;
  const listed = [listTests('Flaky', flaky), listTests('Failed at the base too', known), listTests('Quarantined', quarantined)];
  // The author of a new test says that it should pass.
  const findings = [
    ...regressions.map((test) => testFinding(test, 'passed at the base and fails now', 'critical', TEST_REGRESSION)),
    ...figures.added.map((test) => testFinding(test, 'is new and fails', 'high', 'test-new-failing')),
  ];
  return {
    ...BLANK,
    name: 'tests',
    grade: 'measured',
    outcome: outcome === 'pass' && figures.added.length > 0 ? 'fail' : outcome,
    problem,
    findings: findings.slice(0, MOST_REGRESSIONS),
    uses,
    unverified: outcome === 'missing' ? 'tests' : null,
    figures,
    notes: [...figures.notes, ...listed.filter((line) => line !== '')],
  };
}

/**
 * A fingerprint is made of this text. The test's place is in it and not the finding's own: work is planned by file, and the fault is in
 * the code under review, not in the test.
 */
function testFinding({ id, file, line, message }: MeasuredTest, what: string, severity: Severity, rule: string): Finding {
  const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
  const why = message === null || message === '' ? '' : `: ${message.replace(/\s+/g, ' ')}`;
  const name = file !== null && id.startsWith(`${file} > `) ? id.slice(`${file} > `.length) : id;
  const text = `The test ${JSON.stringify(name)}${place} ${what}${why}`.slice(0, 300);
  return makeFinding({ severity, message: text, rule, dimension: 'correctness' });
}

/** A tool that was broken at the base already is no fault of the change: what it would find is unknown. */
async function withoutBrokenBefore(job: CriticJob, change: CriticChange, sources: readonly LintSource[]): Promise<readonly ReviewSource[]> {
  const repository = sources.some(({ outcome }) => outcome === 'error') ? findProjectRepository(job.project) : null;
  if (repository === null) return sources;
  const open = openBase(job, repository, change.base);
  try {
    const settled: ReviewSource[] = [];
    for (const source of sources) {
      const isBroken = source.outcome === 'error' && (await isBrokenAt(open, source.tool));
      const problem = `${source.tool.name} was broken at the base already: ${source.problem ?? 'it could not be measured.'}`;
      settled.push(isBroken ? { ...source, outcome: 'missing', problem, unverified: source.tool.name, checked: [] } : source);
    }
    return settled;
  } finally {
    await open.close();
  }
}

async function isBrokenAt(open: OpenBase, { name }: CheckTool): Promise<boolean> {
  const { baseline } = await open.measured(`tool ${name}`, async (own) => {
    const tool = findCheckTools(own.project).find((each) => each.name === name);
    const scratch = makeScratch('review');
    try {
      const run = tool === undefined ? null : await runCheckTool(own, tool, scratch, []);
      return { state: { outcome: run?.outcome ?? 'missing' }, uses: run === null ? [] : [run.use], isBroken: run?.outcome === 'error' };
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
  return baseline.state.outcome === 'error';
}

const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kt|cs|php|c|h|cc|cpp|swift|scala|sh|sql)$/;

/** Changed code files that no tool checked. */
function unreadFiles({ lines }: CriticChange, sources: readonly ReviewSource[]): readonly string[] {
  const checked = new Set(sources.flatMap(({ outcome, checked: files }) => (isMeasured(outcome) ? files : [])));
  return [...lines.keys()].filter((path) => CODE.test(path) && !checked.has(path));
}

/** Unchecked files and edited linter settings: both make a clean result less certain. */
function unreadNotes({ lines }: CriticChange, sources: readonly ReviewSource[], unread: readonly string[]): readonly string[] {
  const code = [...lines.keys()].filter((path) => CODE.test(path)).length;
  const settings = [...lines.keys()].filter((path) => isToolSettings(path));
  const hasReviewer = sources.some(({ name }) => name === REVIEWER);
  return [
    ...(unread.length === 0 || hasReviewer
      ? []
      : [`No tool checked ${unread.length} of ${code} changed code ${code === 1 ? 'file' : 'files'}: ${listFew(unread)}.`]),
    ...(settings.length === 0 ? [] : [`The change also edits linter settings: ${listFew(settings)}.`]),
  ];
}

async function lint(job: CriticJob, { lines }: CriticChange): Promise<readonly LintSource[]> {
  const present = [...lines.keys()].filter((path) => isFile(join(job.project, path)));
  const scratch = makeScratch('review');
  try {
    const sources: LintSource[] = [];
    for (const tool of findCheckTools(job.project)) {
      const files = present.filter((path) => tool.takes(path) && !path.startsWith('-'));
      if (files.length === 0) continue;
      job.say(`${tool.name} checks ${files.length} changed ${files.length === 1 ? 'file' : 'files'}`);
      const run = await runCheckToolOn(job, tool, scratch, files.slice(0, MOST_FILES));
      const { problem, asked, use } = run;
      // It gave up because of the change: that is a finding like any other.
      const partial = inChange(run.partial, lines).filter(({ severity }) => severity === 'critical' || severity === 'high');
      const isCaused = run.outcome === 'error' && partial.length > 0;
      sources.push({
        ...BLANK,
        name: tool.name,
        grade: 'measured',
        outcome: isCaused ? 'fail' : run.outcome,
        problem: problem ?? run.doubt,
        findings: isCaused ? partial : inChange(run.findings, lines),
        uses: asked === null ? [use] : [asked, use],
        checked: run.checked,
        tool,
      });
    }
    return sources;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function inChange(findings: readonly Finding[], lines: ChangedLines): readonly Finding[] {
  return findings.filter(({ artifact, line, endLine }) => isChanged(lines, artifact, line, endLine)).slice(0, MOST_FINDINGS);
}

/** Reports in the project. One that is older than the change, or about another commit, describes another state and is left out. */
function gatherReports(job: CriticJob, { lines }: CriticChange, started: Date): readonly ReviewSource[] {
  const head = findHead(job.project);
  const reports = findFiles(job.project, job.settings.review.reports);
  // Reports that nobody commits are written one after the other, and are no part of the change.
  const changed = [...lines.keys()].filter((path) => !reports.includes(path));
  const newest = Math.max(0, ...changed.map((path) => statOf(join(job.project, path))?.mtimeMs ?? 0));
  return reports.slice(0, MOST_REPORTS).map((path) => {
    const source = (outcome: CheckOutcome, said: string | null, findings: readonly Finding[] = []): ReviewSource => {
      return { ...BLANK, name: path, grade: 'measured', outcome, problem: said === null ? null : `${path}${said}`, findings };
    };
    const { mtimeMs } = statSync(join(job.project, path));
    if (mtimeMs < newest) return source('missing', ' is older than the change and was left out. Write it again.');
    if (mtimeMs > started.getTime() + 60_000) return source('error', ' is dated in the future. Write it again.');
    const report = readReport(join(job.project, path), { format: null, root: job.project });
    if (!isMeasured(report.outcome) || hidesFailure(report))
      return source('error', `: ${report.problems[0]?.message ?? 'it cannot be read'}`);
    const other = otherCommit(report.commits ?? [], head);
    if (other !== null) return source('missing', ` is about commit ${other.slice(0, 10)} and was left out. Write it again.`);
    const { findings, lost } = placeFindings(job.project, path, report.findings);
    const which = lost.length > 1 ? 'files that are not in this project, such as' : 'a file that is not in this project:';
    const note = ` has findings in ${which} ${lost[0] ?? ''}. They were not counted. Write the report from the project's folder.`;
    return source(report.outcome, lost.length === 0 ? null : note, inChange(findings, lines));
  });
}

interface Testimony {
  readonly score: number | null;
  readonly signal: string | null;
  readonly source: ReviewSource;
}

/** The results of a reviewing agent that ran before this critic. Unreadable results do not help it. */
function testimonyIn(job: CriticJob): Testimony | null {
  let text: string;
  try {
    text = readFileSync(join(job.session, REVIEW_RESULTS), 'utf8');
  } catch {
    return null;
  }
  const read = readReview(text, { path: REVIEW_RESULTS });
  const common = { ...BLANK, name: REVIEWER, grade: 'testified' } as const;
  if (!read.ok) {
    const problem = `The reviewer's results cannot be read: ${read.unreadable.problem}`;
    return { score: null, signal: null, source: { ...common, outcome: 'error', problem } };
  }
  const { values, findings } = read.reading;
  const score = typeof values['review_score'] === 'number' ? values['review_score'] : null;
  const signal = typeof values['gc_signal'] === 'string' ? values['gc_signal'] : null;
  return { score, signal, source: { ...common, outcome: findings.length > 0 ? 'fail' : 'pass', findings } };
}

function resultsPage(
  score: ReviewScore,
  sources: readonly ReviewSource[],
  { base, lines, unread, doubts }: CriticChange & Pick<GuardFound, 'doubts'> & { readonly unread: readonly string[] },
  tests: ProjectTests | null,
  provenance: Provenance,
): string {
  const findings = sources.flatMap(({ name, grade, findings: own }) =>
    own.map(({ severity, message, artifact, line, endLine, rule, dimension, fingerprint }) => ({
      severity,
      message,
      file: artifact,
      line,
      ...(endLine === undefined ? {} : { end_line: endLine }),
      ...(rule === undefined ? {} : { rule }),
      dimension: dimensionOf(makeFinding({ severity, message, rule: rule ?? null, dimension: dimension ?? null })),
      source: name,
      grade,
      fingerprint,
    })),
  );
  const dimensions = REVIEW_DIMENSIONS.map((name) => ({ name, weight: REVIEW_WEIGHTS[name], score: score.dimensions[name] }));
  const checks = sources.map(({ name, grade, outcome, problem }) => ({ name, grade, outcome, ...(problem === null ? {} : { problem }) }));
  const unmeasuredChecks = sources.flatMap(({ unverified: name, problem }) => (name === null ? [] : [{ name, problem }]));
  const unverified = [...unmeasuredChecks, ...describeUnstable(tests?.unstable ?? []), ...doubts];
  const failing = tests === null ? '' : describeFailures([...tests.regressions, ...tests.added], tests.output);
  const page = {
    review_score: score.score,
    gc_signal: score.signal,
    findings,
    dimensions,
    sources: checks,
    unverified_checks: unverified,
    ...(tests === null ? {} : { tests: { ...tests.totals, ...nameTests(tests, MOST_FINDINGS) } }),
    ...(failing === '' ? {} : { failing_output: failing }),
    base,
    changed_files: [...lines.keys()].slice(0, 500),
    unread_files: unread.slice(0, 500),
    provenance,
  };
  return `${JSON.stringify(page, null, 2)}\n`;
}

function describeScore({ score, signal }: ReviewScore, findings: readonly Finding[], sources: readonly ReviewSource[]): string {
  const who = sources.map(({ name }) => name).join(', ');
  const first = findings.find(({ severity }) => severity === 'critical') ?? findings.find(({ severity }) => severity === 'high');
  const place = first === undefined || first.artifact === null ? '' : ` (${first.artifact}:${first.line ?? '?'})`;
  const worst = first === undefined ? '' : ` First: ${first.message}${place}.`;
  return `Score ${score}, ${signal}: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} in the change, by ${who}.${worst}`.slice(
    0,
    500,
  );
}

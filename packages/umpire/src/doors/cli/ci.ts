// `umpire ci`: the guard and the critic of the review loop on the change of a pull request, for a CI job. Finds the base from the variables
// that GitHub Actions and GitLab set, prints annotations or text, and writes the reports that the service shows.

import { appendFileSync, writeFileSync, readFileSync } from 'node:fs';
import { UmpireError } from '@umpire/core/model/errors.js';
import { ciMarkdown, ciPage, ciSarif, ciSummary, codeQuality, githubAnnotations, failsJob, sortFindings } from '../../views/ci-report.js';
import type { CiReport, FailOn, CiFinding } from '../../views/ci-report.js';
import { lineOf } from '../../views/safe-text.js';
import { faultOf, openFolder, readBytes } from '../../sessions/session-folder.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';
import { VERSION } from './version.generated.js';
import { join } from 'node:path';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { isObject, own, parseJson } from '@umpire/core/formats/json-text.js';
import { readReview } from '@umpire/core/formats/review-results.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import { REVIEW_RESULTS } from '../../critics/review.js';
import { runGitSync } from '../../work/git.js';
import { findBase } from '../../work/read-change.js';
import { critique } from '../../engine/critique.js';
import type { CritiqueReport } from '../../engine/critique.js';
import { guardProject } from '../../engine/guard.js';
import { projectFor } from '../../engine/project-folders.js';

function findCiService(env: NodeJS.ProcessEnv): 'github' | 'gitlab' | 'other' {
  if (env['GITHUB_ACTIONS'] === 'true') return 'github';
  return env['GITLAB_CI'] === 'true' ? 'gitlab' : 'other';
}

async function judgeChange(
  { project: named, base: asked, noReview = false }: Given<'ci'>,
  signal: AbortSignal,
  onNote: (note: string) => void,
): Promise<CiReport> {
  const project = projectFor(named, onNote);
  const base = findCiBase(project, asked, process.env);
  const guard = await guardProject({ project, ...(base === null ? {} : { base: base.commit }), onNote });
  // Without a pull request, the guard finds the base for both.
  const commit = base?.commit ?? guard.base;
  const { prefix } = findBase(project, commit).repository;
  const review = noReview ? null : await critique({ loop: 'review', project, base: commit, signal, onNote });
  const findings = [
    ...guard.findings.map((finding) => guardFinding(finding, prefix, 'critical')),
    ...guard.notes.map((finding) => guardFinding(finding, prefix, 'low')),
    ...(review === null ? [] : reviewFindings(review, prefix)),
  ];
  return {
    against: base?.words ?? guard.against,
    guard: guard.isBlind ? 'error' : guard.findings.length > 0 ? 'fail' : 'pass',
    review: review?.outcome ?? null,
    problems: [...guard.problems.map(({ file, message }) => `${file}: ${message}`), ...(review === null ? [] : review.notes)],
    findings: sortFindings(findings),
  };
}

interface CiBase {
  readonly commit: string;
  readonly words: string;
}

/** Where the change left its target. Null: no flag and no pull request; the usual base applies. */
function findCiBase(project: string, asked: string | undefined, env: NodeJS.ProcessEnv): CiBase | null {
  const named = asked === undefined ? basesIn(env) : [asked];
  if (named.length === 0) return null;
  for (const name of named) {
    const { code, stdout } = runGitSync(project, ['merge-base', '--', name, 'HEAD']);
    if (code === 0) return { commit: stdout.toString('utf8').trim(), words: name };
  }
  throw new UmpireError('ci-no-base', { tried: named.join(', ') });
}

/** The branch first: it may have moved since the event. */
function basesIn(env: NodeJS.ProcessEnv): readonly string[] {
  const value = (name: string): readonly string[] => (env[name] === undefined || env[name] === '' ? [] : [env[name]]);
  switch (findCiService(env)) {
    case 'github':
      return [...value('GITHUB_BASE_REF').map((branch) => `refs/remotes/origin/${branch}`), ...eventBase(env['GITHUB_EVENT_PATH'])];
    case 'gitlab':
      return [
        ...value('CI_MERGE_REQUEST_DIFF_BASE_SHA'),
        ...value('CI_MERGE_REQUEST_TARGET_BRANCH_NAME').map((branch) => `refs/remotes/origin/${branch}`),
      ];
    case 'other':
      return [];
  }
}

function eventBase(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  try {
    const json = parseJson(readFileSync(path, 'utf8'));
    const pull = json.ok && isObject(json.value) ? own(json.value, 'pull_request') : null;
    const base = isObject(pull) ? own(pull, 'base') : null;
    const sha = isObject(base) ? own(base, 'sha') : null;
    return typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha) ? [sha] : [];
  } catch {
    return [];
  }
}

function guardFinding(
  { rule, file, line, message, fingerprint }: GuardFinding,
  prefix: string,
  severity: CiFinding['severity'],
): CiFinding {
  return { check: 'guard', severity, rule, file: join(prefix, file), line, message, fingerprint };
}

/** What the critic left, without the breaches of the guard, which are listed already. */
function reviewFindings({ session, files }: CritiqueReport, prefix: string): readonly CiFinding[] {
  const read = files.includes(REVIEW_RESULTS) ? readBytes(openFolder(session), REVIEW_RESULTS) : null;
  if (read?.kind !== 'bytes') return [];
  const text = decodeTolerantly(read.bytes);
  const json = parseJson(text);
  const listed = json.ok && isObject(json.value) ? own(json.value, 'findings') : null;
  const guarded = new Set(
    (Array.isArray(listed) ? listed : [])
      .filter(isObject)
      .flatMap((one) => (own(one, 'source') === 'guard' ? [own(one, 'fingerprint')] : [])),
  );
  const review = readReview(text, { path: REVIEW_RESULTS });
  if (!review.ok) return [];
  return review.reading.findings
    .filter(({ fingerprint }) => !guarded.has(fingerprint))
    .map(({ severity, message, artifact, line, rule, fingerprint }) => {
      const file = artifact === null ? null : join(prefix, artifact);
      return { check: 'review', severity, rule: rule ?? 'finding', file, line, message, fingerprint };
    });
}

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

export async function runCi(given: Given<'ci'>, { writeProgress }: Output): Promise<CommandOutcome> {
  const { failOn = 'high', sarif, codeQuality: quality } = given;
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  for (const signal of INTERRUPTS) process.once(signal, onInterrupt);
  // A runner takes commands from the beginning of a line.
  const report = await judgeChange(given, stop.signal, (note) => writeProgress(`umpire: ${lineOf(note)}\n`));
  for (const signal of INTERRUPTS) process.off(signal, onInterrupt);
  if (stop.signal.aborted) return { stderr: 'umpire: Stopped.\n', exit: 130 };
  if (sarif !== undefined) writeReport(sarif, ciSarif(report, VERSION));
  if (quality !== undefined) writeReport(quality, codeQuality(report));
  return { ...showOnService(report, failOn), exit: chooseExit(report, failOn) };
}

function showOnService(report: CiReport, failOn: FailOn): Pick<CommandOutcome, 'stdout' | 'stderr'> {
  if (findCiService(process.env) !== 'github') return { stdout: ciPage(report, failOn) };
  const summary = process.env['GITHUB_STEP_SUMMARY'];
  if (summary !== undefined && summary !== '') writeReport(summary, ciMarkdown(report, failOn), appendFileSync);
  return { stdout: githubAnnotations(report), stderr: `${ciSummary(report, failOn)}\n` };
}

function writeReport(path: string, text: string, write: (path: string, text: string) => void = writeFileSync): void {
  try {
    write(path, text);
  } catch (error) {
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

function chooseExit({ guard, review, findings }: CiReport, failOn: FailOn): number {
  if (findings.some((finding) => failsJob(finding, failOn))) return 3;
  const isBroken = [guard, review].some((outcome) => outcome === 'error' || outcome === 'timeout');
  return isBroken ? 1 : 0;
}

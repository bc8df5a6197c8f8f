// The critic of the design loop: finds the project's design tokens, audits them and writes artifacts/audit/<row>.json. The audit itself
// is @umpire/reports/tokens/audit.ts; docs/audit-a-design-system.md has its formulas.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { severityName } from '@umpire/core/formats/severity.js';
import { SEVERITIES } from '@umpire/core/model/vocabulary.js';
import type { Industry } from '@umpire/reports/tokens/audit-accessibility.js';
import { auditTokens, type Audit } from '@umpire/reports/tokens/audit.js';
import { readTokenFile } from '@umpire/reports/tokens/token-file.js';
import type { TokenFile } from '@umpire/reports/tokens/token.js';
import { faultOf, openFolder, placeFor } from '../sessions/session-folder.js';
import { packageVersion } from '../sessions/package-root.js';
import { leave, type Critic, type CriticEnd, type CriticJob } from './critic.js';
import { findFiles } from '../runners/project-files.js';
import { provenanceOf, readJudgedContent } from './provenance.js';
import type { Provenance } from '@umpire/core/formats/provenance.js';
import { WHOLE_LIMIT, timeLeft } from '../runners/run-tool.js';

const SUMMARY_LENGTH = 500;

export const designCritic: Critic = async (job) => {
  const { row } = job;
  const id = (row['id'] ?? '').trim().replaceAll(/[^\w.-]/g, '-');
  const path = `artifacts/audit/${id === '' || id.startsWith('.') ? 'AUDIT-001' : id.slice(0, 100)}.json`;
  const folder = openFolder(job.session);
  // What an earlier run left is no evidence of this one, however this one ends.
  rmSync(placeFor(folder, path), { force: true });
  const started = job.now();
  const mayGoOn = (): boolean => !job.watch.signal.aborted && timeLeft(job) > 0;
  const judged = await readJudgedContent(job);
  job.say('looking for design tokens');
  const { design } = job.settings;
  const { files, notes } = findTokens(job.project, design.tokens, mayGoOn);
  if (!mayGoOn()) return stopped(job);
  const use = { name: 'umpire', version: packageVersion(), command: ['umpire', 'critique', 'design', '--industry', design.industry] };
  const bound = (): Provenance => {
    const ended = job.now().toISOString();
    const tool = { ...use, workdir: '.', started: started.toISOString(), ended, exit_status: null, signal: null, timed_out: false };
    return provenanceOf(job, judged, started, [tool]);
  };
  const write = (evidence: object): void => leave(job, path, `${JSON.stringify(evidence, null, 2)}\n`);
  if (files.every(({ tokens, unreadable }) => tokens.length === 0 && unreadable === null)) {
    write(withoutTokens(design.industry, bound()));
    const summary = 'fix_required. No design tokens found. Write them as *.tokens.json, or name their files in critics.design.tokens.';
    const outputs = { audit_score: '0', audit_signal: 'fix_required', artifacts_produced: path };
    return {
      outcome: 'missing',
      summary,
      outputs,
      files: [path],
      notes: [...notes, 'Nothing was measured: there are no design tokens.'],
      unable: true,
    };
  }
  job.say(`auditing ${files.length} token ${files.length === 1 ? 'file' : 'files'}`);
  const audit = auditTokens(files, design);
  if (!mayGoOn()) return stopped(job);
  write(evidenceOf(audit, files, design.industry, bound()));
  const { signal, reason, score, counts, findings, dimensions } = audit;
  const worst = SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity)).slice(0, 3);
  const named = worst.map(({ message, file, line }) => `${message} (${file}:${line})`).join(' · ');
  const counted = SEVERITIES.map((severity) => `${counts[severity]} ${severityName(severity)}`).join(', ');
  const unmeasured = dimensions.flatMap(({ name, why }) =>
    why === null ? [] : [`${name.charAt(0).toUpperCase() + name.slice(1)} was not measured: ${why}.`],
  );
  return {
    outcome: score === null ? 'error' : signal === 'fix_required' ? 'fail' : 'pass',
    // What was not measured before what was found: the findings are also in the report.
    summary: [`${signal}. ${reason} Findings: ${counted}.`, ...notes, ...unmeasured, named].join(' ').trim().slice(0, SUMMARY_LENGTH),
    outputs: { audit_score: score === null ? '0' : String(score), audit_signal: signal, artifacts_produced: path },
    files: [path],
    notes: [...notes, ...unmeasured],
  };
};

function stopped(job: CriticJob): CriticEnd {
  const isAborted = job.watch.signal.aborted;
  const summary = isAborted ? 'The audit was stopped before it finished.' : `The audit timed out; no evidence was written: ${WHOLE_LIMIT}.`;
  return { outcome: isAborted ? 'error' : 'timeout', summary, outputs: {}, files: [], notes: [summary] };
}

/** Samples for tests and pages of examples are no part of the design. */
const USUAL = [
  '**/*.json',
  '**/*.tokens',
  ...['fixtures', '__fixtures__', '__tests__', 'test', 'tests', 'coverage'].map((name) => `!**/${name}/**`),
];
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_FILES = 500;
/** Of all files together. */
const MOST_TOGETHER = 64 * 1024 * 1024;

export interface FoundTokens {
  readonly files: readonly TokenFile[];
  /** What was left out, one sentence each. */
  readonly notes: readonly string[];
}

/** `mayGoOn`: asked before each file; false ends the search. */
export function findTokens(project: string, patterns: readonly string[], mayGoOn: () => boolean): FoundTokens {
  const isAsked = patterns.length > 0;
  const files: TokenFile[] = [];
  const notes: string[] = [];
  let together = 0;
  for (const path of findFiles(project, isAsked ? patterns : USUAL)) {
    if (!mayGoOn()) break;
    const isNamed = isAsked || path.endsWith('.tokens.json') || path.endsWith('.tokens');
    const text = readTokenText(join(project, path));
    if (text.problem !== null) {
      if (isNamed) files.push(makeUnreadable(path, text.problem));
      continue;
    }
    if (!isNamed && !/"\$value"\s{0,100}:/.test(text.text) && !/"resolutionOrder"\s{0,100}:/.test(text.text)) continue;
    if (files.length >= MOST_FILES) {
      notes.push(
        `There are more than ${MOST_FILES} token files; the others were not audited. Name the ones to audit in critics.design.tokens.`,
      );
      break;
    }
    together += text.text.length;
    if (together > MOST_TOGETHER) {
      files.push(
        makeUnreadable(path, `the token files up to this one have more than ${MOST_TOGETHER / 1024 / 1024} MB together; no more are read`),
      );
      break;
    }
    const file = readTokenFile(text.text, path);
    const isEmpty = file.unreadable === null && file.tokens.length === 0 && file.themedFiles.length === 0;
    if (isEmpty && isNamed) files.push(makeUnreadable(path, 'the file has no token; expected at least one object with "$value"'));
    else if (!isEmpty) files.push(file);
  }
  return { files, notes };
}

function readTokenText(place: string): { readonly text: string; readonly problem: string | null } {
  try {
    const { size } = statSync(place);
    if (size > MOST_BYTES) return { text: '', problem: `the file has ${size} bytes; at most ${MOST_BYTES / 1024 / 1024} MB are read` };
    return { text: decodeTolerantly(readFileSync(place)), problem: null };
  } catch (error) {
    return { text: '', problem: faultOf(error) };
  }
}

function makeUnreadable(file: string, problem: string): TokenFile {
  return { file, tokens: [], faults: [], groups: new Set(), root: () => null, themedFiles: [], unreadable: { problem, line: 1 } };
}

/** The least that each dimension must score; the loop's D4. */
const THRESHOLD = 6;

export function evidenceOf(audit: Audit, files: readonly TokenFile[], industry: Industry, provenance: Provenance): object {
  return {
    audit_score: audit.score ?? 0,
    audit_signal: audit.signal,
    reason: audit.reason,
    industry,
    dimensions: audit.dimensions.map(({ name, weight, score, why, checks }) => ({
      name,
      weight,
      score,
      threshold: THRESHOLD,
      ...(why === null ? {} : { not_measured: why }),
      checks,
    })),
    counts: audit.counts,
    findings: audit.findings.map(({ severity, rule, dimension, message, token, file, line, count }) => ({
      severity,
      rule,
      dimension,
      message,
      token,
      file,
      line,
      stands_for: count,
    })),
    token_files: files.map(({ file, tokens }) => ({ file, tokens: tokens.length })),
    tokens: audit.tokens,
    pairs: audit.pairs,
    modes: audit.modes,
    provenance,
  };
}

/** There is nothing to audit: that is no pass, and the designer is told what is missing. */
export function withoutTokens(industry: Industry, provenance: Provenance): object {
  const message = 'No design tokens found. Write them as *.tokens.json in the DTCG format, or name their files in critics.design.tokens';
  return {
    audit_score: 0,
    audit_signal: 'fix_required',
    reason: 'There is no token to audit.',
    industry,
    dimensions: [],
    counts: { critical: 1, high: 0, medium: 0, low: 0 },
    findings: [{ severity: 'critical', rule: 'tokens/missing', dimension: 'completeness', message, stands_for: 1 }],
    token_files: [],
    tokens: 0,
    pairs: 0,
    modes: [],
    provenance,
  };
}

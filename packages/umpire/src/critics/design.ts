// The critic of the design loop: audits the project's design tokens by computation and writes artifacts/audit/<row>.json. The audit
// itself is pure (formats/tokens/audit.ts); its formulas are in docs/audit-a-design-system.md.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, own } from '@umpire/core/formats/json-text.js';
import { auditTokens, type Audit } from '@umpire/reports/tokens/audit.js';
import { severityName } from '@umpire/core/formats/severity.js';
import { SEVERITIES } from '@umpire/core/model.js';
import { openFolder, placeFor } from '../sessions/session-folder.js';
import { packageRoot } from '../sessions/package-root.js';
import { leave } from './critic.js';
import type { Critic, CriticEnd, CriticJob } from './critic.js';
import { evidenceOf, withoutTokens } from './design-evidence.js';
import { findTokens } from './design-files.js';
import { provenanceOf, whatIsJudged } from './provenance.js';
import type { Provenance } from './provenance.js';
import { timeLeft } from './tool.js';

const SUMMARY_LENGTH = 500;

export const designCritic: Critic = async (job) => {
  const path = reportPath(job);
  const folder = openFolder(job.session);
  // What an earlier run left is no evidence of this one, however this one ends.
  rmSync(placeFor(folder, path), { force: true });
  const started = job.now();
  const mayGoOn = (): boolean => !job.watch.signal.aborted && timeLeft(job) > 0;
  const judged = await whatIsJudged(job);
  job.say('looking for design tokens');
  const { design } = job.settings;
  const { files, notes } = findTokens(job.project, design.tokens, mayGoOn);
  if (!mayGoOn()) return stopped(job);
  const use = { name: 'umpire', version: ownVersion(), command: ['umpire', 'critique', 'design', '--industry', design.industry] };
  const bound = (): Provenance => {
    const ended = job.now().toISOString();
    const tool = { ...use, workdir: '.', started: started.toISOString(), ended, exit_status: null, signal: null, timed_out: false };
    return provenanceOf(job, judged, started, [tool]);
  };
  const write = (evidence: object): void => leave(job, path, `${JSON.stringify(evidence, null, 2)}\n`);
  if (files.every(({ tokens, unreadable }) => tokens.length === 0 && unreadable === null)) {
    write(withoutTokens(design.industry, bound()));
    return nothing(path, notes);
  }
  job.say(`auditing ${files.length} token ${files.length === 1 ? 'file' : 'files'}`);
  const audit = auditTokens(files, design);
  if (!mayGoOn()) return stopped(job);
  write(evidenceOf(audit, files, design.industry, bound()));
  return endOf(audit, path, notes);
};

function reportPath({ row }: CriticJob): string {
  const id = (row['id'] ?? '').trim().replaceAll(/[^\w.-]/g, '-');
  return `artifacts/audit/${id === '' || id.startsWith('.') ? 'AUDIT-001' : id.slice(0, 100)}.json`;
}

function endOf(audit: Audit, path: string, notes: readonly string[]): CriticEnd {
  const { signal, reason, score, counts, findings, dimensions } = audit;
  const worst = SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity)).slice(0, 3);
  const named = worst.map(({ message, file, line }) => `${message} (${file}:${line})`).join(' · ');
  const counted = SEVERITIES.map((severity) => `${counts[severity]} ${severityName(severity)}`).join(', ');
  const unmeasured = dimensions.flatMap(({ name, why }) => (why === null ? [] : [`${capital(name)} was not measured: ${why}.`]));
  return {
    outcome: score === null ? 'error' : signal === 'fix_required' ? 'fail' : 'pass',
    // What was not measured before what was found: the findings are also in the report.
    summary: [`${signal}. ${reason} Findings: ${counted}.`, ...notes, ...unmeasured, named].join(' ').trim().slice(0, SUMMARY_LENGTH),
    outputs: { audit_score: score === null ? '0' : String(score), audit_signal: signal, artifacts_produced: path },
    files: [path],
    notes: [...notes, ...unmeasured],
  };
}

function nothing(path: string, notes: readonly string[]): CriticEnd {
  const summary =
    'fix_required. No design token was found in the project: write them as *.tokens.json, or name the files under critics.design.tokens.';
  const outputs = { audit_score: '0', audit_signal: 'fix_required', artifacts_produced: path };
  return {
    outcome: 'missing',
    summary,
    outputs,
    files: [path],
    notes: [...notes, 'Nothing was measured: there is no design token.'],
    unable: true,
  };
}

function stopped(job: CriticJob): CriticEnd {
  const isAborted = job.watch.signal.aborted;
  const summary = isAborted ? 'The audit was stopped before its end.' : 'The audit ran out of time; no evidence was written.';
  return { outcome: isAborted ? 'error' : 'timeout', summary, outputs: {}, files: [], notes: [summary] };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function ownVersion(): string | null {
  try {
    const read: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
    const version = isObject(read) ? own(read, 'version') : null;
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}

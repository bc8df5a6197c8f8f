// The audit as evidence: the JSON that the loop's reader `audit` reads back. What could not be measured has no score there.

import type { Audit } from '@umpire/reports/tokens/audit.js';
import type { Industry } from '@umpire/reports/tokens/audit-industry.js';
import type { TokenFile } from '@umpire/reports/tokens/token.js';
import type { Provenance } from './provenance.js';

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
  const message =
    'The design tokens are missing: the project holds no file with a token. Write them as *.tokens.json in the ' +
    'DTCG format, or name the files under critics.design.tokens';
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

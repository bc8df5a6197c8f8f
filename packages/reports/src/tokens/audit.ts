// The audit of a set of design tokens: five dimensions, one score, one signal. critics/design.ts finds the files and writes the
// evidence.

import { auditAccessibility, auditIndustry, type Industry } from './audit-accessibility.js';
import { auditCompleteness } from './audit-completeness.js';
import { auditConsistency } from './audit-consistency.js';
import { type AuditDimension, type AuditFinding, floorTenth } from './audit-dimension.js';
import { auditQuality } from './audit-quality.js';
import { type DeclaredPair, modeViews } from './colour-pairs.js';
import { TokenSet } from './token-set.js';
import type { TokenPlace, TokenFile } from './token.js';
import { countFindings } from '@umpire/core/formats/severity.js';
import type { Counts } from '@umpire/core/model/vocabulary.js';

export interface AuditOptions {
  readonly industry: Industry;
  readonly pairs: readonly DeclaredPair[];
  /** Spacing is a multiple of this, in pixels. */
  readonly grid: number;
}

export type AuditSignal = 'audit_passed' | 'audit_result' | 'fix_required';

export interface Audit {
  readonly score: number | null;
  readonly signal: AuditSignal;
  /** Why it is this signal. */
  readonly reason: string;
  readonly dimensions: readonly AuditDimension[];
  readonly findings: readonly AuditFinding[];
  readonly counts: Counts;
  readonly tokens: number;
  readonly pairs: number;
  readonly modes: readonly string[];
}

const PASSED = 8;
const ADVICE = 6;

export function auditTokens(files: readonly TokenFile[], options: AuditOptions): Audit {
  const set = new TokenSet(files.filter(({ unreadable }) => unreadable === null));
  const views = modeViews(set, options.pairs);
  const dimensions = [
    auditConsistency(set),
    auditAccessibility(views, unknownPairs(set, options.pairs)),
    auditCompleteness(set, views),
    auditQuality(set, views, options.grid),
    auditIndustry(set, views, options.industry),
  ];
  const unread = files.flatMap(({ file, unreadable }): readonly AuditFinding[] => {
    if (unreadable === null) return [];
    const { problem, line } = unreadable;
    const message = `The token file cannot be read: ${problem}`;
    return [{ rule: 'format/unreadable', severity: 'critical', message, dimension: 'consistency', token: '', file, line, count: 1 }];
  });
  const findings = [...unread, ...dimensions.flatMap((dimension) => dimension.findings)];
  const counts = countFindings(findings);
  const score = set.tokens.length === 0 ? null : computeScore(dimensions);
  const { signal, reason } = signalOf(score, counts, dimensions);
  return {
    score,
    signal,
    reason,
    dimensions,
    findings,
    counts,
    tokens: set.tokens.length,
    pairs: views.reduce((sum, view) => sum + view.pairs.length, 0),
    modes: set.contexts.flatMap((context) => (context === null ? [] : [context])),
  };
}

/** The mean by weight of what was measured. */
function computeScore(dimensions: readonly AuditDimension[]): number | null {
  let sum = 0;
  let weights = 0;
  for (const { score, weight } of dimensions) {
    if (score === null) continue;
    sum += score * weight;
    weights += weight;
  }
  return weights === 0 ? null : floorTenth(sum / weights);
}

function signalOf(
  score: number | null,
  counts: Counts,
  dimensions: readonly AuditDimension[],
): { readonly signal: AuditSignal; readonly reason: string } {
  if (score === null) return { signal: 'fix_required', reason: 'There is no token to audit.' };
  if (counts.critical > 0)
    return {
      signal: 'fix_required',
      reason: `The score is ${score}, and ${counts.critical} ${counts.critical === 1 ? 'finding is' : 'findings are'} Critical.`,
    };
  if (score < ADVICE) return { signal: 'fix_required', reason: `The score is ${score}; ${ADVICE} is the least.` };
  const blind = dimensions.find(({ name }) => name === 'accessibility')?.score === null;
  if (blind)
    return {
      signal: 'audit_result',
      reason: `The score is ${score}, but accessibility could not be measured: an audit does not pass without it.`,
    };
  if (score < PASSED) return { signal: 'audit_result', reason: `The score is ${score}; ${PASSED} is needed to pass.` };
  const low = dimensions.find((dimension) => dimension.score !== null && dimension.score < ADVICE);
  // The loop would not let it pass either (D4).
  if (low !== undefined)
    return {
      signal: 'fix_required',
      reason: `The score is ${score}, but ${low.name} scored ${low.score ?? 0}; ${ADVICE} is the least of each.`,
    };
  return { signal: 'audit_passed', reason: `The score is ${score}, and no finding is Critical.` };
}

/** A pair that a person declared and nobody can measure must not go by in silence. */
function unknownPairs(set: TokenSet, pairs: readonly DeclaredPair[]): readonly TokenPlace[] {
  return pairs.flatMap(({ text, background }) =>
    [text, background].flatMap((path) => {
      const token = set.named(path);
      const isColour = set.contexts.some((context) => {
        const resolved = token === null ? null : set.resolve(token, token.theme ?? context);
        return resolved?.ok === true && resolved.type === 'color';
      });
      if (isColour) return [];
      return [{ path, file: token?.file ?? set.files[0]?.file ?? '', line: token?.line ?? 1 }];
    }),
  );
}

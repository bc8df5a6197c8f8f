// Findings as text and in groups, for tasks, reasons and reports.

import type { Counts, Finding, Severity } from '../model/vocabulary.js';
import { SEVERITIES } from '../model/vocabulary.js';
import { oneLine } from './word-lists.js';

const MOST_LISTED = 50;

/** Worst first. */
export function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

export function referenceOf(finding: Finding): string | null {
  if (finding.artifact === null) return null;
  return finding.line === null ? finding.artifact : `${finding.artifact}:${finding.line}`;
}

/** `message (file:line)`. The reference appears only once. */
export function describeFinding(finding: Finding): string {
  const reference = referenceOf(finding);
  const message = oneLine(finding.message);
  return reference === null || message.includes(reference) ? message : `${message} (${reference})`;
}

/** `[HIGH] message (file:line)` */
export function describeTagged(finding: Finding): string {
  return `[${finding.severity.toUpperCase()}] ${describeFinding(finding)}`;
}

/** One line for a task description: worst first, each with severity and place. */
export function listFindings(findings: readonly Finding[]): string {
  const shown = bySeverity(findings).slice(0, MOST_LISTED).map(describeTagged);
  const more = findings.length - shown.length;
  return shown.join('; ') + (more > 0 ? `; and ${more} more in the critic's report` : '');
}

/** The findings of these severities. If there are none, those of the worst severity present. */
export function pickWorst(
  findings: readonly Finding[],
  wanted: readonly Severity[],
): { readonly findings: readonly Finding[]; readonly fellBack: boolean } {
  const picked = findings.filter((finding) => wanted.includes(finding.severity));
  if (picked.length > 0) return { findings: picked, fellBack: false };
  const worst = SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity));
  return { findings: findings.filter((finding) => finding.severity === worst), fellBack: true };
}

/** `1 Critical, 2 High`, or `none`. */
export function describeCounts(counts: Counts): string {
  let text = '';
  for (const severity of SEVERITIES) {
    if (counts[severity] > 0)
      text += `${text === '' ? '' : ', '}${counts[severity]} ${severity.charAt(0).toUpperCase()}${severity.slice(1)}`;
  }
  return text === '' ? 'none' : text;
}

/** `1 Critical, 2 High`, or `no findings`: in a sentence of its own. */
export function findingsWords(counts: Counts): string {
  return SEVERITIES.every((severity) => counts[severity] === 0) ? 'no findings' : describeCounts(counts);
}

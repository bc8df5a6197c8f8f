// Collects the findings and counts of a verdict from all critics. If several sources report the same finding, it is listed once with its
// highest severity.

import type { Counts, Finding, Severity } from '../model/vocabulary.js';
import { SEVERITIES } from '../model/vocabulary.js';
import { decidingSources, worstCount } from './facts.js';
import type { EvidenceReadings } from './facts.js';
import type { Loop } from './loop.js';

export interface VerdictFindings {
  readonly findings: readonly Finding[];
  readonly counts: Counts;
}

export function collectFindings(loop: Loop, gathered: EvidenceReadings): VerdictFindings {
  const counts: Record<keyof Counts, number> = { ...worstCounts(loop, gathered) };
  const critics = sourcesByCritic(loop, gathered);
  if (critics.length === 0) return { findings: [], counts };
  const findings: Finding[] = [];
  /** By finding: the source that reported it first. */
  const reported = new Map<string, string>();
  for (const severity of SEVERITIES) {
    const before = findings.length;
    const counted = decidingSources(loop).map((name) => countOf(name, severity, gathered, reported));
    for (const sources of critics) {
      for (const [source, finding] of mostFindings(sources, severity, gathered)) {
        const key = findingKey(finding);
        const first = reported.get(key) ?? source;
        reported.set(key, first);
        if (first === source) findings.push(finding);
      }
    }
    counts[severity] = Math.max(findings.length - before, ...counted);
  }
  return { findings, counts };
}

/** The sources with findings, grouped by the role that wrote them. Sources of one role repeat each other. */
function sourcesByCritic(loop: Loop, gathered: EvidenceReadings): readonly (readonly string[])[] {
  const sources = new Map<string, string[]>();
  for (const name of decidingSources(loop)) {
    if ((gathered[name]?.reading?.findings.length ?? 0) === 0) continue;
    const source = loop.evidence[name];
    const role = source !== undefined && 'by' in source ? (source.by ?? '') : '';
    sources.set(role, [...(sources.get(role) ?? []), name]);
  }
  return [...sources.values()];
}

/** The findings of this severity from the source that has most of them. */
function mostFindings(sources: readonly string[], severity: Severity, gathered: EvidenceReadings): readonly (readonly [string, Finding])[] {
  let most: readonly (readonly [string, Finding])[] = [];
  for (const name of sources) {
    const found = (gathered[name]?.reading?.findings ?? []).filter((finding) => finding.severity === severity);
    if (found.length > most.length) most = found.map((finding) => [name, finding] as const);
  }
  return most;
}

/** The source's count of this severity, without findings that another source lists with a higher one. It may count more than it lists. */
function countOf(name: string, severity: Severity, gathered: EvidenceReadings, reported: ReadonlyMap<string, string>): number {
  const { counts, findings } = gathered[name]?.reading ?? { findings: [] };
  const worse = findings.filter((finding) => finding.severity === severity && (reported.get(findingKey(finding)) ?? name) !== name);
  return (counts?.[severity] ?? 0) - worse.length;
}

/** Place and message, ignoring case and punctuation at the end. */
export function findingKey({ message, artifact, line }: Finding): string {
  const words = message
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s.;:,!]+$/, '');
  return `${artifact ?? ''}:${line ?? ''} ${words}`;
}

/** For each severity, the highest count of any deciding source. */
export function worstCounts(loop: Loop, gathered: EvidenceReadings): Counts {
  const names = decidingSources(loop);
  const count = (severity: Severity) => worstCount(names, severity, gathered) ?? 0;
  return { critical: count('critical'), high: count('high'), medium: count('medium'), low: count('low') };
}

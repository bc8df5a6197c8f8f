// Collects the findings and counts of a verdict from all critics. Sources of one role repeat each other, so the one with most counts.
// Sources of different roles add up. A finding with the same place and message is listed once, with its highest severity.

import type { Counts, Finding, Severity } from '../model/vocabulary.js';
import { SEVERITIES } from '../model/vocabulary.js';
import { addToList } from '../formats/multimap.js';
import { NO_COUNTS } from '../formats/severity.js';
import type { EvidenceReadings, Loop } from './loop.js';

export interface VerdictFindings {
  readonly findings: readonly Finding[];
  readonly counts: Counts;
}

/** `names`: the sources that count. */
export function collectFindings(loop: Loop, names: readonly string[], gathered: EvidenceReadings): VerdictFindings {
  const findings: Finding[] = [];
  const counts: Record<keyof Counts, number> = { ...NO_COUNTS };
  /** By finding: the source that listed it with a higher severity. */
  const worse = new Map<string, string>();
  for (const severity of SEVERITIES) {
    const { listed, count } = addUp(loop, names, severity, gathered, worse);
    counts[severity] = count;
    for (const [source, finding] of listed) {
      findings.push(finding);
      worse.set(findingKey(finding), source);
    }
  }
  return { findings, counts };
}

/** The number of findings of this severity, else of all. Null if no source counts any. */
export function countFindingsIn(
  loop: Loop,
  names: readonly string[],
  severity: Severity | undefined,
  gathered: EvidenceReadings,
): number | null {
  if (!names.some((name) => gathered[name]?.reading?.counts !== undefined)) return null;
  return addUp(loop, names, severity, gathered).count;
}

interface SeverityFindings {
  /** With their sources. */
  readonly listed: readonly (readonly [string, Finding])[];
  /** At least as many as listed: a source may count more than it lists. */
  readonly count: number;
}

/** `worse`: findings that are left out unless the same source lists them again. */
function addUp(
  loop: Loop,
  names: readonly string[],
  severity: Severity | undefined,
  gathered: EvidenceReadings,
  worse: ReadonlyMap<string, string> = new Map(),
): SeverityFindings {
  const listed: (readonly [string, Finding])[] = [];
  /** How often the roles before listed a finding. Two copies of one critic are two findings. */
  const copies = new Map<string, number>();
  let count = 0;
  for (const sources of groupByRole(loop, names)) {
    const own = sources.map((name) => {
      const { counts, findings = [] } = gathered[name]?.reading ?? {};
      const all = findings.filter((finding) => severity === undefined || finding.severity === severity);
      const repeats = new Map(copies);
      const added = all.filter((finding) => {
        const key = findingKey(finding);
        const left = repeats.get(key) ?? 0;
        repeats.set(key, left - 1);
        return left <= 0 && (worse.get(key) ?? name) === name;
      });
      const stated = counts === undefined ? 0 : severity === undefined ? sumOf(counts) : counts[severity];
      return { name, added, count: Math.max(added.length, stated - (all.length - added.length)) };
    });
    count += Math.max(...own.map((one) => one.count));
    const longest = own.reduce((most, one) => (one.added.length > most.added.length ? one : most));
    for (const finding of longest.added) {
      listed.push([longest.name, finding]);
      copies.set(findingKey(finding), (copies.get(findingKey(finding)) ?? 0) + 1);
    }
  }
  return { listed, count };
}

function sumOf(counts: Counts): number {
  return SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
}

/** By the role that wrote them. */
function groupByRole(loop: Loop, names: readonly string[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const name of names) addToList(groups, roleOfSource(loop, name), name);
  return [...groups.values()];
}

/** The role that wrote a source. */
export function roleOfSource({ evidence, roles }: Loop, name: string): string {
  const source = evidence[name];
  if (source !== undefined && 'row' in source && source.row !== 'critic') return source.row[0] ?? roles.critic;
  return source !== undefined && 'file' in source ? (source.by ?? roles.critic) : roles.critic;
}

/** Place and message, ignoring case and punctuation at the end. */
export function findingKey({ message, artifact, line }: Finding): string {
  const words = message
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s.;:,!]+$/, '');
  return `${artifact ?? ''}:${line ?? ''} ${words}`;
}

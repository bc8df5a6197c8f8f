// The findings and counts that a verdict rests on. Each critic is heard with its own; what several sources say of one thing stands
// there once, with the worst severity that any of them gives it.

import type { Counts, Finding } from '../model.js';
import { SEVERITIES } from '../model.js';
import { decidingSources, drawCounts } from './facts.js';
import type { GatheredAll } from './facts.js';
import type { Loop } from './loop.js';

export interface RestedOn {
  readonly findings: readonly Finding[];
  readonly counts: Counts;
}

export function drawRestedOn(loop: Loop, gathered: GatheredAll): RestedOn {
  const counts: Record<keyof Counts, number> = { ...drawCounts(loop, gathered) };
  const voices = voicesIn(loop, gathered);
  if (voices.length === 0) return { findings: [], counts };
  const findings: Finding[] = [];
  /** By what is said: the source that said it first. */
  const said = new Map<string, string>();
  for (const severity of SEVERITIES) {
    const before = findings.length;
    const counted = decidingSources(loop).map((name) => countOf(name, severity, gathered, said));
    for (const sources of voices) {
      for (const [source, finding] of mostOf(sources, severity, gathered)) {
        const thing = thingOf(finding);
        const first = said.get(thing) ?? source;
        said.set(thing, first);
        if (first === source) findings.push(finding);
      }
    }
    counts[severity] = Math.max(findings.length - before, ...counted);
  }
  return { findings, counts };
}

/** The sources with findings, by the role that left them. Those of one role speak for each other. */
function voicesIn(loop: Loop, gathered: GatheredAll): readonly (readonly string[])[] {
  const voices = new Map<string, string[]>();
  for (const name of decidingSources(loop)) {
    if ((gathered[name]?.reading?.findings.length ?? 0) === 0) continue;
    const source = loop.evidence[name];
    const role = source !== undefined && 'by' in source ? (source.by ?? '') : '';
    voices.set(role, [...(voices.get(role) ?? []), name]);
  }
  return [...voices.values()];
}

/** The findings of this severity, of the source that has most of them. */
function mostOf(sources: readonly string[], severity: Finding['severity'], gathered: GatheredAll): readonly (readonly [string, Finding])[] {
  let most: readonly (readonly [string, Finding])[] = [];
  for (const name of sources) {
    const found = (gathered[name]?.reading?.findings ?? []).filter((finding) => finding.severity === severity);
    if (found.length > most.length) most = found.map((finding) => [name, finding] as const);
  }
  return most;
}

/** What a source counts of this severity, but for what another says with a worse one. It may count more than it lists. */
function countOf(name: string, severity: Finding['severity'], gathered: GatheredAll, said: ReadonlyMap<string, string>): number {
  const { counts, findings } = gathered[name]?.reading ?? { findings: [] };
  const worse = findings.filter((finding) => finding.severity === severity && (said.get(thingOf(finding)) ?? name) !== name);
  return (counts?.[severity] ?? 0) - worse.length;
}

/** Where and what it is; a full stop or a capital makes no other thing of it. */
function thingOf({ message, artifact, line }: Finding): string {
  const words = message
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s.;:,!]+$/, '');
  return `${artifact ?? ''}:${line ?? ''} ${words}`;
}

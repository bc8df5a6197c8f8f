// A person's rulings on single findings: which findings are open, which can be dismissed, and how evidence is read without the dismissed
// ones. A ruling holds for the finding's fingerprint in this session, up to the severity that the person saw.

import { UmpireError } from '../model/errors.js';
import { bySeverity, referenceOf } from '../formats/finding-text.js';
import { isMeasuredRegression } from '../formats/regressions-measured.js';
import { countFindings } from '../formats/severity.js';
import { findingKey } from '../loops/verdict-findings.js';
import type { EvidenceReading } from '../loops/loop.js';
import { SEVERITIES } from '../model/vocabulary.js';
import type { Counts, DismissedFinding, Finding, Reading } from '../model/vocabulary.js';
import type { Event, FindingRuled } from './events.js';
import type { AnswerVia } from '../model/questions.js';
import type { PastVerdict, SessionState } from './evolve.js';

export type Rulings = SessionState['rulings'];

/** The ruling that dismisses this finding. A finding that comes back with a higher severity is open again. */
export function dismissalOf(finding: Finding, rulings: Rulings): FindingRuled | null {
  const ruling = rulings.get(finding.fingerprint);
  return ruling === undefined || isBeyond(finding, ruling) ? null : ruling;
}

/** Worse than what the person saw, or never waived. */
function isBeyond(finding: Finding, ruling: FindingRuled): boolean {
  return SEVERITIES.indexOf(finding.severity) < SEVERITIES.indexOf(ruling.finding.severity) || isMeasuredRegression(finding);
}

/** The evidence as if nobody had reported the dismissed findings. Counts that a source states beyond its list stay. */
export function withoutDismissed<E extends EvidenceReading>(
  evidence: Readonly<Record<string, E>>,
  rulings: Rulings,
): { readonly evidence: Readonly<Record<string, E>>; readonly dismissed: readonly DismissedFinding[] } {
  if (rulings.size === 0) return { evidence, dismissed: [] };
  /** By place and message: another source may report the same finding under another rule, which gives it another fingerprint. */
  const known = new Map<string, FindingRuled>();
  for (const { reading } of Object.values(evidence)) {
    for (const finding of reading?.findings ?? []) {
      const ruling = dismissalOf(finding, rulings);
      if (ruling !== null) known.set(findingKey(finding), ruling);
    }
  }
  const rulingOn = (finding: Finding): FindingRuled | null => {
    const ruling = known.get(findingKey(finding));
    return ruling === undefined || isBeyond(finding, ruling) ? null : ruling;
  };
  const dismissed = new Map<string, DismissedFinding>();
  const out: Record<string, E> = {};
  for (const [name, found] of Object.entries(evidence)) {
    const { reading } = found;
    const gone =
      reading === null ? [] : reading.findings.filter((finding) => rulingOn(finding) !== null && !isOfRegression(finding, reading));
    for (const finding of gone) {
      const { reason, by, who, via } = rulingOn(finding) as FindingRuled;
      const said = { finding, reason, by, ...(who === undefined ? {} : { who }), ...(via === undefined ? {} : { via }) };
      if (!dismissed.has(findingKey(finding))) dismissed.set(findingKey(finding), said);
    }
    out[name] = reading === null || gone.length === 0 ? found : { ...found, reading: readingWithout(reading, gone) };
  }
  return { evidence: out, dismissed: [...dismissed.values()] };
}

/** In a test report, the Critical findings are its measured regressions. */
function isOfRegression({ severity }: Finding, { lists }: Reading): boolean {
  return severity === 'critical' && (lists['regressions_measured'] ?? []).length > 0;
}

function readingWithout(reading: Reading, gone: readonly Finding[]): Reading {
  const left = { ...reading, findings: reading.findings.filter((finding) => !gone.includes(finding)) };
  return reading.counts === undefined ? left : { ...left, counts: countsWithout(reading.counts, gone) };
}

export function countsWithout(counts: Counts, gone: readonly Finding[]): Counts {
  const less = countFindings(gone);
  const left = (severity: keyof Counts) => Math.max(0, counts[severity] - less[severity]);
  return { critical: left('critical'), high: left('high'), medium: left('medium'), low: left('low') };
}

export interface OpenFinding {
  readonly finding: Finding;
  readonly loop: string;
  readonly chain: string;
  /** The `seq` of the verdict that lists it. */
  readonly verdict: number;
  /** Why it cannot be dismissed; null if it can. */
  readonly refusal: string | null;
}

/** The findings of each chain's last verdict that no person dismissed, each fingerprint once, worst first. */
export function openFindings(state: SessionState): readonly OpenFinding[] {
  const open = lastVerdicts(state).flatMap((past) => {
    const { loop, chain, findings } = past.verdict;
    const first = new Map<string, OpenFinding>();
    for (const finding of bySeverity(findings)) {
      if (first.has(finding.fingerprint) || dismissalOf(finding, state.rulings) !== null) continue;
      first.set(finding.fingerprint, { finding, loop, chain, verdict: past.seq, refusal: refusalOf(state, past, finding) });
    }
    return [...first.values()];
  });
  return SEVERITIES.flatMap((severity) => open.filter(({ finding }) => finding.severity === severity));
}

function lastVerdicts({ verdicts }: SessionState): readonly PastVerdict[] {
  return [...verdicts.values()].flatMap((past) => past.findLast(({ verdict }) => verdict.status === 'decided') ?? []);
}

function refusalOf({ run, frozen }: SessionState, { verdict }: PastVerdict, finding: Finding): string | null {
  if (isMeasuredRegression(finding)) return 'Umpire measured it: a test passed at the base and fails now';
  if (run?.ended != null) return `the session has ended: ${run.ended.outcome}`;
  const facts = Object.values(frozen.get(verdict.loop)?.rules.facts ?? {});
  if (!facts.some((spec) => 'findings' in spec)) return `the ${verdict.loop} loop decides by the numbers of its report, not by findings`;
  return null;
}

/** Whether a person dismissed findings of this verdict after it was given. */
export function isRuledSince({ verdict }: PastVerdict, { rulings }: SessionState): boolean {
  return verdict.findings.some((finding) => dismissalOf(finding, rulings) !== null);
}

export interface RulingGiven {
  /** A fingerprint, its first characters, or `file:line`. */
  readonly finding: string;
  readonly reason: string;
  readonly by: string;
  readonly who?: string;
  readonly via?: AnswerVia;
}

/** Fewer characters are too likely to name another finding. */
const SHORTEST_PREFIX = 6;

/** Throws if the word names no open finding or several, or if the finding cannot be dismissed. */
export function dismissFinding(state: SessionState, session: string, given: RulingGiven): Extract<Event, { type: 'FindingRuled' }> {
  const { reason, by, who, via } = given;
  if (reason.trim() === '') throw new UmpireError('dismissal-unexplained', { session, finding: given.finding });
  const { finding, verdict, refusal } = findOpen(state, session, given.finding.trim());
  if (refusal !== null) throw new UmpireError('finding-kept', { session, finding: finding.message.slice(0, 120), why: refusal });
  return {
    type: 'FindingRuled',
    data: {
      ruling: 'dismissed',
      finding,
      verdict,
      reason,
      by,
      ...(who === undefined ? {} : { who }),
      ...(via === undefined ? {} : { via }),
    },
  };
}

function findOpen(state: SessionState, session: string, word: string): OpenFinding {
  const open = openFindings(state);
  const isNamed = ({ fingerprint }: Finding) => fingerprint === word || (word.length >= SHORTEST_PREFIX && fingerprint.startsWith(word));
  const byPrint = open.filter(({ finding }) => isNamed(finding));
  const found = byPrint.length > 0 ? byPrint : open.filter(({ finding }) => referenceOf(finding) === word);
  const prints = [...new Set(found.map(({ finding }) => finding.fingerprint))];
  const [first] = found;
  if (prints.length > 1) throw new UmpireError('finding-ambiguous', { session, word, many: prints.length, known: prints.join(', ') });
  if (first !== undefined) return first;
  const ruling = [...state.rulings.values()].find(({ finding }) => isNamed(finding) || referenceOf(finding) === word);
  if (ruling !== undefined)
    throw new UmpireError('finding-dismissed', { session, finding: ruling.finding.message.slice(0, 120), reason: ruling.reason });
  throw new UmpireError('finding-unknown', { session, word: word.slice(0, 120) });
}

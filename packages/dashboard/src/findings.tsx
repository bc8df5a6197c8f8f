// The findings of a verdict.

import type { SessionAnswer, TimedVerdict } from '@umpire/umpire/http/answers.js';
import type { Finding, Severity } from '@umpire/core/model.js';
import { count } from './format.js';

export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low'];
const MOST_FINDINGS = 200;

/** The last verdict, if it is not an approval. */
export function openVerdict({ verdicts }: SessionAnswer): TimedVerdict | null {
  const last = verdicts.at(-1);
  return last === undefined || last.outcome === 'converge' || last.outcome === 'accept' ? null : last;
}

export function countWords(counts: Readonly<Record<Severity, number>>): string {
  const parts = SEVERITIES.filter((one) => counts[one] > 0).map((one) => `${counts[one]} ${one}`);
  return parts.length === 0 ? 'no findings' : parts.join(', ');
}

export const placeOf = ({ artifact, line }: Finding): string => (artifact === null ? '' : `${artifact}${line === null ? '' : `:${line}`}`);

interface FindingsProps {
  readonly session: SessionAnswer;
  readonly verdict: TimedVerdict;
  readonly onActed: () => void;
}

export function FindingsTable({ verdict: { findings, fates } }: FindingsProps) {
  const fateOf = new Map((fates ?? []).map(({ fingerprint, fate }) => [fingerprint, fate]));
  const left = findings.length - MOST_FINDINGS;
  return (
    <>
      <ul class="findings">
        {findings.slice(0, MOST_FINDINGS).map((finding) => (
          <li key={finding.fingerprint}>
            <span class={`key ${finding.severity}`}>{finding.severity}</span>
            <div>
              {finding.message}
              {placeOf(finding) === '' ? null : <code class="place">{placeOf(finding)}</code>}
              <span class="quiet">
                {[finding.rule, fateOf.get(finding.fingerprint)].filter((word) => word !== undefined).join(' · ')}
              </span>
            </div>
          </li>
        ))}
      </ul>
      {left > 0 ? <p class="quiet">and {count(left, 'finding')} more: see the report</p> : null}
    </>
  );
}

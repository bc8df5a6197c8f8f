// The findings of a verdict.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionAnswer, TimedVerdict } from '@umpire/umpire/doors/http/answers.js';
import type { Finding, Severity } from '@umpire/core/model/vocabulary.js';
import * as api from './api.js';
import { writeCount, Trouble } from './parts.js';

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

export const writePlace = ({ artifact, line }: Finding): string =>
  artifact === null ? '' : `${artifact}${line === null ? '' : `:${line}`}`;

interface FindingsProps {
  readonly session: SessionAnswer;
  readonly verdict: TimedVerdict;
  readonly onActed: () => void;
}

export function Findings({ session, verdict: { findings, fates }, onActed }: FindingsProps) {
  const fateOf = new Map((fates ?? []).map(({ fingerprint, fate }) => [fingerprint, fate]));
  const left = findings.length - MOST_FINDINGS;
  return (
    <>
      <ul class="findings">
        {findings.slice(0, MOST_FINDINGS).map((finding) => {
          const ruling = session.rulings[finding.fingerprint];
          const words = [finding.rule, fateOf.get(finding.fingerprint)].filter((word) => word !== undefined);
          return (
            <li key={finding.fingerprint}>
              <span class={`key ${finding.severity}`}>{finding.severity}</span>
              <div>
                {finding.message}
                {writePlace(finding) === '' ? null : <code class="place">{writePlace(finding)}</code>}
                {words.length === 0 ? null : <span class="quiet">{words.join(' · ')}</span>}
                {ruling?.dismissed == null ? null : <span class="quiet">dismissed by {ruling.dismissed}</span>}
              </div>
              {ruling === undefined || ruling.dismissed !== null ? null : ruling.refusal === null ? (
                <Dismiss id={session.id} finding={finding} onActed={onActed} />
              ) : (
                <span class="quiet">Cannot be dismissed: {ruling.refusal}.</span>
              )}
            </li>
          );
        })}
      </ul>
      {left > 0 ? <p class="quiet">and {writeCount(left, 'finding')} more: see the report</p> : null}
    </>
  );
}

interface DismissProps {
  readonly id: string;
  readonly finding: Finding;
  readonly onActed: () => void;
}

/** The button opens a field for the reason. */
function Dismiss({ id, finding, onActed }: DismissProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [reason, setReason] = useState('');
  const [error, setError] = useState<unknown>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isOpen) field.current?.focus();
  }, [isOpen]);
  const sendDismissal = async (): Promise<void> => {
    setError(null);
    await api.dismissFinding({ id, finding: finding.fingerprint, reason: reason.trim() }).then(onActed, setError);
  };
  if (!isOpen)
    return (
      <button type="button" class="plain-button" aria-label={`Dismiss: ${finding.message}`} onClick={() => setIsOpen(true)}>
        Dismiss
      </button>
    );
  return (
    <form
      class="dismiss"
      onSubmit={(event) => {
        event.preventDefault();
        void sendDismissal();
      }}
    >
      <label class="field">
        <span>
          Why it does not count <span class="quiet">(recorded; takes effect with the next verdict)</span>
        </span>
        <input ref={field} type="text" required value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
      </label>
      <button type="submit" class="plain-button">
        Dismiss
      </button>
      <button type="button" class="plain-button" onClick={() => setIsOpen(false)}>
        Cancel
      </button>
      {error === null ? null : <Trouble error={error} />}
    </form>
  );
}

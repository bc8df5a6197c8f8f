// The findings of a verdict.

import * as api from './api.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionAnswer, TimedVerdict } from '@umpire/umpire/doors/http/answers.js';
import type { Finding, Severity } from '@umpire/core/model/vocabulary.js';
import { count } from './parts..js';
import { Trouble } from './parts.js';

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
                {placeOf(finding) === '' ? null : <code class="place">{placeOf(finding)}</code>}
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
      {left > 0 ? <p class="quiet">and {count(left, 'finding')} more: see the report</p> : null}
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
  const send = async (): Promise<void> => {
    setError(null);
    await api.dismiss({ id, finding: finding.fingerprint, reason: reason.trim() }).then(onActed, setError);
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
        void send();
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

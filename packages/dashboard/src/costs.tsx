// The costs of all sessions: by day, by loop and by agent.

import { useEffect } from 'preact/hooks';
import type { CostPart } from '@umpire/umpire/doors/http/answers.js';
import * as api from './api.js';
import { BarChart } from './charts.js';
import { writeCount, Trouble } from './parts.js';
import { useChanges, useLoaded } from './api.js';

const MOST_DAYS = 31;

export function Costs() {
  const changes = useChanges(null);
  const { value, error } = useLoaded(api.costs, 'costs', changes);
  useEffect(() => {
    document.title = 'Costs · Umpire';
  }, []);
  if (error !== null) return <Trouble error={error} />;
  if (value === null) return <p class="quiet">Adding up the costs …</p>;
  const { parts, unreported } = value;
  const days = sumsBy(parts, ({ day }) => day).toSorted((a, b) => a.name.localeCompare(b.name));
  const total = parts.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return (
    <>
      <h1>${total.toFixed(2)} spent</h1>
      {parts.length === 0 ? <p class="quiet">No agent has worked yet.</p> : null}
      {unreported.length === 0 ? null : <p class="note">Not included, because they did not report their cost: {unreported.join(', ')}.</p>}
      {total === 0 ? null : (
        <BarChart title="Cost by day (UTC)" bars={days.slice(-MOST_DAYS).map(({ name, costUsd }) => ({ label: name, value: costUsd }))} />
      )}
      <div class="tables">
        <Sums head="By loop" sums={sumsBy(parts, ({ loop }) => loop)} />
        <Sums head="By agent" sums={sumsBy(parts, ({ agent }) => agent)} />
        <Sums head="By day" sums={days.toReversed().slice(0, MOST_DAYS)} />
      </div>
    </>
  );
}

type Sum = Pick<CostPart, 'costUsd' | 'tokens' | 'attempts'> & { readonly name: string };

/** The dearest first. */
function sumsBy(parts: readonly CostPart[], nameOf: (part: CostPart) => string): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const part of parts) {
    const name = nameOf(part);
    const { costUsd, tokens, attempts } = sums.get(name) ?? { costUsd: 0, tokens: 0, attempts: 0 };
    sums.set(name, { name, costUsd: costUsd + part.costUsd, tokens: tokens + part.tokens, attempts: attempts + part.attempts });
  }
  return [...sums.values()].toSorted((a, b) => b.costUsd - a.costUsd);
}

function Sums({ head, sums }: { readonly head: string; readonly sums: readonly Sum[] }) {
  if (sums.length === 0) return null;
  return (
    <section aria-label={head}>
      <h2>{head}</h2>
      <table>
        <tbody>
          {sums.map(({ name, costUsd, tokens, attempts }) => (
            <tr key={name}>
              <th scope="row">{name === '' ? 'unknown' : name}</th>
              <td>${costUsd.toFixed(2)}</td>
              <td class="quiet">
                {tokens > 0 ? `${writeCount(tokens, 'token')}, ` : ''}
                {writeCount(attempts, 'attempt')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

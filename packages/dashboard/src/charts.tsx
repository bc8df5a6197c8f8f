// Small charts as SVG, each also as text for screen readers.

import type { TimedVerdict } from '@umpire/umpire/doors/http/answers.js';
import { SEVERITIES, countWords } from './findings.js';

const WIDTH = 300;
const TALL = 92;
const FOOT = 18;
const TOP = 16;
const LEFT = 14;
const MOST_ROUNDS = 40;

/** What changed from round to round: findings, what the loop measures, and the cost. */
export function RoundCharts({ given }: { readonly given: readonly TimedVerdict[] }) {
  const shown = given.slice(-MOST_ROUNDS);
  const names = [...new Set(shown.flatMap(({ measures }) => Object.keys(measures)))];
  const costs = shown.map(({ costUsd }, at) => costUsd - (at === 0 ? 0 : (shown[at - 1]?.costUsd ?? 0)));
  return (
    <div class="charts">
      {shown.some(({ findings }) => findings.length > 0) ? <FindingsChart given={shown} /> : null}
      {names.map((name) => (
        <LineChart key={name} title={labelOf(name)} given={shown} values={shown.map(({ measures }) => measures[name] ?? null)} />
      ))}
      {costs.some((cost) => cost > 0) ? (
        <LineChart title="Cost of the round" given={shown} values={costs} print={(value) => `$${value.toFixed(2)}`} />
      ) : null}
    </div>
  );
}

const labelOf = (fact: string): string => `${fact.charAt(0).toUpperCase()}${fact.slice(1).replaceAll('_', ' ')}`;

const printNumber = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });

const middleOf = (at: number, sum: number): number => LEFT + ((WIDTH - 2 * LEFT) / sum) * (at + 0.5);

interface LineProps {
  readonly title: string;
  readonly given: readonly TimedVerdict[];
  /** Null: not measured in that round. */
  readonly values: readonly (number | null)[];
  readonly print?: (value: number) => string;
}

/** From zero, so that a small change looks small. */
function LineChart({ title, given, values, print = printNumber }: LineProps) {
  const most = Math.max(...values.map((value) => value ?? 0));
  const points = values.map((value, at) => ({
    x: middleOf(at, values.length),
    y: value === null ? null : TOP + (1 - (most <= 0 ? 0 : Math.max(0, value) / most)) * (TALL - TOP),
    value,
    round: given[at]?.round ?? 0,
  }));
  const known = points.filter(({ y }) => y !== null);
  const words = known.map(({ value, round }) => `round ${round}: ${print(value ?? 0)}`).join('; ');
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${TALL + FOOT}`} role="img" aria-label={`${title} by round. ${words}`}>
        <line x1={LEFT} x2={WIDTH - LEFT} y1={TALL} y2={TALL} class="floor" />
        <polyline points={known.map(({ x, y }) => `${x},${y ?? 0}`).join(' ')} class="line" />
        {known.map(({ x, y, value, round }, at) => (
          <g key={at}>
            <circle cx={x} cy={y ?? 0} r="3" class="dot">
              <title>{`round ${round}: ${print(value ?? 0)}`}</title>
            </circle>
            {known.length <= 6 || at === known.length - 1 || at === 0 ? (
              <text x={x} y={(y ?? 0) - 6} class="sum">
                {print(value ?? 0)}
              </text>
            ) : null}
          </g>
        ))}
        <Rounds given={given} />
      </svg>
    </figure>
  );
}

/** Their numbers below the floor: all, or every fifth. */
function Rounds({ given }: { readonly given: readonly TimedVerdict[] }) {
  return (
    <>
      {given.map(({ round }, at) =>
        given.length <= 12 || at % 5 === 0 ? (
          <text key={at} x={middleOf(at, given.length)} y={TALL + 14}>
            {round}
          </text>
        ) : null,
      )}
    </>
  );
}

/** A bar for each verdict, its findings by severity. */
function FindingsChart({ given }: { readonly given: readonly TimedVerdict[] }) {
  const totals = given.map(({ counts }) => SEVERITIES.reduce((sum, one) => sum + counts[one], 0));
  const most = Math.max(1, ...totals);
  const width = Math.min(40, ((WIDTH - 2 * LEFT) / given.length) * 0.7);
  const words = given.map(({ round, counts }) => `round ${round}: ${countWords(counts)}`).join('; ');
  return (
    <figure class="chart">
      <figcaption>
        Open findings
        {SEVERITIES.map((one) => (
          <span key={one} class={`key ${one}`}>
            {one}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${TALL + FOOT}`} role="img" aria-label={`Open findings by round. ${words}`}>
        <line x1={LEFT} x2={WIDTH - LEFT} y1={TALL} y2={TALL} class="floor" />
        {given.map(({ counts }, at) => {
          let top = TALL;
          const x = middleOf(at, given.length) - width / 2;
          return (
            <g key={at}>
              {SEVERITIES.map((severity) => {
                const height = (counts[severity] / most) * (TALL - TOP);
                top -= height;
                return height === 0 ? null : (
                  <rect key={severity} x={x} y={top} width={width} height={height} class={severity}>
                    <title>{`${counts[severity]} ${severity}`}</title>
                  </rect>
                );
              })}
              <text x={x + width / 2} y={top - 4} class="sum">
                {totals[at]}
              </text>
            </g>
          );
        })}
        <Rounds given={given} />
      </svg>
    </figure>
  );
}

/** Bars from the oldest to the latest, such as the cost of days. */
export function BarChart({
  title,
  bars,
}: {
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
}) {
  const most = Math.max(0.000_001, ...bars.map(({ value }) => value));
  // A chart of few days keeps its letters readable on a phone.
  const wide = Math.min(720, Math.max(WIDTH, bars.length * 50));
  const step = (wide - 2 * LEFT) / Math.max(1, bars.length);
  const width = Math.min(48, step * 0.7);
  const every = Math.ceil(bars.length / 10);
  const words = bars.map(({ label, value }) => `${label}: $${value.toFixed(2)}`).join('; ');
  return (
    <figure class="chart broad">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${wide} ${TALL + FOOT}`} style={{ width: `${wide * 1.2}px` }} role="img" aria-label={`${title}. ${words}`}>
        <line x1={LEFT} x2={wide - LEFT} y1={TALL} y2={TALL} class="floor" />
        {bars.map(({ label, value }, at) => {
          const height = (value / most) * (TALL - TOP);
          const middle = LEFT + step * (at + 0.5);
          return (
            <g key={label}>
              <rect x={middle - width / 2} y={TALL - height} width={width} height={height} class="cost">
                <title>{`${label}: $${value.toFixed(2)}`}</title>
              </rect>
              {bars.length <= 16 ? (
                <text x={middle} y={TALL - height - 4} class="sum">
                  ${value.toFixed(2)}
                </text>
              ) : null}
              {at % every === 0 ? (
                <text x={middle} y={TALL + 14}>
                  {label.slice(5)}
                </text>
              ) : null}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

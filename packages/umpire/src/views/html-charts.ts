// Charts by round as inline SVG: a line for a gauge, bars for findings and cost. Colours are those of the page, so that they follow its
// light or dark scheme.

import type { Severity } from '@umpire/core/model/vocabulary.js';
import { SEVERITIES } from '@umpire/core/model/vocabulary.js';
import { NO_HTML, markup } from './html-text.js';
import type { Html } from './html-text.js';

export interface ChartPoint {
  readonly round: number;
  readonly value: number;
  /** The value for people: `$0.40`, `85 %`. */
  readonly label: string;
}

export interface FindingsPoint {
  readonly round: number;
  readonly counts: Readonly<Record<Severity, number>>;
}

const WIDTH = 320;
const HEIGHT = 150;
const LEFT = 46;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 26;
const MOST_LABELS = 12;

/** Where a round and a value lie. */
interface ChartScale {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
  /** The room of one round. */
  readonly step: number;
}

function scaleOf(rounds: number, most: number): ChartScale {
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, rounds);
  return {
    step,
    x: (index) => LEFT + step * (index + 0.5),
    y: (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(1, Math.max(0, most === 0 ? 0 : value / most))),
  };
}

/** `most`: the top of the axis; at least the highest value. */
export function lineChart(title: string, points: readonly ChartPoint[], most: number, topLabel: string): Html {
  const top = Math.max(most, ...points.map(({ value }) => value));
  const scale = scaleOf(points.length, top);
  const dots = points.map((point, index) => {
    const [x, y] = [scale.x(index), scale.y(point.value)];
    return markup`<circle cx="${fixed(x)}" cy="${fixed(y)}" r="3.5"><title>Round ${point.round}: ${point.label}</title></circle>`;
  });
  const line = markup`<polyline points="${points.map(({ value }, index) => `${fixed(scale.x(index))},${fixed(scale.y(value))}`).join(' ')}" />`;
  return chart(title, points, topLabel, scale, markup`<g class="line">${line}${dots}</g>`);
}

export function barChart(title: string, points: readonly ChartPoint[], topLabel: string): Html {
  const scale = scaleOf(points.length, Math.max(...points.map(({ value }) => value)));
  const bars = points.map((point, index) => bar(scale, index, 0, point.value, 'bar', `Round ${point.round}: ${point.label}`));
  return chart(title, points, topLabel, scale, markup`<g>${bars}</g>`);
}

/** Open findings, the worst at the bottom. */
export function findingsChart(title: string, points: readonly FindingsPoint[]): Html {
  const countFindings = ({ counts }: FindingsPoint) => SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
  const top = Math.max(1, ...points.map(countFindings));
  const scale = scaleOf(points.length, top);
  const bars = points.flatMap((point, index) => {
    let under = 0;
    return SEVERITIES.flatMap((severity) => {
      const many = point.counts[severity];
      if (many === 0) return [];
      under += many;
      return [bar(scale, index, under - many, under, severity, `Round ${point.round}: ${many} ${severity}`)];
    });
  });
  const labelled = points.map((point) => ({ round: point.round, value: countFindings(point), label: String(countFindings(point)) }));
  const key = SEVERITIES.map((severity) => markup`<span><i class="${severity}"></i>${severity}</span> `);
  return markup`${chart(title, labelled, String(top), scale, markup`<g>${bars}</g>`, markup`<p class="key">${key}</p>`)}`;
}

function bar({ x, y, step }: ChartScale, index: number, from: number, to: number, kind: string, said: string): Html {
  const width = Math.min(28, step * 0.7);
  const height = Math.max(0, y(from) - y(to));
  return markup`<rect class="${kind}" x="${fixed(x(index) - width / 2)}" y="${fixed(y(to))}" width="${fixed(width)}" height="${fixed(height)}"><title>${said}</title></rect>`;
}

function chart(title: string, points: readonly ChartPoint[], topLabel: string, scale: ChartScale, content: Html, below?: Html): Html {
  const said = `${title} by round: ${points.map(({ round, label }) => `round ${round}: ${label}`).join(', ')}`;
  const every = Math.ceil(points.length / MOST_LABELS);
  const rounds = points.flatMap(({ round }, index) =>
    index % every === 0 ? [markup`<text x="${fixed(scale.x(index))}" y="${HEIGHT - 8}" text-anchor="middle">${round}</text>`] : [],
  );
  const floor = HEIGHT - BOTTOM;
  return markup`<figure>
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${said}">
      <g class="axis">
        <path d="M${LEFT} ${TOP}V${floor}H${WIDTH - RIGHT}" />
        <text x="${LEFT - 6}" y="${TOP + 8}" text-anchor="end">${topLabel}</text>
        <text x="${LEFT - 6}" y="${floor}" text-anchor="end">0</text>
        ${rounds}
      </g>
      ${content}</svg>
    ${below ?? NO_HTML}
  </figure>
`;
}

function fixed(number: number): string {
  return String(Math.round(number * 10) / 10);
}

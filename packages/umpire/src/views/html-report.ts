// A session as one self-contained HTML page, to send to somebody: the Markdown report with charts and the change. No script, no request,
// light and dark.

import { Marked } from 'marked';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { SEVERITIES } from '@umpire/core/model/vocabulary.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Usage } from '@umpire/core/model/ports.js';
import { lineOf, showHidden } from './safe-text.js';
import { sessionPage } from './session-page.js';
import type { SessionExtra } from './session-page.js';
import { chainLabel } from './session-view.js';
import { count } from './words.js';
import type { Severity } from '@umpire/core/model/vocabulary.js';

export interface HtmlExtra extends SessionExtra {
  /** The change of the session as a patch; null if there is none. `problem`: why it could not be read. */
  readonly diff: { readonly patch: string } | { readonly problem: string } | null;
}

const MAX_DIFF_CHARS = 200_000;

export function htmlReport(state: SessionState, extra: HtmlExtra): string {
  const report = sessionPage(state, extra);
  const sections = report.indexOf('\n## ') + 1;
  const body = markup`<header>
<p class="kind">Umpire report</p>
${htmlOf(report.slice(0, sections))}
</header>
<main>
${chartsSection(state, extra.events)}
${htmlOf(report.slice(sections))}
${diffSection(extra.session, extra.diff)}
</main>
<footer><p>Written by Umpire from the journal of the session. The page loads nothing and runs no script.</p></footer>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(`Umpire report: ${lineOf(extra.session, 200)}`)}</title>
<style>${HTML_STYLE}</style>
</head>
<body>
${body.source.replace(/\n{2,}/g, '\n')}
</body>
</html>
`;
}

/** Foreign text is escaped in the report already. Should some of it be HTML, a link or an image all the same, it stays text here. */
const markdown = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    link: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    code: ({ text }) => `<pre>${escapeHtml(text)}</pre>\n`,
    codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
  },
});

function htmlOf(page: string): Html {
  return { source: markdown.parse(page, { async: false }) };
}

function drawHtmlSection(heading: string, content: Html): Html {
  return markup`<section>
<h2>${heading}</h2>
${content}
</section>
`;
}

function chartsSection(state: SessionState, events: readonly Recorded[]): Html {
  const costs = costByVerdict(events);
  const charts = [...state.verdicts.values()]
    .map((past) => past.filter(({ verdict }) => verdict.status === 'decided'))
    .filter((past) => past.length > 0)
    .flatMap((past) => {
      const label = state.verdicts.size < 2 ? '' : chainLabel(state, past[0]?.verdict ?? { loop: '', chain: '' });
      const nameChart = (title: string) => (label === '' ? title : `${title}, ${label}`);
      const rules = state.frozen.get(past[0]?.verdict.loop ?? '')?.rules;
      const spent = past.map(({ seq, verdict }) => {
        const value = costs.get(seq) ?? 0;
        return { round: verdict.round, value, label: `$${value.toFixed(2)}` };
      });
      const most = Math.max(...spent.map(({ value }) => value));
      return [
        // The numbers by which the loop measures its progress.
        ...Object.keys(rules?.progress ?? {})
          .flatMap((name) => {
            const spec = rules?.facts[name];
            return spec !== undefined && 'number' in spec ? [{ name, most: spec.number[1] }] : [];
          })
          .flatMap((gauge) => gaugeChart(nameChart(gauge.name.replaceAll('_', ' ')), gauge, past)),
        ...(past.every(({ verdict: { counts } }) => SEVERITIES.every((severity) => counts[severity] === 0))
          ? []
          : [
              findingsChart(
                nameChart('Open findings'),
                past.map(({ verdict }) => ({ round: verdict.round, counts: verdict.counts })),
              ),
            ]),
        ...(most > 0 ? [barChart(nameChart('Cost'), spent, `$${most.toFixed(2)}`)] : []),
      ];
    });
  return charts.length === 0 ? NO_HTML : drawHtmlSection('By round', markup`<div class="charts">${charts}</div>`);
}

interface GaugeFact {
  readonly name: string;
  /** The end of its scale. */
  readonly most: number;
}

/** The highest end of a scale that an axis shows whole. */
const MOST_ON_AXIS = 100;

function gaugeChart(title: string, { name, most }: GaugeFact, past: readonly PastVerdict[]): readonly Html[] {
  const showGauge = (value: number) => (most === 1 ? `${Math.round(value * 1000) / 10} %` : String(Math.round(value * 100) / 100));
  const points = past.flatMap(({ verdict, facts }) => {
    const value = facts[name];
    return typeof value === 'number' ? [{ round: verdict.round, value, label: showGauge(value) }] : [];
  });
  if (points.length === 0) return [];
  const top = Math.max(most <= MOST_ON_AXIS ? most : 1, ...points.map(({ value }) => value));
  return [lineChart(title.charAt(0).toUpperCase() + title.slice(1), points, top, showGauge(top))];
}

/** By verdict: the cost that agents reported since the verdict before it. */
function costByVerdict(events: readonly Recorded[]): ReadonlyMap<number, number> {
  const costs = new Map<number, number>();
  let spent = 0;
  for (const { type, data, seq } of events) {
    if (type === 'VerdictGiven') {
      costs.set(seq, spent);
      spent = 0;
    } else if ('usage' in data) spent += ((data.usage as Usage | undefined) ?? NO_USAGE).costUsd;
  }
  return costs;
}

function diffSection(session: string, diff: HtmlExtra['diff']): Html {
  if (diff === null) return NO_HTML;
  if ('problem' in diff) return drawHtmlSection('Change', markup`<p class="note">${diff.problem}</p>`);
  if (diff.patch.trim() === '') return drawHtmlSection('Change', markup`<p>The session changed nothing.</p>`);
  const isCut = diff.patch.length > MAX_DIFF_CHARS;
  const shown = isCut ? diff.patch.slice(0, diff.patch.lastIndexOf('\n', MAX_DIFF_CHARS)) : diff.patch;
  const lines = showHidden(shown)
    .split('\n')
    .map((line) => {
      const kind = /^(?:diff |index |--- |\+\+\+ )/.test(line)
        ? 'file'
        : line.startsWith('@@')
          ? 'hunk'
          : line.startsWith('+')
            ? 'added'
            : line.startsWith('-')
              ? 'removed'
              : '';
      return kind === '' ? markup`${line}\n` : markup`<span class="${kind}">${line}</span>\n`;
    });
  const note = isCut
    ? markup`<p class="note">The change is cut after ${count(MAX_DIFF_CHARS, 'character')} of ${diff.patch.length}. See all of it with: umpire diff ${session}</p>`
    : NO_HTML;
  return drawHtmlSection('Change', markup`${note}<pre class="diff">${lines}</pre>`);
}

// Text in an HTML page: escaped, and without hidden characters. Everything that the page shows goes through `markup` or `escapeHtml`.

/** Markup that is complete: its foreign text is escaped. */
interface Html {
  readonly source: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return showHidden(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

type MarkupPart = string | number | Html | readonly Html[];

/** Strings are text and are escaped; `Html` stays as it is. */
export function markup(pieces: TemplateStringsArray, ...parts: readonly MarkupPart[]): Html {
  let source = pieces[0] ?? '';
  parts.forEach((part, index) => {
    source += `${markupOf(part)}${pieces[index + 1] ?? ''}`;
  });
  return { source };
}

function markupOf(part: MarkupPart): string {
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'source' in part ? part.source : part.map(({ source }) => source).join('');
}

const NO_HTML: Html = { source: '' };

// Charts by round as inline SVG: a line for a gauge, bars for findings and cost. Colours are those of the page, so that they follow its
// light or dark scheme.

interface ChartPoint {
  readonly round: number;
  readonly value: number;
  /** The value for people: `$0.40`, `85 %`. */
  readonly label: string;
}

interface FindingsPoint {
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

interface ChartScale {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
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
function lineChart(title: string, points: readonly ChartPoint[], most: number, topLabel: string): Html {
  const top = Math.max(most, ...points.map(({ value }) => value));
  const scale = scaleOf(points.length, top);
  const dots = points.map((point, index) => {
    const [x, y] = [scale.x(index), scale.y(point.value)];
    return markup`<circle cx="${fixed(x)}" cy="${fixed(y)}" r="3.5"><title>Round ${point.round}: ${point.label}</title></circle>`;
  });
  const line = markup`<polyline points="${points.map(({ value }, index) => `${fixed(scale.x(index))},${fixed(scale.y(value))}`).join(' ')}" />`;
  return chart(title, points, topLabel, scale, markup`<g class="line">${line}${dots}</g>`);
}

function barChart(title: string, points: readonly ChartPoint[], topLabel: string): Html {
  const scale = scaleOf(points.length, Math.max(...points.map(({ value }) => value)));
  const bars = points.map((point, index) => bar(scale, index, 0, point.value, 'bar', `Round ${point.round}: ${point.label}`));
  return chart(title, points, topLabel, scale, markup`<g>${bars}</g>`);
}

/** Open findings, the worst at the bottom. */
function findingsChart(title: string, points: readonly FindingsPoint[]): Html {
  const countWords = ({ counts }: FindingsPoint) => SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
  const top = Math.max(1, ...points.map(countWords));
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
  const labelled = points.map((point) => ({ round: point.round, value: countWords(point), label: String(countWords(point)) }));
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

// The style of the HTML report: one column, light and dark, readable on a phone and on paper.

const HTML_STYLE = `
:root { color-scheme: light dark; --page: #fff; --text: #1c2128; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa;
  --good: #1a7f37; --warn: #8a5a00; --bad: #cf222e; --mark: #0550ae;
  --critical: #a40e26; --high: #c4470a; --medium: #9a6700; --low: #57606a; --added: #dafbe1; --removed: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --text: #e6edf3; --soft: #9aa4af; --line: #30363d; --panel: #161b22;
  --good: #3fb950; --warn: #d9a526; --bad: #ff7b72; --mark: #79c0ff;
  --critical: #ff7b72; --high: #ffa657; --medium: #e3b341; --low: #9aa4af; --added: #12351f; --removed: #46191c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .35rem; }
h4 { font-size: 1rem; font-weight: 600; margin: .75rem 0 .25rem; }
code { font: .9em ui-monospace, monospace; }
p { margin: .35rem 0; }
ul { padding-left: 1.25rem; }
.kind, figcaption, footer, .key { color: var(--soft); font-size: .875rem; }
.note { border-left: 3px solid var(--warn); padding: .25rem .75rem; background: var(--panel); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel); }
figcaption { font-weight: 600; }
svg { display: block; width: 100%; height: auto; max-width: 30rem; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.axis path { fill: none; stroke: var(--line); }
.line polyline { fill: none; stroke: var(--mark); stroke-width: 2; }
.line circle, rect.bar { fill: var(--mark); }
.key span { margin-right: .75rem; white-space: nowrap; }
.key i { display: inline-block; width: .7em; height: .7em; margin-right: .35em; }
rect.critical { fill: var(--critical); } rect.high { fill: var(--high); } rect.medium { fill: var(--medium); } rect.low { fill: var(--low); }
i.critical { background: var(--critical); } i.high { background: var(--high); } i.medium { background: var(--medium); } i.low { background: var(--low); }
pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel);
  font: 13px/1.45 ui-monospace, monospace; overflow-wrap: normal; }
.diff span { display: inline-block; min-width: 100%; }
.file { font-weight: 600; } .hunk { color: var(--mark); } .added { background: var(--added); } .removed { background: var(--removed); }
@media print { body { max-width: none; } section { break-inside: auto; } }
`;

// A session as one self-contained HTML page, to send to somebody: the Markdown report with charts and the change. No script, no request,
// light and dark.

import { Marked } from 'marked';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { SEVERITIES } from '@umpire/core/model/vocabulary.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Usage } from '@umpire/core/model/ports.js';
import { barChart, findingsChart, lineChart } from './html-charts.js';
import { NO_HTML, escapeHtml, markup } from './html-text.js';
import type { Html } from './html-text.js';
import { HTML_STYLE } from './html-style.js';
import { lineOf, showHidden } from './safe-text.js';
import { sessionPage } from './session-page.js';
import type { SessionExtra } from './session-page.js';
import { chainLabel } from './session-view.js';
import { count } from './words.js';

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

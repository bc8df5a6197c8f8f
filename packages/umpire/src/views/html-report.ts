// A session as one self-contained HTML page, to send to somebody: no script, no request, light and dark. It says the same as the
// Markdown report, shorter, with charts and the change.

import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import type { EventData, Recorded } from '@umpire/core/decider/events.js';
import { dismissalOf } from '@umpire/core/decider/rulings.js';
import { bySeverity, findingsWords, referenceOf } from '@umpire/core/formats/finding-text.js';
import type { Provenance } from '@umpire/core/formats/provenance.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { SEVERITIES } from '@umpire/core/model/vocabulary.js';
import type { Finding } from '@umpire/core/model/vocabulary.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Usage } from '@umpire/core/model/ports.js';
import { barChart, findingsChart, lineChart } from './html-charts.js';
import { NO_HTML, escapeHtml, markup, textOf } from './html-text.js';
import type { Html } from './html-text.js';
import { HTML_STYLE } from './html-style.js';
import { lineOf, showHidden } from './safe-text.js';
import { chainLabel, sandboxWords, sessionView, verdictsIn } from './session-view.js';
import type { SessionSurroundings, SessionView } from './session-view.js';
import { moreWords, waitWords } from './session-question.js';
import { chainLine, spentWords, stateWords } from './status-page.js';
import { testimonyOf } from './verdict-page.js';
import { count, viaWords } from './words.js';
import type { Clock } from './words.js';

export interface HtmlExtra extends SessionSurroundings {
  readonly events: readonly Recorded[];
  readonly provenance: ReadonlyMap<string, Provenance>;
  readonly clock: Clock;
  /** The change of the session as a patch; null if there is none. `problem`: why it could not be read. */
  readonly diff: { readonly patch: string } | { readonly problem: string } | null;
}

const MAX_ROWS = 200;
const MAX_DIFF_CHARS = 200_000;

export function htmlReport(state: SessionState, extra: HtmlExtra): string {
  const view = sessionView(state, extra);
  const title = `Umpire report: ${lineOf(view.session, 200)}`;
  const { loops, mode, why, command, chains, spent, sandbox, work, notes } = view;
  const { events, clock } = extra;

  const [first, last] = [events[0]?.ts, events.at(-1)?.ts];
  const rows: readonly (readonly [name: string, value: string])[] = [
    ['Loop', loops.join(', ')],
    ['Runs until this passes', command],
    ['Mode', mode === '' ? '' : `${mode}${why === '' ? '' : ` (${why})`}`],
    ['Time', first === undefined || last === undefined ? '' : `${clock.moment(first)} to ${clock.moment(last)} (${clock.zone(last)})`],
    ...chains.map((chain) => ['Rounds', chainLine(chain)] as const),
    ['Spent', spent === null ? '' : spentWords(spent)],
    ['Programs', spent === null ? '' : sandboxWords(sandbox)],
    ['Work', work === null ? '' : `branch ${work.branch}, from ${work.base.slice(0, 12)} to ${(work.head ?? work.base).slice(0, 12)}`],
    ...notes.map((note) => ['Note', note] as const),
  ];
  const shown = rows.filter(([, value]) => value !== '');
  const body = markup`<header>
<p class="kind">Umpire report</p>
<h1>${view.session}</h1>
<p><strong class="state ${stateClass(view)}">${stateWords(view)}</strong> ${view.reason}</p>
${markup`<dl>${shown.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${textOf(value)}</dd></div>`)}</dl>`}
</header>
<main>
${view.goal === '' ? NO_HTML : section('Goal', markup`<p class="text">${textOf(view.goal)}</p>`)}
${listSection('Unverified', view.because)}
${listSection('Suspected bugs', view.suspectedBugs)}
${questionSection(view)}
${chartsSection(state, extra.events)}
${verdictsSection(state, extra)}
${findingsSection(state)}
${evidenceSection(state, extra)}
${tasksSection(view)}
${listSection('Answers of people', peopleLines(extra.events, extra.clock))}
${diffSection(view, extra.diff)}
</main>
<footer><p>Written by Umpire from the journal of the session. The page loads nothing and runs no script.</p></footer>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${HTML_STYLE}</style>
</head>
<body>
${body.source.replace(/\n{2,}/g, '\n')}
</body>
</html>
`;
}

function stateClass({ state, unverified }: SessionView): string {
  if (state === 'complete') return unverified ? 'warn' : 'good';
  return state === 'failed' || state === 'aborted' || state === 'unreadable' ? 'bad' : 'warn';
}

function section(heading: string, content: Html): Html {
  return markup`<section>
<h2>${heading}</h2>
${content}
</section>
`;
}

function listSection(heading: string, lines: readonly string[]): Html {
  if (lines.length === 0) return NO_HTML;
  return section(
    heading,
    markup`<ul>${lines.slice(0, MAX_ROWS).map((line) => markup`<li>${textOf(line)}</li>`)}</ul>${moreRows(lines.length)}`,
  );
}

function moreRows(many: number): Html {
  return many > MAX_ROWS ? markup`<p class="note">And ${count(many - MAX_ROWS, 'row')} more: the Markdown report has all.</p>` : NO_HTML;
}

function questionSection({ question }: SessionView): Html {
  if (question === null) return NO_HTML;
  const answers = question.later ? NO_HTML : markup`<pre>${question.answers.map(({ command }) => command).join('\n')}</pre>`;
  const detail = question.detail === '' ? NO_HTML : markup`<p class="text">${textOf(question.detail)}</p>`;
  return section('Waiting for a person', markup`<p>${waitWords(question)}${moreWords(question)}</p>${detail}${answers}`);
}

/** The decided verdicts of each chain, oldest first. */
function chainsOf({ verdicts }: SessionState): readonly (readonly PastVerdict[])[] {
  return [...verdicts.values()].map((past) => past.filter(({ verdict }) => verdict.status === 'decided')).filter((past) => past.length > 0);
}

/** The chain of a verdict, where there are several. */
function labelOf(state: SessionState, verdict: Parameters<typeof chainLabel>[1]): string {
  return state.verdicts.size < 2 ? '' : chainLabel(state, verdict);
}

function chartsSection(state: SessionState, events: readonly Recorded[]): Html {
  const costs = costByVerdict(events);
  const charts = chainsOf(state).flatMap((past) => {
    const label = labelOf(state, past[0]?.verdict ?? { loop: '', chain: '' });
    const named = (title: string) => (label === '' ? title : `${title}, ${label}`);
    const rules = state.frozen.get(past[0]?.verdict.loop ?? '')?.rules;
    const spent = past.map(({ seq, verdict }) => {
      const value = costs.get(seq) ?? 0;
      return { round: verdict.round, value, label: `$${value.toFixed(2)}` };
    });
    const most = Math.max(...spent.map(({ value }) => value));
    return [
      ...gaugesOf(rules).flatMap((gauge) => gaugeChart(named(gauge.name.replaceAll('_', ' ')), gauge, past)),
      ...(past.every(({ verdict: { counts } }) => SEVERITIES.every((severity) => counts[severity] === 0))
        ? []
        : [
            findingsChart(
              named('Open findings'),
              past.map(({ verdict }) => ({ round: verdict.round, counts: verdict.counts })),
            ),
          ]),
      ...(most > 0 ? [barChart(named('Cost'), spent, `$${most.toFixed(2)}`)] : []),
    ];
  });
  return charts.length === 0 ? NO_HTML : section('By round', markup`<div class="charts">${charts}</div>`);
}

interface GaugeFact {
  readonly name: string;
  /** The end of its scale. */
  readonly most: number;
}

/** The numbers by which the loop measures its progress. */
function gaugesOf(rules: Loop | undefined): readonly GaugeFact[] {
  return Object.keys(rules?.progress ?? {}).flatMap((name) => {
    const spec = rules?.facts[name];
    return spec !== undefined && 'number' in spec ? [{ name, most: spec.number[1] }] : [];
  });
}

/** The highest end of a scale that an axis shows whole. */
const MOST_ON_AXIS = 100;

function gaugeChart(title: string, { name, most }: GaugeFact, past: readonly PastVerdict[]): readonly Html[] {
  const said = (value: number) => (most === 1 ? `${Math.round(value * 1000) / 10} %` : String(Math.round(value * 100) / 100));
  const points = past.flatMap(({ verdict, facts }) => {
    const value = facts[name];
    return typeof value === 'number' ? [{ round: verdict.round, value, label: said(value) }] : [];
  });
  if (points.length === 0) return [];
  const top = Math.max(most <= MOST_ON_AXIS ? most : 1, ...points.map(({ value }) => value));
  return [lineChart(title.charAt(0).toUpperCase() + title.slice(1), points, top, said(top))];
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

function verdictsSection(state: SessionState, { events, clock }: HtmlExtra): Html {
  const givenAt = new Map(events.map(({ seq, ts }) => [seq, ts]));
  const rows = verdictsIn(state).map(({ verdict, seq, scene }) => {
    const label = labelOf(state, verdict);
    const marks = [...(verdict.status === 'partial' ? ['partial'] : []), ...(verdict.unverified ? ['unverified'] : [])].join(', ');
    const at = givenAt.get(seq);
    const lines = [
      ...verdict.waivers.map((waiver) => `Waiver: ${waiver}`),
      ...(verdict.worse === true ? ['The work of this round made things worse.'] : []),
      ...verdict.anomalies.map(({ rule, message }) => `Anomaly ${rule}: ${message}`),
      ...(verdict.trend === undefined ? [] : [`Trend: ${verdict.trend.kind}. ${verdict.trend.why}`]),
      ...((verdict.dismissed ?? []).length === 0 ? [] : [`Without ${count((verdict.dismissed ?? []).length, 'dismissed finding')}.`]),
      ...(verdict.tasks.length === 0 ? [] : [`New tasks: ${verdict.tasks.map(({ id }) => id).join(', ')}`]),
    ];
    return markup`<li class="${verdict.outcome}">
<h3>Round ${verdict.round} of ${verdict.maxRounds}${label === '' ? '' : `, ${label}`}: ${verdict.decision}${marks === '' ? '' : ` (${marks})`}</h3>
<p class="text">${textOf(verdict.reason)}</p>
<p class="small">Rule ${verdict.rule}; ${findingsWords(verdict.counts)}${scene?.critic == null ? '' : `; judged ${scene.critic}`}${at === undefined ? '' : `; ${clock.moment(at)}`}</p>
${lines.length === 0 ? NO_HTML : markup`<ul class="small">${lines.map((line) => markup`<li>${textOf(line)}</li>`)}</ul>`}
</li>
`;
  });
  return section('Verdicts', rows.length === 0 ? markup`<p>No verdict yet.</p>` : markup`<ol class="verdicts">${rows}</ol>`);
}

function findingsSection(state: SessionState): Html {
  const chains = chainsOf(state);
  const last = chains.flatMap((past) => past.at(-1)?.verdict.findings ?? []);
  const open = bySeverity(last.filter((finding) => dismissalOf(finding, state.rulings) === null));
  const kept = new Set([...last.map(({ fingerprint }) => fingerprint), ...state.rulings.keys()]);
  const gone = new Map<string, Finding>();
  for (const { verdict } of chains.flat())
    for (const finding of verdict.findings) if (!kept.has(finding.fingerprint)) gone.set(finding.fingerprint, finding);
  const dismissed = [...state.rulings.values()].map((one) => {
    const said = `Dismissed by ${one.who ?? one.by}${viaWords(one.via)}: ${one.reason}`;
    return findingRow(one.finding, markup`<p class="small text">${textOf(said)}</p>`);
  });
  const tables = [
    findingsTable(
      'Open',
      open.map((finding) => findingRow(finding, NO_HTML)),
    ),
    findingsTable('Dismissed by a person', dismissed),
    findingsTable(
      'Fixed',
      bySeverity([...gone.values()]).map((finding) => findingRow(finding, NO_HTML)),
    ),
  ];
  const isEmpty = tables.every(({ source }) => source === '');
  return section('Findings', isEmpty ? markup`<p>No findings.</p>` : markup`${tables}`);
}

function findingRow(finding: Finding, below: Html): Html {
  const { severity, message, rule } = finding;
  const place = [referenceOf(finding) ?? '', rule ?? ''].filter((word) => word !== '').join('; ');
  return markup`<tr><td><span class="tag ${severity}">${severity}</span></td><td><p class="text">${textOf(message)}</p>${place === '' ? NO_HTML : markup`<p class="small">${place}</p>`}${below}</td></tr>
`;
}

function findingsTable(heading: string, rows: readonly Html[]): Html {
  if (rows.length === 0) return NO_HTML;
  return markup`<h3>${heading} (${rows.length})</h3>
<table><thead><tr><th>Severity</th><th>Finding</th></tr></thead><tbody>
${rows.slice(0, MAX_ROWS)}</tbody></table>${moreRows(rows.length)}
`;
}

function evidenceSection(state: SessionState, { provenance }: HtmlExtra): Html {
  const judged = verdictsIn(state);
  const rows = judged.flatMap(({ verdict }) =>
    verdict.evidence.map(({ path, grade, sha256 }) => {
      const bound = provenance.get(sha256);
      const commit = bound?.commit == null ? '' : `measured on commit ${bound.commit.slice(0, 12)}`;
      const tools = (bound?.tools ?? []).map(({ name, version }) => (version === null ? name : `${name} ${version}`)).join(', ');
      const about = [commit, tools, `sha256 ${sha256.slice(0, 12)}`].filter((word) => word !== '').join('; ');
      const label = labelOf(state, verdict);
      return markup`<tr><td>${verdict.round}${label === '' ? '' : ` (${label})`}</td><td>${path}<p class="small">${textOf(about)}</p></td><td>${grade}</td></tr>
`;
    }),
  );
  if (rows.length === 0) return NO_HTML;
  const testified = judged.flatMap(({ verdict }) => (testimonyOf(verdict) === null ? [] : [`round ${verdict.round}`]));
  const note =
    testified.length === 0
      ? NO_HTML
      : markup`<p class="note">Testimony only, nothing measured by Umpire: ${textOf(testified.join(', '))}.</p>`;
  return section(
    'Evidence',
    markup`${note}<table><thead><tr><th>Round</th><th>Evidence</th><th>Grade</th></tr></thead><tbody>
${rows.slice(0, MAX_ROWS)}</tbody></table>${moreRows(rows.length)}`,
  );
}

function tasksSection({ tasks }: SessionView): Html {
  if (tasks.length === 0) return NO_HTML;
  const rows = tasks
    .toSorted((a, b) => a.wave - b.wave)
    .map(({ id, title, role, status, attempt, files, findings, error }) => {
      const said = error.trim() === '' ? findings : error;
      const about = [role, attempt > 1 ? `${attempt} attempts` : '', files.length === 0 ? '' : count(files.length, 'file')]
        .filter((word) => word !== '')
        .join('; ');
      return markup`<tr><td>${id}<p class="small">${about}</p></td><td>${title}${said.trim() === '' ? NO_HTML : markup`<p class="small text">${textOf(said)}</p>`}</td><td>${status}</td></tr>
`;
    });
  return section(
    'Tasks',
    markup`<table><thead><tr><th>Task</th><th>Title and report</th><th>Status</th></tr></thead><tbody>
${rows.slice(0, MAX_ROWS)}</tbody></table>${moreRows(rows.length)}`,
  );
}

function peopleLines(events: readonly Recorded[], clock: Clock): readonly string[] {
  return events.flatMap((event) => {
    const at = clock.moment(event.ts);
    if (event.type === 'PersonAnswered') return [`${at}: ${answerWords(event.data)}`];
    return event.type === 'PersonEdited' ? [`${at}: manual changes, ${count(event.data.files.length, 'file')}`] : [];
  });
}

function answerWords({ answer, reason, by, who = by, via, goal }: EventData<'PersonAnswered'>): string {
  const mark = answer === 'force-approve' ? ' (unverified)' : '';
  const words = [goal === undefined ? '' : `the goal is now "${goal}"`, reason].filter((word) => word.trim() !== '').join('; ');
  return `${answer}${mark}, ${who}${viaWords(via)}${words === '' ? '' : `: ${words}`}`;
}

function diffSection({ session }: SessionView, diff: HtmlExtra['diff']): Html {
  if (diff === null) return NO_HTML;
  if ('problem' in diff) return section('Change', markup`<p class="note">${diff.problem}</p>`);
  if (diff.patch.trim() === '') return section('Change', markup`<p>The session changed nothing.</p>`);
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
  return section('Change', markup`${note}<pre class="diff">${lines}</pre>`);
}

// The verdicts of each chain: findings by round, and every verdict with its evidence.

import type { SessionAnswer, TimedVerdict } from '@umpire/umpire/http/answers.js';
import type { Severity } from '@umpire/core/model.js';
import { draw, foldable, make } from './dom.js';
import { address } from './overview.js';
import { count, moment } from './format.js';

const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low'];
const MOST_FINDINGS = 200;

export function roundsPart(session: SessionAnswer): HTMLElement {
  const { verdicts } = session;
  if (verdicts.length === 0) return make('p', { class: 'quiet' }, 'No verdict yet.');
  const keys = new Set(verdicts.map(keyOf));
  const chains = [...keys].map((key) => verdicts.filter((verdict) => keyOf(verdict) === key));
  return make('div', {}, ...chains.map((given) => chainPart(session, given, chains.length > 1)));
}

const keyOf = ({ loop, chain }: TimedVerdict): string => JSON.stringify([loop, chain]);

function chainPart(session: SessionAnswer, given: readonly TimedVerdict[], isNamed: boolean): HTMLElement {
  const [first] = given;
  if (first === undefined) return make('div');
  const label = session.chains.find(({ loop, chain }) => loop === first.loop && chain === first.chain)?.label ?? first.chain;
  return make(
    'section',
    { class: 'chain' },
    isNamed ? make('h3', {}, label === '' ? first.chain : label) : null,
    given.length > 1 && given.some(({ findings }) => findings.length > 0) ? chart(given) : null,
    ...given.toReversed().map((verdict, index) => verdictPart(session, verdict, index === 0)),
  );
}

const BAR = 44;
const GAP = 26;
const TALL = 110;
const FOOT = 34;

/** A bar for each verdict: its findings by severity, also as text for screen readers. */
function chart(given: readonly TimedVerdict[]): HTMLElement {
  const shown = given.slice(-40);
  const most = Math.max(1, ...shown.map(({ counts }) => SEVERITIES.reduce((sum, one) => sum + counts[one], 0)));
  const width = shown.length * (BAR + GAP) + GAP;
  const bars = shown.flatMap((verdict, index) => bar(verdict, GAP + index * (BAR + GAP), most));
  const words = shown.map(({ round, counts, decision }) => `round ${round}: ${countWords(counts)}, ${decision}`).join('; ');
  return make(
    'figure',
    { class: 'chart wide' },
    draw('svg', { viewBox: `0 0 ${width} ${TALL + FOOT}`, width, height: TALL + FOOT, role: 'img', 'aria-label': words }, ...bars),
    make('figcaption', { class: 'quiet' }, 'Findings by round: ', ...SEVERITIES.map((one) => make('span', { class: `key ${one}` }, one))),
  );
}

function bar({ counts, round, outcome, decision }: TimedVerdict, left: number, most: number): readonly SVGElement[] {
  let top = TALL;
  const total = SEVERITIES.reduce((sum, one) => sum + counts[one], 0);
  const parts = SEVERITIES.flatMap((severity) => {
    const height = (counts[severity] / most) * (TALL - 18);
    if (height === 0) return [];
    top -= height;
    return [draw('rect', { x: left, y: top, width: BAR, height, class: severity }, draw('title', {}, `${counts[severity]} ${severity}`))];
  });
  const middle = left + BAR / 2;
  return [
    ...parts,
    draw('text', { x: middle, y: top - 5, class: 'sum' }, String(total)),
    draw('line', { x1: left, x2: left + BAR, y1: TALL, y2: TALL, class: 'floor' }),
    draw('text', { x: middle, y: TALL + 14 }, `${round}`),
    draw('text', { x: middle, y: TALL + 28, class: `word ${outcome}` }, shortened(decision), draw('title', {}, decision)),
  ];
}

const shortened = (word: string): string => (word.length > 10 ? `${word.slice(0, 9)}…` : word);

export function countWords(counts: Readonly<Record<Severity, number>>): string {
  const parts = SEVERITIES.filter((one) => counts[one] > 0).map((one) => `${counts[one]} ${one}`);
  return parts.length === 0 ? 'no findings' : parts.join(', ');
}

function verdictPart(session: SessionAnswer, verdict: TimedVerdict, isLast: boolean): HTMLElement {
  const { round, maxRounds, decision, outcome, rule, reason, at, unverified, trend, counts } = verdict;
  const fold = foldable(
    `verdict ${verdict.loop} ${verdict.chain} ${round} ${at}`,
    [
      make('span', { class: `word ${outcome}` }, decision),
      make('strong', {}, `Round ${round} of ${maxRounds}`),
      make('span', { class: 'quiet' }, `rule ${rule} · ${countWords(counts)} · ${moment(at)}`),
      unverified ? make('span', { class: 'badge unverified' }, 'unverified') : null,
      make('span', { class: 'title' }, reason),
    ],
    [
      trend === undefined || outcome === 'converge' || outcome === 'accept'
        ? null
        : make('p', {}, make('strong', {}, `${trend.kind}: `), trend.why),
      lines('Waived', verdict.waivers),
      lines(
        'Anomalies',
        verdict.anomalies.map(({ rule, message }) => `${message} (${rule})`),
      ),
      findingsPart(verdict),
      tasksMade(verdict),
      evidencePart(verdict),
      session.work === null
        ? null
        : make(
            'p',
            { class: 'links' },
            make('a', { href: address(session.id, 'changes', String(round), verdict.chain) }, 'Changes of this round'),
          ),
    ],
    { class: 'verdict' },
  );
  if (isLast) fold.setAttribute('open', '');
  return fold;
}

function lines(head: string, texts: readonly string[]): HTMLElement | null {
  if (texts.length === 0) return null;
  return make('div', {}, make('h4', {}, head), make('ul', {}, ...texts.map((text) => make('li', {}, text))));
}

function findingsPart({ findings, fates }: TimedVerdict): HTMLElement | null {
  if (findings.length === 0) return null;
  const fateOf = new Map((fates ?? []).map(({ fingerprint, fate }) => [fingerprint, fate]));
  const rows = findings.slice(0, MOST_FINDINGS).map(({ severity, message, artifact, line, fingerprint, rule }) => {
    const place = artifact === null ? '' : `${artifact}${line === null ? '' : `:${line}`}`;
    return make(
      'tr',
      {},
      make('td', {}, make('span', { class: `key ${severity}` }, severity)),
      make(
        'td',
        {},
        message,
        place === '' ? null : make('code', { class: 'place' }, place),
        rule === undefined ? null : make('span', { class: 'quiet' }, ` ${rule}`),
      ),
      make('td', { class: 'quiet' }, fateOf.get(fingerprint) ?? ''),
    );
  });
  const left = findings.length - rows.length;
  return make(
    'div',
    { class: 'wide' },
    make('h4', {}, 'Findings'),
    make('table', { class: 'findings' }, make('tbody', {}, ...rows)),
    left > 0 ? make('p', { class: 'quiet' }, `and ${count(left, 'finding')} more: see the report`) : null,
  );
}

function tasksMade({ tasks }: TimedVerdict): HTMLElement | null {
  return lines(
    'New tasks',
    tasks.slice(0, 30).map(({ id, title }) => (typeof title === 'string' && title !== '' ? `${id}: ${title}` : id)),
  );
}

function evidencePart({ evidence }: TimedVerdict): HTMLElement | null {
  if (evidence.length === 0) return null;
  const items = evidence.map(({ path, grade, sha256 }) =>
    make('li', {}, make('code', {}, path), make('span', { class: 'quiet' }, ` ${grade}, ${sha256.slice(0, 12)}`)),
  );
  const isTestimony = evidence.every(({ grade }) => grade === 'testified');
  const note = isTestimony
    ? [make('p', { class: 'quiet' }, 'Testimony only: Umpire measured none of this evidence; agents wrote it.')]
    : [];
  return make('div', {}, make('h4', {}, 'Evidence'), make('ul', { class: 'plain' }, ...items), ...note);
}

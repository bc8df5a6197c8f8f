// The text of a pull request that `umpire pr` opens: what was asked, the verdicts, the evidence, what is unverified, and how to see more.
// Foreign text stands in code, where GitHub mentions nobody and closes no issue.

import type { SessionState } from '@umpire/core/decider/evolve.js';
import { findingsWords } from '@umpire/core/formats/finding-text.js';
import { codeSpan, cutText, fenced, inlineCode, lineOf } from './safe-text.js';
import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { chainLabel, includedWords, verdictsIn } from './session-view.js';
import type { SessionView } from './session-view.js';
import { stateWords } from './status-page.js';
import { describeTestimony } from './verdict-page.js';

/** GitHub takes 65,536 characters. */
const MOST_CHARS = 60_000;
const MOST_GOAL_CHARS = 4000;
const MOST_VERDICTS = 20;
const MOST_LISTED = 20;

export function pullRequestPage(state: SessionState, view: SessionView, name: string): string {
  const verdicts = verdictsIn(state);
  const topic = state.run?.started.topic;
  const shown = verdicts.slice(-MOST_VERDICTS);
  const evidence = shown.flatMap(({ verdict }) =>
    verdict.evidence.map(({ path, grade, sha256 }) => `- Round ${verdict.round}: ${code(path)}, ${grade}, sha256 ${sha256.slice(0, 12)}`),
  );
  const unverified = [
    ...view.because,
    ...shown.flatMap(({ verdict }) => (verdict === verdicts.at(-1)?.verdict ? (describeTestimony(verdict) ?? []) : [])),
  ];
  const lines = [
    ...drawPullSection('Asked', [
      ...(topic === undefined ? [] : [topic.kind === 'issue' ? `Closes #${topic.number}` : `From the review of #${topic.number}`, '']),
      ...(view.goal === '' ? [] : fenced(cutText(view.goal, MOST_GOAL_CHARS))),
      ...(view.command === '' ? [] : ['', `Until this passes: ${code(view.command)}`]),
    ]),
    ...drawPullSection('Result', [
      `- Outcome: **${stateWords(view)}**${view.reason === '' ? '' : `: ${code(view.reason)}`}`,
      ...(view.work === null ? [] : [`- From ${view.work.base.slice(0, 12)} to ${(view.work.head ?? view.work.base).slice(0, 12)}`]),
      ...(view.work === null || includedWords(view.work) === ''
        ? []
        : [`- Also has changes that a person had not committed: ${code(includedWords(view.work))}`]),
      ...view.suspectedBugs.slice(0, MOST_LISTED).map((bug) => `- New test that fails: ${code(bug)}`),
    ]),
    ...drawPullSection(
      'Verdicts',
      shown.map(({ verdict }) => {
        const label = chainLabel(state, verdict);
        const chain = label === '' ? '' : `, ${code(label)}`;
        const mark = verdict.unverified ? ' (**unverified**)' : '';
        return `- Round ${verdict.round} of ${verdict.maxRounds}${chain}: ${code(verdict.decision)}${mark}, rule ${code(verdict.rule)}, ${findingsWords(verdict.counts)}. ${code(verdict.reason)}`;
      }),
    ),
    ...drawPullSection('Evidence', evidence.slice(-MOST_LISTED)),
    ...drawPullSection(
      'Not verified',
      unverified.slice(0, MOST_LISTED).map((one) => `- ${code(one)}`),
    ),
    ...drawPullSection(
      'Notes on the work',
      view.workNotes.slice(0, MOST_LISTED).map((note) => `- ${code(note)}`),
    ),
    ...drawPullSection('See more', [
      'In the clone where it ran:',
      '',
      ...['report', 'diff', 'logs'].map((command) => `- ${inlineCode(`umpire ${command} ${quoteWord(name)}`)}`),
    ]),
  ];
  return cutText(`${lines.join('\n').trim()}\n`, MOST_CHARS).replaceAll('<!--', '<! --');
}

function code(text: string): string {
  return codeSpan(cutText(text, 600));
}

function drawPullSection(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${heading}`, '', ...lines, ''];
}

const BEGIN = '<!-- umpire: this part is written again by umpire pr -->';
const END = '<!-- umpire: end -->';

/** The text of the pull request with the new report: a person's own text before and after it stays. */
export function withReport(before: string, report: string): string {
  const text = before.replaceAll('\r\n', '\n');
  const part = `${BEGIN}\n\n${report}\n${END}`;
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END, from);
  if (from < 0 || to < 0) return text.trim() === '' ? part : `${text.trimEnd()}\n\n${part}`;
  return `${text.slice(0, from)}${part}${text.slice(to + END.length)}`;
}

const MOST_TITLE_CHARS = 100;

/** The issue's title, else the first line of the goal. */
export function pullRequestTitle(view: Pick<SessionView, 'goal' | 'command'>, topic: { readonly title: string } | undefined): string {
  const line = view.goal.split('\n').find((one) => one.trim() !== '') ?? (view.command === '' ? '' : `Make this pass: ${view.command}`);
  return lineOf(topic?.title ?? line, MOST_TITLE_CHARS) || 'Work of a session';
}

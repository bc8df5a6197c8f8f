// One session: its state, open question, next steps, and a tab for each view.

import type { SessionAnswer } from '@umpire/umpire/http/answers.js';
import type { SpentView } from '@umpire/umpire/report/session-view.js';
import { commandLine, make } from './dom.js';
import { address, badge } from './overview.js';
import { ago, count, duration, moment } from './format.js';

export const TABS = ['tasks', 'rounds', 'changes', 'output', 'report'] as const;
export type Tab = (typeof TABS)[number];

const TAB_WORDS: Readonly<Record<Tab, string>> = {
  tasks: 'Tasks',
  rounds: 'Rounds',
  changes: 'Changes',
  output: 'Output',
  report: 'Report',
};

export function sessionPart(session: SessionAnswer, tab: Tab, body: Node): readonly Node[] {
  return [
    make('nav', { class: 'links' }, make('a', { href: '#/', 'data-focus': 'back' }, '← All sessions')),
    head(session),
    ...callouts(session),
    figures(session),
    tabs(session, tab),
    make('section', { class: 'tab' }, body),
  ];
}

function head(session: SessionAnswer): HTMLElement {
  const { name, goal, command, loops, mode, why, firstAt, lastAt, reason } = session;
  const facts = [
    loops.length === 0 ? '' : `loop ${loops.join(', ')}`,
    mode === '' ? '' : `mode ${mode}${why === '' ? '' : ` (${why})`}`,
    firstAt === null ? '' : `started ${moment(firstAt)}`,
    lastAt === null ? '' : `last event ${ago(lastAt)}`,
  ].filter((fact) => fact !== '');
  return make(
    'section',
    { class: 'head' },
    make('h1', {}, name, ' ', badge(session)),
    goal === '' ? null : make('p', { class: 'lead' }, goal),
    command === '' ? null : make('p', {}, 'Until this passes: ', make('code', {}, command)),
    reason === '' ? null : make('p', {}, reason),
    make('p', { class: 'quiet' }, facts.join(' · ')),
  );
}

function callouts({ question, because, notes, next, state }: SessionAnswer): readonly Node[] {
  const asked =
    question === null
      ? []
      : [
          make(
            'section',
            { class: 'card call', 'aria-label': 'Open question' },
            make(
              'h2',
              {},
              question.later ? `Once the other tasks are done, it waits for ${question.what}` : `Waiting for ${question.what}`,
            ),
            question.detail === '' ? null : make('p', { class: 'prose' }, question.detail),
            ...question.answers.map(({ command }) => commandLine(command)),
            question.more > 0 ? make('p', { class: 'quiet' }, `Then ${count(question.more, 'more question')}.`) : null,
          ),
        ];
  const doubts = because.map((one) => make('p', { class: 'doubt' }, make('strong', {}, 'Unverified: '), one));
  const steps = next.map(({ what, command }) =>
    make('div', { class: 'step' }, make('span', {}, command === null ? what : `${what}:`), command === null ? null : commandLine(command)),
  );
  return [
    ...asked,
    ...doubts,
    ...notes.map((note) => make('p', { class: 'note' }, note)),
    ...(steps.length === 0 || state === 'running' ? [] : [make('section', { class: 'steps', 'aria-label': 'Next steps' }, ...steps)]),
  ];
}

function figures({ chains, spent, tasks, work }: SessionAnswer): HTMLElement {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const parts = [
    figure('Tasks', `${done} of ${tasks.length} done`, tasks.length === 0 ? null : done / tasks.length),
    ...chains.map(({ label, round, maxRounds, decision, rule, unverified }) =>
      figure(
        label === '' ? 'Round' : label,
        `${round} of ${maxRounds}: ${decision} (${rule})${unverified ? ', unverified' : ''}`,
        maxRounds === 0 ? null : Math.min(1, round / maxRounds),
      ),
    ),
    ...(spent === null ? [] : spentFigures(spent)),
    ...(work === null
      ? []
      : [figure('Branch', `${work.branch}${work.isCleared ? ' (removed)' : work.isApplied ? ' (applied)' : ''}`, null)]),
  ];
  return make('section', { class: 'figures' }, ...parts);
}

/** Figures without a value and a limit are left out. */
function spentFigures({ minutes, maxMinutes, tokens, maxTokens, costUsd, maxCostUsd, unreported }: SpentView): readonly HTMLElement[] {
  const time = (value: number): string => duration(value * 60_000);
  // A zero that nobody reported is unknown.
  const known = (value: number, agents: readonly string[], print: (value: number) => string) =>
    value === 0 && agents.length > 0 ? 'unknown' : print(value);
  const parts = [
    { name: 'Time', value: minutes, cap: maxMinutes, print: time },
    {
      name: 'Tokens',
      value: tokens,
      cap: maxTokens,
      print: (value: number) => known(value, unreported.tokens, (some) => some.toLocaleString('en')),
      isUnknown: unreported.tokens.length > 0,
    },
    {
      name: 'Cost',
      value: costUsd,
      cap: maxCostUsd,
      print: (value: number) => known(value, unreported.cost, (some) => `$${some.toFixed(2)}`),
      isUnknown: unreported.cost.length > 0,
    },
  ];
  return parts
    .filter(({ value, cap, isUnknown = false }) => value > 0 || cap !== null || isUnknown)
    .map(({ name, value, cap, print }) =>
      figure(
        name,
        cap === null ? print(value) : `${print(value)} of ${print(cap)}`,
        cap === null || cap === 0 ? null : Math.min(1, value / cap),
      ),
    );
}

function figure(name: string, words: string, share: number | null): HTMLElement {
  return make(
    'div',
    { class: 'figure' },
    make('span', { class: 'quiet' }, name),
    make('strong', {}, words),
    share === null ? null : make('progress', { value: share, max: 1, 'aria-label': name }),
  );
}

function tabs({ id, logs, work, verdicts }: SessionAnswer, current: Tab): HTMLElement {
  const isThere: Readonly<Record<Tab, boolean>> = {
    tasks: true,
    rounds: true,
    changes: work !== null,
    output: logs.length > 0,
    report: true,
  };
  const sums: Partial<Record<Tab, number>> = { rounds: verdicts.length, output: logs.length };
  return make(
    'nav',
    { class: 'tabs', 'aria-label': 'Views' },
    ...TABS.filter((tab) => isThere[tab] || tab === current).map((tab) => {
      const words = sums[tab] === undefined ? TAB_WORDS[tab] : `${TAB_WORDS[tab]} ${sums[tab]}`;
      return make('a', { href: address(id, tab), 'aria-current': tab === current ? 'page' : null, 'data-focus': `tab ${tab}` }, words);
    }),
  );
}

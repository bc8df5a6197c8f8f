// All sessions of the project: those that wait for a person first, then the latest.

import type { ListedSession, SessionsAnswer } from '@umpire/umpire/http/answers.js';
import type { StateWord } from '@umpire/umpire/report/session-view.js';
import { commandLine, make } from './dom.js';
import { ago, count, moment, since, spentWords, stateText } from './format.js';

/** Ordered: those that need a person first. */
const STATES: readonly StateWord[] = [
  'awaiting',
  'running',
  'interrupted',
  'failed',
  'unreadable',
  'complete',
  'aborted',
  'judged only',
  'never judged',
];

/** Others are shown by a search. */
const MOST_SHOWN = 300;

export interface Filter {
  readonly state: string;
  readonly words: string;
}

export function overview({ sessions }: SessionsAnswer, filter: Filter, onFilter: (filter: Filter) => void): readonly Node[] {
  if (sessions.length === 0) return [nothing()];
  const waiting = sessions.filter(({ state }) => state === 'awaiting');
  const shown = sessions.filter((session) => fits(session, filter));
  return [
    waiting.length === 0 ? null : waitingPart(waiting),
    make('section', { class: 'bar' }, ...chips(sessions, filter, onFilter), search(filter, onFilter)),
    shown.length === 0 ? make('p', { class: 'quiet' }, 'No session matches.') : table(shown.slice(0, MOST_SHOWN)),
    shown.length > MOST_SHOWN
      ? make('p', { class: 'quiet' }, `${count(shown.length - MOST_SHOWN, 'session')} more. Search to find them.`)
      : null,
  ].filter((part) => part !== null);
}

export const address = (id: string, ...more: readonly string[]): string => `#/s/${[id, ...more].map(encodeURIComponent).join('/')}`;

function nothing(): HTMLElement {
  return make(
    'section',
    { class: 'card' },
    make('h1', {}, 'No sessions yet'),
    make('p', {}, 'Start one in the project. It appears here by itself:'),
    commandLine('umpire until "npm test" --agent claude'),
    make('p', { class: 'quiet' }, 'To check that a run can start: umpire doctor'),
  );
}

function fits({ state, name, goal, loops, mode }: ListedSession, filter: Filter): boolean {
  if (filter.state !== '' && state !== filter.state) return false;
  const text = `${name} ${goal} ${loops.join(' ')} ${mode} ${state}`.toLowerCase();
  return filter.words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function waitingPart(waiting: readonly ListedSession[]): HTMLElement {
  const most = 6;
  return make(
    'section',
    { class: 'waiting' },
    make('h1', {}, `${count(waiting.length, 'session waits', 'sessions wait')} for you`),
    make(
      'div',
      { class: 'cards' },
      ...waiting
        .slice(0, most)
        .map(({ id, name, waitsOn, goal, lastAt }) =>
          make(
            'a',
            { class: 'card call', href: address(id), 'data-focus': `waiting ${id}` },
            make('strong', {}, name),
            make('span', {}, waitsOn ?? ''),
            make('span', { class: 'quiet' }, goal),
            make('span', { class: 'quiet' }, lastAt === null ? '' : `for ${since(lastAt)}`),
          ),
        ),
    ),
    waiting.length > most ? make('p', { class: 'quiet' }, `and ${waiting.length - most} more, below.`) : null,
  );
}

function chips(sessions: readonly ListedSession[], filter: Filter, onFilter: (filter: Filter) => void): readonly HTMLElement[] {
  const chip = (state: string, words: string, number: number): HTMLElement =>
    make(
      'button',
      {
        type: 'button',
        class: 'chip',
        'aria-pressed': String(filter.state === state),
        'data-focus': `chip ${state}`,
        click: () => onFilter({ ...filter, state }),
      },
      `${words} ${number}`,
    );
  const found = STATES.map((state) => ({ state, number: sessions.filter((one) => one.state === state).length }));
  return [
    chip('', 'All', sessions.length),
    ...found.filter(({ number }) => number > 0).map(({ state, number }) => chip(state, stateText({ state, unverified: false }), number)),
  ];
}

function search(filter: Filter, onFilter: (filter: Filter) => void): HTMLElement {
  const input = make('input', {
    type: 'search',
    placeholder: 'Search name, goal, loop',
    'aria-label': 'Search sessions',
    'data-focus': 'search',
    value: filter.words,
  }) as HTMLInputElement;
  input.addEventListener('input', () => onFilter({ ...filter, words: input.value }));
  return input;
}

function table(sessions: readonly ListedSession[]): HTMLElement {
  const head = ['State', 'Session', 'Loop', 'Round', 'Spent', 'Last event'].map((word) => make('th', { scope: 'col' }, word));
  return make(
    'div',
    { class: 'wide' },
    make('table', { class: 'sessions' }, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...sessions.map(row))),
  );
}

function row(session: ListedSession): HTMLElement {
  const { id, name, goal, loops, mode, chains, spent, lastAt, work, notes, waitsOn } = session;
  const more = [
    goal === '' ? null : make('span', { class: 'goal' }, goal),
    waitsOn === null ? null : make('span', { class: 'quiet' }, `waits for ${waitsOn}`),
    work === 'not applied' ? make('span', { class: 'quiet' }, 'its work is not applied yet') : null,
    ...notes.slice(0, 2).map((note) => make('span', { class: 'quiet' }, note)),
  ];
  return make(
    'tr',
    {},
    make('td', {}, badge(session)),
    make('td', {}, make('a', { href: address(id), 'data-focus': `row ${id}` }, name), ...more),
    make('td', {}, [loops.join(', '), mode].filter((word) => word !== '').join(' · ')),
    make('td', {}, ...chains.slice(0, 4).map(({ label, round, maxRounds, decision }) => roundWords(label, round, maxRounds, decision))),
    make('td', {}, spent === null ? '' : spentWords(spent)),
    make('td', { title: lastAt === null ? null : moment(lastAt) }, ago(lastAt)),
  );
}

function roundWords(label: string, round: number, maxRounds: number, decision: string): HTMLElement {
  return make('span', { class: 'line' }, `${label === '' ? '' : `${label}: `}${round} of ${maxRounds}`, make('em', {}, ` ${decision}`));
}

export function badge(session: Pick<ListedSession, 'state' | 'unverified'>): HTMLElement {
  return make('span', { class: `badge ${toneOf(session)}` }, stateText(session));
}

/** An unverified approval is not shown as good. */
function toneOf({ state, unverified }: Pick<ListedSession, 'state' | 'unverified'>): string {
  return unverified && state === 'complete' ? 'unverified' : state.replace(' ', '-');
}

// The tasks of a session, one column per wave.

import type { SessionAnswer } from '@umpire/umpire/http/answers.js';
import type { TaskView } from '@umpire/umpire/report/session-view.js';
import { foldable, make } from './dom.js';
import { address } from './overview.js';
import { count, duration } from './format.js';

/** In a longer wave, idle tasks are only counted. */
const MOST_DRAWN = 200;
const IDLE: ReadonlySet<string> = new Set(['pending', 'completed', 'skipped']);

export function tasksPart(session: SessionAnswer): HTMLElement {
  const { tasks } = session;
  if (tasks.length === 0) return make('p', { class: 'quiet' }, 'No tasks.');
  const waves = [...new Set(tasks.map(({ wave }) => wave))].toSorted((a, b) => a - b);
  return make(
    'div',
    { class: 'waves', 'data-scroll': 'waves' },
    ...waves.map((wave) =>
      column(
        session,
        wave,
        tasks.filter((task) => task.wave === wave),
      ),
    ),
  );
}

function column(session: SessionAnswer, wave: number, tasks: readonly TaskView[]): HTMLElement {
  const busy = tasks.filter(({ status }) => !IDLE.has(status));
  const drawn = tasks.length <= MOST_DRAWN ? tasks : busy.slice(0, MOST_DRAWN);
  const left = tasks.length - drawn.length;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return make(
    'section',
    { class: `wave${wave === session.wave ? ' now' : ''}` },
    make(
      'h3',
      {},
      `Wave ${wave}`,
      make('span', { class: 'quiet' }, ` ${done} of ${tasks.length} done${wave === session.wave ? ', now' : ''}`),
    ),
    ...drawn.map((task) => card(session, task)),
    left > 0 ? make('p', { class: 'quiet' }, `and ${count(left, 'task')} more`) : null,
  );
}

function card(session: SessionAnswer, task: TaskView): HTMLElement {
  const { id, role, title, status, round, verdict, attempt, waitsFor, findings, error, files } = task;
  const marks = [
    round === null ? '' : `round ${round}`,
    verdict === null ? '' : `${verdict.decision} (${verdict.rule})${verdict.unverified ? ', unverified' : ''}`,
    attempt > 1 ? `attempt ${attempt}` : '',
    waitsFor.length > 0
      ? `waits for ${waitsFor.slice(0, 6).join(', ')}${waitsFor.length > 6 ? ` and ${waitsFor.length - 6} more` : ''}`
      : '',
  ].filter((word) => word !== '');
  return foldable(
    `task ${id}`,
    [
      make('span', { class: `mark ${status}` }, status),
      make('strong', {}, id),
      make('span', { class: 'quiet' }, role),
      make('span', { class: 'title' }, title),
      marks.length === 0 ? null : make('span', { class: 'quiet' }, marks.join(' · ')),
    ],
    [
      error === '' ? null : make('p', { class: 'bad' }, error),
      findings === '' ? null : make('p', { class: 'prose' }, findings),
      runsOf(session, id),
      files.length === 0
        ? null
        : make('ul', { class: 'plain' }, ...files.slice(0, 50).map((file) => make('li', {}, make('code', {}, file)))),
      outputsOf(session, id),
    ],
    { class: `task ${status}` },
  );
}

function runsOf({ runs }: SessionAnswer, id: string): HTMLElement | null {
  const own = runs[id] ?? [];
  if (own.length === 0) return null;
  return make(
    'ul',
    { class: 'plain' },
    ...own.flatMap(({ attempt, agent, ending, ms, tokens, costUsd, retrial }) => {
      const words = [
        agent,
        ending,
        ms === null ? '' : duration(ms),
        tokens > 0 ? count(tokens, 'token') : '',
        costUsd > 0 ? `$${costUsd.toFixed(2)}` : '',
      ];
      return [
        `attempt ${attempt}: ${words.filter((word) => word !== '').join(', ')}`,
        ...retrial.map((line) => `retrial of attempt ${attempt}: ${line}`),
      ].map((text) => make('li', { class: 'quiet' }, text));
    }),
  );
}

function outputsOf({ id, logs, runs }: SessionAnswer, task: string): HTMLElement | null {
  const own = logs.filter((log) => log.task === task);
  if (own.length === 0 || runs[task] === undefined) return null;
  const links = own.map(({ name, attempt }) => make('a', { href: address(id, 'output', name) }, `output of attempt ${attempt}`));
  return make('p', { class: 'links' }, ...links);
}

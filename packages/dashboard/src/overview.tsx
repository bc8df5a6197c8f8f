// All sessions of the project: the inbox of those that wait for a person, then the list.

import { useState } from 'preact/hooks';
import type { ListedSession, SessionsAnswer } from '@umpire/umpire/doors/http/answers.js';
import type { StateWord } from '@umpire/umpire/views/session-view.js';
import { ago, writeCount, moment, writeSince, spentWords, stateText, Badge, Command, address } from './parts.js';
import { useNow } from './api.js';

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
const MOST_SHOWN = 200;
const MOST_WAITING = 6;

export interface Filter {
  readonly state: string;
  readonly words: string;
}

interface OverviewProps {
  readonly list: SessionsAnswer;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

export function Overview({ list: { sessions, unread, isEngine }, filter, onFilter }: OverviewProps) {
  if (sessions.length === 0) return unread > 0 ? <p class="quiet">Reading the sessions …</p> : <Nothing isEngine={isEngine} />;
  const waiting = sessions.filter(({ state }) => state === 'awaiting');
  const shown = sessions.filter((session) => fits(session, filter));
  return (
    <>
      <Inbox waiting={waiting} />
      <section class="bar" aria-label="Filter">
        <Chips sessions={sessions} filter={filter} onFilter={onFilter} />
        <input
          type="search"
          placeholder="Search name, goal, loop"
          aria-label="Search sessions"
          value={filter.words}
          onInput={({ currentTarget }) => onFilter({ ...filter, words: currentTarget.value })}
        />
      </section>
      {shown.length === 0 ? <p class="quiet">No session matches.</p> : <Sessions sessions={shown.slice(0, MOST_SHOWN)} />}
      {unread > 0 ? <p class="quiet">Reading {writeCount(unread, 'older session')} …</p> : null}
      {shown.length > MOST_SHOWN ? (
        <p class="quiet">{writeCount(shown.length - MOST_SHOWN, 'session')} more. Search to find them.</p>
      ) : null}
    </>
  );
}

function Nothing({ isEngine }: { readonly isEngine: boolean }) {
  return (
    <section class="card">
      <h1>No sessions yet</h1>
      <p>Start one in the project. It appears here by itself:</p>
      <Command text={`umpire until "npm test" --agent claude${isEngine ? ' --engine URL' : ''}`} />
      <p class="quiet">To check that a run can start: umpire doctor</p>
    </section>
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

function Inbox({ waiting }: { readonly waiting: readonly ListedSession[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const now = useNow(10_000);
  if (waiting.length === 0) return <h1>Nothing waits for you</h1>;
  // The longest wait first.
  const inOrder = waiting.toSorted((a, b) => (a.lastAt ?? '').localeCompare(b.lastAt ?? ''));
  return (
    <section class="waiting">
      <h1>{writeCount(waiting.length, 'session waits', 'sessions wait')} for you</h1>
      <div class="cards">
        {inOrder.slice(0, isWhole ? waiting.length : MOST_WAITING).map(({ id, name, waitsOn, goal, lastAt }) => (
          <a key={id} class="card call" href={address(id)}>
            <strong>{name}</strong>
            <span>{waitsOn ?? ''}</span>
            {goal === '' ? null : <span class="goal">{goal}</span>}
            <span class="quiet">{lastAt === null ? '' : `for ${writeSince(lastAt, now)}`}</span>
          </a>
        ))}
      </div>
      {waiting.length > MOST_WAITING && !isWhole ? (
        <button type="button" class="plain-button" onClick={() => setIsWhole(true)}>
          Show {waiting.length - MOST_WAITING} more
        </button>
      ) : null}
    </section>
  );
}

function Chips({ sessions, filter, onFilter }: { readonly sessions: readonly ListedSession[] } & Omit<OverviewProps, 'list'>) {
  const numbers = STATES.map((state) => ({ state, number: sessions.filter((one) => one.state === state).length }));
  const chips = [
    { state: '', words: 'All', number: sessions.length },
    ...numbers
      .filter(({ number }) => number > 0)
      .map(({ state, number }) => ({ state, words: stateText({ state, unverified: false, missesTarget: false }), number })),
  ];
  return (
    <>
      {chips.map(({ state, words, number }) => (
        <button key={state} type="button" class="chip" aria-pressed={filter.state === state} onClick={() => onFilter({ ...filter, state })}>
          {words} {number}
        </button>
      ))}
    </>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly ListedSession[] }) {
  return (
    <table class="sessions">
      <thead>
        <tr>
          {['State', 'Session', 'Loop', 'Round', 'Spent', 'Last event'].map((word) => (
            <th key={word} scope="col">
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ session }: { readonly session: ListedSession }) {
  const { id, name, goal, loops, mode, chains, spent, lastAt, work, notes, waitsOn } = session;
  return (
    <tr>
      <td>
        <Badge session={session} />
      </td>
      <td>
        <a href={address(id)}>{name}</a>
        {goal === '' ? null : <span class="goal">{goal}</span>}
        {waitsOn === null ? null : <span class="quiet">waits for {waitsOn}</span>}
        {work === 'not applied' ? <span class="quiet">its work is not applied yet</span> : null}
        {notes.slice(0, 2).map((note) => (
          <span key={note} class="quiet">
            {note}
          </span>
        ))}
      </td>
      <td>{[loops.join(', '), mode].filter((word) => word !== '').join(' · ')}</td>
      <td>
        {chains.slice(0, 4).map(({ label, chain, loop, round, maxRounds, decision }) => (
          <span key={`${loop} ${chain}`} class="line">
            {label === '' ? '' : `${label}: `}
            {round} of {maxRounds} <em>{decision}</em>
          </span>
        ))}
      </td>
      <td>{spent === null ? '' : spentWords(spent)}</td>
      <td title={lastAt === null ? undefined : moment(lastAt)}>
        <Ago at={lastAt} />
      </td>
    </tr>
  );
}

function Ago({ at }: { readonly at: string | null }) {
  return <>{ago(at, useNow(10_000))}</>;
}

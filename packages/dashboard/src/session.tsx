// One session: its state, open question, next steps, and a tab for each view.

import { useEffect, useState } from 'preact/hooks';
import type { SessionAnswer } from '@umpire/umpire/doors/http/answers.js';
import type { SpentView } from '@umpire/umpire/views/session-view.js';
import * as api from './api.js';
import { Markdown, ago, writeDuration, moment, Badge, Command, EngineHint, Trouble, address } from './parts.js';
import { useChanges, useLoaded, useNow } from './api.js';
import { Output } from './output.js';
import { Changes } from './patch.js';
import { HeldEdit, OpenQuestion } from './question.js';
import { Rounds } from './rounds.js';
import { Tasks } from './tasks.js';

export const TABS = ['tasks', 'rounds', 'changes', 'output', 'report'] as const;
export type Tab = (typeof TABS)[number];

const TAB_WORDS: Readonly<Record<Tab, string>> = {
  tasks: 'Tasks',
  rounds: 'Rounds',
  changes: 'Changes',
  output: 'Output',
  report: 'Report',
};

interface SessionProps {
  readonly id: string;
  readonly tab: Tab;
  readonly more: readonly string[];
  readonly onProject: (project: string) => void;
}

export function Session({ id, tab, more, onProject }: SessionProps) {
  const changes = useChanges(id);
  const [acted, setActed] = useState(0);
  const { value: session, error } = useLoaded(() => api.session(id), id, changes + acted);
  useEffect(() => {
    if (session === null) return;
    document.title = `${session.name} · Umpire`;
    onProject(session.project);
  }, [session]);
  if (error !== null) return <Trouble error={error} />;
  if (session === null) return <p class="quiet">Reading the session …</p>;
  const onActed = (): void => setActed((before) => before + 1);
  return (
    <>
      <Head session={session} />
      <Fleet session={session} />
      <OpenQuestion session={session} onActed={onActed} />
      <Notes session={session} onActed={onActed} />
      <Figures session={session} />
      <Tabs session={session} current={tab} />
      <section class="tab" aria-label={TAB_WORDS[tab]}>
        <Body session={session} tab={tab} more={more} onActed={onActed} />
      </section>
    </>
  );
}

interface BodyProps {
  readonly session: SessionAnswer;
  readonly tab: Tab;
  readonly more: readonly string[];
  readonly onActed: () => void;
}

function Body({ session, tab, more, onActed }: BodyProps) {
  const [first = null, second = null] = more;
  switch (tab) {
    case 'tasks':
      return <Tasks session={session} />;
    case 'rounds':
      return <Rounds session={session} onActed={onActed} />;
    case 'changes':
      return <Changes session={session} round={first} chain={second} />;
    case 'output':
      return <Output session={session} name={first ?? session.logs.at(-1)?.name ?? null} />;
    case 'report':
      return <Report session={session} />;
  }
}

function Report({ session: { id, events } }: { readonly session: SessionAnswer }) {
  const { value, error } = useLoaded(() => api.loadReport(id), id, events);
  if (error !== null) return <Trouble error={error} />;
  if (value === null) return <p class="quiet">Writing the report …</p>;
  return (
    <div class="card">
      <Markdown text={value} top={1} />
    </div>
  );
}

function Head({ session }: { readonly session: SessionAnswer }) {
  const { name, goal, command, loops, mode, why, firstAt, lastAt, reason } = session;
  const now = useNow(10_000);
  const facts = [
    loops.length === 0 ? '' : `loop ${loops.join(', ')}`,
    mode === '' ? '' : `mode ${mode}${why === '' ? '' : ` (${why})`}`,
    firstAt === null ? '' : `started ${moment(firstAt)}`,
    lastAt === null ? '' : `last event ${ago(lastAt, now)}`,
  ].filter((fact) => fact !== '');
  return (
    <section class="head">
      <h1>
        {name} <Badge session={session} />
      </h1>
      {goal === '' ? null : <p class="lead">{goal}</p>}
      {command === '' ? null : (
        <p>
          Until this passes: <code>{command}</code>
        </p>
      )}
      {reason === '' ? null : <p>{reason}</p>}
      <p class="quiet">{facts.join(' · ')}</p>
    </section>
  );
}

/** The workers that run its tasks on the engine, or why nothing runs. */
function Fleet({ session: { fleet } }: { readonly session: SessionAnswer }) {
  if (fleet === null || fleet.length === 0) return null;
  return (
    <section class="note" aria-label="On the engine">
      {fleet.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </section>
  );
}

function Notes({ session, onActed }: { readonly session: SessionAnswer; readonly onActed: () => void }) {
  const { because, workNotes, notes, next, state, fleet, canResume, canRetry } = session;
  return (
    <>
      {because.map((one) => (
        <p key={one} class="doubt">
          <strong>Unverified:</strong> {one}
        </p>
      ))}
      {workNotes.length === 0 ? null : (
        <section class="note" aria-label="Notes on the work">
          <strong>Look at this before you rely on the work:</strong>
          <ul>
            {workNotes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <HeldEdit session={session} onActed={onActed} />
      {canResume || canRetry ? <Resume session={session} onActed={onActed} /> : null}
      {next.length === 0 || state === 'running' ? null : (
        <section class="steps" aria-label="Next steps">
          {next.map(({ what, command }) => (
            <div key={what} class="step">
              <span>{command === null ? what : `${what}:`}</span>
              {command === null ? null : <Command text={command} />}
            </div>
          ))}
          {fleet === null ? null : <EngineHint />}
        </section>
      )}
    </>
  );
}

function Resume({ session: { id, trouble, canRetry }, onActed }: { readonly session: SessionAnswer; readonly onActed: () => void }) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const resumeSession = async (): Promise<void> => {
    setIsBusy(true);
    setError(null);
    await api.continueSession(id, canRetry).catch(setError);
    setIsBusy(false);
    onActed();
  };
  return (
    <section class="card" aria-label={canRetry ? 'Failed' : 'Interrupted'}>
      {trouble === null ? null : <p class="bad">The last run ended early: {trouble}</p>}
      <button type="button" class="button" disabled={isBusy} onClick={() => void resumeSession()}>
        {canRetry ? 'Retry the failed tasks' : 'Resume'}
      </button>
      <span class="quiet"> Finished tasks do not run again.</span>
      {error === null ? null : <Trouble error={error} />}
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly words: string;
  readonly share: number | null;
}

function Figures({ session: { chains, spent, tasks, work, state, lastAt } }: { readonly session: SessionAnswer }) {
  const isRunning = state === 'running' && lastAt !== null;
  const now = useNow(isRunning ? 1000 : 60_000);
  // The time since the last event counts too.
  const sinceMs = isRunning ? Math.max(0, now - Date.parse(lastAt)) : 0;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const figures: readonly FigureProps[] = [
    { name: 'Tasks', words: `${done} of ${tasks.length} done`, share: tasks.length === 0 ? null : done / tasks.length },
    ...chains.map(({ label, round, maxRounds, decision, rule, unverified }) => ({
      name: label === '' ? 'Round' : label,
      words: `${round} of ${maxRounds}: ${decision} (${rule})${unverified ? ', unverified' : ''}`,
      share: maxRounds === 0 ? null : Math.min(1, round / maxRounds),
    })),
    ...(spent === null ? [] : spentFigures({ ...spent, minutes: spent.minutes + sinceMs / 60_000 })),
    ...(work === null
      ? []
      : [{ name: 'Branch', words: `${work.branch}${work.isCleared ? ' (removed)' : work.isApplied ? ' (applied)' : ''}`, share: null }]),
  ];
  return (
    <section class="figures" aria-label="Figures">
      {figures.map(({ name, words, share }) => (
        <div key={name} class="figure">
          <span class="quiet">{name}</span>
          <strong>{words}</strong>
          {share === null ? null : <progress value={share} max={1} aria-label={name} />}
        </div>
      ))}
    </section>
  );
}

/** Figures without a value and a limit are left out. */
function spentFigures({ minutes, maxMinutes, tokens, maxTokens, costUsd, maxCostUsd, unreported }: SpentView): readonly FigureProps[] {
  const time = (value: number): string => writeDuration(value * 60_000);
  // A zero that nobody reported is unknown.
  const known = (value: number, agents: readonly string[], print: (value: number) => string) =>
    value === 0 && agents.length > 0 ? 'unknown' : print(value);
  const parts = [
    { name: 'Time', value: minutes, cap: maxMinutes, print: time, isUnknown: false },
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
    .filter(({ value, cap, isUnknown }) => value > 0 || cap !== null || isUnknown)
    .map(({ name, value, cap, print }) => ({
      name,
      words: cap === null ? print(value) : `${print(value)} of ${print(cap)}`,
      share: cap === null || cap === 0 ? null : Math.min(1, value / cap),
    }));
}

function Tabs({ session: { id, logs, work, verdicts }, current }: { readonly session: SessionAnswer; readonly current: Tab }) {
  const isThere: Readonly<Record<Tab, boolean>> = {
    tasks: true,
    rounds: true,
    changes: work !== null,
    output: logs.length > 0,
    report: true,
  };
  const sums: Partial<Record<Tab, number>> = { rounds: verdicts.length, output: logs.length };
  return (
    <nav class="tabs" aria-label="Views">
      {TABS.filter((tab) => isThere[tab] || tab === current).map((tab) => (
        <a key={tab} href={address(id, tab)} aria-current={tab === current ? 'page' : undefined}>
          {sums[tab] === undefined ? TAB_WORDS[tab] : `${TAB_WORDS[tab]} ${sums[tab]}`}
        </a>
      ))}
    </nav>
  );
}

// Small parts of several pages: elements, Markdown (its reader is half of all code of the page, so it is loaded with the first text), and
// how numbers, times and states are written.

import type { ComponentChildren } from 'preact';
import { useState, useEffect, useMemo } from 'preact/hooks';
import type { ListedSession } from '@umpire/umpire/doors/http/answers.js';
import { ServerError } from './api.js';
import type { SessionView, SpentView, StateWord } from '@umpire/umpire/views/session-view.js';

export const address = (id: string, ...more: readonly string[]): string => `#/s/${[id, ...more].map(encodeURIComponent).join('/')}`;

export function Badge({ session }: { readonly session: Pick<ListedSession, 'state' | 'unverified' | 'missesTarget'> }) {
  const { state, unverified, missesTarget } = session;
  // An unverified approval is not shown as good.
  const tone = (unverified || missesTarget) && state === 'complete' ? 'unverified' : state.replace(' ', '-');
  return <span class={`badge ${tone}`}>{stateText(session)}</span>;
}

export function Trouble({ error }: { readonly error: unknown }) {
  return (
    <section class="card trouble" role="alert">
      <h2>{error instanceof Error ? error.message : String(error)}</h2>
      {error instanceof ServerError && error.hint !== '' ? <p>{error.hint}</p> : null}
    </section>
  );
}

interface FoldProps {
  readonly head: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isOpen?: boolean;
}

/** The body is made when it is opened for the first time. */
export function Fold({ head, children, class: kind = 'fold', isOpen = false }: FoldProps) {
  const [wasOpened, setWasOpened] = useState(isOpen);
  const [open] = useState(isOpen);
  return (
    <details class={kind} open={open} onToggle={({ currentTarget }) => (currentTarget.open ? setWasOpened(true) : undefined)}>
      <summary>{head}</summary>
      {wasOpened ? children : null}
    </details>
  );
}

const SHOWN_MS = 1500;

/** A command with a copy button. */
export function Command({ text }: { readonly text: string }) {
  const [words, setWords] = useState('Copy');
  const copyText = (): void => {
    const showBriefly = (next: string): void => {
      setWords(next);
      setTimeout(() => setWords('Copy'), SHOWN_MS);
    };
    navigator.clipboard.writeText(text).then(
      () => showBriefly('Copied'),
      () => showBriefly('Select and copy it'),
    );
  };
  return (
    <div class="command">
      <code>{text}</code>
      <button type="button" class="plain-button" aria-label={words === 'Copy' ? `Copy ${text}` : undefined} onClick={copyText}>
        {words}
      </button>
    </div>
  );
}

/** Below commands for a session on an engine. Its address may hold a password, so the server keeps it. */
export function EngineHint() {
  return (
    <p class="quiet">
      Where <code>UMPIRE_ENGINE</code> is not set, <code>umpire</code> needs <code>--engine URL</code>.
    </p>
  );
}

export function Lines({ head, texts }: { readonly head: string; readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <div>
      <h3>{head}</h3>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

export function writeCount(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function writeDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${Math.round(ms / 1000)} s`;
  const [large, small, big, little] = ms < HOUR ? [MINUTE, 1000, 'min', 's'] : [HOUR, MINUTE, 'h', 'min'];
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${big}${rest === 0 ? '' : ` ${rest} ${little}`}`;
}

/** `just now`, `4 min ago`, `2 days ago`. */
export function ago(at: string | null, now = Date.now()): string {
  if (at === null) return 'never';
  return now - Date.parse(at) < MINUTE ? 'just now' : `${writeSince(at, now)} ago`;
}

/** `4 min`, `2 days`: in one unit. */
export function writeSince(at: string, now = Date.now()): string {
  const ms = Math.max(0, now - Date.parse(at));
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return writeCount(Math.floor(ms / DAY), 'day');
}

/** In the local time zone. */
export function moment(at: string): string {
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}

export function spentWords({ minutes, tokens, costUsd, unreported }: SpentView): string {
  const parts = [writeDuration(minutes * MINUTE)];
  if (tokens > 0) parts.push(writeCount(tokens, 'token'));
  if (costUsd > 0) parts.push(`$${costUsd.toFixed(2)}`);
  if (unreported.cost.length > 0) parts.push(`cost of ${unreported.cost.join(', ')} unknown`);
  return parts.join(' · ');
}

const RESULTS: ReadonlySet<StateWord> = new Set(['complete', 'failed', 'aborted', 'judged only']);

/** `complete, unverified`. A running session is not marked yet. */
export function stateText({ state, unverified, missesTarget }: Pick<SessionView, 'state' | 'unverified' | 'missesTarget'>): string {
  const words = missesTarget ? 'ended, target not met' : state === 'awaiting' ? 'waits for you' : state;
  return unverified && RESULTS.has(state) ? `${words}, unverified` : words;
}

type Render = (typeof import('./markdown-elements.js'))['markdownElements'];

let loaded: Render | null = null;

/** `top`: the level of the heading above the text. */
export function Markdown({ text, top = 2 }: { readonly text: string; readonly top?: number }) {
  const [render, setRender] = useState<{ readonly it: Render } | null>(loaded === null ? null : { it: loaded });
  useEffect(() => {
    if (render !== null) return;
    const loadRenderer = async (): Promise<void> => {
      const { markdownElements } = await import('./markdown-elements.js');
      loaded = markdownElements;
      setRender({ it: markdownElements });
    };
    void loadRenderer();
  }, []);
  const elements = useMemo(() => render?.it(text, top), [render, text, top]);
  return render === null ? <p class="prose">{text}</p> : <div class="markdown">{elements}</div>;
}

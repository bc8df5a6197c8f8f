// Small parts of several pages.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedSession } from '@umpire/umpire/doors/http/answers.js';
import { ServerError } from './api.js';
import { stateText } from './format.js';

export const address = (id: string, ...more: readonly string[]): string => `#/s/${[id, ...more].map(encodeURIComponent).join('/')}`;

export function Badge({ session }: { readonly session: Pick<ListedSession, 'state' | 'unverified'> }) {
  const { state, unverified } = session;
  // An unverified approval is not shown as good.
  const tone = unverified && state === 'complete' ? 'unverified' : state.replace(' ', '-');
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
  const copy = (): void => {
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
      <button type="button" class="plain-button" aria-label={words === 'Copy' ? `Copy ${text}` : undefined} onClick={copy}>
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

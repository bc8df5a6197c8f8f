// The output of agents, followed while they run.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionAnswer } from '@umpire/umpire/doors/http/answers.js';
import * as api from './api.js';
import { Trouble, address } from './parts.js';

const MOST_LOGS = 200;
/** Pieces are joined above this number; a selection is lost then. */
const MOST_PIECES = 2000;
/** A reader so near the end follows new lines. */
const END_PIXELS = 24;

export function Output({ session, name }: { readonly session: SessionAnswer; readonly name: string | null }) {
  const { logs, id } = session;
  if (logs.length === 0 || name === null) return <p class="quiet">No agent has printed anything yet.</p>;
  return (
    <div class="aside">
      <nav class="stack" aria-label="Outputs">
        {logs
          .toReversed()
          .slice(0, MOST_LOGS)
          .map((log) => (
            <a key={log.name} href={address(id, 'output', log.name)} aria-current={log.name === name ? 'true' : undefined}>
              {log.task}
              {log.attempt > 1 ? `, attempt ${log.attempt}` : ''}
            </a>
          ))}
      </nav>
      <Followed key={name} id={id} name={name} />
    </div>
  );
}

function Followed({ id, name }: { readonly id: string; readonly name: string }) {
  // Pieces stay apart, so that new ones leave a selection in older ones alone.
  const [pieces, setPieces] = useState<readonly string[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const place = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const stop = new AbortController();
    api
      .followTaskOutput(
        id,
        name,
        ({ text, isNew }) => setPieces((before) => (isNew || before === null ? [text] : joinPieces([...before, text]))),
        stop.signal,
      )
      .catch((failure: unknown) => (stop.signal.aborted ? undefined : setError(failure)));
    return () => stop.abort();
  }, [id, name]);
  useLayoutEffect(() => {
    if (isAtEnd.current && place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  }, [pieces]);
  if (error !== null) return <Trouble error={error} />;
  return (
    <pre
      ref={place}
      class="text"
      tabIndex={0}
      aria-label={`Output of ${name}`}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - END_PIXELS;
      }}
    >
      {pieces ?? '(nothing yet)'}
    </pre>
  );
}

function joinPieces(pieces: readonly string[]): readonly string[] {
  return pieces.length > MOST_PIECES ? [pieces.join('')] : pieces;
}

// The page: shows what its address names, and follows the changes that the server reports.

import * as api from './api.js';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionsAnswer } from '@umpire/umpire/doors/http/answers.js';
import { Costs } from './costs.js';
import { reportChange, useChanges } from './api.js';
import { Overview } from './overview.js';
import { Trouble } from './parts.js';
import { Session, TABS, type Tab } from './session.js';

type Route =
  | { readonly page: 'list' | 'costs' }
  | { readonly page: 'session'; readonly id: string; readonly tab: Tab; readonly more: readonly string[] };

function routeNow(): Route {
  const [place, id, tab, ...more] = location.hash.replace(/^#\//, '').split('/').map(decodeWord);
  if (place === 'costs') return { page: 'costs' };
  if (place !== 's' || id === undefined || id === '') return { page: 'list' };
  return { page: 'session', id, tab: TABS.find((known) => known === tab) ?? 'tasks', more };
}

/** A broken address names nothing. */
function decodeWord(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return '';
  }
}

type Live = 'unknown' | 'on' | 'off';

function App() {
  const [route, setRoute] = useState(routeNow);
  const [live, setLive] = useState<Live>('unknown');
  const [project, setProject] = useState('');
  const main = useRef<HTMLElement>(null);
  const place = route.page === 'session' ? route.id : route.page;
  useEffect(() => {
    const onHash = (): void => {
      if (!location.hash.startsWith('#key=')) setRoute(routeNow());
      else void api.takeKey().then(() => location.reload());
    };
    addEventListener('hashchange', onHash);
    void api.followChanges(
      ({ sessions }) => reportChange(sessions),
      (isLive) =>
        setLive((before) => {
          // Catch up on changes while disconnected.
          if (isLive && before === 'off') reportChange([]);
          return isLive ? 'on' : 'off';
        }),
    );
    return () => removeEventListener('hashchange', onHash);
  }, []);
  const isFirst = useRef(true);
  useEffect(() => {
    // The link that led here is gone: a keyboard goes on at the top of the new page.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    if (!isFirst.current) scrollTo(0, 0);
    isFirst.current = false;
  }, [place]);
  return (
    <>
      <header class="top">
        <a class="brand" href="#/">
          <img src="/icon.svg" alt="" width="22" height="22" /> Umpire
        </a>
        <span class="path">{project}</span>
        <nav aria-label="Pages">
          <a href="#/" aria-current={route.page === 'list' ? 'page' : undefined}>
            Sessions
          </a>
          <a href="#/costs" aria-current={route.page === 'costs' ? 'page' : undefined}>
            Costs
          </a>
        </nav>
        <span class={`live ${live}`} role="status">
          {live === 'on' ? 'live' : live === 'off' ? 'not connected; is umpire serve running?' : ''}
        </span>
      </header>
      <main ref={main} tabIndex={-1}>
        {route.page === 'list' ? <List onProject={setProject} /> : null}
        {route.page === 'costs' ? <Costs /> : null}
        {route.page === 'session' ? (
          <Session key={route.id} id={route.id} tab={route.tab} more={route.more} onProject={setProject} />
        ) : null}
      </main>
    </>
  );
}

/** Kept while other pages are shown. */
let filterBefore = { state: '', words: '' };
let listBefore: SessionsAnswer | null = null;

function List({ onProject }: { readonly onProject: (project: string) => void }) {
  const [filter, setFilter] = useState(filterBefore);
  const [list, setList] = useState(listBefore);
  const [error, setError] = useState<unknown>(null);
  const changes = useChanges(null);
  /** Answers that held only a part of the sessions. */
  const [parts, setParts] = useState(0);
  const spent = useRef({ at: 0, ms: 0, parts: 0 });
  useEffect(() => {
    filterBefore = filter;
  }, [filter]);
  useEffect(() => {
    document.title = 'Umpire';
    const paintBefore = async (): Promise<void> => {
      const stored = await api.storedSessions();
      if (stored !== null) setList((now) => now ?? stored);
    };
    if (listBefore === null) void paintBefore();
  }, []);
  useEffect(() => {
    // Listing many sessions is slow, so at most a tenth of the time is spent on it.
    const wait =
      spent.current.at === 0 || parts !== spent.current.parts
        ? 0
        : Math.max(0, spent.current.at + 10 * spent.current.ms - performance.now());
    const loadSessions = async (): Promise<void> => {
      const begun = performance.now();
      try {
        const next = await api.sessions();
        if (next.unread === 0) listBefore = next;
        else setParts((before) => before + 1);
        // A whole list of before is better than a part of the new one.
        setList((now) => (now !== null && next.unread > 0 && now.sessions.length > next.sessions.length ? now : next));
        setError(null);
        onProject(next.project);
      } catch (failure) {
        setError(failure);
      }
      spent.current = { at: performance.now(), ms: performance.now() - begun, parts };
    };
    const timer = setTimeout(() => void loadSessions(), wait);
    return () => clearTimeout(timer);
  }, [changes, parts]);
  if (error !== null) return <Trouble error={error} />;
  return list === null ? <p class="quiet">Reading the sessions …</p> : <Overview list={list} filter={filter} onFilter={setFilter} />;
}

async function startPage(): Promise<void> {
  await api.takeKey();
  const place = document.querySelector('#app');
  if (place !== null) render(<App />, place);
}

void startPage();

// The page: shows what its address names, and redraws it when the server reports a change.

import type { SessionsAnswer } from '@umpire/umpire/http/answers.js';
import { make, show } from './dom.js';
import { overview } from './overview.js';
import type { Filter } from './overview.js';
import { roundsPart } from './rounds.js';
import * as api from './api.js';
import { TABS, sessionPart } from './session.js';
import type { Tab } from './session.js';
import { tasksPart } from './tasks.js';
import { outputPart, patchPart, reportPart } from './text-parts.js';

interface Route {
  readonly id: string | null;
  readonly tab: Tab;
  readonly more: readonly string[];
}

const main = document.querySelector<HTMLElement>('#main') ?? document.body;
let filter: Filter = { state: '', words: '' };
let listed: SessionsAnswer | null = null;
/** Only the latest drawing counts: a late answer belongs to a page that was left. */
let drawing = 0;
/** Listing many sessions is slow, so at most a tenth of the time is spent on it. */
let listedAt = 0;
let listCost = 0;
let again: number | undefined;

function routeNow(): Route {
  const [place, id, tab, ...more] = location.hash.replace(/^#\//, '').split('/').map(decoded);
  if (place !== 's' || id === undefined || id === '') return { id: null, tab: 'tasks', more: [] };
  return { id, tab: TABS.find((known) => known === tab) ?? 'tasks', more };
}

/** A broken address names nothing. */
function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return '';
  }
}

/** Waits while the person has selected text to copy. */
function redraw(): void {
  const selection = getSelection();
  const isSelecting = selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode);
  clearTimeout(again);
  if (isSelecting) again = setTimeout(redraw, 1000);
  else void drawPage();
}

async function drawPage(): Promise<void> {
  const mine = ++drawing;
  const route = routeNow();
  const elements = await (route.id === null ? listPage() : sessionPage(route.id, route)).catch((error: unknown) => [errorPart(error)]);
  if (mine !== drawing) return;
  show(main, elements);
}

async function listPage(): Promise<readonly Node[]> {
  document.title = 'Umpire';
  const begun = performance.now();
  listed = await api.sessions();
  listedAt = performance.now();
  listCost = listedAt - begun;
  nameProject(listed.project);
  return overview(listed, filter, onFilter);
}

function onFilter(next: Filter): void {
  filter = next;
  if (listed !== null) show(main, overview(listed, filter, onFilter));
}

async function sessionPage(id: string, { tab, more }: Route): Promise<readonly Node[]> {
  const session = await api.session(id);
  document.title = `${session.name} · Umpire`;
  nameProject(session.project);
  const [first = null, second = null] = more;
  const bodies: Readonly<Record<Tab, () => Promise<Node>>> = {
    tasks: () => Promise.resolve(tasksPart(session)),
    rounds: () => Promise.resolve(roundsPart(session)),
    changes: async () => patchPart(session, await api.diff(id, first, second), first, second),
    output: async () => {
      const name = first ?? session.logs.at(-1)?.name ?? null;
      return outputPart(session, name, name === null ? '' : await api.log(id, name));
    },
    report: async () => reportPart(await api.report(id)),
  };
  // An error in one part does not hide the rest.
  const body = await bodies[tab]().catch((error: unknown) => errorPart(error));
  return sessionPart(session, tab, body);
}

function errorPart(error: unknown): HTMLElement {
  const hint = error instanceof api.ServerError ? error.hint : '';
  const message = error instanceof Error ? error.message : String(error);
  return make('section', { class: 'card trouble', role: 'alert' }, make('h2', {}, message), make('p', {}, hint));
}

function nameProject(project: string): void {
  const place = document.querySelector('#project');
  if (place !== null) place.textContent = project;
}

function onChange(sessions: readonly string[]): void {
  const { id } = routeNow();
  if (id !== null) {
    if (sessions.includes(id)) redraw();
    return;
  }
  const wait = Math.max(0, listedAt + 10 * listCost - performance.now());
  clearTimeout(again);
  again = setTimeout(redraw, wait);
}

function onLive(isLive: boolean): void {
  const place = document.querySelector('#live');
  if (place === null) return;
  const was = place.className;
  place.className = `live ${isLive ? 'on' : 'off'}`;
  place.textContent = isLive ? 'live' : 'not connected; is umpire serve running?';
  // Catch up on changes while disconnected.
  if (isLive && was.endsWith(' off')) redraw();
}

/** Output of agents is no event, so it is read again while an agent runs. */
function followOutput(): void {
  const { tab } = routeNow();
  if (tab === 'output' && document.visibilityState === 'visible' && main.querySelector('.badge.running') !== null) redraw();
}

addEventListener('hashchange', () => {
  clearTimeout(again);
  void api
    .takeKey()
    .then(drawPage)
    .then(() => scrollTo(0, 0));
});

async function start(): Promise<void> {
  await api.takeKey();
  setInterval(followOutput, 2000);
  void drawPage();
  await api.follow(({ sessions }) => onChange(sessions), onLive);
}

void start();

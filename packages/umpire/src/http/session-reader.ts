// Reads the sessions of one project for the dashboard. It starts no run and changes no file.

import { basename, join, relative, sep } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { awaitedQuestion } from '@umpire/core/decider/question.js';
import { openFindings } from '@umpire/core/decider/rulings.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { createSessionLister } from '../commands/list.js';
import { findSessionWork } from '../commands/session-work.js';
import { diff } from '../library/session-work.js';
import { report } from '../library/sessions.js';
import { readableLog } from '../report/agent-log.js';
import { TAKE_EDITS, answerOptions } from '../report/answer-options.js';
import { showHidden } from '../report/safe-text.js';
import { historyOf } from '../report/session-history.js';
import { sessionView } from '../report/session-view.js';
import { isSaidBelow } from '../report/status-page.js';
import { UTC } from '../report/words.js';
import { listLogs, readLog } from '../sessions/agent-logs.js';
import type { LogFile } from '../sessions/agent-logs.js';
import { sessionFolders, sessionStamp } from '../sessions/find-sessions.js';
import type { KnownSessions } from '../sessions/find-sessions.js';
import { statOf } from '../sessions/file-system.js';
import { JOURNAL } from '../sessions/journal-file.js';
import { readSession } from '../sessions/session-record.js';
import type {
  CostPart,
  CostsAnswer,
  FindingRuling,
  ListedSession,
  LogAnswer,
  SessionAnswer,
  SessionsAnswer,
  TimedVerdict,
} from './answers.js';

/** Only the end of a longer log is shown. */
const MOST_LOG_BYTES = 512 * 1024;
/** Reading many sessions lets other requests through at least this often. */
const TURN_MS = 15;
/** The first answer waits no longer for sessions that were not read yet. */
const FIRST_ANSWER_MS = 300;

export class SessionReader {
  private readonly known: KnownSessions = new Map();
  private readonly costsBy = new Map<string, { readonly stamp: string; readonly costs: CostsAnswer }>();
  private readonly listed = new Map<string, ListedSession>();
  private listing: Promise<void> | null = null;
  private isComplete = false;
  private unread = 0;

  constructor(
    private readonly project: string,
    private readonly version: string,
    private readonly troubleOf: (session: string) => string | null,
  ) {}

  /** Sessions by id: as the page shows and asks for them. */
  folders(): ReadonlyMap<string, string> {
    return new Map(sessionFolders(this.project).map((path) => [this.idOf(path), path]));
  }

  /** Several pages that ask at once get one listing. Until all were read once, the answer has those read so far, the latest first. */
  async sessions(): Promise<SessionsAnswer> {
    this.listing ??= this.list().finally(() => (this.listing = null));
    await (this.isComplete ? this.listing : Promise.race([this.listing, pause(FIRST_ANSWER_MS, undefined, { ref: false })]));
    const sessions = [...this.listed.values()].toSorted(
      (a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '') || a.name.localeCompare(b.name),
    );
    return { project: this.project, version: this.version, sessions, unread: this.unread };
  }

  private async list(): Promise<void> {
    const lister = createSessionLister(this.known);
    const turn = turns();
    const folders = [...this.folders()].toSorted(([, a], [, b]) => changedMs(b) - changedMs(a));
    const ids = new Set(folders.map(([id]) => id));
    for (const id of this.listed.keys()) if (!ids.has(id)) this.listed.delete(id);
    for (const [at, [id, folder]] of folders.entries()) {
      if (!this.isComplete) this.unread = folders.length - at;
      const { path: _, ...entry } = await lister(folder);
      this.listed.set(id, { ...entry, id });
      await turn();
    }
    this.isComplete = true;
    this.unread = 0;
  }

  async session(id: string): Promise<SessionAnswer> {
    const record = readSession(this.pathOf(id));
    const { path, word, state, events, tasks, notes } = record;
    const { run } = state;
    const view = sessionView(state, { session: path, state: word, tasks, notes, ...(await findSessionWork(run, record)) });
    const { runs, firstAt, lastAt } = historyOf(events, UTC);
    const logs: readonly LogAnswer[] = listLogs(path).map(({ name: file, task, attempt, bytes }) => ({ name: file, task, attempt, bytes }));
    const question = run === null || word !== 'awaiting' ? null : awaitedQuestion(run);
    return {
      ...view,
      // The reasons below it repeat it in more detail.
      reason: isSaidBelow(view.reason, view.because) ? '' : view.reason,
      project: this.project,
      id,
      name: basename(path),
      firstAt,
      lastAt,
      verdicts: timedVerdicts(state, events),
      runs: Object.fromEntries(runs),
      logs,
      options: run === null || question === null ? [] : answerOptions(run, question),
      rulings: rulingsIn(state),
      askedAbout: question !== null && 'task' in question ? question.task : null,
      heldEdit: run?.heldEdit == null || word === 'running' ? null : TAKE_EDITS,
      canResume: word === 'interrupted',
      trouble: word === 'interrupted' ? this.troubleOf(path) : null,
    };
  }

  async report(id: string): Promise<string> {
    return report(this.pathOf(id));
  }

  async diff(id: string, round: number | undefined, chain: string | undefined): Promise<string> {
    return diff(this.pathOf(id), round, chain);
  }

  log(id: string, name: string): string {
    const { path, log } = this.findLog(id, name);
    return readableEnd(path, log, Math.max(0, log.bytes - MOST_LOG_BYTES));
  }

  /** Throws if there is no such output. `sizeOf`: its present size. */
  findLog(id: string, name: string): { readonly path: string; readonly log: LogFile } {
    const path = this.pathOf(id);
    const logs = listLogs(path);
    const log = logs.find((one) => showHidden(one.name) === name);
    if (log === undefined)
      throw new UmpireError('log-missing', { session: id, task: name, known: logs.map(({ task }) => task).join(', ') });
    return { path, log };
  }

  /** By day, loop and agent, over all sessions. */
  async costs(): Promise<CostsAnswer> {
    const turn = turns();
    const all: CostsAnswer[] = [];
    for (const path of this.folders().values()) {
      all.push(this.costsOf(path));
      await turn();
    }
    return sumOf(all);
  }

  private costsOf(path: string): CostsAnswer {
    const stamp = sessionStamp(path);
    const before = this.costsBy.get(path);
    if (before?.stamp === stamp) return before.costs;
    const costs = readCosts(path);
    this.costsBy.set(path, { stamp, costs });
    return costs;
  }

  /** Only sessions of the project: an id cannot lead to another folder. */
  pathOf(id: string): string {
    const path = this.folders().get(id);
    if (path === undefined) throw new UmpireError('session-unlisted', { session: id });
    return path;
  }

  private idOf(path: string): string {
    return showHidden(relative(this.project, path).split(sep).join('/'));
  }
}

function changedMs(session: string): number {
  return statOf(join(session, JOURNAL))?.mtimeMs ?? 0;
}

/** Waits for other requests once a turn is over. */
function turns(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < TURN_MS) return;
    await nextTurn();
    begun = performance.now();
  };
}

/** From this byte on; the first line after it may be incomplete and is left out. */
export function readableEnd(session: string, log: LogFile, from: number): string {
  const text = readLog(session, log, log.bytes - from).toString('utf8');
  return readableLog(from > 0 ? text.slice(text.indexOf('\n') + 1) : text);
}

function rulingsIn(state: SessionState): Readonly<Record<string, FindingRuling>> {
  const open = openFindings(state).map(({ finding, refusal }) => [finding.fingerprint, { dismissed: null, refusal }] as const);
  const ruled = [...state.rulings.values()].map(
    ({ finding, reason, by, who = by }) => [finding.fingerprint, { dismissed: `${who}: ${reason}`, refusal: null }] as const,
  );
  return Object.fromEntries([...open, ...ruled]);
}

function timedVerdicts({ frozen }: SessionState, events: readonly Recorded[]): readonly TimedVerdict[] {
  let costUsd = 0;
  let tokens = 0;
  return events.flatMap((event): readonly TimedVerdict[] => {
    const usage = usageIn(event);
    if (usage !== null) {
      costUsd += usage.costUsd;
      tokens += usage.tokens;
    }
    if (event.type !== 'VerdictGiven') return [];
    const { verdict, facts } = event.data;
    const rules = frozen.get(verdict.loop)?.rules.facts ?? {};
    // An exit status is a code, not a quantity.
    const names = Object.keys(facts).filter((name) => name !== 'exit' && rules[name] !== undefined && 'number' in rules[name]);
    const measures = names.flatMap((name) => (typeof facts[name] === 'number' ? [[name, facts[name]] as const] : []));
    return [{ ...verdict, at: event.ts, measures: Object.fromEntries(measures), costUsd, tokens }];
  });
}

/** What an attempt used. Submitted work ends a second time when it is merged, and then uses nothing. */
function usageIn({ data }: Recorded): { readonly costUsd: number; readonly tokens: number; readonly unknown?: readonly string[] } | null {
  return 'usage' in data && data.usage !== undefined ? data.usage : null;
}

function readCosts(path: string): CostsAnswer {
  try {
    const { events } = readSession(path);
    return costsIn(events);
  } catch (error) {
    // An unreadable session says so in the list.
    if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined || error instanceof TypeError) return NO_COSTS;
    throw error;
  }
}

const NO_COSTS: CostsAnswer = { parts: [], unreported: [] };

function costsIn(events: readonly Recorded[]): CostsAnswer {
  let loop = '';
  const agents = new Map<string, string>();
  const parts: CostPart[] = [];
  const unreported = new Set<string>();
  for (const event of events) {
    if (event.type === 'SessionStarted') loop = event.data.loop;
    if (event.type === 'TaskStarted') agents.set(`${event.data.task} ${event.data.attempt}`, event.data.agent);
    const usage = usageIn(event);
    if (usage === null || !('task' in event.data) || !('attempt' in event.data)) continue;
    const agent = agents.get(`${event.data.task} ${event.data.attempt}`) ?? '';
    if (usage.unknown?.includes('cost') === true) unreported.add(agent);
    // Merging what was submitted is no attempt.
    if (event.type === 'TaskFinished' && event.data.commit !== undefined) continue;
    parts.push({ day: event.ts.slice(0, 10), loop, agent, costUsd: usage.costUsd, tokens: usage.tokens, attempts: 1 });
  }
  return sumOf([{ parts, unreported: [...unreported] }]);
}

/** One part for each day, loop and agent; the latest day first. */
function sumOf(all: readonly CostsAnswer[]): CostsAnswer {
  const sums = new Map<string, CostPart>();
  for (const part of all.flatMap(({ parts }) => parts)) {
    const key = JSON.stringify([part.day, part.loop, part.agent]);
    const before = sums.get(key);
    sums.set(
      key,
      before === undefined
        ? part
        : {
            ...before,
            costUsd: before.costUsd + part.costUsd,
            tokens: before.tokens + part.tokens,
            attempts: before.attempts + part.attempts,
          },
    );
  }
  const parts = [...sums.values()].toSorted((a, b) => b.day.localeCompare(a.day) || b.costUsd - a.costUsd);
  return { parts, unreported: [...new Set(all.flatMap(({ unreported }) => unreported))].toSorted() };
}

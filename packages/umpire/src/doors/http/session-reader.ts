// Reads sessions for the dashboard's pages, wherever they are. It starts no run and changes no file.

import { basename } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { awaitedQuestion } from '@umpire/core/decider/question.js';
import { openFindings } from '@umpire/core/decider/rulings.js';
import { tasksToRetry } from '@umpire/core/decider/run-state.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { findSurroundings, patchOf } from '../../engine/session-work.js';
import { readableLog } from '../../agents/agent-log.js';
import { TAKE_EDITS, answerOptions } from '../../views/session-question.js';
import { showHidden } from '../../views/safe-text.js';
import { readHistory } from '../../views/session-history.js';
import { sessionPage } from '../../views/session-page.js';
import { sessionView } from '../../views/session-view.js';
import { isSaidBelow } from '../../views/status-page.js';
import { UTC } from '../../views/words.js';
import { listLogs, readLog } from '../../sessions/agent-logs.js';
import type { LogFile } from '../../sessions/agent-logs.js';
import { provenanceIn, readSession } from '../../sessions/session-record.js';
import type {
  CostPart,
  CostsAnswer,
  FindingRuling,
  LogAnswer,
  SessionAnswer,
  SessionsAnswer,
  TimedVerdict,
  OutputAnswer,
} from './answers.js';
import type { SessionSource } from './session-source.js';
import { createTurns } from './session-source.js';

/** Only the end of a longer log is shown. */
const MOST_LOG_BYTES = 512 * 1024;
/** Of so many sessions at once, the costs are read. */
const AT_ONCE = 8;

export class SessionReader {
  private readonly costsBy = new Map<string, { readonly stamp: string; readonly costs: CostsAnswer }>();

  constructor(
    private readonly source: SessionSource,
    private readonly version: string,
  ) {}

  async sessions(): Promise<SessionsAnswer> {
    const { place: project, isEngine } = this.source;
    const { sessions, unread } = await this.source.list();
    const inOrder = sessions.toSorted((a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '') || a.name.localeCompare(b.name));
    return { project, isEngine, version: this.version, sessions: inOrder, unread };
  }

  async session(id: string): Promise<SessionAnswer> {
    const copy = await this.source.find(id);
    const record = readSession(copy.path);
    const { path, word, state, events } = record;
    const { run } = state;
    const view = sessionView(state, await findSurroundings(record, copy.word));
    const { runs, firstAt, lastAt } = readHistory(events, UTC);
    const logs: readonly LogAnswer[] = listLogs(path).map(({ name: file, task, attempt, bytes }) => ({ name: file, task, attempt, bytes }));
    const question = run === null || word !== 'awaiting' ? null : awaitedQuestion(run);
    return {
      ...view,
      // The reasons below it repeat it in more detail.
      reason: isSaidBelow(view.reason, view.because) ? '' : view.reason,
      project: this.source.place,
      id,
      name: basename(copy.word),
      fleet: copy.fleet,
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
      canRetry: run !== null && word === 'failed' && tasksToRetry(run).length > 0,
      trouble: word === 'interrupted' ? copy.trouble : null,
    };
  }

  async report(id: string): Promise<string> {
    const copy = await this.source.find(id);
    const record = readSession(copy.path);
    const around = await findSurroundings(record, copy.word);
    return sessionPage(record.state, { ...around, events: record.events, provenance: provenanceIn(record) });
  }

  async diff(id: string, round: number | undefined, chain: string | undefined): Promise<string> {
    const { path } = await this.source.find(id);
    return (await patchOf(path, round, { chain, repository: this.source.repository })).toString('utf8');
  }

  async log(id: string, name: string): Promise<string> {
    const { path, log } = await this.findLog(id, name);
    return readableEnd(path, log, Math.max(0, log.bytes - MOST_LOG_BYTES));
  }

  /** Throws if there is no such output. */
  async findLog(id: string, name: string): Promise<{ readonly path: string; readonly log: LogFile }> {
    const { path } = await this.source.find(id);
    const logs = listLogs(path);
    const log = logs.find((one) => showHidden(one.name) === name);
    if (log === undefined)
      throw new UmpireError('log-missing', { session: id, task: name, known: logs.map(({ task }) => task).join(', ') });
    return { path, log };
  }

  /** By day, loop and agent, over all sessions. */
  async costs(): Promise<CostsAnswer> {
    const turn = createTurns();
    const stamps = [...(await this.source.stamps())];
    const all: CostsAnswer[] = [];
    for (let at = 0; at < stamps.length; at += AT_ONCE) {
      all.push(...(await Promise.all(stamps.slice(at, at + AT_ONCE).map(([id, { journal }]) => this.costsOf(id, journal)))));
      await turn();
    }
    return sumOf(all);
  }

  private async costsOf(id: string, stamp: string): Promise<CostsAnswer> {
    const before = this.costsBy.get(id);
    if (before?.stamp === stamp) return before.costs;
    const costs = costsIn(await this.source.events(id));
    this.costsBy.set(id, { stamp, costs });
    return costs;
  }
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

const LOOK_MS = 400;
/** So much of the end is read first. Once the log has grown by as much again, the start moves on. */
const MOST_BYTES = 256 * 1024;

/** Calls with what there is, then with what is added. Returns a function that ends it. */
export function followOutput(session: string, name: string, send: (piece: OutputAnswer) => void): () => void {
  let from: number | null = null;
  let sent = '';
  let bytes = -1;
  const look = (): void => {
    const log: LogFile | undefined = listLogs(session).find((one) => one.name === name);
    if (log === undefined || log.bytes === bytes) return;
    if (from === null || log.bytes < bytes || log.bytes - from > 2 * MOST_BYTES) from = Math.max(0, log.bytes - MOST_BYTES);
    ({ bytes } = log);
    const text = readableEnd(session, log, from);
    // Lines of a message that is not complete yet may be worded anew.
    const isNew = sent === '' || !text.startsWith(sent);
    if (text !== sent) send({ text: isNew ? text : text.slice(sent.length), isNew });
    sent = text;
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

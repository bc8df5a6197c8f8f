// Library functions that show sessions, use their work, and set a project up.

import { resolve } from 'node:path';
import { findSurroundings, listSessions } from '../../engine/session-work.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import type { Verdict } from '@umpire/core/model/vocabulary.js';
import type { SessionEntry } from '../../views/list-page.js';
import { sessionPage } from '../../views/session-page.js';
import { sessionView, verdictsIn } from '../../views/session-view.js';
import type { SessionView } from '../../views/session-view.js';
import { provenanceIn, readSession } from '../../sessions/session-record.js';
import type { SessionRecord } from '../../sessions/session-record.js';
import { PROJECT, SESSION, APPLY, CLEAN, DIFF, INIT } from '@umpire/core/model/options.js';
import { checkRequest, checkValue } from './argument-checks.js';
import * as engine from '../../engine/session-work.js';
import { clean as cleanOne } from '../../engine/clean.js';
import type { CleanResult } from '../../engine/clean.js';
import type { Applied } from '../../work/apply.js';
import { checkReadiness } from '../doctor.js';
import { writeFirstSettings } from '../init.js';
import type { FirstSettings } from '../init.js';
import type { DoctorReport } from '../../views/doctor-page.js';

/** The output of `umpire status --json`, with every verdict and event. */
export interface SessionStatus extends SessionView {
  /** The session's folder. */
  readonly path: string;
  /** Oldest first. */
  readonly verdicts: readonly Verdict[];
  /** The events of the journal. */
  readonly history: readonly Recorded[];
  /** The first invalid line of the journal, or null. */
  readonly brokenAt: number | null;
}

/** The status of a session. `session`: its folder. */
export async function status(session: string): Promise<SessionStatus> {
  const record = recordOf('status', session);
  const view = sessionView(record.state, await findSurroundings(record, record.path));
  return {
    ...view,
    path: record.path,
    verdicts: verdictsIn(record.state).map(({ verdict }) => verdict),
    history: record.events,
    brokenAt: record.brokenAt,
  };
}

/** The report of a session as Markdown. */
export async function report(session: string): Promise<string> {
  const record = recordOf('report', session);
  return sessionPage(record.state, {
    ...(await findSurroundings(record, record.path)),
    events: record.events,
    provenance: provenanceIn(record),
  });
}

export interface ListRequest {
  /** A folder of the project. Default: the current folder. */
  readonly project?: string;
}

/** The sessions of a project, latest first. An unreadable session is listed with the reason. */
export async function list(request: ListRequest = {}): Promise<readonly SessionEntry[]> {
  checkRequest('list', request, { project: PROJECT });
  return listSessions(request.project ?? '.');
}

function recordOf(call: string, session: string): SessionRecord {
  checkValue(call, 'session', session, SESSION);
  return readSession(resolve(session));
}

/** The patch of the whole session, or of one round; `chain` is needed if several chains have that round. */
export async function diff(session: string, round?: number, chain?: string): Promise<string> {
  checkValue('diff', 'session', session, SESSION);
  if (round !== undefined) checkValue('diff', 'round', round, DIFF.round);
  if (chain !== undefined) checkValue('diff', 'chain', chain, DIFF.chain);
  return engine.diff(resolve(session), round, chain);
}

export type { ApplyOptions } from '../../engine/session-work.js';

export interface WorkOptions {
  /** Also unapplied work, or a session that has not ended. */
  readonly force?: boolean;
}

/** Copies the result into the person's checkout, uncommitted. Without `withFailingTests`, leaves out new tests that fail. */
export async function apply(session: string, options: engine.ApplyOptions = {}): Promise<Applied & { readonly unverified: boolean }> {
  checkValue('apply', 'session', session, SESSION);
  checkRequest('apply', options, APPLY);
  return engine.apply(resolve(session), options);
}

/** Removes the worktrees and branch of a finished session. Keeps them if it has not ended or its work was not applied. */
export async function clean(session: string, options: WorkOptions = {}): Promise<CleanResult> {
  checkValue('clean', 'session', session, SESSION);
  checkRequest('clean', options, CLEAN);
  return cleanOne(resolve(session), options);
}

export interface DoctorRequest {
  /** The project's folder. Default: the project that contains the current folder. */
  readonly project?: string;
}

/** Checks that a run can start. Starts no agent, runs no test and changes nothing. */
export async function doctor(request: DoctorRequest = {}): Promise<DoctorReport> {
  checkRequest('doctor', request, { project: PROJECT });
  return checkReadiness(request);
}

export interface InitRequest extends DoctorRequest {
  /** The agent for every role. Default: the first installed. */
  readonly agent?: string;
  /** Writes nothing. */
  readonly dryRun?: boolean;
}

/** Writes `umpire.config.yaml`. Never overwrites a file. */
export async function init(request: InitRequest = {}): Promise<FirstSettings> {
  checkRequest('init', request, INIT);
  const { path, text, written } = await writeFirstSettings(request);
  return { path, text, written };
}

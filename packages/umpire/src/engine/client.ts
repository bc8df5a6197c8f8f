// A person's side of a fleet: starts a session on an engine, answers its questions, and follows it from any machine.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { evolve, NEW_SESSION } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { FindingRuled, FleetSession, Recorded, SessionStarted } from '@umpire/core/decider/events.js';
import type { RulingGiven } from '@umpire/core/decider/rulings.js';
import type { AnswerGiven } from '@umpire/core/decider/answers.js';
import { awaitedQuestion } from '@umpire/core/decider/question.js';
import { omitUndefined } from '@umpire/core/formats/merge-objects.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { checkRoles } from './agents.js';
import { findProjectRepository, isInGit, noSession, slugOf } from './project-folders.js';
import { faultNotes } from './project-faults.js';
import { rolesOfPlan } from './roles.js';
import { askAboutUncommitted, planRequest } from './session.js';
import type { PlannedRequest, RunParameters, RunResult } from './session.js';
import { describeStart, recordIncluded, uncommittedNotes } from './start-session.js';
import { openSessionFiles } from '../sessions/session-files.js';
import type { Settings } from '../sessions/settings.js';
import { sha256 } from '../sessions/hash.js';
import { JOURNAL, journalOf } from '../sessions/journal-file.js';
import { findRole } from '../sessions/role-texts.js';
import { listFiles, openFolder, readBytes } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { askGit } from '../work/git.js';
import { sessionBranch } from '../work/session-git.js';
import { pushBase } from '../work/remote-repository.js';
import { commitUncommitted, uncommittedIn } from '../work/uncommitted.js';
import { summaryOf } from './conductor.js';
import type { BlobStore, ClientDoor, EngineSession } from './engine.js';
import type { ClientMessage, Told } from './messages.js';
import { keepAllBlobs, writeReplica } from './replica.js';

export interface FleetRequest extends RunParameters {
  /** The git remote that the workers use. Default: `origin` of the project. */
  readonly remote?: string;
  /** Labels that its workers need. */
  readonly needs?: readonly string[];
  /** Whose session it is. */
  readonly tenant: string;
}

/** Returns the session's name once a conductor has taken it. */
export async function startOnEngine(client: ClientDoor, request: FleetRequest): Promise<string> {
  const planned = await planRequest(request);
  const { loop, project, settings, pipeline, plan, config } = planned;
  checkRoles(rolesOfPlan(plan, loop, request.command !== undefined), settings);
  const people = Object.values(settings.agents).includes('person');
  if (people)
    throw new UmpireError('engine-start', { detail: 'no worker can play a person; answer questions with umpire resolve instead' });
  if (planned.loopFolder !== null) throw new UmpireError('engine-start', { detail: 'loops of your own run on this machine only' });
  const isGit = isInGit(project);
  if (!isGit && pipeline.writes.length > 0)
    throw new UmpireError('engine-start', { detail: 'its workers need a git repository with a remote' });
  const name = await freeName(client, planned, request);
  const remote = isGit ? await findRemote(project, request.remote) : '';
  const begin = isGit ? await beginOnEngine(planned, request) : null;
  if (begin !== null) await pushBase(project, remote, { session: name, commit: begin.commit });
  const blobs = client.blobs(name);
  const fleet: FleetSession = {
    remote: remote.replace(/^([a-z+]+:\/\/[^/:@]*):[^/@]*@/, '$1@'),
    folder: isGit ? findProjectRepository(project).prefix : '',
    needs: request.needs ?? [],
    tenant: request.tenant,
    settings: await blobs.put(Buffer.from(JSON.stringify(removeEnvironments(config)))),
    roles: await freezeRoles(planned, blobs),
  };
  const included = begin?.included === undefined ? {} : { included: begin.included };
  const workspace = begin === null ? null : ({ kind: 'git', branch: sessionBranch(name), base: begin.commit, ...included } as const);
  const started: SessionStarted = { ...describeStart({ ...planned, request }, name, NEW_SESSION), workspace, fleet };
  await sendMessage(client, name, { type: 'start', started });
  return name;
}

interface EngineBase {
  readonly commit: string;
  readonly included?: ReturnType<typeof recordIncluded>;
}

/** The commit that the workers begin with. Says which changes of the person it lacks. */
async function beginOnEngine({ project, config }: PlannedRequest, request: FleetRequest): Promise<EngineBase> {
  const { onNote } = request;
  const includeUncommitted = await askAboutUncommitted(request, project);
  const repository = findProjectRepository(project);
  const place = { project, session: 'none', home: '', sessionFolder: noSession(project) };
  const included = includeUncommitted === true ? await commitUncommitted({ repository, place, gitTarget: repository }) : null;
  const others = included?.leftOut ?? (await uncommittedIn({ repository, place }));
  const asked = { ...request, ...omitUndefined({ includeUncommitted }) };
  for (const note of uncommittedNotes(asked, included?.files ?? [], others)) onNote?.(note);
  for (const note of await faultNotes(project, config.workspace)) onNote?.(note);
  if (included !== null) return { commit: included.commit, included: recordIncluded(included) };
  return { commit: await askGit(repository.checkout, ['rev-parse', '--verify', 'HEAD^{commit}']) };
}

/** Throws the conductor's error, as the command line would on the machine of a local session. */
async function sendMessage(client: ClientDoor, session: string, message: ClientMessage): Promise<void> {
  const told = (await client.tell(session, message, randomUUID())) as Told;
  if (told.ok) return;
  if (told.error.code === 'question-changed') throw new UmpireError('question-changed', { session });
  throw new UmpireError('engine-refused', { message: told.error.message, hint: told.error.hint });
}

/** `seen`: the key of the question that the person saw. */
export async function answerOnEngine(client: ClientDoor, session: string, given: AnswerGiven, seen?: string | null): Promise<void> {
  await requireListed(client, session);
  await sendMessage(client, session, { type: 'answer', given, ...(seen === undefined ? {} : { seen }) });
}

export async function retryOnEngine(client: ClientDoor, session: string): Promise<void> {
  await requireListed(client, session);
  await sendMessage(client, session, { type: 'retry' });
}

/** Returns the ruling, and the state with it. */
export async function dismissOnEngine(
  client: ClientDoor,
  session: string,
  given: RulingGiven,
): Promise<{ readonly state: SessionState; readonly ruling: FindingRuled }> {
  await requireListed(client, session);
  await sendMessage(client, session, { type: 'dismiss', given });
  const { state, events } = journalOf(joinLines(await client.lines(session, 0)));
  const last = events.findLast(({ type }) => type === 'FindingRuled') as Extract<Recorded, { type: 'FindingRuled' }>;
  return { state, ruling: last.data };
}

function joinLines(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

export async function requireListed(client: ClientDoor, session: string): Promise<EngineSession> {
  const listed = await client.session(session);
  if (listed === null) throw new UmpireError('engine-session-missing', { session: session.slice(0, 100), meant: '' });
  return listed;
}

/** By its name, or by a part that no other session has. */
export async function findListed(client: ClientDoor, word: string): Promise<EngineSession> {
  const exact = await client.session(word);
  if (exact !== null) return exact;
  const found = (await client.sessions()).filter(({ session }) => session.includes(word));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = found.map(({ session }) => session).slice(0, 5);
  const meant = names.length === 0 ? '' : `. ${found.length} have it in their names, such as ${names.join(', ')}`;
  throw new UmpireError('engine-session-missing', { session: word.slice(0, 100), meant });
}

/** For commands that change a session: a part of a name may be that of another. */
export function requireFullName(word: string, session: string, command: string): void {
  if (word !== session) throw new UmpireError('engine-session-part', { word: word.slice(0, 100), command });
}

async function freeName(client: ClientDoor, { loop, now }: PlannedRequest, { session, goal, command }: FleetRequest): Promise<string> {
  if (session !== undefined) {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(session)) throw new UmpireError('engine-session-name', { session: session.slice(0, 60) });
    if ((await client.session(session)) !== null) throw new UmpireError('engine-session-taken', { session });
    return session;
  }
  const name = [loop.loop, slugOf(goal ?? command ?? ''), now().toISOString().slice(0, 10)].filter((part) => part !== '').join('-');
  // Two people may start the same work on one day, at the same moment.
  return `${name}-${randomUUID().slice(0, 4)}`;
}

async function findRemote(project: string, named: string | undefined): Promise<string> {
  if (named !== undefined && /[:/\\]/.test(named)) return named;
  try {
    return await askGit(findProjectRepository(project).checkout, ['remote', 'get-url', '--', named ?? 'origin']);
  } catch {
    throw new UmpireError('engine-start', { detail: `the project has no git remote ${named ?? 'origin'}; name one with --remote URL` });
  }
}

/** The environment of agents may hold keys, which stay on the workers. */
function removeEnvironments(config: Settings): Settings {
  const agents = Object.fromEntries(Object.entries(config.agents).map(([name, agent]) => [name, { ...agent, env: {} }]));
  return { ...config, agents, notify: null };
}

async function freezeRoles({ loop, loopFolder, project, plan }: PlannedRequest, blobs: BlobStore): Promise<FleetSession['roles']> {
  const names = new Set([loop.roles.critic, loop.roles.judge, loop.roles.generator, ...plan.rows.map((row) => row['role'] ?? '')]);
  const roles: Record<string, FleetSession['roles'][string]> = {};
  for (const role of names) {
    const found = role === '' ? null : findRole(loop.loop, role, project, loopFolder);
    if (found === null) continue;
    const hash = await blobs.put(Buffer.from(found.text));
    roles[role] = { path: found.ref.path, sha256: hash };
  }
  return roles;
}

export interface Followed {
  readonly onEvent: (event: Recorded, state: SessionState) => void;
  /** Called now and then while nothing is recorded. */
  readonly onQuiet: () => Promise<void>;
  readonly signal: AbortSignal;
}

const QUIET_MS = 5_000;

/** Until the session has ended or waits for a person. The lines before `from` are not told. */
export async function followOnEngine(
  client: ClientDoor,
  session: string,
  from: number,
  { onEvent, onQuiet, signal }: Followed,
): Promise<RunResult> {
  let state = NEW_SESSION;
  let length = 0;
  while (!signal.aborted) {
    const lines = await client.lines(session, length);
    for (const line of lines) {
      const { seq, ts, ms, type, data } = JSON.parse(line) as Recorded;
      const event = { type, data, seq, ts, ...(ms === undefined ? {} : { ms }) } as Recorded;
      state = evolve(state, event);
      length += 1;
      if (length > from) onEvent(event, state);
    }
    if (lines.length === 0) await onQuiet();
    const { run } = state;
    const isResting = run !== null && (run.ended !== null || (awaitedQuestion(run) !== null && run.running.size === 0));
    if (isResting && length >= from) break;
    await client.changed(session, length, QUIET_MS);
  }
  const run = state.run;
  const question = run === null ? null : awaitedQuestion(run);
  const status = run?.ended?.outcome ?? (question === null ? 'interrupted' : 'awaiting');
  return { session, status, unverified: run?.ended?.unverified ?? false, question, state };
}

/** The session as a folder, for every command that reads one. An earlier copy in that place is brought up to date. */
export async function copyFromEngine(client: ClientDoor, session: string, place: string): Promise<SessionFolder> {
  await requireListed(client, session);
  const read = existsSync(place) ? readBytes(openFolder(place), JOURNAL) : null;
  const known = read?.kind === 'bytes' ? read.bytes.toString('utf8').split('\n').slice(0, -1) : [];
  const lines = [...known, ...(await client.lines(session, known.length))];
  const { state } = journalOf(joinLines(lines));
  if (state.run === null) throw new UmpireError('not-begun', { session });
  const folder = await writeReplica(place, state, lines, client.blobs(session));
  // Its pages are written from the journal. The lines that say so stay out: the engine's journal is the truth.
  openSessionFiles({ folder, state: () => state, now: () => new Date(), roleText: () => '' }).show();
  return folder;
}

/** A copy from which `importFolder` brings the session back. */
export async function exportFromEngine(client: ClientDoor, session: string, place: string): Promise<void> {
  const folder = await copyFromEngine(client, session, place);
  const read = readBytes(folder, JOURNAL);
  if (read.kind === 'bytes') await keepAllBlobs(folder, journalOf(read.bytes).state, client.blobs(session));
}

/** The way back for a session that was taken out. Its blobs come with it. */
export async function importFolder(client: ClientDoor, path: string): Promise<void> {
  const folder = openFolder(path);
  const read = readBytes(folder, JOURNAL);
  if (read.kind !== 'bytes')
    throw new UmpireError('read-failed', { path: join(path, JOURNAL), detail: read.kind === 'missing' ? 'it is missing' : read.problem });
  const { state, torn } = journalOf(read.bytes);
  if (torn) throw new UmpireError('journal-broken', { line: state.events + 1, detail: 'it is cut off' });
  if (state.run?.started.fleet === undefined) throw new UmpireError('engine-start', { detail: 'the session did not begin on an engine' });
  if (!state.run.isOnEngine) throw new UmpireError('engine-start', { detail: 'it was continued on this machine, and stays here' });
  if ((await client.session(folder.name)) !== null) throw new UmpireError('engine-import-taken', { session: folder.name });
  const lines = read.bytes.toString('utf8').split('\n').slice(0, -1);
  const blobs = client.blobs(folder.name);
  for (const name of listFiles(folder, 'blobs')) {
    const blob = readBytes(folder, `blobs/${name}`);
    if (blob.kind === 'bytes' && sha256(blob.bytes) === name) await blobs.put(blob.bytes);
  }
  await client.importSession(folder.name, lines, summaryOf(state, state.run));
}

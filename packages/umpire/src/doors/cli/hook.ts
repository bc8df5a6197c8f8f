// `umpire hook`: a coding agent calls it with an event on stdin. PreToolUse refuses edits of Umpire's records and commands that answer for a
// person: a rule for agents that follow rules, not a fence. SessionStart records the commit at which the agent starts. Stop has the guard
// check all changes since then, and runs the command of an active `umpire until --here`. Status 2 refuses, with the reason on stderr; errors
// end with status 1, which never stops an agent: it could not fix them.

import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { hookEventOf } from '@umpire/core/formats/hook-event.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { HOOK_EVENTS } from '../../agents/known/known-agents.js';
import { isFolder, realPath, lstatOf } from '../../sessions/file-system.js';
import { projectAt } from '../../sessions/find-sessions.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './output.js';
import type { Given } from './commands.js';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { HookEvent } from '@umpire/core/formats/hook-event.js';
import { innerTexts, listCommands, programName } from '@umpire/core/formats/shell-text.js';
import { listOf, object, orNull, text } from '@umpire/core/model/schema.js';
import type { Infer } from '@umpire/core/model/schema.js';
import type { GuardScope } from '@umpire/guard/change.js';
import { countBreaches, guardPage } from '../../views/guard-page.js';
import { count } from '../../views/words.js';
import { findActiveUntil, writeActiveUntil } from '../../sessions/active-until.js';
import type { ActiveUntil } from '../../sessions/active-until.js';
import { faultOf, makeFolders } from '../../sessions/session-folder.js';
import { JOURNAL } from '../../sessions/journal-file.js';
import { keyFolder } from '../../sessions/journal-key.js';
import { safeName } from '../../sessions/safe-name.js';
import { runGitSync } from '../../work/git.js';
import { readState, writeStateFile } from '../../work/state-file.js';
import type { GuardRun } from '../../engine/guard.js';
import { ignoreUmpire } from '../../engine/project-folders.js';

/** Tools that only read are always allowed. */
const READ_ONLY_TOOLS: ReadonlySet<string> = new Set(
  'Read Glob Grep LS NotebookRead read_file read_many_files list_directory glob search_file_content grep_search'.split(' '),
);

/** Files of a session that only Umpire writes. */
const RECORD_FILES = new RegExp(`^(?:${JOURNAL.replace('.', '\\.')}$|blobs/|verdicts/)`);
/** Folder in `.umpire/` with the start commits of agent sessions. */
const AGENT_SESSIONS = 'agent-sessions';
const START_RECORDS = new RegExp(`[/\\\\]\\.umpire[/\\\\]${AGENT_SESSIONS}[/\\\\]`);
/** How deep record files are in a session folder. */
const RECORD_DEPTH = 4;

/** Why the tool may not be used; null if it may. */
export function refuseTool({ tool, paths, command, cwd }: HookEvent): string | null {
  for (const path of READ_ONLY_TOOLS.has(tool) ? [] : paths) {
    const what = recordAt(realPath(resolve(cwd ?? '.', path)));
    if (what !== null) return `Umpire: ${path} ${what}`;
  }
  const answer = command === null ? null : findAnswer(command);
  if (answer === null) return null;
  return `Umpire: only a person may run \`${answer}\`. Show them the question and the possible answers, and stop.`;
}

/** What the file is to Umpire; null if agents may write it. */
function recordAt(place: string): string | null {
  if (isSessionRecord(place))
    return 'is the record of a session; only Umpire writes it. Do the work that the last verdict asks for, then have it judged again.';
  if (START_RECORDS.test(place)) return 'records where an agent session started; only Umpire writes it. Leave it unchanged.';
  const own = keyFolder();
  if (own !== null && `${place}/`.startsWith(`${realPath(own)}/`))
    return "is Umpire's own state; only Umpire writes it. Leave it unchanged.";
  return null;
}

function isSessionRecord(path: string): boolean {
  let folder = dirname(path);
  for (let depth = 0; depth < RECORD_DEPTH; depth += 1, folder = dirname(folder))
    if (RECORD_FILES.test(relative(folder, path)) && existsSync(join(folder, JOURNAL))) return true;
  return false;
}

/** The Umpire command in a shell line by which an agent would answer for a person. */
function findAnswer(line: string): string | null {
  for (const command of listCommands(line)) {
    for (const inner of innerTexts(command)) {
      const answer = findAnswer(inner);
      if (answer !== null) return answer;
    }
    const at = command.words.findIndex((word) => /^umpire(?:\.cjs)?$/.test(programName(word)));
    const [verb, ...rest] = at < 0 ? [] : command.words.slice(at + 1);
    const has = (flag: string): boolean => rest.some((word) => word === flag || word.startsWith(`${flag}=`));
    if (verb === 'resolve' || verb === 'dismiss') return `umpire ${verb}`;
    if ((verb === 'decide' || verb === 'resume') && has('--max-rounds')) return `umpire ${verb} --max-rounds`;
    if (verb === 'until' && has('--stop')) return 'umpire until --stop';
    if ((verb === 'apply' || verb === 'clean') && has('--force')) return `umpire ${verb} --force`;
  }
  return null;
}

const AGENT_SESSION = object({
  /** HEAD at its start. */
  commit: text,
  /** The branch at its start; null if HEAD was detached. */
  branch: orNull(text),
  /** Fingerprints of the breaches that were reported to the person. */
  told: listOf(text),
});
type AgentSession = Infer<typeof AGENT_SESSION>;

/** Older records are removed. */
const MOST_AGE_MS = 90 * 24 * 60 * 60 * 1000;

/** Keeps the first record: agents send the event again when they resume or compact a session. Does nothing without a commit. */
function recordAgentSession(project: string, id: string, now: Date): void {
  if (readAgentSession(project, id) !== null) return;
  const commit = askGitLine(project, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (commit === null) return;
  const folder = folderIn(project);
  if (!isOwn(project))
    throw new UmpireError('write-failed', { path: `.umpire/${AGENT_SESSIONS}`, detail: 'a link leads out of the project' });
  try {
    makeFolders(folder);
    ignoreUmpire(project);
    for (const name of readdirSync(folder)) {
      const place = join(folder, name);
      const seen = lstatOf(place);
      if (name.endsWith('.json') && seen?.isFile() === true && now.getTime() - seen.mtimeMs > MOST_AGE_MS) rmSync(place, { force: true });
    }
  } catch (error) {
    throw new UmpireError('write-failed', { path: `.umpire/${AGENT_SESSIONS}`, detail: faultOf(error) });
  }
  writeStateFile(recordPath(project, id), { commit, branch: branchOf(project), told: [] });
}

/** Null if its start was not recorded, or the record cannot be read. */
function readAgentSession(project: string, id: string): AgentSession | null {
  if (!isOwn(project)) return null;
  try {
    const read = readState(recordPath(project, id), AGENT_SESSION);
    return read.kind === 'note' ? read.note : null;
  } catch (error) {
    if (isUmpireError(error)) return null;
    throw error;
  }
}

/** If this cannot be written, the person gets the same report again; a finding is never dropped. */
function rememberReported(project: string, id: string, session: AgentSession, told: readonly string[]): void {
  const isSame = told.length === session.told.length && told.every((one) => session.told.includes(one));
  try {
    if (!isSame) writeStateFile(recordPath(project, id), { ...session, told });
  } catch (error) {
    if (!isUmpireError(error)) throw error;
  }
}

/**
 * The commit to compare with; null if it no longer exists. On the branch of the start, it is the start, so that amended and dropped
 * commits are seen. On another branch it is the merge base, since the commits of that branch are not the agent's work.
 */
function baseOf(project: string, { commit, branch }: AgentSession): string | null {
  const start = askGitLine(project, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`);
  if (start === null || (branch !== null && branchOf(project) === branch)) return start;
  return askGitLine(project, 'merge-base', start, 'HEAD');
}

function branchOf(project: string): string | null {
  return askGitLine(project, 'symbolic-ref', '--quiet', 'HEAD');
}

function recordPath(project: string, id: string): string {
  return join(folderIn(project), `${safeName(id)}.json`);
}

function folderIn(project: string): string {
  return join(project, '.umpire', AGENT_SESSIONS);
}

/** False if a link leads out of the project: an untrusted repository or an agent may have put it there. */
function isOwn(project: string): boolean {
  return realPath(folderIn(project)) === folderIn(realPath(project));
}

function askGitLine(project: string, ...args: readonly string[]): string | null {
  const { code, stdout } = runGitSync(project, args);
  return code === 0 ? stdout.toString('utf8').trim() : null;
}

export interface StopRequest {
  readonly project: string;
  /** Where the agent works: the project, or a folder of it. */
  readonly workdir: string;
  /** The agent's session id, if it sends one. */
  readonly session: string | null;
  readonly base?: string;
  readonly scope?: GuardScope;
  /** Runs the tests where reading suspects one. Null: never. */
  readonly run: TimedCommand | null;
  /** The agent was already sent back once. */
  readonly isAgain: boolean;
  /** A part of the agent's work ends, not its turn. */
  readonly isSubagent: boolean;
  /** Why the agent says that it cannot go on. */
  readonly blocked: string | null;
}

interface TimedCommand {
  /** Null: the project's own tests, as Umpire finds them. */
  readonly command: string | null;
  /** For all runs together: an agent waits. */
  readonly minutes: number;
}

interface StopAnswer {
  /** For the agent: why it must continue. */
  readonly refusal: string | null;
  /** For the person. */
  readonly note: string | null;
}

const MOST_CHARACTERS = 9000;

/** The guard comes first: a command that passes with weakened tests proves nothing. */
export async function answerStop(request: StopRequest): Promise<StopAnswer> {
  const until = request.isSubagent ? null : adoptUntil(request.workdir, request.session);
  const { refusal, notes, isNew, breaches } = await guardStop(request, until);
  if (until === null || isNew) return { refusal, note: joinNotes(notes) };
  // The agent was sent back for them, and the person was told. A check that passes now says nothing.
  if (breaches > 0) {
    const words = `${countBreaches(breaches)} in the change, so the check of umpire until was not judged: correct the tests, or allow the change in umpire.config.yaml`;
    return { refusal: null, note: joinNotes([...notes, words]) };
  }
  const { judgeStop } = await import('./until-here.js');
  const judged = await judgeStop(until, request.blocked);
  return { refusal: judged.refusal, note: joinNotes([...notes, ...(judged.note === null ? [] : [judged.note])]) };
}

function joinNotes(notes: readonly string[]): string | null {
  return notes.length === 0 ? null : `Umpire: ${notes.join(' ')}`;
}

/** The first agent session that stops is the one that the person's `until` judges. Others are left alone. */
function adoptUntil(workdir: string, session: string | null): ActiveUntil | null {
  const active = findActiveUntil(workdir);
  if (active === null || session === null || active.agent === session) return active;
  if (active.agent !== null) return null;
  const adopted = { ...active, agent: session };
  writeActiveUntil(adopted);
  return adopted;
}

interface GuardedStop {
  readonly refusal: string | null;
  readonly notes: readonly string[];
  /** There are breaches that the person was not told of before. */
  readonly isNew: boolean;
  /** How many there are, told or not. */
  readonly breaches: number;
}

async function guardStop(
  { project, session, base: asked, scope = 'any', run: timed, isAgain }: StopRequest,
  until: ActiveUntil | null,
): Promise<GuardedStop> {
  const begun = session === null || asked !== undefined ? null : readAgentSession(project, session);
  const start = begun === null ? null : baseOf(project, begun);
  const base = asked ?? start ?? until?.base ?? null;
  // PreToolUse runs at every tool call and must not load the parsers.
  const { guardProject } = await import('../../engine/guard.js');
  const run = await guardProject({
    project,
    scope,
    isOthers: true,
    ...(base === null ? {} : { base }),
    ...(timed === null ? {} : { retrial: { ...timed, isQuick: true, signal: AbortSignal.timeout(timed.minutes * MINUTE_MS) } }),
  });
  const prints = run.findings.map(({ fingerprint }) => fingerprint);
  // The check sends the agent back too, so that the agent's own flag does not tell whether the guard did.
  const wasSentBack = until === null ? isAgain : until.isSentBack;
  const known = until?.told ?? (begun === null || start === null ? [] : begun.told);
  // A finding that was fixed and came back is reported again.
  const told = known.filter((one) => prints.includes(one));
  const isNew = prints.some((one) => !told.includes(one));
  const reported = wasSentBack ? prints : told;
  if (session !== null && begun !== null && start !== null) rememberReported(project, session, begun, reported);
  if (until !== null && isNew) writeActiveUntil({ ...until, isSentBack: !wasSentBack, told: reported });
  const breaches = prints.length;
  if (isNew && !wasSentBack) return { refusal: describeWeakenedTests(run, start !== null), notes: [], isNew, breaches };
  const notes = [
    ...(isNew ? [`the agent stopped with ${countBreaches(run.findings.length)} in its change`] : []),
    ...(run.newAllowances.length > 0 ? [`the change adds ${count(run.newAllowances.length, 'allowance')} for the guard`] : []),
    ...(run.isBlind ? ['the guard could not read some tests'] : []),
    ...(timed !== null && (run.retrial?.runs.length ?? 0) > 0 && (run.retrial?.problem ?? null) !== null
      ? [`the tests that the change touches gave no result within ${count(timed.minutes, 'minute')} (--run-minutes)`]
      : []),
  ];
  const ran = typeof timed?.command === 'string' ? ` --run "${timed.command}"` : '';
  const look = `umpire guard ${base === null ? '' : `--base ${run.against} `}--scope ${scope}${ran}`;
  return { refusal: null, notes: notes.length === 0 ? [] : [`${notes.join('; ')}. See ${look}.`], isNew, breaches };
}

function describeWeakenedTests(run: GuardRun, isSinceStart: boolean): string {
  const page = guardPage(run, { columns: 80, color: false });
  const shown = page.length <= MOST_CHARACTERS ? page : `${page.slice(0, MOST_CHARACTERS)}\n…\n`;
  const what = isSinceStart
    ? 'the guard found weakened tests in the changes of this session, commits included'
    : 'the guard found weakened tests in this change';
  return `Umpire: ${what}. Fix this before you stop: correct the code instead of weakening tests. If a test must go, name it and say why, and let a person allow it.\n\n${shown}`;
}

const REFUSED = 2;
const MINUTE_MS = 60_000;
const USUAL_MINUTES = 5;

export async function runHook({ event: name, base, scope, run, runMinutes = USUAL_MINUTES }: Given<'hook'>): Promise<CommandOutcome> {
  const kind = [...HOOK_EVENTS].find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];
  if (kind === undefined)
    throw usage(`There is no event "${name.slice(0, 40)}". Known events: ${[...HOOK_EVENTS.keys()].join(', ')}.`, 'hook');
  if (process.stdin.isTTY) throw usage('stdin is a terminal. A coding agent must call this command and send the event on stdin.', 'hook');
  const event = hookEventOf(await readEvent());
  if (kind === 'tool') {
    const refusal = refuseTool(event);
    return refusal === null ? { exit: 0 } : { stderr: `${refusal}\n`, exit: REFUSED };
  }
  // An agent that works in a subfolder may have changed the rest of the project.
  const workdir = event.cwd !== null && isFolder(event.cwd) ? event.cwd : '.';
  const project = projectAt(workdir);
  if (kind === 'start') {
    if (event.session !== null) recordAgentSession(project, event.session, new Date());
    return { exit: 0 };
  }
  const { refusal, note } = await answerStop({
    project,
    workdir,
    session: event.session,
    isAgain: event.isAgain,
    isSubagent: kind === 'substop',
    blocked: event.blocked,
    ...(base === undefined ? {} : { base }),
    ...(scope === undefined ? {} : { scope }),
    run: run === 'none' ? null : { command: run ?? null, minutes: runMinutes },
  });
  if (refusal !== null) return { stderr: refusal, exit: REFUSED };
  return note === null ? { exit: 0 } : { stdout: `${JSON.stringify({ systemMessage: note })}\n`, exit: 0 };
}

/** An event holds what an agent is about to write into a file. */
const MOST_EVENT_BYTES = 64 * 1024 * 1024;

/** Reads stdin to its end: a long event arrives in pieces. */
async function readEvent(): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_EVENT_BYTES) throw new UmpireError('hook-event', { detail: `it has more than ${MOST_EVENT_BYTES / 1024 ** 2} MB` });
    chunks.push(chunk);
  }
  const json = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (json.ok && isObject(json.value)) return json.value;
  throw new UmpireError('hook-event', { detail: json.ok ? 'it is not an object' : json.problem });
}

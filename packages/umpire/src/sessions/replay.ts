// Replay: judges every verdict of a session again from its journal and the kept evidence, by its own rules and, if asked, by
// others. Reads only; takes no lock.

import { relative } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { NEW_SESSION, chainKey, evolve } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded, VerdictGiven } from '@umpire/core/decider/events.js';
import type { PastLists } from '@umpire/core/loops/facts.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { pagesNamed, countReplayed, projectSum, judgeReplay } from '../views/replay-page.js';
import type { ProjectReplay, Replay, ReplayedVerdict, SessionReplay } from '../views/replay-page.js';
import { listFiles, openFolder } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { checkJournal } from './journal-file.js';
import type { NoJournal } from './journal-file.js';
import { resolveLoop } from './resolve-loop.js';
import { blobsIn } from './recorded-evidence.js';
import { findDifferences, judgeByOtherRules, readRecordedRound } from './replay-verdict.js';
import type { RecordedRound } from './replay-verdict.js';
import { projectAt, sessionFolders } from './find-sessions.js';
import { PAGES, pageOf } from './verdict-traces.js';

export interface ReplayRequest {
  /** The session folder. */
  readonly session: string;
  /** Other rules to judge the recorded evidence by: a built-in loop's name, the path of a loop file, or a loop. */
  readonly loop?: string | Loop;
}

export interface ReplayAllRequest {
  /** A folder of the project; the current one by default. */
  readonly project?: string;
  readonly loop?: string | Loop;
}

/** Judges every verdict of a session again. Throws if there is no session, or no verdict was ever given in it. */
export async function replay(request: ReplayRequest): Promise<Replay> {
  const other = await resolveOtherRules(request.loop);
  const replayed = replayFolder(openFolder(request.session), request.session, other);
  if (replayed.state === 'replayed') return replayed;
  const { why, unknownPages } = replayed;
  const pages = unknownPages.length === 0 ? '' : `, but the folder contains ${pagesNamed(unknownPages, 3)}`;
  throw new UmpireError('never-judged', { path: request.session, detail: `${why}${pages}` });
}

/** Judges every session of a project again. A broken session does not stop the others. */
export async function replayAll(request: ReplayAllRequest = {}): Promise<ProjectReplay> {
  const loop = await resolveOtherRules(request.loop);
  const project = projectAt(request.project ?? '.');
  const other = loop === null ? null : { ...loop, sameNameOnly: true };
  const sessions = sessionFolders(project).map((path) => replayOne(path, relative(project, path), other));
  return { project, ...projectSum(sessions), by: loop?.name ?? null, sessions };
}

function replayOne(path: string, session: string, other: OtherRules | null): SessionReplay {
  try {
    const replayed = replayFolder(openFolder(path), session, other);
    return replayed.state === 'replayed' ? replayed : { session, state: replayed.state, unknownPages: replayed.unknownPages };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    const { code, message, hint } = error;
    return { session, state: 'unreadable', error: { code, message, hint } };
  }
}

interface OtherRules {
  readonly loop: Loop;
  readonly name: string;
  /** Never applied to verdicts of a loop with another name, even if the session has no other loop. */
  readonly sameNameOnly: boolean;
}

async function resolveOtherRules(loop: string | Loop | undefined): Promise<OtherRules | null> {
  if (loop === undefined) return null;
  const chosen = await resolveLoop(loop);
  return { loop: chosen.loop, name: typeof loop === 'string' ? loop : loop.loop, sameNameOnly: false };
}

type NeverJudged = NoJournal & Extract<SessionReplay, { readonly state: 'never judged' }>;

function replayFolder(folder: SessionFolder, session: string, other: OtherRules | null): Replay | NeverJudged {
  // Listed before the journal is read: a verdict given meanwhile writes its line before its page.
  const pages = listFiles(folder, PAGES);
  const journal = checkJournal(folder);
  if (!journal.found) return { ...journal, session, state: 'never judged', unknownPages: unknownPages(pages, []) };
  const { events, chain } = journal;
  const run: ReplayRun = {
    folder,
    other,
    loops: new Set(events.flatMap((event) => (event.type === 'VerdictGiven' ? [event.data.verdict.loop] : []))),
    pasts: new Map(),
    ended: new Map(),
  };
  const verdicts: ReplayedVerdict[] = [];
  let state = NEW_SESSION;
  for (const event of events) {
    if (event.type === 'VerdictGiven') verdicts.push(replayVerdict(run, state, event, event.data));
    state = evolve(state, event);
  }
  const counts = countReplayed(verdicts);
  const unknown = chain.unbroken ? unknownPages(pages, events) : [];
  const result = judgeReplay(counts, chain, unknown);
  return { session, state: 'replayed', result, counts, chain, unknownPages: unknown, verdicts, by: other?.name ?? null };
}

/** Pages of decided verdicts that are not in the journal, of its own loops or of built-in ones. */
function unknownPages(names: readonly string[], events: readonly Recorded[]): readonly string[] {
  const loops = new Set([
    ...BUILTIN_NAMES,
    ...events.flatMap((event) => (event.type === 'RulesFrozen' || event.type === 'SessionStarted' ? [event.data.loop] : [])),
  ]);
  const decided = events.flatMap((event) => (event.type === 'VerdictGiven' && event.data.verdict.status === 'decided' ? [event.data] : []));
  const known = new Set(decided.map(({ verdict }) => pageOf(verdict)));
  return names
    .filter((name) => /-round-\d+\.md$/.test(name) && [...loops].some((loop) => name.startsWith(`${loop}-`)))
    .map((name) => `${PAGES}/${name}`)
    .filter((path) => !known.has(path))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

interface ReplayRun {
  readonly folder: SessionFolder;
  readonly other: OtherRules | null;
  readonly loops: ReadonlySet<string>;
  /** By chain: the compared lists of its last revision under the other rules. */
  readonly pasts: Map<string, PastLists>;
  /** By chain: the line after which the other rules would have ended the chain. */
  readonly ended: Map<string, number>;
}

function replayVerdict(run: ReplayRun, before: SessionState, { seq, ts }: Recorded, given: VerdictGiven): ReplayedVerdict {
  const { loop, chain, round, maxRounds, decision, outcome, rule, unverified, status: was } = given.verdict;
  const base = { seq, ts, loop, chain, round, maxRounds, decision, outcome, rule, unverified, partial: was === 'partial' };
  try {
    const read = readRecordedRound(blobsIn(run.folder), before, given);
    if (!read.ok) return { ...base, status: 'lost', differences: [], note: read.why };
    const differences = findDifferences(read.recorded);
    const other = replayByOther(run, seq, read.recorded);
    return { ...base, status: differences.length === 0 ? 'same' : 'differs', differences, ...other };
  } catch (error) {
    // Anybody may have written the journal: a record that makes judging fail is not one of Umpire's.
    const record = 'its record in the journal was not written by Umpire';
    return { ...base, status: 'lost', differences: [], note: isUmpireError(error) ? `${record}: ${error.message}` : record };
  }
}

function replayByOther(
  { other, loops, pasts, ended }: ReplayRun,
  seq: number,
  recorded: RecordedRound,
): Pick<ReplayedVerdict, 'other' | 'note'> {
  if (other === null) return {};
  const { verdict } = recorded.given;
  if (verdict.loop !== other.loop.loop && (other.sameNameOnly || loops.size > 1))
    return { note: `${other.name} does not apply to the ${verdict.loop} loop` };
  if (verdict.status === 'partial') return { note: 'it is partial (deadline exceeded), so other rules do not apply' };
  const key = chainKey(verdict.loop, verdict.chain);
  const judged = judgeByOtherRules(recorded, other.loop, pasts.get(key) ?? null);
  pasts.set(key, verdict.outcome === 'revise' ? judged.lists : null);
  const endedAt = ended.get(key) ?? null;
  if (endedAt === null && verdict.outcome === 'revise' && judged.verdict.outcome !== 'revise') ended.set(key, seq);
  return { other: { ...judged.verdict, endedAt } };
}

// Replay: every verdict of a session judged again from its journal and the evidence it kept, by the rules of then and, if
// asked, by others. Reads only; takes no lock.

import { relative } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { NEW_SESSION, chainKey, evolve } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded, VerdictGiven } from '@umpire/core/decider/events.js';
import type { PastLists } from '@umpire/core/loops/facts.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { pagesNamed } from '../report/replay-page.js';
import type { ProjectReplay, Replay, ReplayedVerdict, SessionReplay } from '../report/replay-page.js';
import { countsOf, projectSum, resultOf } from '../report/replay-sum.js';
import { listFiles, openFolder } from './folder.js';
import type { SessionFolder } from './folder.js';
import { checkJournal } from './journal-check.js';
import type { NoJournal } from './journal-check.js';
import { resolveLoop } from './loop-choice.js';
import { blobsIn } from './recorded-place.js';
import { differencesIn, hearByOther, retrieve } from './replay-verdict.js';
import type { CaseFile } from './replay-verdict.js';
import { projectAt, sessionFolders } from './session-folders.js';
import { PAGES, pageOf } from './traces.js';

export interface ReplayRequest {
  /** The session folder. */
  readonly session: string;
  /** Other rules to hold the recorded evidence against: a built-in loop's name, the path of a loop file, or a loop. */
  readonly loop?: string | Loop;
}

export interface ReplayAllRequest {
  /** A folder of the project; the current one, where it is left out. */
  readonly project?: string;
  readonly loop?: string | Loop;
}

/** Judges every verdict of a session again. Throws where there is no session, or nothing was ever judged in it. */
export async function replay(request: ReplayRequest): Promise<Replay> {
  const other = await otherOf(request.loop);
  const replayed = replayFolder(openFolder(request.session), request.session, other);
  if (replayed.state === 'replayed') return replayed;
  const { why, unknownPages } = replayed;
  const pages = unknownPages.length === 0 ? '' : `, though the folder holds ${pagesNamed(unknownPages, 3)}`;
  throw new UmpireError('never-judged', { path: request.session, detail: `${why}${pages}` });
}

/** Judges every session of a project again. What is wrong with one never stops the others. */
export async function replayAll(request: ReplayAllRequest = {}): Promise<ProjectReplay> {
  const loop = await otherOf(request.loop);
  const project = projectAt(request.project ?? '.');
  const other = loop === null ? null : { ...loop, sameNameOnly: true };
  const sessions = sessionFolders(project).map((path) => replayOne(path, relative(project, path), other));
  return { project, ...projectSum(sessions), by: loop?.name ?? null, sessions };
}

function replayOne(path: string, session: string, other: Other | null): SessionReplay {
  try {
    const replayed = replayFolder(openFolder(path), session, other);
    return replayed.state === 'replayed' ? replayed : { session, state: replayed.state, unknownPages: replayed.unknownPages };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    const { code, message, hint } = error;
    return { session, state: 'unreadable', error: { code, message, hint } };
  }
}

interface Other {
  readonly loop: Loop;
  readonly name: string;
  /** Verdicts of a loop with another name are none of its business, even where the session has no other loop. */
  readonly sameNameOnly: boolean;
}

async function otherOf(loop: string | Loop | undefined): Promise<Other | null> {
  if (loop === undefined) return null;
  const chosen = await resolveLoop(loop);
  return { loop: chosen.loop, name: typeof loop === 'string' ? loop : loop.loop, sameNameOnly: false };
}

type NeverJudged = NoJournal & Extract<SessionReplay, { readonly state: 'never judged' }>;

function replayFolder(folder: SessionFolder, session: string, other: Other | null): Replay | NeverJudged {
  // Before the journal is read: a verdict that is given meanwhile comes with its line first.
  const pages = listFiles(folder, PAGES);
  const journal = checkJournal(folder);
  if (!journal.found) return { ...journal, session, state: 'never judged', unknownPages: unknownPages(pages, []) };
  const { events, chain } = journal;
  const walk: Walk = { folder, other, loops: loopsOf(events), pasts: new Map(), ended: new Map() };
  const verdicts: ReplayedVerdict[] = [];
  let state = NEW_SESSION;
  for (const event of events) {
    if (event.type === 'VerdictGiven') verdicts.push(replayVerdict(walk, state, event, event.data));
    state = evolve(state, event);
  }
  const counts = countsOf(verdicts);
  const unknown = chain.unbroken ? unknownPages(pages, events) : [];
  const result = resultOf(counts, chain, unknown);
  return { session, state: 'replayed', result, counts, chain, unknownPages: unknown, verdicts, by: other?.name ?? null };
}

/** By their names: pages of decided verdicts that the journal does not hold, of its own loops or of built-in ones. */
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

function loopsOf(events: readonly Recorded[]): ReadonlySet<string> {
  return new Set(events.flatMap((event) => (event.type === 'VerdictGiven' ? [event.data.verdict.loop] : [])));
}

interface Walk {
  readonly folder: SessionFolder;
  readonly other: Other | null;
  readonly loops: ReadonlySet<string>;
  /** By chain: the compared lists of its last revision, as the other rules see them. */
  readonly pasts: Map<string, PastLists>;
  /** By chain: the line whose verdict the other rules would not have followed by another round. */
  readonly ended: Map<string, number>;
}

function replayVerdict(walk: Walk, before: SessionState, { seq, ts }: Recorded, given: VerdictGiven): ReplayedVerdict {
  const { loop, chain, round, maxRounds, decision, outcome, rule, unverified, status: was } = given.verdict;
  const base = { seq, ts, loop, chain, round, maxRounds, decision, outcome, rule, unverified, partial: was === 'partial' };
  try {
    const retrieved = retrieve(blobsIn(walk.folder), before, given);
    if (!retrieved.ok) return { ...base, status: 'lost', differences: [], note: retrieved.why };
    const differences = differencesIn(retrieved.file);
    const other = replayByOther(walk, seq, retrieved.file);
    return { ...base, status: differences.length === 0 ? 'same' : 'differs', differences, ...other };
  } catch (error) {
    return { ...base, status: 'lost', differences: [], note: faultWords(error) };
  }
}

/** The journal is only as good as whoever wrote it: what makes judging stumble is no scene and no rules of Umpire's. */
function faultWords(error: unknown): string {
  const record = "the journal's record of it is not what Umpire writes";
  return isUmpireError(error) ? `${record}: ${error.message}` : record;
}

function replayByOther({ other, loops, pasts, ended }: Walk, seq: number, file: CaseFile): Pick<ReplayedVerdict, 'other' | 'note'> {
  if (other === null) return {};
  const { verdict } = file.given;
  if (verdict.loop !== other.loop.loop && (other.sameNameOnly || loops.size > 1))
    return { note: `${other.name} has no say in the ${verdict.loop} loop` };
  if (verdict.status === 'partial') return { note: 'time ran out on it, so other rules are not asked' };
  const key = chainKey(verdict.loop, verdict.chain);
  const heard = hearByOther(file, other.loop, pasts.get(key) ?? null);
  pasts.set(key, verdict.outcome === 'revise' ? heard.lists : null);
  const endedAt = ended.get(key) ?? null;
  if (endedAt === null && verdict.outcome === 'revise' && heard.verdict.outcome !== 'revise') ended.set(key, seq);
  return { other: { ...heard.verdict, endedAt } };
}

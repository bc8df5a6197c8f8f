// `umpire replay`: judges recorded verdicts again and shows the differences. Writes nothing.

import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import type { ProjectCounts, ProjectReplay, Replay, ReplayResult, SessionReplay } from '../../views/replay-page.js';
import { loopsNamed, pagesNamed, projectPage, replayPage, unaskedLoops, projectSum } from '../../views/replay-page.js';
import { replay, replayAll } from '../../sessions/replay.js';
import { resolveSession } from '../../sessions/find-sessions.js';
import { lineOf } from '../../views/safe-text.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './output.js';
import type { Given } from './commands.js';

export async function runReplay({ session, project, all = false, json = false, loop }: Given<'replay'>): Promise<CommandOutcome> {
  if (all && session !== undefined) throw usage(`Use --all or a session, not both.`, 'replay');
  if (!all && session === undefined) throw usage('Missing <session>, or --all.', 'replay');
  const rules = loop === undefined ? {} : { loop };
  if (session !== undefined) {
    const replayed = await replay({ session: findReplayed(session, project ?? '.'), ...rules });
    const stderr = headline([replayed], projectSum([replayed]).counts, replayed.by);
    return { stdout: json ? printed(replayed) : replayPage(replayed), stderr, sumsUp: true, exit: EXIT[replayed.result] };
  }
  const replayed: ProjectReplay = await replayAll({ ...rules, ...(project === undefined ? {} : { project }) });
  const stderr = headline(replayed.sessions, replayed.counts, replayed.by);
  return { stdout: json ? printed(replayed) : projectPage(replayed), stderr, sumsUp: true, exit: EXIT[replayed.result] };
}

/** A path as typed, since the page repeats it; a name as a relative path. */
function findReplayed(session: string, project: string): string {
  const found = resolveSession(session, project);
  return existsSync(session) && realpathSync.native(session) === found ? session : relative('.', found);
}

const EXIT: Readonly<Record<ReplayResult, number>> = { same: 0, differs: 3, lost: 1, broken: 1 };

function printed(value: Replay | ProjectReplay): string {
  return `${JSON.stringify(value)}\n`;
}

/** Two lines on stderr: the result and the next step. */
function headline(sessions: readonly SessionReplay[], counts: ProjectCounts, by: string | null): string {
  return `${[...verdictWords(sessions, counts, by), historyWords(sessions, counts)].join('; ')}.\nNext: ${nextOf(sessions, counts)}\n`;
}

function verdictWords(sessions: readonly SessionReplay[], counts: ProjectCounts, by: string | null): readonly string[] {
  const { verdicts, same, differs, lost, other, neverJudged } = counts;
  if (neverJudged === counts.sessions) return [];
  const unasked = unaskedLoops(sessions, by);
  const facts = [
    `${many(verdicts, 'verdict')} replayed: ${same} the same`,
    ...(differs > 0 ? [`${differs} differing`] : []),
    ...(lost > 0 ? [`${lost} without evidence`] : []),
    ...(other > 0 ? [`${other} different by the other rules`] : []),
    ...(unasked.length > 0 ? [`none for ${lineOf(by ?? '')} (they belong to the ${loopsNamed(unasked)})`] : []),
  ];
  return [facts.join(', ')];
}

function historyWords(sessions: readonly SessionReplay[], counts: ProjectCounts): string {
  const { broken, unreadable, cutBack, neverJudged } = counts;
  const pages = listUnknownPages(sessions);
  const faults = [
    ...(broken > 0 ? [`history broken in ${many(broken, 'session')}`] : []),
    ...(cutBack > 0 ? [`verdicts missing from the journal of ${many(cutBack, 'session')} (${pagesNamed(pages, 3)})`] : []),
    ...(unreadable > 0 ? [`journal of ${many(unreadable, 'session')} unreadable`] : []),
  ];
  if (faults.length > 0) return faults.join(', ');
  if (counts.sessions === 0) return 'No session found';
  return neverJudged === counts.sessions ? `${many(neverJudged, 'session')} found, none judged yet` : 'history unbroken';
}

function listUnknownPages(sessions: readonly SessionReplay[]): readonly string[] {
  return sessions.flatMap((one) => (one.state === 'unreadable' ? [] : one.unknownPages));
}

function nextOf(sessions: readonly SessionReplay[], counts: ProjectCounts): string {
  const [line] = sessions.flatMap((one) => (one.state === 'replayed' && !one.chain.unbroken ? [one.chain.line] : []));
  if (line !== undefined)
    return `do not trust the journal from line ${line} on. Restore journal.ndjson from a backup, or judge the evidence in a new session.`;
  if (counts.cutBack > 0) return 'restore journal.ndjson from a backup: verdicts are missing from it.';
  if (counts.differs > 0) return 'find out whether the record or the rules changed; the differing fields are listed.';
  if (counts.unreadable > 0) return 'fix the unreadable journal, then run the same command again.';
  if (counts.other > 0) return 'compare the verdicts of the other rules.';
  if (counts.lost > 0) return 'restore blobs/ from a backup; a verdict cannot be judged again without its evidence.';
  if (counts.sessions === 0) return 'check the folder, or name the project with --project.';
  return counts.neverJudged === counts.sessions ? 'judge a session first: `umpire decide <loop> <session>`.' : 'nothing to do.';
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// `umpire replay`: judges recorded verdicts again, and says where they differ. Writes nothing.

import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import type { ProjectCounts, ProjectReplay, Replay, ReplayResult, SessionReplay } from '../report/replay-page.js';
import { loopsNamed, pagesNamed, projectPage, replayPage, unaskedLoops } from '../report/replay-page.js';
import { projectSum } from '../report/replay-sum.js';
import { replay, replayAll } from '../sessions/replay.js';
import { resolveSession } from '../sessions/sessions.js';
import { plain } from '../report/words.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import { HELP } from './help.js';
import type { Outcome } from './outcome.js';

const FLAGS: FlagKinds = { '--loop': 'value', '--all': 'switch', '--project': 'value', '--json': 'switch', '--help': 'switch' };

export async function runReplay(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'replay');
  if (words.switches.has('--help')) return { stdout: HELP.replay, exit: 0 };
  const [session, extra] = words.rest;
  const all = words.switches.has('--all');
  const project = words.values.get('--project');
  const loop = words.values.get('--loop');
  if (all && session !== undefined) throw usage(`--all replays every session, so "${session}" is one word too many.`, 'replay');
  if (!all && session === undefined) throw usage('It needs a session, or --all.', 'replay');
  if (extra !== undefined) throw usage(`"${extra}" is one word too many.`, 'replay');
  const rules = loop === undefined ? {} : { loop };
  const json = words.switches.has('--json');
  if (session !== undefined) {
    const replayed = await replay({ session: placeOf(session, project ?? '.'), ...rules });
    const stderr = headline([replayed], projectSum([replayed]).counts, replayed.by);
    return { stdout: json ? printed(replayed) : replayPage(replayed), stderr, sumsUp: true, exit: EXIT[replayed.result] };
  }
  const replayed: ProjectReplay = await replayAll({ ...rules, ...(project === undefined ? {} : { project }) });
  const stderr = headline(replayed.sessions, replayed.counts, replayed.by);
  return { stdout: json ? printed(replayed) : projectPage(replayed), stderr, sumsUp: true, exit: EXIT[replayed.result] };
}

/** A path as the person wrote it, since the page says it again; a name as the path from here. */
function placeOf(session: string, project: string): string {
  const found = resolveSession(session, project);
  return existsSync(session) && realpathSync.native(session) === found ? session : relative('.', found);
}

const EXIT: Readonly<Record<ReplayResult, number>> = { same: 0, differs: 3, lost: 1, broken: 1 };

function printed(value: Replay | ProjectReplay): string {
  return `${JSON.stringify(value)}\n`;
}

/** Two lines for the person who watches: what came of it, and what to do. */
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
    ...(lost > 0 ? [`${lost} that cannot be judged again`] : []),
    ...(other > 0 ? [`${other} otherwise by the other rules`] : []),
    ...(unasked.length > 0 ? [`none that ${plain(by ?? '')} was asked about (they are of the ${loopsNamed(unasked)})`] : []),
  ];
  return [facts.join(', ')];
}

function historyWords(sessions: readonly SessionReplay[], counts: ProjectCounts): string {
  const { broken, unreadable, cutBack, neverJudged } = counts;
  const pages = unknownPages(sessions);
  const faults = [
    ...(broken > 0 ? [`the history is broken in ${many(broken, 'session')}`] : []),
    ...(cutBack > 0 ? [`the journal knows fewer verdicts than the folder in ${many(cutBack, 'session')} (${pagesNamed(pages, 3)})`] : []),
    ...(unreadable > 0 ? [`the journal of ${many(unreadable, 'session')} could not be read`] : []),
  ];
  if (faults.length > 0) return faults.join(', ');
  if (counts.sessions === 0) return 'No session was found';
  return neverJudged === counts.sessions ? `${many(neverJudged, 'session')} found, and none was ever judged` : 'the history is whole';
}

function unknownPages(sessions: readonly SessionReplay[]): readonly string[] {
  return sessions.flatMap((one) => (one.state === 'unreadable' ? [] : one.unknownPages));
}

function nextOf(sessions: readonly SessionReplay[], counts: ProjectCounts): string {
  const [line] = sessions.flatMap((one) => (one.state === 'replayed' && !one.chain.unbroken ? [one.chain.line] : []));
  if (line !== undefined)
    return `trust nothing from line ${line} on; restore journal.ndjson from a backup, or judge the evidence in a new session.`;
  if (counts.cutBack > 0) return 'restore journal.ndjson from a backup: verdicts are missing from it.';
  if (counts.differs > 0) return 'find out whether the record or the judging was changed: the differing fields are listed.';
  if (counts.unreadable > 0) return 'mend what could not be read, then run the same command again.';
  if (counts.other > 0) return 'compare the verdicts that the other rules would have given.';
  if (counts.lost > 0) return 'restore blobs/ from a backup; without its evidence a verdict cannot be judged again.';
  if (counts.sessions === 0) return 'there was no session to replay; check the folder, or name it with --project.';
  return counts.neverJudged === counts.sessions ? 'judge a session first: `umpire decide <loop> <session>`.' : 'nothing to do.';
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

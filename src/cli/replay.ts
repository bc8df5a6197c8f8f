// `umpire replay`: judges recorded verdicts again, and says where they differ. Writes nothing.

import type { ProjectReplay, Replay, SessionReplay } from '../report/replay-page.js';
import { projectPage, replayPage } from '../report/replay-page.js';
import { replay, replayAll } from '../engine.js';
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
  if (!all && session === undefined) throw usage('It needs a session folder, or --all.', 'replay');
  if (!all && project !== undefined) throw usage('--project goes with --all.', 'replay');
  if (extra !== undefined) throw usage(`"${extra}" is one word too many.`, 'replay');
  const rules = loop === undefined ? {} : { loop };
  const json = words.switches.has('--json');
  if (session !== undefined) {
    const replayed = await replay({ session, ...rules });
    return { stdout: json ? printed(replayed) : replayPage(replayed), stderr: headline([replayed]), exit: exitOf([replayed]) };
  }
  const replayed: ProjectReplay = await replayAll({ ...rules, ...(project === undefined ? {} : { project }) });
  const { sessions } = replayed;
  return { stdout: json ? printed(replayed) : projectPage(replayed), stderr: headline(sessions), exit: exitOf(sessions) };
}

function printed(value: Replay | ProjectReplay): string {
  return `${JSON.stringify(value)}\n`;
}

interface Sum {
  readonly replayed: readonly Replay[];
  readonly verdicts: number;
  readonly same: number;
  readonly differ: number;
  readonly lost: number;
  /** Other by the other rules. */
  readonly other: number;
  readonly broken: number;
  readonly unreadable: number;
}

function sumOf(sessions: readonly SessionReplay[]): Sum {
  const replayed = sessions.filter((one) => one.state === 'replayed');
  const verdicts = replayed.flatMap((one) => one.verdicts);
  const count = (status: string) => verdicts.filter((one) => one.status === status).length;
  return {
    replayed,
    verdicts: verdicts.length,
    same: count('same'),
    differ: count('differs'),
    lost: count('lost'),
    other: verdicts.filter((one) => one.other !== undefined && one.other.status !== 'same').length,
    broken: replayed.filter((one) => !one.chain.unbroken).length,
    unreadable: sessions.filter((one) => one.state === 'unreadable').length,
  };
}

/** A broken history says more than a difference, and a difference more than evidence that is gone. */
function exitOf(sessions: readonly SessionReplay[]): number {
  const { broken, unreadable, differ, other, lost } = sumOf(sessions);
  if (broken + unreadable > 0) return 1;
  if (differ + other > 0) return 3;
  return lost > 0 ? 1 : 0;
}

/** Two lines for the person who watches: what came of it, and what to do. */
function headline(sessions: readonly SessionReplay[]): string {
  const sum = sumOf(sessions);
  const { verdicts, same, differ, lost, other, broken, unreadable } = sum;
  const facts = [
    `${many(verdicts, 'verdict')} replayed: ${same} the same`,
    ...(differ > 0 ? [`${differ} differing`] : []),
    ...(lost > 0 ? [`${lost} that cannot be judged again`] : []),
    ...(other > 0 ? [`${other} otherwise by the other rules`] : []),
  ];
  const histories = broken + unreadable === 0 ? 'the history is whole' : `the history is broken in ${many(broken + unreadable, 'session')}`;
  return `${facts.join(', ')}; ${histories}.\nNext: ${nextOf(sum, sessions.length)}\n`;
}

function nextOf({ replayed, differ, lost, other, broken, unreadable }: Sum, sessions: number): string {
  const [first] = replayed.flatMap((one) => (one.chain.unbroken ? [] : [one.chain.line]));
  if (broken > 0)
    return `trust nothing from line ${first ?? 0} on; restore journal.ndjson from a backup, or judge the evidence in a new session.`;
  if (unreadable > 0) return 'mend what could not be read, then run the same command again.';
  if (differ > 0) return 'find out whether the record or the judging was changed: the differing fields are listed.';
  if (other > 0) return 'compare the verdicts that the other rules would have given.';
  if (lost > 0) return 'restore blobs/ from a backup; without its evidence a verdict cannot be judged again.';
  return sessions === 0 ? 'there was no session to replay; check the folder, or name it with --project.' : 'nothing to do.';
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

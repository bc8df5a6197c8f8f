// `umpire list`: the sessions of a project. Reads only.

import { listSessions } from '../commands/listing.js';
import { listPage, listSum } from '../report/list-page.js';
import type { SessionEntry } from '../report/list-page.js';
import { STATE_WORDS } from '../report/session-view.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { projectAt } from '../sessions/session-folders.js';
import { HERE } from './clock.js';
import { readWords, usage, wholeNumber } from './flags.js';
import type { FlagKinds, Words } from './flags.js';
import type { Outcome } from './outcome.js';
import { LOOK_HELP } from './look-help.js';

const FLAGS: FlagKinds = {
  '--state': 'list',
  '--loop': 'list',
  '--unapplied': 'switch',
  '--last': 'value',
  '--project': 'value',
  '--json': 'switch',
  '--help': 'switch',
};

export async function runList(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'list');
  if (words.switches.has('--help')) return { stdout: LOOK_HELP.list, exit: 0 };
  const [extra] = words.rest;
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many: the project is named with --project.`, 'list');
  const isAsked = choiceOf(words);
  const project = words.values.get('--project') ?? '.';
  const all = await listSessions(project);
  const sessions = all.filter(isAsked).slice(0, wholeNumber(words, '--last', 'list', [1, 1_000_000]));
  if (words.switches.has('--json')) return { stdout: `${JSON.stringify({ project: projectAt(project), sessions })}\n`, exit: 0 };
  if (sessions.length === 0 && all.length > 0) {
    const none = all.length === 1 ? 'The one session here is not like that.' : `None of ${all.length} sessions is like that.`;
    return { stdout: `${none}\n`, exit: 0 };
  }
  const sum = sessions.length > 1 ? { stderr: `${listSum(sessions)}\n` } : {};
  return { stdout: listPage(sessions, HERE), ...sum, exit: 0 };
}

/** Those in one of the states and of one of the loops that were named; with `--unapplied`, whose work is still to be brought over. */
function choiceOf({ lists, switches }: Words): (entry: SessionEntry) => boolean {
  const states = lists.get('--state') ?? [];
  const known: readonly string[] = STATE_WORDS;
  const unknown = states.find((state) => !known.includes(state));
  if (unknown !== undefined)
    throw usage(`There is no state "${unknown.slice(0, 40)}".${didYouMean(unknown, known)} There are ${known.join(', ')}.`, 'list');
  const loops = lists.get('--loop') ?? [];
  const isUnapplied = switches.has('--unapplied');
  return (entry) =>
    (!isUnapplied || entry.work === 'not applied') &&
    (states.length === 0 || states.includes(entry.state)) &&
    (loops.length === 0 || entry.loops.some((loop) => loops.includes(loop)));
}

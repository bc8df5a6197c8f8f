// `umpire list`: the sessions of a project. Reads only.

import { listSessions } from '../../engine/list.js';
import { listPage, listSum } from '../../views/list-page.js';
import type { SessionEntry } from '../../views/list-page.js';
import { STATE_WORDS } from '../../views/session-view.js';
import { whole } from '@umpire/core/model/options.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { projectAt } from '../../sessions/find-sessions.js';
import { LOCAL_CLOCK } from './local-time.js';
import { parseArguments, readOptions, refuseExtra, usage } from './flags.js';
import type { FlagKinds, ParsedArguments } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';

export const LIST_FLAGS: FlagKinds = {
  '--state': 'list',
  '--loop': 'list',
  '--unapplied': 'switch',
  '--last': 'value',
  '--project': 'value',
  '--json': 'switch',
  '--help': 'switch',
};

export async function runList(args: readonly string[], isColored = false): Promise<CommandOutcome> {
  const parsed = parseArguments(args, LIST_FLAGS, 'list');
  if (parsed.switches.has('--help')) return showHelp('list');
  refuseExtra(parsed, 0, 'list', 'Name the project with --project.');
  const isWanted = filterOf(parsed);
  const project = parsed.values.get('--project') ?? '.';
  const all = await listSessions(project);
  const sessions = all.filter(isWanted).slice(0, readOptions(parsed, { last: whole(1, 1_000_000, 'N', '') }, 'list').last);
  if (parsed.switches.has('--json')) return { stdout: `${JSON.stringify({ project: projectAt(project), sessions })}\n`, exit: 0 };
  if (sessions.length === 0 && all.length > 0) {
    const none = all.length === 1 ? 'No match: the project has 1 session.' : `No match: the project has ${all.length} sessions.`;
    return { stdout: `${none}\n`, exit: 0 };
  }
  const sum = sessions.length > 1 ? { stderr: `${listSum(sessions)}\n` } : {};
  const { isTTY, columns } = process.stdout;
  const stdout = listPage(sessions, LOCAL_CLOCK, { columns: isTTY ? columns || 80 : null, color: isColored });
  return { stdout, ...sum, sumsUp: true, exit: 0 };
}

/** The states of --state. Throws `usage` for one that no session can have. */
export function statesOf({ lists }: ParsedArguments): readonly string[] {
  const states = lists.get('--state') ?? [];
  const known: readonly string[] = STATE_WORDS;
  const unknown = states.find((state) => !known.includes(state));
  if (unknown !== undefined)
    throw usage(`Unknown state "${unknown.slice(0, 40)}".${didYouMean(unknown, known)} The states are ${known.join(', ')}.`, 'list');
  return states;
}

/** The filter of --state, --loop and --unapplied. */
function filterOf(parsed: ParsedArguments): (entry: SessionEntry) => boolean {
  const { lists, switches } = parsed;
  const states = statesOf(parsed);
  const loops = lists.get('--loop') ?? [];
  const isUnapplied = switches.has('--unapplied');
  return (entry) =>
    (!isUnapplied || entry.work === 'not applied') &&
    (states.length === 0 || states.includes(entry.state) || (entry.waitsOn !== null && states.includes('awaiting'))) &&
    (loops.length === 0 || entry.loops.some((loop) => loops.includes(loop)));
}

// `umpire hook`: called by a coding agent at its events, which come on stdin. Status 2 sends the agent back, with the reason on stderr; an
// error never does, since nobody would get out of it.

import { text } from 'node:stream/consumers';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { HOOK_EVENTS, hookEventOf, hookKindOf } from '@umpire/core/formats/hook-event.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { refusalOf } from '../commands/hook-tool.js';
import { isFolder } from '../sessions/entry.js';
import { projectAt } from '../sessions/session-folders.js';
import { AGENT_HELP } from './agent-help.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { Outcome } from './outcome.js';

const FLAGS: FlagKinds = { '--base': 'value', '--scope': 'value', '--help': 'switch' };

const REFUSED = 2;

export async function runHook(args: readonly string[]): Promise<Outcome> {
  try {
    return await answer(args);
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { stderr: `umpire: ${error.message}\n${error.hint}\n`, exit: 1 };
  }
}

async function answer(args: readonly string[]): Promise<Outcome> {
  const { values, switches, rest } = readWords(args, FLAGS, 'hook');
  if (switches.has('--help')) return { stdout: AGENT_HELP.hook, exit: 0 };
  const [name, extra] = rest;
  const events = Object.keys(HOOK_EVENTS).join(', ');
  if (name === undefined) throw usage(`It needs an event: ${events}.`, 'hook');
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many.`, 'hook');
  const kind = hookKindOf(name);
  if (kind === null) throw usage(`There is no event "${name.slice(0, 40)}" here. There are ${events}.`, 'hook');
  const scope = values.get('--scope');
  if (scope !== undefined && scope !== 'testing' && scope !== 'any')
    throw usage(`--scope takes testing or any, not "${scope.slice(0, 40)}".`, 'hook');
  if (process.stdin.isTTY) throw usage('It is called by a coding agent, which tells the event on stdin.', 'hook');
  const event = hookEventOf(await told());
  if (kind === 'tool') {
    const refusal = refusalOf(event);
    return refusal === null ? { exit: 0 } : { stderr: `${refusal}\n`, exit: REFUSED };
  }
  // An agent that works in a folder of it may have changed the others, too.
  const project = projectAt(event.cwd !== null && isFolder(event.cwd) ? event.cwd : '.');
  if (kind === 'start') {
    const { recordBeginning } = await import('../commands/hook-session.js');
    if (event.session !== null) recordBeginning(project, event.session, new Date());
    return { exit: 0 };
  }
  const { answerStop } = await import('../commands/hook-stop.js');
  const base = values.get('--base');
  const { refusal, note } = await answerStop({
    project,
    session: event.session,
    isAgain: event.isAgain,
    ...(base === undefined ? {} : { base }),
    ...(scope === undefined ? {} : { scope }),
  });
  if (refusal !== null) return { stderr: refusal, exit: REFUSED };
  return note === null ? { exit: 0 } : { stdout: `${JSON.stringify({ systemMessage: note })}\n`, exit: 0 };
}

/** Waited for: a long event comes in pieces, and the next may not be there yet. */
async function told(): Promise<Readonly<Record<string, unknown>>> {
  const json = parseJson(await text(process.stdin));
  if (json.ok && isObject(json.value)) return json.value;
  throw new UmpireError('hook-event', { detail: json.ok ? 'It is no object.' : `${json.problem} (line ${json.line}).` });
}

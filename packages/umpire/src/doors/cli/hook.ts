// `umpire hook`: a coding agent calls it with an event on stdin. Status 2 refuses, with the reason on stderr. Errors end with status 1,
// which never stops an agent: it could not fix them.

import { text } from 'node:stream/consumers';
import { UmpireError } from '@umpire/core/model/errors.js';
import { hookEventOf } from '@umpire/core/formats/hook-event.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { HOOK_EVENTS } from '../../agents/known/known-agents.js';
import { answerStop, recordAgentSession, refuseTool } from '../hook.js';
import { isFolder } from '../../sessions/file-system.js';
import { projectAt } from '../../sessions/find-sessions.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Given } from './commands.js';

const REFUSED = 2;

export async function runHook({ event: name, base, scope }: Given<'hook'>): Promise<CommandOutcome> {
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
  });
  if (refusal !== null) return { stderr: refusal, exit: REFUSED };
  return note === null ? { exit: 0 } : { stdout: `${JSON.stringify({ systemMessage: note })}\n`, exit: 0 };
}

/** Reads stdin to its end: a long event arrives in pieces. */
async function readEvent(): Promise<Readonly<Record<string, unknown>>> {
  const json = parseJson(await text(process.stdin));
  if (json.ok && isObject(json.value)) return json.value;
  throw new UmpireError('hook-event', { detail: json.ok ? 'it is not an object' : json.problem });
}

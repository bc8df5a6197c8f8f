// `umpire dismiss`: lists the open findings of a session, or dismisses one for a person.

import { userInfo } from 'node:os';
import { isatty } from 'node:tty';
import { openFindings } from '@umpire/core/decider/rulings.js';
import { describeFinding } from '@umpire/core/formats/finding-text.js';
import { dismiss } from '../../engine/dismiss.js';
import type { Dismissed } from '../../engine/dismiss.js';
import { findingsPage } from '../../views/findings-page.js';
import { lineOf } from '../../views/safe-text.js';
import { count } from '../../views/words.js';
import { resolveSession } from '../../sessions/find-sessions.js';
import { readSession } from '../../sessions/session-record.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';
import { engineFor } from './engine-choice.js';
import { sessionWord } from './session-argument.js';

export async function runDismiss(given: Given<'dismiss'>, output: Output): Promise<CommandOutcome> {
  const { session: named, finding, reason = '', project = '.', json: isJson = false } = given;
  const url = await engineFor(given, named);
  const there = url === null ? null : await import('./fleet.js');
  const session = url === null ? resolveSession(named, project) : named;
  if (finding === undefined)
    return there === null
      ? listFindings(session, isJson)
      : there.lookThere(url ?? '', 'dismiss', given, async (copy) => listFindings(copy, isJson));
  const ruling = {
    finding,
    reason,
    ...answeringUser(),
    via: isatty(0) ? 'terminal' : 'no terminal',
  } as const;
  const done =
    there === null
      ? await dismiss({ session, ...ruling, wordOf: sessionWord })
      : await there.dismissThere(url ?? '', session, { ...ruling, by: 'dismiss' }, output);
  if (isJson) return { stdout: `${JSON.stringify(done)}\n`, exit: 0 };
  return { stderr: dismissedLines(done), exit: 0 };
}

function listFindings(session: string, isJson: boolean): CommandOutcome {
  const { state, path } = readSession(session);
  const open = openFindings(state);
  if (isJson) return { stdout: `${JSON.stringify({ session: path, open, dismissed: [...state.rulings.values()] })}\n`, exit: 0 };
  return { stdout: findingsPage(open, state.rulings), exit: 0 };
}

function dismissedLines({ finding, blocking, next }: Dismissed): string {
  const left = blocking === 0 ? 'No Critical or High finding is open.' : `${count(blocking, 'Critical or High finding')} still open.`;
  return `${[
    `Dismissed: ${lineOf(describeFinding(finding), 300)}`,
    `It does not count from the next verdict on. ${left}`,
    ...next.flatMap(({ what, command }) => [`${what}:`, `  ${lineOf(command)}`]),
  ].join('\n')}\n`;
}

/** The user's name on this machine. Some containers have none. */
export function answeringUser(): { readonly who?: string } {
  try {
    return { who: userInfo().username.slice(0, 100) };
  } catch {
    return {};
  }
}

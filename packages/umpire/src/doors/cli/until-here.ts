// `umpire until --here`: begins, shows and ends the check that judges a person's own agent sessions.

import { AGENT_NAMES } from '../../agents/known/known-agents.js';
import { beginUntilHere, endUntilHere, releaseUntilHere } from '../until-here.js';
import { flagOf } from '@umpire/core/model/options.js';
import { lineOf } from '../../views/safe-text.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Given } from './commands.js';

const TAKEN: ReadonlySet<string> = new Set(['here', 'stop', 'command', 'goal', 'project', 'report', 'maxRounds']);

export async function runUntilHere({ stop = false, ...given }: Given<'until'>): Promise<CommandOutcome> {
  const other = Object.keys(given).find((name) => !TAKEN.has(name));
  if (other !== undefined) throw usage(`${flagOf(other)} has no meaning with --here: Umpire starts no agent then.`, 'until');
  const { command, project } = given;
  if (stop) {
    if (command !== undefined) throw usage('--stop takes no command.', 'until');
    const { session, command: ended } = endUntilHere(project);
    return { stdout: `${session}\n`, stderr: `Agents may stop again without: ${lineOf(ended, 200)}\n`, exit: 0 };
  }
  if (command === undefined) {
    const { session, command: active } = releaseUntilHere(project);
    return { stdout: `${session}\n`, stderr: `The next agent session that stops here must pass: ${lineOf(active, 200)}\n`, exit: 0 };
  }
  const notes: string[] = [];
  const { session, project: root } = await beginUntilHere({
    ...given,
    command,
    onNote: (note) => void notes.push(`Note: ${lineOf(note)}`),
  });
  const next = [
    `Umpire runs this whenever the next agent session wants to stop in ${lineOf(root)}: ${lineOf(command, 200)}`,
    'Until it passes, the agent is sent back with the verdict. At the cap you are asked.',
    `The agent needs the hooks of Umpire: umpire init --hooks AGENT (${AGENT_NAMES.join(', ')}).`,
    'End it with: umpire until --here --stop',
  ];
  return { stdout: `${session}\n`, stderr: `${[...notes, ...next].join('\n')}\n`, stands: `The session is in ${session}`, exit: 0 };
}

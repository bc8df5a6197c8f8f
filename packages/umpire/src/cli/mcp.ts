// `umpire mcp`: Umpire for agents, on stdin and stdout, until the client goes.

import { chdir } from 'node:process';
import { projectFor } from '../commands/places.js';
import { serve } from '../mcp/server.js';
import { AGENT_HELP } from './agent-help.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import { VERSION } from './help.js';
import type { Outcome } from './outcome.js';

const FLAGS: FlagKinds = { '--project': 'value', '--help': 'switch' };

export async function runMcp(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'mcp');
  if (words.switches.has('--help')) return { stdout: AGENT_HELP.mcp, exit: 0 };
  const [extra] = words.rest;
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many: the project is named with --project.`, 'mcp');
  if (process.stdin.isTTY) throw usage('It talks with an agent on stdin and stdout, and this is a terminal.', 'mcp');
  chdir(projectFor(words.values.get('--project')));
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  await serve(VERSION, stop.signal);
  return { exit: 0 };
}

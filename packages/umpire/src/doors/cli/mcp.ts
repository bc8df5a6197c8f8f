// `umpire mcp`: serves Umpire's tools over MCP on stdin and stdout until the client disconnects.

import { chdir } from 'node:process';
import { projectFor } from '../../engine/project-folders.js';
import { serve } from '../mcp/server.js';
import { parseArguments, refuseExtra, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import { VERSION } from './version.generated.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';

const FLAGS: FlagKinds = { '--project': 'value', '--help': 'switch' };

export async function runMcp(args: readonly string[]): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'mcp');
  if (parsed.switches.has('--help')) return showHelp('mcp');
  refuseExtra(parsed, 0, 'mcp', 'Name the project with --project.');
  if (process.stdin.isTTY)
    throw usage('stdin is a terminal. An MCP client must start this command, such as: claude mcp add umpire -- umpire mcp', 'mcp');
  chdir(projectFor(parsed.values.get('--project')));
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  await serve(VERSION, stop.signal);
  return { exit: 0 };
}

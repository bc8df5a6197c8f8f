// `umpire mcp`: serves Umpire's tools over MCP on stdin and stdout until the client disconnects.

import { chdir } from 'node:process';
import { projectFor } from '../../engine/project-folders.js';
import { serve } from '../mcp/server.js';
import { usage } from './arguments.js';
import { VERSION } from './version.generated.js';
import type { CommandOutcome } from './output.js';
import type { Given } from './commands.js';

export async function runMcp({ project }: Given<'mcp'>): Promise<CommandOutcome> {
  if (process.stdin.isTTY)
    throw usage('stdin is a terminal. An MCP client must start this command, such as: claude mcp add umpire -- umpire mcp', 'mcp');
  chdir(projectFor(project));
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  await serve(VERSION, stop.signal);
  return { exit: 0 };
}

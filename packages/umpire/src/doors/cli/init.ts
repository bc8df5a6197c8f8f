// `umpire init`: writes umpire.config.yaml, or the hooks of a coding agent. Prints the paths, or the texts with --dry-run.

import { join } from 'node:path';
import { writeAgentHooks } from '../agent-hooks.js';
import { AGENT_NAMES, KNOWN_AGENTS } from '../../agents/known/known-agents.js';
import { writeFirstSettings } from '../init.js';
import { lineOf } from '../../views/safe-text.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Given } from './commands.js';
import { runUntilInterrupted } from './interrupt.js';

export async function runInit({ hooks, json = false, ...request }: Given<'init'>): Promise<CommandOutcome> {
  if (hooks !== undefined) return runHooks(hooks, json, request);
  return runUntilInterrupted(async (signal) => {
    const { reasons, ...settings } = await writeFirstSettings({ ...request, signal });
    const stands = settings.written ? { stands: `The settings were written to ${settings.path}` } : {};
    if (json) return { stdout: `${JSON.stringify(settings)}\n`, ...stands, exit: 0 };
    const next = settings.written ? ['Next, check that a run can start:', '  umpire doctor'] : ['Nothing was written.'];
    const stderr = `${[...reasons.map((reason) => lineOf(reason)), ...next].join('\n')}\n`;
    return { stdout: settings.written ? `${settings.path}\n` : settings.text, stderr, ...stands, sumsUp: true, exit: 0 };
  });
}

function runHooks(named: string, json: boolean, { project, dryRun = false, agent: other }: Given<'init'>): CommandOutcome {
  const agent = KNOWN_AGENTS.find(({ name }) => name === named);
  if (agent === undefined) throw usage(`--hooks takes one of ${AGENT_NAMES.join(', ')}, not "${named.slice(0, 40)}".`, 'init');
  if (other !== undefined) throw usage('--agent is for the settings of Umpire. Leave it out with --hooks.', 'init');
  const { project: root, files, next } = writeAgentHooks({ agent, dryRun, ...(project === undefined ? {} : { project }) });
  if (json) return { stdout: `${JSON.stringify({ project: root, files, written: !dryRun })}\n`, exit: 0 };
  const told = files.map(({ path, state }) => `${state}: ${path}`);
  const stdout = dryRun
    ? files.map(({ path, text }) => `--- ${path}\n${text}`).join('')
    : files.map(({ path }) => `${join(root, path)}\n`).join('');
  const stderr = `${[...told, ...(dryRun ? ['Nothing was written.'] : next)].join('\n')}\n`;
  return { stdout, stderr, ...(dryRun ? {} : { stands: `The hooks were written to ${root}` }), sumsUp: true, exit: 0 };
}

// `umpire init`: writes umpire.config.yaml, or the hooks of a coding agent. Prints the paths, or the texts with --dry-run.

import { join } from 'node:path';
import { AGENT_NAMES, KNOWN_AGENTS } from '../../agents/known/known-agents.js';
import { writeAgentHooks } from '../agent-hooks.js';
import { writeFirstSettings } from '../init.js';
import { lineOf } from '../../views/safe-text.js';
import { parseArguments, refuseExtra, usage } from './flags.js';
import type { FlagKinds, ParsedArguments } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';
import { runUntilInterrupted } from './interrupt.js';

const FLAGS: FlagKinds = {
  '--agent': 'value',
  '--hooks': 'value',
  '--project': 'value',
  '--dry-run': 'switch',
  '--json': 'switch',
  '--help': 'switch',
};

export async function runInit(args: readonly string[]): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'init');
  if (parsed.switches.has('--help')) return showHelp('init');
  refuseExtra(parsed, 0, 'init', 'Name the project with --project.');
  if (parsed.values.has('--hooks')) return runHooks(parsed);
  const given = (flag: string, key: string) => (parsed.values.has(flag) ? { [key]: parsed.values.get(flag) } : {});
  return runUntilInterrupted(async (signal) => {
    const { reasons, ...settings } = await writeFirstSettings({
      ...given('--project', 'project'),
      ...given('--agent', 'agent'),
      dryRun: parsed.switches.has('--dry-run'),
      signal,
    });
    const stands = settings.written ? { stands: `The settings were written to ${settings.path}` } : {};
    if (parsed.switches.has('--json')) return { stdout: `${JSON.stringify(settings)}\n`, ...stands, exit: 0 };
    const next = settings.written ? ['Next, check that a run can start:', '  umpire doctor'] : ['Nothing was written.'];
    const stderr = `${[...reasons.map((reason) => lineOf(reason)), ...next].join('\n')}\n`;
    return { stdout: settings.written ? `${settings.path}\n` : settings.text, stderr, ...stands, sumsUp: true, exit: 0 };
  });
}

function runHooks(parsed: ParsedArguments): CommandOutcome {
  const named = parsed.values.get('--hooks') ?? '';
  const agent = KNOWN_AGENTS.find(({ name }) => name === named);
  if (agent === undefined) throw usage(`--hooks takes ${AGENT_NAMES.join(', ')}, not "${named.slice(0, 40)}".`, 'init');
  if (parsed.values.has('--agent')) throw usage('--agent is for the settings of Umpire. Leave it out with --hooks.', 'init');
  const project = parsed.values.get('--project');
  const dryRun = parsed.switches.has('--dry-run');
  const { project: root, files, next } = writeAgentHooks({ agent, dryRun, ...(project === undefined ? {} : { project }) });
  if (parsed.switches.has('--json')) return { stdout: `${JSON.stringify({ project: root, files, written: !dryRun })}\n`, exit: 0 };
  const told = files.map(({ path, state }) => `${state}: ${path}`);
  const stdout = dryRun
    ? files.map(({ path, text }) => `--- ${path}\n${text}`).join('')
    : files.map(({ path }) => `${join(root, path)}\n`).join('');
  const stderr = `${[...told, ...(dryRun ? ['Nothing was written.'] : next)].join('\n')}\n`;
  return { stdout, stderr, ...(dryRun ? {} : { stands: `The hooks were written to ${root}` }), sumsUp: true, exit: 0 };
}

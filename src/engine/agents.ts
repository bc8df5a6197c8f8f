// From an agent's name to the agent: the calling program's own, one of the settings, a preset, or a plain program.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UmpireError } from '../errors.js';
import type { Agent } from '../ports.js';
import type { SessionStarted } from '../brain/run-messages.js';
import { splitCommand } from '../agents/command-line.js';
import { commandAgent } from '../agents/command.js';
import type { Guardian } from '../agents/guardian.js';
import { personAgent } from '../agents/person.js';
import { PRESET_NAMES, presetFor } from '../agents/presets.js';
import { parseScript } from '../agents/script.js';
import { realTimer, scriptedAgent } from '../agents/scripted.js';
import { checkCommand } from '../critics/check-command.js';
import { faultOf } from '../runtime/folder.js';
import type { AgentSettings, CommandLine, Settings } from '../runtime/settings.js';
import { COMMAND_AGENT } from './run-flags.js';

export interface AgentChoice {
  readonly role: string;
  readonly started: SessionStarted;
  /** The session folder. */
  readonly session: string;
  readonly config: Settings;
  readonly guardian: Guardian;
  readonly agentCommand: string | null;
  /** The calling program's own. */
  readonly own: Readonly<Record<string, Agent>>;
  /** One for the whole run: there is one terminal. */
  readonly person: () => Agent;
}

export function agentNamed(name: string, choice: AgentChoice): Agent {
  const { started, session, config, guardian, agentCommand, own } = choice;
  // The plain loop measures: no agent takes the place of its command.
  if (started.command !== undefined && choice.role === started.critic) return checkCommand(started.command, guardian);
  if (Object.hasOwn(own, name)) return own[name] as Agent;
  const set = Object.hasOwn(config.agents, name) ? config.agents[name] : undefined;
  if (set !== undefined) return configured(name, set, choice);
  if (name === COMMAND_AGENT && agentCommand !== null)
    return commandAgent({ name, argv: splitCommand(agentCommand), base: started.project }, guardian);
  if (name === 'person') return choice.person();
  const preset = presetFor(name, session);
  if (preset !== null) return commandAgent(preset, guardian);
  const known = [...Object.keys(own), ...Object.keys(config.agents), 'person', ...PRESET_NAMES];
  throw new UmpireError('agent-unknown', { name: name.slice(0, 40), known: known.join(', ') });
}

/** The person at the terminal that the command was started in. */
export function personAtTerminal(): Agent {
  return personAgent({ input: process.stdin, output: process.stderr, present: process.stdin.isTTY });
}

function configured(name: string, set: AgentSettings, { started, session, guardian, person }: AgentChoice): Agent {
  const { runs } = set;
  switch (runs.kind) {
    case 'person':
      return person();
    case 'script':
      return {
        ...scriptedAgent(parseScript(readScript(resolve(started.project, runs.path), runs.path), runs.path), { timer: realTimer }),
        name,
      };
    case 'command':
      return commandAgent({ name, argv: wordsOf(runs.command), base: started.project, ...timesOf(set) }, guardian);
    case 'preset': {
      const preset = presetFor(name, session);
      if (preset === null) throw new UmpireError('agent-unknown', { name, known: PRESET_NAMES.join(', ') });
      return commandAgent({ ...preset, ...timesOf(set), env: { ...preset.env, ...set.env } }, guardian);
    }
  }
}

/** A command line of the settings as words. */
export function wordsOf(command: CommandLine): readonly string[] {
  return typeof command === 'string' ? splitCommand(command) : command;
}

function timesOf({ env, timeoutMinutes, finish, graceSeconds }: AgentSettings) {
  return {
    env,
    ...(timeoutMinutes === undefined ? {} : { timeoutMs: timeoutMinutes * 60_000 }),
    ...(finish === undefined ? {} : { finish }),
    ...(graceSeconds === undefined ? {} : { graceMs: graceSeconds * 1000 }),
  };
}

function readScript(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UmpireError('read-failed', { path: shown, detail: faultOf(error) });
  }
}

// The settings of a run: flags override the session's own settings, which override the project's.

import { UmpireError } from '@umpire/core/model/errors.js';
import { RUN_SETTINGS } from '@umpire/core/model/options.js';
import type { OptionValues, RUN_OPTIONS, SettingValues, Targets } from '@umpire/core/model/options.js';
import type { RunSettings } from '@umpire/core/decider/events.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { TargetsByColumn } from '@umpire/core/loops/pipeline.js';
import type { Settings } from '../sessions/settings.js';
import { BUILT_IN, COMMAND_AGENT } from './agent-programs.js';

/** What a person or a program may ask of a session, beside its goal. */
export type RunFlags = OptionValues<typeof RUN_OPTIONS>;

/** `before`: the settings of a started session. `critic`: the role of `builtin` if none is named; Umpire can do no other. */
export function resolveRunSettings(flags: RunFlags, config: Settings, before: RunSettings | null, critic: string): RunSettings {
  const agents: Record<string, string> = { ...config.roles, ...before?.agents };
  const fallbacks: Record<string, readonly string[]> = { ...config.fallbacks, ...before?.fallbacks };
  const roleFor = (name: string) => (name === BUILT_IN ? critic : '*');
  checkAgentFlags(flags, agents, roleFor);
  if (config.agent !== null) agents[roleFor(config.agent)] ??= config.agent;
  if (flags.agentCommand !== undefined) agents['*'] = COMMAND_AGENT;
  for (const word of flags.agent ?? []) {
    const equals = word.indexOf('=');
    const [name = '', ...others] = splitNames(word.slice(equals + 1));
    const role = equals < 0 ? roleFor(name) : word.slice(0, equals);
    agents[role] = name;
    if (others.length > 0) fallbacks[role] = others;
    else delete fallbacks[role];
  }
  return {
    agents,
    ...(Object.keys(fallbacks).length === 0 ? {} : { fallbacks }),
    ...strongerOf(before?.stronger ?? config.stronger ?? undefined),
    agentCommand: flags.agentCommand ?? before?.agentCommand ?? null,
    yes: flags.yes ?? before?.yes ?? false,
    ...(Object.fromEntries(SETTING_NAMES.map((name) => [name, flags[name] ?? before?.[name] ?? config[name]])) as SettingValues<
      typeof RUN_SETTINGS
    >),
  };
}

const SETTING_NAMES = Object.keys(RUN_SETTINGS) as (keyof typeof RUN_SETTINGS)[];

/** `claude,codex`. */
function splitNames(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

function strongerOf(stronger: RunSettings['stronger']): Pick<RunSettings, 'stronger'> {
  return stronger === undefined ? {} : { stronger };
}

/** Throws `usage` if two flags give one role to different agents. */
function checkAgentFlags(
  { agent = [], agentCommand }: RunFlags,
  known: Readonly<Record<string, string>>,
  roleFor: (name: string) => string,
): void {
  const chosen = new Map<string, { readonly name: string; readonly flag: string }>();
  const named = agent.map((word) => {
    const equals = word.indexOf('=');
    return {
      role: equals < 0 ? roleFor(word) : word.slice(0, equals),
      name: splitNames(word.slice(equals + 1))[0] ?? '',
      flag: `--agent ${word.slice(0, 80)}`,
    };
  });
  // If a role names the command agent, another agent may be the default.
  const byRole = [...named, ...Object.entries(known).map(([role, name]) => ({ role, name }))];
  const isGeneral = agentCommand !== undefined && !byRole.some(({ role, name }) => role !== '*' && name === COMMAND_AGENT);
  const general = isGeneral ? [{ role: '*', name: COMMAND_AGENT, flag: '--agent-command' }] : [];
  for (const { role, name, flag } of [...general, ...named]) {
    const before = chosen.get(role);
    chosen.set(role, { name, flag });
    if (before === undefined || before.name === name) continue;
    const whose = role === '*' ? 'all other roles' : `the role ${role.slice(0, 40)}`;
    const detail = `${before.flag} and ${flag} both set the agent of ${whose}. Remove one, or give it a role: --agent ROLE=NAME.`;
    throw new UmpireError('usage', { detail, command: 'run' });
  }
}

/** Throws rather than ignore the flag. */
export function refuseTarget(target: Targets | undefined, { loop, target: own, chain }: Loop): void {
  if (target === undefined) return;
  if (own === undefined) throw new UmpireError('usage', { detail: `The ${loop} loop has no target. Remove --target.`, command: 'run' });
  if (typeof target === 'object' && typeof chain !== 'object')
    throw new UmpireError('usage', { detail: `The ${loop} loop has one target: --target takes a number from 0 to 100.`, command: 'run' });
}

/** Throws if a target names a chain that no critic of the plan judges. */
export function refuseUnknownChains(
  target: Targets | undefined,
  { chain, roles }: Loop,
  rows: readonly Readonly<Record<string, string>>[],
): void {
  if (typeof target !== 'object' || typeof chain !== 'object') return;
  const chains = [...new Set(rows.filter((row) => row['role'] === roles.critic).map((row) => row[chain.column] ?? ''))];
  const unknown = Object.keys(target).find((name) => !chains.includes(name));
  if (unknown === undefined) return;
  const detail = `--target names ${unknown.slice(0, 40)}, but the ${chain.what} of this run are ${chains.join(', ')}.`;
  throw new UmpireError('usage', { detail, command: 'run' });
}

/** The targets of a new session: the flag's before the settings'. Undefined: the loop's own. */
export function resolveTargets(target: Targets | undefined, loop: Loop, config: Settings): number | TargetsByColumn | undefined {
  if (typeof target === 'number' || loop.target === undefined || typeof loop.chain !== 'object')
    return typeof target === 'number' ? target : undefined;
  const targets = { ...(loop.loop === 'testing' ? config.testing.targets : {}), ...target };
  return Object.keys(targets).length === 0 ? undefined : { column: loop.chain.column, targets };
}

/** Throws if the loop runs no command. */
export function refuseCommand(
  { command, report, trustExitStatus }: { readonly command?: string; readonly report?: string; readonly trustExitStatus?: boolean },
  { loop, evidence }: Loop,
): void {
  const runsOne = Object.values(evidence).some((source) => 'reader' in source && source.reader === 'command-result');
  if (command !== undefined && !runsOne)
    throw new UmpireError('usage', { detail: `The ${loop} loop runs no command. Remove it, or use the until loop.`, command: 'run' });
  if (report !== undefined && command === undefined)
    throw new UmpireError('usage', { detail: 'A report needs a command that writes it.', command: 'run' });
  if (trustExitStatus !== undefined && command === undefined)
    throw new UmpireError('usage', { detail: 'trustExitStatus needs a command.', command: 'run' });
}

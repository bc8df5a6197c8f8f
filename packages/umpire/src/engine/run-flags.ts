// The settings of a run: flags override the session's own settings, which override the project's.

import { UmpireError } from '@umpire/core/model/errors.js';
import { HIGHEST_CAP } from '@umpire/core/decider/events.js';
import type { RunSettings } from '@umpire/core/decider/events.js';
import { MOST_RETRIES } from '@umpire/core/decider/retry-delay.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { TargetsByColumn } from '@umpire/core/loops/pipeline.js';
import type { Settings } from '../sessions/default-settings.js';
import { BUILT_IN, COMMAND_AGENT } from './agent-names.js';

/** Percent: for all chains, or for each chain by its name. */
export type TargetFlag = number | Readonly<Record<string, number>>;

export interface RunFlags {
  /** `NAME`, or `ROLE=NAME`. `NAME,OTHER`: the other agent takes over while the plan of the first is used up. */
  readonly agent?: readonly string[];
  /** A program for all roles without another agent. */
  readonly agentCommand?: string;
  readonly maxRounds?: number;
  readonly concurrency?: number;
  readonly maxMinutes?: number;
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
  /** Time limit of one task. */
  readonly timeoutMinutes?: number;
  /** Automatic retries of a task if the model's server cannot be reached. */
  readonly retries?: number;
  /** Waits until the used-up plan of an agent is renewed. */
  readonly waitForLimits?: boolean;
  readonly stopWhenStalled?: boolean;
  readonly strict?: boolean;
  readonly sandbox?: boolean;
  readonly yes?: boolean;
}

/** `before`: the settings of a started session. `critic`: the role of `builtin` if none is named; Umpire can do no other. */
export function resolveRunSettings(
  flags: RunFlags & { readonly target?: TargetFlag },
  config: Settings,
  before: RunSettings | null,
  critic: string,
): RunSettings {
  checkFlags(flags);
  const agents: Record<string, string> = { ...config.roles, ...before?.agents };
  const fallbacks: Record<string, readonly string[]> = { ...config.fallbacks, ...before?.fallbacks };
  const roleFor = (name: string) => (name === BUILT_IN ? critic : '*');
  checkAgentFlags(flags, agents, roleFor);
  if (config.agent !== null) agents[roleFor(config.agent)] ??= config.agent;
  if (flags.agentCommand !== undefined) agents['*'] = COMMAND_AGENT;
  for (const word of flags.agent ?? []) {
    const equals = word.indexOf('=');
    const [name = '', ...others] = namesIn(word.slice(equals + 1));
    const role = equals < 0 ? roleFor(name) : word.slice(0, equals);
    agents[role] = name;
    if (others.length > 0) fallbacks[role] = others;
    else delete fallbacks[role];
  }
  return {
    agents,
    ...(Object.keys(fallbacks).length === 0 ? {} : { fallbacks }),
    ...strongerOf(before?.stronger ?? config.stronger ?? undefined),
    ...((flags.waitForLimits ?? before?.waitForLimits ?? config.waitForLimits) ? { waitForLimits: true } : {}),
    agentCommand: flags.agentCommand ?? before?.agentCommand ?? null,
    concurrency: flags.concurrency ?? before?.concurrency ?? config.concurrency,
    maxMinutes: flags.maxMinutes ?? before?.maxMinutes ?? config.maxMinutes,
    maxCostUsd: flags.maxCostUsd ?? before?.maxCostUsd ?? config.maxCostUsd,
    maxTokens: flags.maxTokens ?? before?.maxTokens ?? config.maxTokens,
    stopWhenStalled: flags.stopWhenStalled ?? before?.stopWhenStalled ?? config.stopWhenStalled,
    strict: flags.strict ?? before?.strict ?? config.strict,
    ...((flags.sandbox ?? before?.sandbox ?? config.sandbox.isOn) ? { sandbox: true } : {}),
    yes: flags.yes ?? before?.yes ?? false,
    timeoutMinutes: flags.timeoutMinutes ?? before?.timeoutMinutes ?? config.timeoutMinutes,
    retries: flags.retries ?? before?.retries ?? config.retries,
  };
}

/** `claude,codex`. */
function namesIn(text: string): readonly string[] {
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
      name: namesIn(word.slice(equals + 1))[0] ?? '',
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

/** Least and most value of each number. */
export const RANGES = {
  concurrency: [1, 256],
  maxRounds: [1, HIGHEST_CAP],
  maxMinutes: [0.01, 100_000],
  maxCostUsd: [0.001, 1_000_000],
  maxTokens: [1, 1e12],
  timeoutMinutes: [0.001, 1440],
  retries: [0, MOST_RETRIES],
  target: [0, 100],
} as const;

/** Throws rather than ignore the flag. */
export function refuseTarget(target: TargetFlag | undefined, { loop, target: own, chain }: Loop): void {
  if (target === undefined) return;
  if (own === undefined) throw new UmpireError('usage', { detail: `The ${loop} loop has no target. Remove --target.`, command: 'run' });
  if (typeof target === 'object' && typeof chain !== 'object')
    throw new UmpireError('usage', { detail: `The ${loop} loop has one target: --target takes a number from 0 to 100.`, command: 'run' });
}

/** Throws if a target names a chain that no critic of the plan judges. */
export function refuseUnknownChains(
  target: TargetFlag | undefined,
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
export function resolveTargets(target: TargetFlag | undefined, loop: Loop, config: Settings): number | TargetsByColumn | undefined {
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

function checkFlags(flags: RunFlags & { readonly target?: TargetFlag }): void {
  const inRange = (name: Exclude<keyof typeof RANGES, 'target'>, flag: string, whole: boolean) => {
    const value = flags[name];
    const [least, most] = RANGES[name];
    const isNumber = typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value));
    if (value === undefined || isNumber) return;
    throw new UmpireError('usage', { detail: `${flag} takes a ${whole ? 'whole ' : ''}number from ${least} to ${most}.`, command: 'run' });
  };
  // A JavaScript program may pass anything, and unreadable settings would lose the session.
  for (const name of ['stopWhenStalled', 'strict', 'sandbox', 'yes', 'waitForLimits'] as const) {
    if (typeof (flags[name] ?? false) !== 'boolean')
      throw new UmpireError('usage', { detail: `${name} must be true or false.`, command: 'run' });
  }
  inRange('concurrency', '--concurrency', true);
  inRange('maxRounds', '--max-rounds', true);
  inRange('maxMinutes', '--max-minutes', false);
  inRange('maxCostUsd', '--max-cost-usd', false);
  inRange('maxTokens', '--max-tokens', true);
  inRange('timeoutMinutes', 'timeoutMinutes', false);
  inRange('retries', 'retries', true);
  const targets = typeof flags.target === 'object' ? Object.values(flags.target) : flags.target === undefined ? [] : [flags.target];
  if (!targets.every((value) => typeof value === 'number' && value >= RANGES.target[0] && value <= RANGES.target[1]))
    throw new UmpireError('usage', { detail: TARGET_FORM, command: 'run' });
}

/** What --target takes. */
export const TARGET_FORM = '--target takes a number from 0 to 100, or one for each layer, such as L1=90,L2=70.';

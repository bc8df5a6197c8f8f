// What a run is held to: flags before settings before what the session remembers before what is usual.

import { UmpireError } from '../errors.js';
import type { RunSettings } from '../brain/run-messages.js';
import type { Settings } from '../runtime/default-settings.js';

export interface RunFlags {
  /** `NAME`, or `ROLE=NAME`. */
  readonly agent?: readonly string[];
  /** A program that does what no other agent does. */
  readonly agentCommand?: string;
  readonly maxRounds?: number;
  readonly concurrency?: number;
  readonly maxMinutes?: number;
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
  readonly stopWhenStalled?: boolean;
  readonly strict?: boolean;
  readonly sandbox?: boolean;
  readonly yes?: boolean;
}

/** The name under which --agent-command goes. */
export const COMMAND_AGENT = 'command';

export function takeFlags(flags: RunFlags, config: Settings, before: RunSettings | null): RunSettings {
  checkFlags(flags);
  const agents: Record<string, string> = { ...config.roles, ...before?.agents };
  if (config.agent !== null) agents['*'] ??= config.agent;
  if (flags.agentCommand !== undefined) agents['*'] = COMMAND_AGENT;
  for (const word of flags.agent ?? []) {
    const equals = word.indexOf('=');
    if (equals < 0) agents['*'] = word;
    else agents[word.slice(0, equals)] = word.slice(equals + 1);
  }
  return {
    agents,
    agentCommand: flags.agentCommand ?? before?.agentCommand ?? null,
    concurrency: flags.concurrency ?? before?.concurrency ?? config.concurrency,
    maxMinutes: flags.maxMinutes ?? before?.maxMinutes ?? config.maxMinutes,
    maxCostUsd: flags.maxCostUsd ?? before?.maxCostUsd ?? config.maxCostUsd,
    maxTokens: flags.maxTokens ?? before?.maxTokens ?? config.maxTokens,
    stopWhenStalled: flags.stopWhenStalled ?? before?.stopWhenStalled ?? config.stopWhenStalled,
    strict: flags.strict ?? before?.strict ?? config.strict,
    ...((flags.sandbox ?? before?.sandbox ?? config.sandbox.isOn) ? { sandbox: true } : {}),
    yes: flags.yes ?? before?.yes ?? false,
    timeoutMinutes: before?.timeoutMinutes ?? config.timeoutMinutes,
  };
}

function checkFlags(flags: RunFlags): void {
  const { concurrency, maxMinutes, maxCostUsd, maxTokens, maxRounds } = flags;
  const inRange = (value: number | undefined, flag: string, least: number, most: number, whole: boolean) => {
    if (value === undefined || (value >= least && value <= most && (!whole || Number.isInteger(value)))) return;
    throw new UmpireError('usage', { detail: `${flag} takes a ${whole ? 'whole ' : ''}number from ${least} to ${most}.`, command: 'run' });
  };
  // A program without types may hand in anything, and a session whose settings cannot be read again is lost.
  for (const name of ['stopWhenStalled', 'strict', 'sandbox', 'yes'] as const) {
    if (typeof (flags[name] ?? false) !== 'boolean')
      throw new UmpireError('usage', { detail: `${name} is true or false.`, command: 'run' });
  }
  inRange(concurrency, '--concurrency', 1, 256, true);
  inRange(maxRounds, '--max-rounds', 1, 100, true);
  inRange(maxMinutes, '--max-minutes', 0.01, 100_000, false);
  inRange(maxCostUsd, '--max-cost-usd', 0.001, 1_000_000, false);
  inRange(maxTokens, '--max-tokens', 1, 1e12, true);
}

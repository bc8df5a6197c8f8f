// Agents that are programs: finds the program of a name, and checks that it can start.

import { UmpireError } from '@umpire/core/model/errors.js';
import type { Agent } from '@umpire/core/model/ports.js';
import type { RunSettings, SessionStarted } from '@umpire/core/decider/events.js';
import type { AcpSpec } from '../agents/acp-agent.js';
import type { CodingAgentSpec } from '../agents/coding-agent.js';
import type { CommandSpec } from '../agents/program-agent.js';
import { AGENT_NAMES, PRESET_NAMES, findKnownAgent } from '../agents/known/known-agents.js';
import { lookUpProgram, explainUnstartable, splitCommand } from '../agents/program-lookup.js';
import type { ProgramLookup } from '../agents/program-lookup.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { findPersonalProgram } from '../sessions/environment.js';
import { CONFIG } from '../sessions/project.js';
import type { AgentSettings, CommandLine, Settings } from '../sessions/settings.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import { BUILT_IN } from '@umpire/core/decider/agent-choice.js';

export interface ProgramChoice {
  readonly started: Pick<SessionStarted, 'project'>;
  readonly settings: Pick<RunSettings, 'agents' | 'agentCommand' | 'fallbacks' | 'stronger'>;
  /** The session folder. */
  readonly session: string;
  readonly config: Pick<Settings, 'agents'>;
  /** Agents of the calling program. */
  readonly own: Readonly<Record<string, Agent>>;
}

export type Program =
  | { readonly over: 'stdin'; readonly spec: CommandSpec }
  | { readonly over: 'events'; readonly spec: CodingAgentSpec }
  /** Over the Agent Client Protocol. */
  | { readonly over: 'acp'; readonly spec: AcpSpec };

/** The program of this name; null if the agent is no program or unknown. */
export function programNamed(name: string, { started, settings, session, config, own }: ProgramChoice): Program | null {
  if (Object.hasOwn(own, name)) return null;
  const set = Object.hasOwn(config.agents, name) ? config.agents[name] : undefined;
  if (set !== undefined) {
    const { project: base } = started;
    const { runs } = set;
    switch (runs.kind) {
      case 'person':
      case 'script':
        return null;
      case 'command':
        return { over: 'stdin', spec: { name, argv: splitWords(runs.command), base, ...timesOf(set), ...finishOf(set) } };
      case 'acp':
        return { over: 'acp', spec: { name, argv: splitWords(runs.command), base, ...timesOf(set), ...allowedBy(set) } };
      case 'preset':
        return changedPreset(name, runs.uses ?? name, set, session);
    }
  }
  if (name === COMMAND_AGENT && settings.agentCommand !== null)
    return { over: 'stdin', spec: { name, argv: splitCommand(settings.agentCommand), base: started.project } };
  return presetNamed(name, session);
}

/** `path`: the PATH of its settings. */
function presetNamed(name: string, session: string, path?: string): Program | null {
  const found = findKnownAgent(name);
  if (found === null) return null;
  const { agent, isAcp } = found;
  if (!isAcp) return { over: 'events', spec: { name, argv: preferPersonal([agent.program], path), agent } };
  const { argv, env, countsTokens } = agent.acp;
  const more = { ...(env === undefined ? {} : { env }), ...(countsTokens === undefined ? {} : { countsTokens }) };
  return { over: 'acp', spec: { name, argv: preferPersonal(argv(session), path), ...more } };
}

/** A program of that name in node_modules or in a worktree's environment may be an agent's, and would speak as a critic. */
function preferPersonal([program = '', ...args]: readonly string[], path?: string): readonly string[] {
  return [(path === undefined ? findPersonalProgram(program) : null) ?? program, ...args];
}

/** A preset, changed by the settings. */
function changedPreset(name: string, uses: string, set: AgentSettings, session: string): Program {
  const preset = presetNamed(uses, session, set.env['PATH']);
  if (preset === null)
    throw new UmpireError('agent-unknown', { name: uses, known: PRESET_NAMES.join(', '), meant: didYouMean(uses, PRESET_NAMES) });
  const { model, args = [] } = set;
  if (preset.over === 'events') {
    if (set.allow !== undefined) throw misplaced(name, 'allow', `only an ACP agent such as ${uses}-acp asks for permission`);
    const own = { ...(model === undefined ? {} : { model }), args };
    return { over: 'events', spec: { ...preset.spec, name, ...timesOf(set), ...finishOf(set), ...own } };
  }
  if (set.finish !== undefined) throw misplaced(name, 'finish', 'an ACP agent finishes by the protocol, not by a signal');
  if (model !== undefined) throw misplaced(name, 'model', 'an ACP agent has its own option or variable for it; use args or env');
  const argv = [...preset.spec.argv, ...args];
  const env = { ...preset.spec.env, ...set.env };
  return { over: 'acp', spec: { ...preset.spec, name, argv, ...timesOf(set), ...allowedBy(set), env } };
}

function misplaced(name: string, key: string, why: string): UmpireError {
  return new UmpireError('config-invalid', { file: CONFIG, line: '', detail: `agents.${name}.${key}: ${why}` });
}

/** A preset that never reports its cost. */
export function reportsNoCost(name: string, { agents }: Pick<Settings, 'agents'>): boolean {
  const set = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (set !== undefined && set.runs.kind !== 'preset') return false;
  const found = findKnownAgent(set?.runs.kind === 'preset' ? (set.runs.uses ?? name) : name);
  return found !== null && !(found.isAcp ? found.agent.acp : found.agent).reportsCost;
}

function splitWords(command: CommandLine): readonly string[] {
  return typeof command === 'string' ? splitCommand(command) : command;
}

function timesOf({ env, timeoutMinutes, graceSeconds }: AgentSettings) {
  return {
    env,
    ...(timeoutMinutes === undefined ? {} : { timeoutMs: timeoutMinutes * 60_000 }),
    ...(graceSeconds === undefined ? {} : { graceMs: graceSeconds * 1000 }),
  };
}

function finishOf({ finish }: AgentSettings) {
  return finish === undefined ? {} : { finish };
}

function allowedBy({ allow }: AgentSettings) {
  return allow === undefined ? {} : { allow };
}

/** Throws `agent-not-there` if the program of a role's agent cannot start. Starts nothing. */
export function checkPrograms(roles: Iterable<string>, choice: ProgramChoice): void {
  const { agents, fallbacks = {}, stronger } = choice.settings;
  const rolesBy = new Map<string, string[]>();
  for (const role of roles) {
    const own = agents[role] ?? agents['*'];
    // The default agent does what the built-in critic cannot.
    const name = own === BUILT_IN ? agents['*'] : own;
    const others = fallbacks[own === BUILT_IN || agents[role] === undefined ? '*' : role] ?? [];
    for (const one of new Set([...(name === undefined ? [] : [name]), ...others])) addToList(rolesBy, one, role);
  }
  if (stronger !== undefined) addToList(rolesBy, stronger.agent, `of the generator from round ${stronger.fromRound}`);
  for (const [name, chosenFor] of rolesBy) {
    const program = programNamed(name, choice);
    const detail = program === null ? null : explainUnstartable(program.spec, choice.started.project);
    if (detail === null) continue;
    const many = chosenFor.length === 1 ? 'role' : 'roles';
    throw new UmpireError('agent-not-there', { name, roles: `${many} ${chosenFor.join(', ')}`, detail, agents: describeInstalledAgents() });
  }
}

/** Every preset with the path of its program. */
export function lookUpPresets(): readonly { readonly name: string; readonly found: ProgramLookup }[] {
  return PRESET_NAMES.flatMap((name) => {
    const preset = presetNamed(name, '');
    return preset === null ? [] : [{ name, found: lookUpProgram(preset.spec, '/') }];
  });
}

/** The installed presets as text. */
export function describeInstalledAgents(): string {
  const here = lookUpPresets().flatMap(({ name, found }) => ('place' in found ? [name] : []));
  if (here.length > 0) return `installed: ${here.join(', ')}`;
  return `none of ${AGENT_NAMES.join(', ')} is installed`;
}

export { BUILT_IN };

/** The program of --agent-command. */
export const COMMAND_AGENT = 'command';

export const RESERVED_NAMES: readonly string[] = [...PRESET_NAMES, 'person', BUILT_IN, COMMAND_AGENT];

// Creates agents by name: of the calling program, of the settings, a preset, or a program.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Agent, Assignment, Watch } from '@umpire/core/model/ports.js';
import type { RunSettings, SessionStarted } from '@umpire/core/decider/events.js';
import { acpAgent } from '../agents/acp-agent.js';
import { codingAgent } from '../agents/coding-agent.js';
import { functionAgent } from '../agents/function-agent.js';
import { commandAgent } from '../agents/program-agent.js';
import type { Guardian } from '../agents/guardian.js';
import { personAgent } from '../agents/person-agent.js';
import { PRESET_NAMES } from '../agents/known/known-agents.js';
import { realTimer, scriptedAgent } from '../agents/scripted-agent.js';
import { checkCommand } from '../critics/check-command.js';
import { allowsTestEdits } from './run-guard.js';
import type { OpenCheck } from '../critics/clean-check.js';
import { faultOf } from '../sessions/session-folder.js';
import type { Settings } from '../sessions/settings.js';
import { describeInstalledAgents, programNamed, reportsNoCost, BUILT_IN } from './agent-programs.js';
import type { Program } from './agent-programs.js';
import {
  CRITIC_LOOPS,
  builtInCritic,
  isBuiltIn,
  isUnjudgedWork,
  isVerifier,
  createCriticJob,
  withProjectTests,
  withVerification,
} from './critics.js';
import type { KeepWork } from './critics.js';

export interface AgentChoice {
  readonly started: Pick<
    SessionStarted,
    'project' | 'critic' | 'command' | 'report' | 'trustsExitStatus' | 'allowsTestEdits' | 'loop' | 'loopFolder' | 'workspace' | 'topic'
  >;
  readonly settings: RunSettings;
  /** The session folder. */
  readonly session: string;
  readonly config: Settings;
  /** Agents of the calling program. */
  readonly own: Readonly<Record<string, Agent>>;
  readonly now: () => Date;
}

interface AgentsOfRun extends AgentChoice {
  readonly guardian: Guardian;
  /** Where Umpire's own checks run; null without a workspace. */
  readonly openCheck: OpenCheck | null;
  readonly keepWork: KeepWork;
}

/** Does the built-in critic do the critic's role? */
export function measuresItself({ started, settings, config, own }: Pick<AgentChoice, 'started' | 'settings' | 'config' | 'own'>): boolean {
  // A script plays the critic too, and a program with its own agents brings its critic.
  const playsAll = (name: string) => Object.hasOwn(own, name) || config.agents[name]?.runs.kind === 'script';
  return started.command === undefined && isBuiltIn({ started, settings, playsAll });
}

/** Throws `agent-missing` if one of these roles has no agent. */
export function checkRoles(roles: Iterable<string>, settings: RunSettings): void {
  for (const role of roles)
    if ((settings.agents[role] ?? settings.agents['*']) === undefined)
      throw new UmpireError('agent-missing', { role, agents: describeInstalledAgents() });
}

/** The agents to create, without the built-in critic. */
function listAgentNames({
  started,
  settings,
  config,
  own,
}: Pick<AgentChoice, 'started' | 'settings' | 'config' | 'own'>): ReadonlySet<string> {
  const isOwn = measuresItself({ started, settings, config, own });
  const named = Object.entries(settings.agents).flatMap(([role, name]) =>
    isOwn && role === started.critic && name === BUILT_IN ? [] : [name],
  );
  const others = Object.values(settings.fallbacks ?? {}).flat();
  return new Set([...named, ...others, ...(settings.stronger === undefined ? [] : [settings.stronger.agent])]);
}

/** Throws if a named agent cannot be created, or cannot keep the limits. Starts nothing. */
export async function checkAgents(choice: AgentChoice): Promise<void> {
  checkCostLimit(choice);
  const none = (): never => {
    throw new Error('No agent runs during a check.');
  };
  const guardian: Guardian = { run: 'look-only', sandbox: null, watch: none, release: none, close: none };
  for (const name of listAgentNames(choice))
    await createAgent(name, { ...choice, guardian, openCheck: null, keepWork: none }, () => ({ name, run: none }));
}

/** A limit in dollars needs agents that report their cost. A program of the project may report it, which nobody knows before it ran. */
function checkCostLimit(choice: AgentChoice): void {
  if (choice.settings.maxCostUsd === null) return;
  const silent = [...listAgentNames(choice)].filter((name) => !Object.hasOwn(choice.own, name) && reportsNoCost(name, choice.config));
  if (silent.length === 0) return;
  throw new UmpireError('cap-unknowable', { agents: silent.join(' and '), verb: silent.length === 1 ? 'does' : 'do' });
}

/** The agent of each role, by the name that was chosen for a task. All agents are created before anything runs, so that a wrong name does not stop a run half-way. */
export async function createAgents(choice: AgentsOfRun): Promise<(role: string, name: string | null) => Agent> {
  const { started, settings } = choice;
  let person: Agent | null = null;
  const atTerminal = () => (person ??= personAgent({ input: process.stdin, output: process.stderr, present: process.stdin.isTTY }));
  const made = new Map<string, Agent>();
  for (const name of listAgentNames(choice)) made.set(name, await createAgent(name, choice, atTerminal));
  // The critic of the until loop is always its command.
  const check = started.command === undefined ? null : createCheck(choice, started.command);
  const isOwn = measuresItself(choice);
  return (role, name) => {
    if (check !== null && role === started.critic) return check;
    const agent = made.get(name ?? settings.agents[role] ?? '') ?? made.get(settings.agents['*'] ?? '');
    if (isOwn && role === started.critic) return builtInCritic(choice, agent ?? null);
    if (agent === undefined) throw new UmpireError('agent-missing', { role, agents: describeInstalledAgents() });
    if (isVerifier(started, role)) return withVerification(agent);
    return isUnjudgedWork(started, role) ? withProjectTests(choice, agent) : agent;
  };
}

function createCheck(choice: AgentsOfRun, command: string): Agent {
  const { started, openCheck, guardian } = choice;
  const { report = null, trustsExitStatus = false } = started;
  const createJob = (assignment: Assignment, watch: Watch, rewrittenAtBase: Set<string>) => ({
    ...createCriticJob(choice, assignment, watch),
    rewrittenAtBase,
  });
  const isFree = allowsTestEdits(started, choice.config);
  return checkCommand({ command, report, trustsExitStatus, allowsTestEdits: isFree, openCheck, createJob }, guardian);
}

async function createAgent(name: string, choice: AgentsOfRun, person: () => Agent): Promise<Agent> {
  const { config, guardian, own } = choice;
  if (Object.hasOwn(own, name)) return functionAgent(own[name] as Agent);
  const program = programNamed(name, choice);
  if (program !== null) return createProgramAgent(program, guardian);
  const set = Object.hasOwn(config.agents, name) ? config.agents[name] : undefined;
  if (set?.runs.kind === 'script') return createScriptedAgent(name, set.runs.path, choice);
  if (name === 'person' || set !== undefined) return person();
  if (name === BUILT_IN && !CRITIC_LOOPS.includes(choice.started.loop))
    throw new UmpireError('critic-unknown', { name: choice.started.loop, known: CRITIC_LOOPS.join(', ') });
  if (config.untrustedAgents.includes(name)) throw new UmpireError('agent-untrusted', { name: name.slice(0, 40) });
  const known = [...Object.keys(own), ...Object.keys(config.agents), 'person', ...PRESET_NAMES];
  throw new UmpireError('agent-unknown', { name: name.slice(0, 40), known: known.join(', '), meant: didYouMean(name, known) });
}

function createProgramAgent(program: Program, guardian: Guardian): Agent {
  switch (program.over) {
    case 'acp':
      return acpAgent(program.spec, guardian);
    case 'events':
      return codingAgent(program.spec, guardian);
    case 'stdin':
      return commandAgent(program.spec, guardian);
  }
}

/** An agent that plays a file of answers. */
async function createScriptedAgent(name: string, file: string, { started }: AgentChoice): Promise<Agent> {
  const { parseScript } = await import('../agents/script-file.js');
  const path = resolve(started.project, file);
  return scriptedAgent(parseScript(readScript(path, file), path), { name, timer: realTimer });
}

function readScript(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UmpireError('read-failed', { path: shown, detail: faultOf(error) });
  }
}

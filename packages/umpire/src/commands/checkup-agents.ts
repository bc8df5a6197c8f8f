// Who could do the work: the agents that come with Umpire and are installed, those of the settings, and who does every role. None is
// started.

import { isUmpireError, UmpireError } from '@umpire/core/errors.js';
import { lookUpProgram } from '../agents/program-lookup.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import { EVERY_ROLE, tellOf } from '../report/checkup-page.js';
import type { Check } from '../report/checkup-page.js';
import { DEFAULT_SETTINGS } from '../sessions/default-settings.js';
import type { Settings } from '../sessions/default-settings.js';
import { CONFIG, configAt } from '../sessions/project.js';
import { checkAgents } from './agents.js';
import type { AgentChoice } from './agents.js';
import { agentsHere, lookUpPresets, programNamed } from './agent-programs.js';
import { BUILT_IN, CRITIC_LOOPS } from './critics.js';
import { takeFlags } from './run-flags.js';

const tell = tellOf('agents');

/** `isRead`: false where the settings cannot be read; who does which role is not known then. */
export async function checkCast(project: string, config: Settings, isRead: boolean): Promise<readonly Check[]> {
  const own = await Promise.all(Object.keys(config.agents).map(async (name) => checkOwn(name, await lookAt(name, project, config))));
  return [...checkPresets(config), ...own, ...(isRead ? await checkParts(project, config) : [])];
}

/** One that the settings change is told of there. */
function checkPresets({ agents }: Settings): readonly Check[] {
  const presets = lookUpPresets().filter(({ name }) => !Object.hasOwn(agents, name));
  const absent = presets.filter(({ found }) => 'why' in found).map(({ name }) => name);
  const here = presets.flatMap(({ name, found }) => ('place' in found ? [tell(name, 'ok', found.place)] : []));
  if (absent.length === 0) return here;
  const hint =
    here.length === 0 ? 'Install one, or have any program do the work: --agent-command "CMD ARGS", or agents in umpire.config.yaml.' : null;
  return [...here, tell('not installed', 'note', absent.join(', '), hint)];
}

interface Looked {
  /** What it is, in a few words. */
  readonly what: string;
  /** Why it cannot do a task, and what to do; null where it can. */
  readonly fault: { readonly message: string; readonly hint: string } | null;
}

/** Makes the agent of this name, as a run does before it begins, and looks for its program. */
async function lookAt(name: string, project: string, config: Settings): Promise<Looked> {
  const choice = choiceOf(name, project, config);
  try {
    await checkAgents(choice);
    const program = programNamed(name, choice);
    if (program === null) return { what: kindOf(name, config), fault: null };
    const found = lookUpProgram(program.spec, project);
    if ('place' in found) return { what: found.place, fault: null };
    const { hint } = new UmpireError('agent-not-there', { name, roles: '', detail: '', agents: agentsHere() });
    return { what: '', fault: { message: `"${name}" cannot be started: ${found.why}`, hint } };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { what: '', fault: { message: error.message, hint: error.hint } };
  }
}

/** Throws what a run would throw for an agent of this name. */
export async function checkAgentName(name: string, project: string): Promise<void> {
  await checkAgents(choiceOf(name, project, DEFAULT_SETTINGS));
}

function choiceOf(name: string, project: string, config: Settings): Omit<AgentChoice, 'guardian'> {
  const settings = { ...takeFlags({}, DEFAULT_SETTINGS, null, ''), agents: { '*': name } };
  const started = { project, critic: '', loop: '', loopFolder: null, workspace: null };
  return { started, settings, session: project, config, own: {}, now: () => new Date() };
}

function kindOf(name: string, { agents }: Settings): string {
  const runs = agents[name]?.runs;
  return runs?.kind === 'script' ? `plays ${runs.path}` : 'the person at the terminal';
}

/** In nobody's way as long as no role has it: that is told with the role. */
function checkOwn(name: string, { what, fault }: Looked): Check {
  return fault === null ? tell(name, 'ok', what) : tell(name, 'note', fault.message, fault.hint);
}

function howToChoose(project: string): string {
  const once = configAt(project) === null ? 'once with umpire init' : `once in ${CONFIG}, under agent`;
  return `Name one with --agent at every run, or ${once}.`;
}

async function checkParts(project: string, config: Settings): Promise<readonly Check[]> {
  const { agent, roles } = config;
  const rest = agent === null ? restCheck(roles, project) : await checkPart(EVERY_ROLE, agent, project, config);
  const named = await Promise.all(Object.entries(roles).map(([role, name]) => checkPart(`role ${role}`, name, project, config, role)));
  return [rest, ...named];
}

function restCheck(roles: Settings['roles'], project: string): Check {
  const isSome = Object.keys(roles).length > 0;
  return tell(
    EVERY_ROLE,
    'note',
    isSome ? 'no agent is chosen for roles that are not named here' : 'no agent is chosen',
    howToChoose(project),
  );
}

/** Who does a part: every role that has none of its own, or this one. */
async function checkPart(title: string, name: string, project: string, config: Settings, role?: string): Promise<Check> {
  if (name === BUILT_IN && !Object.hasOwn(config.agents, BUILT_IN)) return ownCritic(title, project, role);
  const { fault } = await lookAt(name, project, config);
  return fault === null ? tell(title, 'ok', name) : tell(title, 'fault', fault.message, fault.hint);
}

function ownCritic(title: string, project: string, role: string | undefined): Check {
  if (role === undefined) return tell(title, 'note', "builtin is Umpire's own critic, and does no other role", howToChoose(project));
  const isCritic = CRITIC_LOOPS.some((loop) => builtinLoop(loop)?.roles.critic === role);
  if (isCritic) return tell(title, 'ok', "builtin, Umpire's own critic");
  return tell(title, 'fault', "builtin is Umpire's own critic, and this is no critic's role", 'Name an agent for it, or remove the line.');
}

// Names of agents that a project cannot give to others.

import { BUILT_IN } from '@umpire/core/decider/agent-choice.js';
import { PRESET_NAMES } from '../agents/known/known-agents.js';

export { BUILT_IN };

/** The program of --agent-command. */
export const COMMAND_AGENT = 'command';

export const RESERVED_NAMES: readonly string[] = [...PRESET_NAMES, 'person', BUILT_IN, COMMAND_AGENT];

// Names of agents that a project cannot give to others.

import { PRESET_NAMES } from '../agents/presets.js';

/** The built-in critic. */
export const BUILT_IN = 'builtin';

/** The program of --agent-command. */
export const COMMAND_AGENT = 'command';

export const RESERVED_NAMES: readonly string[] = [...PRESET_NAMES, 'person', BUILT_IN, COMMAND_AGENT];

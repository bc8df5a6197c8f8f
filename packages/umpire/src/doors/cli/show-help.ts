// The help of a command as its outcome.

import type { HelpTopic } from './help.js';
import type { CommandOutcome } from './command-outcome.js';

export async function showHelp(command: HelpTopic): Promise<CommandOutcome> {
  const { HELP } = await import('./help.js');
  return { stdout: HELP[command], exit: 0 };
}

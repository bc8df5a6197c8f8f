// The help of a command as its outcome.

import type { HelpTopic } from './help.js';
import type { Outcome } from './outcome.js';

export async function showHelp(command: HelpTopic): Promise<Outcome> {
  const { HELP } = await import('./help.js');
  return { stdout: HELP[command], exit: 0 };
}

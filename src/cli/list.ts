// `umpire list`: the sessions of a project. Reads only.

import { listPage } from '../report/list-page.js';
import { projectAt } from '../runtime/session-folders.js';
import { findSessions } from '../runtime/sessions.js';
import { HERE } from './clock.js';
import { readWords, usage } from './flags.js';
import type { Outcome } from './outcome.js';
import { RUN_HELP } from './run-help.js';

export async function runList(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, { '--project': 'value', '--json': 'switch', '--help': 'switch' }, 'list');
  if (words.switches.has('--help')) return { stdout: RUN_HELP.list, exit: 0 };
  const [extra] = words.rest;
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many: the project is named with --project.`, 'list');
  const project = words.values.get('--project') ?? '.';
  const sessions = findSessions(project);
  const stdout = words.switches.has('--json') ? `${JSON.stringify({ project: projectAt(project), sessions })}\n` : listPage(sessions, HERE);
  return { stdout, exit: 0 };
}

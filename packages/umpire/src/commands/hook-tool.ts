// Before a tool of an agent is used: Umpire's record is not edited, and what a person is asked is answered by a person. A rule for agents that
// keep to rules, no fence: a shell has many ways.

import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { HookEvent } from '@umpire/core/formats/hook-event.js';
import { realPath } from '../sessions/entry.js';
import { JOURNAL } from '../sessions/journal-file.js';

/** Tools that change nothing may look at everything. */
const READING: ReadonlySet<string> = new Set(
  'Read Glob Grep LS NotebookRead read_file read_many_files list_directory glob search_file_content grep_search'.split(' '),
);

/** Of a session, what only Umpire writes. */
const RECORD = new RegExp(`^(?:${JOURNAL.replace('.', '\\.')}$|blobs/|verdicts/)`);
/** In a project's folder for Umpire: where sessions of agents began. */
export const AGENT_SESSIONS = 'agent-sessions';
const BEGINNING = new RegExp(`[/\\\\]\\.umpire[/\\\\]${AGENT_SESSIONS}[/\\\\]`);
/** As deep as a file of the record lies in a session. */
const DEPTH = 4;

/** Why the tool may not be used; null where it may. */
export function refusalOf({ tool, path, command, cwd }: HookEvent): string | null {
  if (path !== null && !READING.has(tool) && isRecord(realPath(resolve(cwd ?? '.', path))))
    return `Umpire: ${path} is the record of a session, and only Umpire writes it. What has been judged stays as it was. Do the work that the last verdict asks for, and have it judged again.`;
  if (path !== null && !READING.has(tool) && BEGINNING.test(realPath(resolve(cwd ?? '.', path))))
    return `Umpire: ${path} says where a session of an agent began, and only Umpire writes it. Leave it as it is.`;
  const answer = command === null ? null : answerIn(command);
  if (answer === null) return null;
  return `Umpire: \`${answer}\` is for the person to run. Tell them what is asked and which answers there are, and stop.`;
}

function isRecord(path: string): boolean {
  let folder = dirname(path);
  for (let depth = 0; depth < DEPTH; depth += 1, folder = dirname(folder))
    if (RECORD.test(relative(folder, path)) && existsSync(join(folder, JOURNAL))) return true;
  return false;
}

/** The command of Umpire in a shell's line by which an agent would answer for the person. */
function answerIn(line: string): string | null {
  const whole = line.replaceAll(/\\\r?\n/g, ' ');
  for (const [, verb = '', rest = ''] of whole.matchAll(/\bumpire(?:\.cjs)?["']?\s+(resolve|decide|resume|apply|clean)\b([^|;&\n]*)/g)) {
    if (verb === 'resolve') return 'umpire resolve';
    if ((verb === 'decide' || verb === 'resume') && rest.includes('--max-rounds')) return `umpire ${verb} --max-rounds`;
    if ((verb === 'apply' || verb === 'clean') && rest.includes('--force')) return `umpire ${verb} --force`;
  }
  return null;
}

// `umpire diff` and `apply`: what a session made, shown, brought over. Clearing it away is clean.ts.

import { basename } from 'node:path';
import { apply, patchOf } from '../commands/work.js';
import { terminalText } from '../report/foreign-text.js';
import { count, plainLine } from '../report/words.js';
import { latestSession, resolveSession } from '../sessions/sessions.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds, Words } from './flags.js';
import type { Outcome } from './outcome.js';
import { RUN_HELP } from './run-help.js';

const FLAGS: FlagKinds = { '--project': 'value', '--force': 'switch', '--help': 'switch' };

function read(args: readonly string[], command: string, most: number): Words {
  const { '--force': force, ...plain } = FLAGS;
  const words = readWords(
    args,
    command === 'diff' ? { ...plain, '--chain': 'value' } : { ...plain, '--force': force ?? 'switch' },
    command,
  );
  const extra = words.rest[most];
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many.`, command);
  return words;
}

/** Into a pipe: all that `git apply` needs, byte for byte. A terminal is shown text only. */
export async function runDiff(args: readonly string[], isTerminal = process.stdout.isTTY): Promise<Outcome> {
  const words = read(args, 'diff', 2);
  if (words.switches.has('--help')) return { stdout: RUN_HELP.diff, exit: 0 };
  const project = words.values.get('--project') ?? '.';
  const [first, second] = words.rest;
  const isRound = (word: string | undefined) => word !== undefined && /^\d{1,5}$/.test(word);
  const named = second === undefined && isRound(first) ? undefined : first;
  const round = second ?? (named === undefined ? first : undefined);
  if (round !== undefined && !isRound(round)) throw usage(`A round is a number, not "${round.slice(0, 40)}".`, 'diff');
  const session = named === undefined ? latestSession(project, 'run') : resolveSession(named, project);
  const chain = words.values.get('--chain');
  if (chain !== undefined && round === undefined) throw usage('--chain needs a round: umpire diff <session> 1 --chain L1', 'diff');
  const of = chain === undefined ? {} : { chain };
  const patch = await patchOf(session, round === undefined ? undefined : Number(round), { brief: isTerminal, ...of });
  const what = round === undefined ? 'The session' : `Round ${round} of the session`;
  if (patch.length === 0) return { stderr: `${what} ${basename(session)} changed nothing.\n`, exit: 0 };
  return { ...(isTerminal ? { stdout: terminalText(patch.toString('utf8')) } : { bytes: patch }), exit: 0 };
}

export async function runApply(args: readonly string[]): Promise<Outcome> {
  const words = read(args, 'apply', 1);
  if (words.switches.has('--help')) return { stdout: RUN_HELP.apply, exit: 0 };
  const [named] = words.rest;
  if (named === undefined) throw usage('It needs a session: `umpire list` shows them.', 'apply');
  const session = resolveSession(named, words.values.get('--project') ?? '.');
  const { files, unverified, replaced } = await apply(session, { force: words.switches.has('--force') });
  const mark = unverified ? ' Its result is UNVERIFIED: look at `umpire report` before you rely on it.' : '';
  const said = files.length === 0 ? await nothingWords(session) : `${count(files.length, 'file')} changed in your checkout, not committed.`;
  const links = replaced.map(
    (path) => ` ${plainLine(path)} was a submodule: \`git rm --cached ${plainLine(path)}\` first, or git overlooks its files.`,
  );
  const stands = 'The files are in your checkout all the same.';
  return { stdout: files.map((file) => `${plainLine(file)}\n`).join(''), stderr: `${said}${links.join('')}${mark}\n`, stands, exit: 0 };
}

async function nothingWords(session: string): Promise<string> {
  const isEmpty = (await patchOf(session, undefined, { brief: true })).length === 0;
  return `Nothing to bring over: ${isEmpty ? `the session ${basename(session)} changed nothing` : 'your checkout holds it already'}.`;
}

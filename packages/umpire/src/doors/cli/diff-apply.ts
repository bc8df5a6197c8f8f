// `umpire diff` and `umpire apply`: the changes of a session, shown or copied into the checkout.

import { basename } from 'node:path';
import { apply, patchOf } from '../../engine/session-work.js';
import { colorDiff } from '../../views/page-colors.js';
import { plainLine, showHidden } from '../../views/safe-text.js';
import { count } from '../../views/words.js';
import { latestSession, resolveSession } from '../../sessions/find-sessions.js';
import { parseArguments, refuseExtra, usage } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';

/** A pipe gets the bytes that `git apply` needs, a terminal gets text. */
export async function runDiff(args: readonly string[], isTerminal = process.stdout.isTTY, isColored = false): Promise<CommandOutcome> {
  const parsed = parseArguments(args, { '--project': 'value', '--chain': 'value', '--help': 'switch' }, 'diff');
  refuseExtra(parsed, 2, 'diff');
  if (parsed.switches.has('--help')) return showHelp('diff');
  const project = parsed.values.get('--project') ?? '.';
  const [first, second] = parsed.rest;
  const isRound = (word: string | undefined) => word !== undefined && /^\d{1,5}$/.test(word);
  const named = second === undefined && isRound(first) ? undefined : first;
  const round = second ?? (named === undefined ? first : undefined);
  if (round !== undefined && !isRound(round)) throw usage(`A round is a number, not "${round.slice(0, 40)}".`, 'diff');
  const session = named === undefined ? latestSession(project, 'run') : resolveSession(named, project);
  const chain = parsed.values.get('--chain');
  if (chain !== undefined && round === undefined) throw usage('--chain needs a round: umpire diff <session> 1 --chain L1', 'diff');
  const patch = await patchOf(session, round === undefined ? undefined : Number(round), { brief: isTerminal, chain, repository: project });
  const what = round === undefined ? 'The session' : `Round ${round} of the session`;
  if (patch.length === 0) return { stderr: `${what} ${basename(session)} changed nothing.\n`, exit: 0 };
  // FORCE_COLOR is set for whole CI jobs; a patch in a pipe must still apply. --color always colours it.
  if (!isTerminal && (!isColored || (process.env['FORCE_COLOR'] ?? '') !== '')) return { bytes: patch, exit: 0 };
  return { stdout: colorDiff(showHidden(patch.toString('utf8')), isColored), exit: 0 };
}

export async function runApply(args: readonly string[]): Promise<CommandOutcome> {
  const flags = { '--project': 'value', '--force': 'switch', '--with-failing-tests': 'switch', '--help': 'switch' } as const;
  const parsed = parseArguments(args, flags, 'apply');
  refuseExtra(parsed, 1, 'apply');
  if (parsed.switches.has('--help')) return showHelp('apply');
  const [named] = parsed.rest;
  if (named === undefined) throw usage('Missing <session>. List them with: umpire list', 'apply');
  const session = resolveSession(named, parsed.values.get('--project') ?? '.');
  const { files, leftOut, unverified, replaced } = await apply(session, {
    force: parsed.switches.has('--force'),
    withFailingTests: parsed.switches.has('--with-failing-tests'),
  });
  const mark = unverified ? ` The result is UNVERIFIED. Read the report before you rely on it: umpire report ${plainLine(named)}` : '';
  const said =
    files.length === 0
      ? await nothingToApply(session, leftOut.length > 0)
      : `${count(files.length, 'file')} changed in your checkout, not committed.`;
  const links = replaced.map(
    (path) => ` ${plainLine(path)} was a submodule: run \`git rm --cached ${plainLine(path)}\` first, or git ignores its files.`,
  );
  const left =
    leftOut.length === 0
      ? ''
      : ` Left out, because new tests fail there: ${leftOut.map(plainLine).join(', ')}. Take them too: umpire apply ${plainLine(named)} --with-failing-tests`;
  const stands = 'The files are in your checkout.';
  return {
    stdout: files.map((file) => `${plainLine(file)}\n`).join(''),
    stderr: `${said}${left}${links.join('')}${mark}\n`,
    stands,
    exit: 0,
  };
}

async function nothingToApply(session: string, isLeftOut: boolean): Promise<string> {
  if (isLeftOut) return 'Nothing was applied.';
  const isEmpty = (await patchOf(session, undefined, { brief: true })).length === 0;
  return `Nothing to apply: ${isEmpty ? `the session ${basename(session)} changed nothing` : 'your checkout has these changes already'}.`;
}

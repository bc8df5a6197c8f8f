// `umpire diff` and `umpire apply`: the changes of a session, shown or copied into the checkout.

import { basename } from 'node:path';
import { apply, patchOf } from '../../engine/session-work.js';
import { colorPage } from '../../views/colors.js';
import { noteLines } from '../../views/status-page.js';
import { reasonsUnverified, workNotesIn } from '../../views/session-view.js';
import { readSession } from '../../sessions/session-record.js';
import { askYesNo, hasTerminal } from './terminal-questions.js';
import { lineOf, plainLine, showHidden, wrap } from '../../views/safe-text.js';
import { count } from '../../views/words.js';
import { latestSession, resolveSession } from '../../sessions/find-sessions.js';
import { usage } from './arguments.js';
import type { Output, CommandOutcome } from './output.js';
import type { Given } from './commands.js';

/** A pipe gets the bytes that `git apply` needs, a terminal gets text. */
export async function runDiff(
  { session: first, round: second, chain, project = '.' }: Given<'diff'>,
  output: Output,
  isTerminal = process.stdout.isTTY,
): Promise<CommandOutcome> {
  const isColored = output.isColored(1);
  const isRound = (word: string | undefined) => word !== undefined && /^\d{1,5}$/.test(word);
  const named = second === undefined && isRound(first) ? undefined : first;
  const round = second ?? (named === undefined ? first : undefined);
  if (round !== undefined && !isRound(round)) throw usage(`A round is a number, not "${round.slice(0, 40)}".`, 'diff');
  const session = named === undefined ? latestSession(project, 'run') : resolveSession(named, project);
  if (chain !== undefined && round === undefined) throw usage('--chain needs a round: umpire diff <session> 1 --chain L1', 'diff');
  const patch = await patchOf(session, round === undefined ? undefined : Number(round), { brief: isTerminal, chain, repository: project });
  const what = round === undefined ? 'The session' : `Round ${round} of the session`;
  if (patch.length === 0) return { stderr: `${what} ${basename(session)} changed nothing.\n`, exit: 0 };
  // FORCE_COLOR is set for whole CI jobs; a patch in a pipe must still apply. --color always colours it.
  if (!isTerminal && (!isColored || (process.env['FORCE_COLOR'] ?? '') !== '')) return { bytes: patch, exit: 0 };
  return { stdout: colorPage('diff', showHidden(patch.toString('utf8')), isColored), exit: 0 };
}

export async function runApply(
  { session: named, project, yes = false, ...options }: Given<'apply'>,
  output: Output,
): Promise<CommandOutcome> {
  const session = resolveSession(named, project ?? '.');
  if (!(await agreesToNotes(session, yes, output.write))) return { stderr: 'Nothing was applied.\n', exit: 1 };
  const { files, leftOut, unverified, replaced } = await apply(session, options);
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
      : ` Left out, because these new tests fail: ${leftOut.map(plainLine).join(', ')}. Take them too: umpire apply ${plainLine(named)} --with-failing-tests`;
  const stands = 'The files are in your checkout.';
  return {
    stdout: files.map((file) => `${plainLine(file)}\n`).join(''),
    stderr: `${said}${left}${links.join('')}${mark}\n`,
    stands,
    exit: 0,
  };
}

/** A6: says what an approval left to a person. At a terminal they must agree; `isAgreed`: they have. */
async function agreesToNotes(session: string, isAgreed: boolean, write: Output['write']): Promise<boolean> {
  const { state } = readSession(session);
  if (state.run?.ended?.outcome !== 'complete') return true;
  const columns = process.stderr.columns || 80;
  const because = reasonsUnverified(state).flatMap((one) => wrap(`Unverified: ${lineOf(one)}`, '  ', '', columns));
  const lines = [...because, ...noteLines(workNotesIn(state), columns)];
  if (lines.length === 0) return true;
  write(2, `${lines.join('\n')}\n`);
  return isAgreed || !hasTerminal() || askYesNo('Apply it?', write);
}

async function nothingToApply(session: string, isLeftOut: boolean): Promise<string> {
  if (isLeftOut) return 'Nothing was applied.';
  const isEmpty = (await patchOf(session, undefined, { brief: true })).length === 0;
  return `Nothing to apply: ${isEmpty ? `the session ${basename(session)} changed nothing` : 'your checkout has these changes already'}.`;
}

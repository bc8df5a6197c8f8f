// `umpire diff`, `apply` and `clean`: what a session made, shown, brought over, cleared away.

import { basename } from 'node:path';
import { isUmpireError } from '../errors.js';
import { put } from '../formats/keyed-lists.js';
import { apply, clean, patchOf } from '../engine/work.js';
import type { CleanResult } from '../engine/work.js';
import { terminalText } from '../report/foreign-text.js';
import { count, plainLine } from '../report/words.js';
import { findSessions, latestSession, resolveSession } from '../runtime/sessions.js';
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
  const said =
    files.length === 0
      ? 'Nothing to bring over: your checkout holds it already.'
      : `${count(files.length, 'file')} changed in your checkout, not committed.`;
  const links = replaced.map(
    (path) => ` ${plainLine(path)} was a submodule: \`git rm --cached ${plainLine(path)}\` first, or git overlooks its files.`,
  );
  const stands = 'The files are in your checkout all the same.';
  return { stdout: files.map((file) => `${plainLine(file)}\n`).join(''), stderr: `${said}${links.join('')}${mark}\n`, stands, exit: 0 };
}

export async function runClean(args: readonly string[]): Promise<Outcome> {
  const words = read(args, 'clean', 1);
  if (words.switches.has('--help')) return { stdout: RUN_HELP.clean, exit: 0 };
  const project = words.values.get('--project') ?? '.';
  const force = words.switches.has('--force');
  const [named] = words.rest;
  if (named !== undefined) {
    const session = resolveSession(named, project);
    const result = await clean(session, { force });
    return { stderr: `${told(basename(session), result)}\n`, exit: result.ok ? 0 : 1 };
  }
  if (force) throw usage('--force needs the name of one session.', 'clean');
  const lines: string[] = [];
  const kept = new Map<Kept['why'], (Kept & { readonly name: string })[]>();
  for (const { name, path } of findSessions(project)) {
    try {
      const result = await clean(path);
      if (!result.ok) put(kept, result.why, { name, ...result });
      else if (!('nothing' in result)) lines.push(told(name, result));
    } catch (error) {
      // The same for all.
      if (!isUmpireError(error) || error.code === 'config-invalid') throw error;
      // Sessions that others run, or that changed no project, have nothing to clear away.
      if (error.code !== 'not-run' && error.code !== 'no-work') lines.push(`${name}: kept. ${error.message}`);
    }
  }
  for (const [why, all] of kept) lines.push(...all.slice(0, MOST_TOLD).map((one) => told(one.name, one)), ...restOf(why, all));
  return { stderr: lines.length === 0 ? 'There is nothing to clean.\n' : `${lines.join('\n')}\n`, exit: 0 };
}

type Kept = Extract<CleanResult, { ok: false }>;

/** So many that are kept for one reason are told with what to do about it. */
const MOST_TOLD = 10;

const KEPT_WORDS: Readonly<Record<Kept['why'], string>> = {
  open: 'have not ended',
  edited: 'have changes in their worktrees that were never taken up',
  unapplied: 'have work that was not applied',
  unmerged: 'have work that never came into their branch',
};

function restOf(why: Kept['why'], all: readonly { readonly name: string }[]): readonly string[] {
  const rest = all.slice(MOST_TOLD).map(({ name }) => name);
  return rest.length === 0 ? [] : [`${rest.length} more are kept, since they ${KEPT_WORDS[why]}: ${rest.join(', ')}.`];
}

function told(name: string, result: CleanResult): string {
  if ('nothing' in result) return `${name}: there is nothing left to remove.`;
  if (result.ok)
    return `${name}: worktrees and branch removed${result.branch === null ? '' : `, but the branch ${result.branch.name}, which is checked out in ${result.branch.place}`}.`;
  const files = result.files.slice(0, 5).map(plainLine).join(', ');
  switch (result.why) {
    case 'open':
      return `${name}: kept, since it has not ended. End it with \`umpire resolve ${name} abort\`, or go on with \`umpire resume ${name}\`.`;
    case 'edited':
      return `${name}: kept, since its worktree holds changes that were never taken up: ${files}. Remove it all the same with \`umpire clean ${name} --force\`.`;
    case 'unapplied':
      return `${name}: kept, since its work was not applied: ${files}. Bring it over with \`umpire apply ${name}${result.outcome === 'complete' ? '' : ' --force'}\`, or remove it with \`umpire clean ${name} --force\`.${result.unmerged === undefined ? '' : ` Its branch lacks ${lackedBy(result.unmerged)}: that is not brought over.`}`;
    case 'unmerged': {
      const again = result.outcome === 'failed' ? `, or have it done again with \`umpire resume ${name} --retry\`` : '';
      return `${name}: kept, since its branch lacks ${lackedBy(result.unmerged ?? [])}. Take what you want of it${again}; \`umpire clean ${name} --force\` removes it.`;
    }
  }
}

function lackedBy(all: NonNullable<Extract<Kept, { unmerged?: unknown }>['unmerged']>): string {
  const words = all.slice(0, MOST_LACKED).map(({ task, files, place }) => {
    const whose = task === null ? 'a commit of yours' : `the work of ${plainLine(task)}`;
    const where = 'show' in place ? `\`${plainLine(place.show)}\`` : `in ${plainLine(place.folder)}`;
    return `${whose} on ${files.slice(0, 5).map(plainLine).join(', ')} (${where})`;
  });
  return words.join(', ') + (all.length > MOST_LACKED ? ` and ${all.length - MOST_LACKED} more` : '');
}

const MOST_LACKED = 3;

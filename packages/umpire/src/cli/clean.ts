// `umpire clean`: what sessions left beside their folders, cleared away, or kept and named.

import { basename } from 'node:path';
import { isUmpireError } from '@umpire/core/errors.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import { clean, openCleaner } from '../commands/clearing.js';
import type { Cleaner, CleanResult } from '../commands/clearing.js';
import { plainLine } from '../report/words.js';
import { latestFirst, resolveSession } from '../sessions/sessions.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { Outcome } from './outcome.js';
import { RUN_HELP } from './run-help.js';

const FLAGS: FlagKinds = { '--project': 'value', '--force': 'switch', '--help': 'switch' };

export async function runClean(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'clean');
  const [named, extra] = words.rest;
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many.`, 'clean');
  if (words.switches.has('--help')) return { stdout: RUN_HELP.clean, exit: 0 };
  const project = words.values.get('--project') ?? '.';
  const force = words.switches.has('--force');
  if (named !== undefined) return cleanOne(named, project, force);
  if (force) throw usage('--force needs the name of one session.', 'clean');
  const cleaner = openCleaner(project);
  const lines = [...(await cleanAll(cleaner, latestFirst(project))), ...(await cleanOrphans(cleaner))];
  return { stderr: lines.length === 0 ? 'There is nothing to clean.\n' : `${lines.join('\n')}\n`, exit: 0 };
}

async function cleanOne(named: string, project: string, force: boolean): Promise<Outcome> {
  let session: string;
  try {
    session = resolveSession(named, project);
  } catch (error) {
    const orphan = isUmpireError(error) && UNKNOWN.has(error.code) ? await orphanCalled(openCleaner(project), named, force) : null;
    if (orphan === null) throw error;
    return orphan;
  }
  const result = await clean(session, { force });
  return { stderr: `${told(basename(session), result)}\n`, exit: result.ok ? 0 : 1 };
}

const UNKNOWN: ReadonlySet<string> = new Set(['session-unknown', 'session-none']);

async function cleanAll(cleaner: Cleaner, sessions: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const kept = new Map<Kept['why'], (Kept & { readonly name: string })[]>();
  for (const path of sessions) {
    const name = basename(path);
    try {
      const result = await cleaner.clean(path, { isBrief: (kept.get('unapplied')?.length ?? 0) >= MOST_TOLD });
      if (!result.ok) addToList(kept, result.why, { name, ...result });
      else if (!('nothing' in result)) lines.push(told(name, result));
    } catch (error) {
      // The same for all.
      if (!isUmpireError(error) || error.code === 'config-invalid') throw error;
      // Sessions that others run, or that changed no project, have nothing to clear away.
      if (error.code !== 'not-run' && error.code !== 'no-work') lines.push(`${name}: kept. ${error.message}`);
    }
  }
  for (const [why, all] of kept) lines.push(...all.slice(0, MOST_TOLD).map((one) => told(one.name, one)), ...restOf(why, all));
  return lines;
}

/** What is left of sessions whose folder was deleted. */
async function cleanOrphans(cleaner: Cleaner): Promise<readonly string[]> {
  const { left, unclaimed } = await cleaner.orphans();
  const lines: string[] = [];
  for (const place of left) {
    try {
      lines.push(toldOrphan(place.session, await cleaner.cleanOrphan(place, false)));
    } catch (error) {
      if (!isUmpireError(error)) throw error;
      lines.push(`${place.session}: kept. ${error.message}`);
    }
  }
  if (unclaimed.length > 0) lines.push(unclaimedWords(unclaimed));
  return lines;
}

async function orphanCalled(cleaner: Cleaner, name: string, force: boolean): Promise<Outcome | null> {
  const { left, unclaimed } = await cleaner.orphans();
  const place = left.find(({ session }) => session === name) ?? (unclaimed.includes(name) ? await cleaner.placeOf(name) : null);
  if (place === null) return null;
  if (unclaimed.includes(name) && !force) return { stderr: `${unclaimedWords([name])}\n`, exit: 1 };
  const result = await cleaner.cleanOrphan(place, force);
  return { stderr: `${toldOrphan(name, result)}\n`, exit: result.ok ? 0 : 1 };
}

function unclaimedWords(names: readonly string[]): string {
  const branches = names.slice(0, MOST_TOLD).map((name) => `umpire/${name}`);
  const more = names.length > MOST_TOLD ? ` and ${names.length - MOST_TOLD} more` : '';
  return `Branches of no session in this project: ${branches.join(', ')}${more}. Where the folder of such a session was deleted, \`umpire clean ${names[0] ?? ''} --force\` removes its branch, with what was not merged.`;
}

function toldOrphan(name: string, result: CleanResult): string {
  const whose = `${name}, whose session folder is gone`;
  if (result.ok) return told(whose, result);
  const files = result.files.slice(0, 5).map(plainLine).join(', ');
  const remove = `\`umpire clean ${name} --force\` removes it.`;
  if (result.why === 'unapplied')
    return `${whose}: kept, since the branch umpire/${name} holds work that is nowhere else: ${files}. Take it with \`git merge umpire/${name}\`; ${remove}`;
  if (result.why === 'unmerged') return `${whose}: kept, since it left ${lackedBy(result)}. Take what you want of it; ${remove}`;
  return `${whose}: kept, since its worktree holds what is nowhere else: ${files}. Take what you want of it; ${remove}`;
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
      return `${name}: kept, since its work was not applied: ${files}. Bring it over with \`umpire apply ${name}${result.outcome === 'complete' ? '' : ' --force'}\`, or remove it with \`umpire clean ${name} --force\`.${result.unmerged === undefined ? '' : ` Its branch lacks ${lackedBy(result)}: that is not brought over.`}`;
    case 'unmerged': {
      const again = result.outcome === 'failed' ? `, or have it done again with \`umpire resume ${name} --retry\`` : '';
      return `${name}: kept, since its branch lacks ${lackedBy(result)}. Take what you want of it${again}; \`umpire clean ${name} --force\` removes it.`;
    }
  }
}

function lackedBy({ unmerged: all = [] }: Extract<Kept, { unmerged?: unknown }>): string {
  const words = all.slice(0, MOST_LACKED).map(({ task, files, place }) => {
    const whose = task === null ? 'a commit of yours' : `the work of ${plainLine(task)}`;
    const where = 'show' in place ? `\`${plainLine(place.show)}\`` : `in ${plainLine(place.folder)}`;
    return `${whose} on ${files.slice(0, 5).map(plainLine).join(', ')} (${where})`;
  });
  return words.join(', ') + (all.length > MOST_LACKED ? ` and ${all.length - MOST_LACKED} more` : '');
}

const MOST_LACKED = 3;

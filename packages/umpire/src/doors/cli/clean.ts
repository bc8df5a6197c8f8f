// `umpire clean`: removes worktrees and branches of finished sessions, and names those it keeps.

import { basename } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import { clean, openCleaner } from '../../engine/clean.js';
import type { Cleaner, CleanResult } from '../../engine/clean.js';
import { plainLine } from '../../views/safe-text.js';
import { latestFirst, resolveSession } from '../../sessions/find-sessions.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './output.js';
import type { Given } from './commands.js';

export async function runClean({ session: named, project = '.', force = false }: Given<'clean'>): Promise<CommandOutcome> {
  if (named !== undefined) {
    let session: string;
    try {
      session = resolveSession(named, project);
    } catch (error) {
      const orphan = isUmpireError(error) && UNKNOWN.has(error.code) ? await cleanOrphanNamed(openCleaner(project), named, force) : null;
      if (orphan === null) throw error;
      return orphan;
    }
    const result = await clean(session, { force });
    return { stderr: `${resultLine(basename(session), result)}\n`, exit: result.ok ? 0 : 1 };
  }
  if (force) throw usage('--force needs a session: umpire clean <session> --force', 'clean');
  const cleaner = openCleaner(project);
  const lines = [...(await cleanAll(cleaner, latestFirst(project))), ...(await cleanOrphans(cleaner))];
  return { stderr: lines.length === 0 ? 'Nothing to clean.\n' : `${lines.join('\n')}\n`, exit: 0 };
}

const UNKNOWN: ReadonlySet<string> = new Set(['session-unknown', 'session-none']);

async function cleanAll(cleaner: Cleaner, sessions: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const kept = new Map<KeptResult['why'], (KeptResult & { readonly name: string })[]>();
  for (const path of sessions) {
    const name = basename(path);
    try {
      const result = await cleaner.clean(path, { isBrief: (kept.get('unapplied')?.length ?? 0) >= MOST_LISTED });
      if (!result.ok) addToList(kept, result.why, { name, ...result });
      else if (!('nothing' in result)) lines.push(resultLine(name, result));
    } catch (error) {
      // Broken settings stop every session.
      if (!isUmpireError(error) || error.code === 'config-invalid') throw error;
      // Sessions of other programs, or without a workspace, have nothing to remove.
      if (error.code !== 'not-run' && error.code !== 'no-work') lines.push(`${name}: kept. ${error.message}`);
    }
  }
  for (const [why, all] of kept)
    lines.push(...all.slice(0, MOST_LISTED).map((one) => resultLine(one.name, one)), ...describeUnlisted(why, all));
  return lines;
}

/** Worktrees and branches of sessions whose folder was deleted. */
async function cleanOrphans(cleaner: Cleaner): Promise<readonly string[]> {
  const { left, unclaimed } = await cleaner.orphans();
  const lines: string[] = [];
  for (const place of left) {
    try {
      lines.push(orphanLine(place.session, await cleaner.cleanOrphan(place, false)));
    } catch (error) {
      if (!isUmpireError(error)) throw error;
      lines.push(`${place.session}: kept. ${error.message}`);
    }
  }
  if (unclaimed.length > 0) lines.push(unclaimedLine(unclaimed));
  return lines;
}

async function cleanOrphanNamed(cleaner: Cleaner, name: string, force: boolean): Promise<CommandOutcome | null> {
  const { left, unclaimed } = await cleaner.orphans();
  const place = left.find(({ session }) => session === name) ?? (unclaimed.includes(name) ? await cleaner.placeOf(name) : null);
  if (place === null) return null;
  if (unclaimed.includes(name) && !force) return { stderr: `${unclaimedLine([name])}\n`, exit: 1 };
  const result = await cleaner.cleanOrphan(place, force);
  return { stderr: `${orphanLine(name, result)}\n`, exit: result.ok ? 0 : 1 };
}

function unclaimedLine(names: readonly string[]): string {
  const branches = names.slice(0, MOST_LISTED).map((name) => `umpire/${name}`);
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '';
  return `Branches without a session in this project: ${branches.join(', ')}${more}. To remove one with its unmerged work: \`umpire clean ${names[0] ?? ''} --force\``;
}

function orphanLine(name: string, result: CleanResult): string {
  const whose = `${name} (session folder deleted)`;
  if (result.ok) return resultLine(whose, result);
  const files = result.files.slice(0, 5).map(plainLine).join(', ');
  const remove = `To remove it: \`umpire clean ${name} --force\``;
  if (result.why === 'unapplied')
    return `${whose}: kept. Only the branch umpire/${name} has this work: ${files}. To use it: \`git merge umpire/${name}\`. ${remove}`;
  if (result.why === 'unmerged') return `${whose}: kept. Not merged: ${unmergedWork(result)}. ${remove}`;
  return `${whose}: kept. Only its worktree has these changes: ${files}. ${remove}`;
}

type KeptResult = Extract<CleanResult, { ok: false }>;

/** Sessions kept for one reason that are listed with the next step. The others are only named. */
const MOST_LISTED = 10;

const KEPT_REASONS: Readonly<Record<KeptResult['why'], string>> = {
  open: 'not ended',
  edited: 'uncommitted changes in the worktree',
  unapplied: 'work not applied',
  unmerged: 'work not merged',
};

function describeUnlisted(why: KeptResult['why'], all: readonly { readonly name: string }[]): readonly string[] {
  const rest = all.slice(MOST_LISTED).map(({ name }) => name);
  return rest.length === 0 ? [] : [`${rest.length} more kept (${KEPT_REASONS[why]}): ${rest.join(', ')}.`];
}

function resultLine(name: string, result: CleanResult): string {
  if ('nothing' in result) return `${name}: nothing to remove.`;
  if (result.ok)
    return `${name}: worktrees and branch removed${result.branch === null ? '' : `, except the branch ${result.branch.name}: it is checked out in ${result.branch.place}`}.`;
  const files = result.files.slice(0, 5).map(plainLine).join(', ');
  switch (result.why) {
    case 'open':
      return `${name}: kept. It has not ended. Continue it with \`umpire resume ${name}\` or end it with \`umpire resolve ${name} abort\`.`;
    case 'edited':
      return `${name}: kept. Its worktree has uncommitted changes: ${files}. To remove them: \`umpire clean ${name} --force\``;
    case 'unapplied':
      return `${name}: kept. Its work was not applied: ${files}. Apply it with \`umpire apply ${name}${result.outcome === 'complete' ? '' : ' --force'}\` or remove it with \`umpire clean ${name} --force\`.${result.unmerged === undefined ? '' : ` Apply does not include unmerged work: ${unmergedWork(result)}.`}`;
    case 'unmerged': {
      const again = result.outcome === 'failed' ? ` To run it again: \`umpire resume ${name} --retry\`.` : '';
      return `${name}: kept. Not merged: ${unmergedWork(result)}.${again} To remove it: \`umpire clean ${name} --force\``;
    }
  }
}

function unmergedWork({ unmerged: all = [] }: Extract<KeptResult, { unmerged?: unknown }>): string {
  const words = all.slice(0, MOST_UNMERGED).map(({ task, files, place }) => {
    const whose = task === null ? 'your commit' : `work of ${plainLine(task)}`;
    const where = 'show' in place ? `\`${plainLine(place.show)}\`` : `in ${plainLine(place.folder)}`;
    return `${whose} on ${files.slice(0, 5).map(plainLine).join(', ')} (${where})`;
  });
  return words.join(', ') + (all.length > MOST_UNMERGED ? ` and ${all.length - MOST_UNMERGED} more` : '');
}

const MOST_UNMERGED = 3;

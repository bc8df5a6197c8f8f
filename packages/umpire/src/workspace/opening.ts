// The refs of a session when it is opened: made at the person's last commit, or found as an earlier run left them.

import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { askGit, git, tryGit } from './git.js';
import { SHORT_ID } from './names.js';
import { changeRefs, refsOf } from './refs.js';
import type { RefChange } from './refs.js';
import type { SessionPlace, Site } from './site.js';
import { makeSnapshotRepository, recordFolder } from './snapshot.js';
import { findAdmin, worktreeOf } from './worktree.js';

export async function openRefs(site: Site): Promise<{ readonly base: string; readonly head: string }> {
  if (site.repository.kind === 'snapshot') await makeSnapshotRepository(site);
  const names = refsOf(site);
  const found = await readAll(site);
  const known = found.get(names.head) ?? found.get(names.branch);
  const kept = known === undefined ? await recordedWork(site) : null;
  const tip = known ?? kept?.head;
  const base = found.get(names.base) ?? kept?.base ?? (tip === undefined ? await firstCommit(site) : await forkOf(site, tip));
  const head = tip ?? base;
  const wanted: readonly RefChange[] = [
    { ref: names.base, to: base },
    { ref: names.head, to: head },
    // A person may have committed to the branch: that is theirs until it is taken.
    { ref: names.branch, to: found.get(names.branch) ?? head },
  ];
  // One that was not there must not be there now: another session may begin in the same moment.
  await changeRefs(
    site,
    wanted
      .filter(({ ref, to }) => found.get(ref) !== to)
      .map((change) => (found.has(change.ref) ? change : { ...change, from: none(base) })),
  );
  return { base, head };
}

/**
 * Somebody deleted the branch, or the session came here without it: what it had made is in the repository all the same, or it is lost.
 * Null where it had made nothing. A private repository goes with all it holds, and by `clean` alone.
 */
export async function recordedWork({ place, repository, seat, branch }: Site): Promise<SessionPlace['recorded'] | null> {
  const { recorded, session } = place;
  if (recorded === undefined || recorded.base === recorded.head || repository.kind === 'snapshot') return null;
  const { code } = await tryGit(seat, ['rev-parse', '--quiet', '--verify', '--end-of-options', `${recorded.head}^{commit}`]);
  if (code !== 0) throw new UmpireError('work-lost', { session, branch, commit: recorded.head.slice(0, SHORT_ID) });
  return recorded;
}

/** What git takes for no commit at all. */
function none(id: string): string {
  return '0'.repeat(id.length);
}

async function readAll(site: Site): Promise<ReadonlyMap<string, string>> {
  const { branch, base, head } = refsOf(site);
  const out = await git(site.seat, ['for-each-ref', '--format=%(refname) %(objectname) %(worktreepath)', branch, base, head]);
  const lines = out
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^(\S+) (\S+) (.*)$/.exec(line) ?? []);
  const seen = lines.find(([, ref, , place = '']) => ref === branch && place !== '')?.[3];
  if (seen !== undefined && !isOurs(site, seen)) throw new UmpireError('branch-in-use', { branch: site.branch, place: seen });
  return new Map(lines.map(([, ref = '', id = '']) => [ref, id]));
}

/** Also where worktrees of this session lay elsewhere before: the project was moved, or its settings were changed. */
function isOurs(site: Site, place: string): boolean {
  const admin = findAdmin(site, place);
  if (admin !== null && basename(admin) === basename(worktreeOf(site, 'session').admin)) return true;
  try {
    return realpathSync.native(place).startsWith(`${realpathSync.native(site.folder)}/`);
  } catch {
    // A worktree whose folder is gone stands in nobody's way.
    return true;
  }
}

function firstCommit(site: Site): Promise<string> {
  if (site.repository.kind === 'snapshot') return recordFolder(site);
  return askGit(site.repository.checkout, ['rev-parse', '--verify', 'HEAD^{commit}']);
}

/** A branch without a record of where it began: where it left the person's own line. */
export async function forkOf(site: Site, tip: string): Promise<string> {
  const { code, stdout } = await tryGit(site.repository.checkout, ['merge-base', 'HEAD', tip]);
  return code === 0 ? stdout.toString('utf8').trim() : tip;
}

// Opens the refs of a session: creates them at the person's last commit, or finds those of an earlier run.

import { existsSync } from 'node:fs';
import { UmpireError } from '@umpire/core/model/errors.js';
import { askGit, git, tryGit } from './git.js';
import { SHORT_ID } from './git-names.js';
import { changeRefs, refsOf } from './refs.js';
import type { RefChange } from './refs.js';
import type { SessionPlace, SessionGit } from './session-git.js';
import { makeSnapshotRepository, recordFolder } from './snapshot.js';

export async function openRefs(sessionGit: SessionGit): Promise<{ readonly base: string; readonly head: string }> {
  if (sessionGit.repository.kind === 'snapshot') await makeSnapshotRepository(sessionGit);
  const names = refsOf(sessionGit);
  const found = await readSessionRefs(sessionGit);
  const known = found.get(names.head) ?? found.get(names.branch);
  const kept = known === undefined ? await recordedWork(sessionGit) : null;
  const tip = known ?? kept?.head;
  const base = found.get(names.base) ?? kept?.base ?? (tip === undefined ? await firstCommit(sessionGit) : await forkOf(sessionGit, tip));
  const head = tip ?? base;
  const wanted: readonly RefChange[] = [
    { ref: names.base, to: base },
    { ref: names.head, to: head },
    // A person may have committed to the branch; that stays until Umpire takes the edit.
    { ref: names.branch, to: found.get(names.branch) ?? head },
  ];
  // A new ref must not exist: another session may begin at the same moment.
  // Git's id for "no commit".
  await changeRefs(
    sessionGit,
    wanted
      .filter(({ ref, to }) => found.get(ref) !== to)
      .map((change) => (found.has(change.ref) ? change : { ...change, from: '0'.repeat(base.length) })),
  );
  return { base, head };
}

/**
 * The branch was deleted, or the session was copied here without it: its work must still be in the repository, or it is lost. Null where
 * there was no work, or for a private repository, which only `clean` removes.
 */
export async function recordedWork({ place, repository, gitTarget, branch }: SessionGit): Promise<SessionPlace['recorded'] | null> {
  const { recorded, session } = place;
  if (recorded === undefined || recorded.base === recorded.head || repository.kind === 'snapshot') return null;
  const { code } = await tryGit(gitTarget, ['rev-parse', '--quiet', '--verify', '--end-of-options', `${recorded.head}^{commit}`]);
  if (code !== 0) throw new UmpireError('work-lost', { session, branch, commit: recorded.head.slice(0, SHORT_ID) });
  return recorded;
}

async function readSessionRefs(sessionGit: SessionGit): Promise<ReadonlyMap<string, string>> {
  const { branch, base, head } = refsOf(sessionGit);
  const out = await git(sessionGit.gitTarget, ['for-each-ref', '--format=%(refname) %(objectname) %(worktreepath)', branch, base, head]);
  const lines = out
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^(\S+) (\S+) (.*)$/.exec(line) ?? []);
  const seen = lines.find(([, ref, , place = '']) => ref === branch && place !== '')?.[3];
  // A worktree whose folder is gone blocks nothing.
  if (seen !== undefined && existsSync(seen)) throw new UmpireError('branch-in-use', { branch: sessionGit.branch, place: seen });
  return new Map(lines.map(([, ref = '', id = '']) => [ref, id]));
}

function firstCommit(sessionGit: SessionGit): Promise<string> {
  return sessionGit.repository.kind === 'snapshot'
    ? recordFolder(sessionGit)
    : askGit(sessionGit.repository.checkout, ['rev-parse', '--verify', 'HEAD^{commit}']);
}

/** For a branch without a recorded start: where it left the person's branch. */
export async function forkOf(sessionGit: SessionGit, tip: string): Promise<string> {
  const { code, stdout } = await tryGit(sessionGit.repository.checkout, ['merge-base', 'HEAD', tip]);
  return code === 0 ? stdout.toString('utf8').trim() : tip;
}

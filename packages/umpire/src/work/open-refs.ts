// Opens the refs of a session: creates them at the person's last commit, or at one that holds their uncommitted changes, or finds those of an
// earlier run.

import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { UmpireError } from '@umpire/core/model/errors.js';
import { listLines, askGit, git, tryGit, namesInput, nameOf, pathIn, rawNames } from './git.js';
import { changeRefs, refsOf, SHORT_ID } from './session-git.js';
import type { SessionPlace, SessionGit, RefChange } from './session-git.js';
import { join, relative, resolve, sep } from 'node:path';
import { isPythonEnvironment } from '../sessions/python-environment.js';
import { commitTree } from './commits.js';
import type { RawName, GitTarget } from './git.js';
import { escapePattern } from './untracked-files.js';
import { SNAPSHOT } from './repository.js';

/** `begin`: the commit that a new session begins with. Default: the person's last commit. */
export async function openRefs(
  sessionGit: SessionGit,
  begin: string | null = null,
): Promise<{ readonly base: string; readonly head: string }> {
  if (sessionGit.repository.kind === 'snapshot') {
    const { gitDir, checkout } = sessionGit.repository;
    mkdirSync(gitDir, { recursive: true });
    if (!existsSync(join(gitDir, 'HEAD'))) await git({ gitDir }, ['init', '--quiet', '--bare', '--template=']);
    mkdirSync(join(gitDir, 'info'), { recursive: true });
    const own = relative(checkout.workTree, resolve(sessionGit.place.sessionFolder)).split(sep).join('/');
    // Session folders inside the project contain copies of it.
    const environments = readdirSync(checkout.workTree).filter((name) => isPythonEnvironment(join(checkout.workTree, name)));
    const hidden = [
      '.umpire/',
      'node_modules',
      ...environments.map((name) => `/${escapePattern(name)}/`),
      `${SNAPSHOT}/`,
      ...(own === '' || own.startsWith('..') ? [] : [`/${escapePattern(own)}/`]),
    ];
    writeFileSync(join(gitDir, 'info', 'exclude'), `${hidden.join('\n')}\n`);
    // Stores files byte for byte, whatever the folder's attributes say.
    writeFileSync(join(gitDir, 'info', 'attributes'), '* -text -ident -filter -working-tree-encoding\n');
  }
  const names = refsOf(sessionGit);
  const found = await readSessionRefs(sessionGit);
  const known = found.get(names.head) ?? found.get(names.branch);
  const kept = known === undefined ? await recordedWork(sessionGit) : null;
  const tip = known ?? kept?.head;
  const base =
    found.get(names.base) ?? kept?.base ?? (tip === undefined ? (begin ?? (await firstCommit(sessionGit))) : await forkOf(sessionGit, tip));
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
  const asked = ['for-each-ref', '--format=%(refname) %(objectname) %(worktreepath)', branch, base, head];
  const lines = (await listLines(sessionGit.gitTarget, asked)).map((line) => /^(\S+) (\S+) (.*)$/.exec(line) ?? []);
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

// A private repository for a folder without git: records its files as the first commit of a session. It lies in the session folder; nothing
// is written among the folder's own files.

const MAX_FILES = 200_000;
const MAX_BYTES = 4 * 1024 ** 3;
const BYTES_PER_GB = 1024 ** 3;

async function recordFolder(sessionGit: SessionGit): Promise<string> {
  const { checkout } = sessionGit.repository;
  const index = join(checkout.gitDir, 'index');
  rmSync(`${index}.lock`, { force: true });
  rmSync(index, { force: true });
  const names = await listSnapshotFiles(checkout, '');
  checkSize(checkout.workTree, names);
  await git(checkout, ['update-index', '--add', '-z', '--stdin'], { input: namesInput(names) });
  const tree = (await git(checkout, ['write-tree'])).toString('utf8').trim();
  return commitTree(sessionGit, tree, [], 'The files as they were when the session began');
}

/** Every file that is not ignored. An inner repository lists its own files. */
async function listSnapshotFiles(gitTarget: GitTarget & { readonly workTree: string }, prefix: RawName): Promise<readonly RawName[]> {
  const ownRules = join(gitTarget.workTree, '.git', 'info', 'exclude');
  const rules = existsSync(ownRules) ? ['-X', ownRules] : [];
  const listed = rawNames(await git(gitTarget, ['ls-files', '-z', '-o', '--exclude-standard', ...rules]));
  const files = listed.filter((name) => !name.endsWith('/')).map((name) => prefix + name);
  for (const folder of listed.filter((name) => name.endsWith('/')))
    files.push(...(await listSnapshotFiles({ ...gitTarget, workTree: join(gitTarget.workTree, nameOf(folder)) }, prefix + folder)));
  return files;
}

function checkSize(root: string, names: readonly RawName[]): void {
  let bytes = 0;
  for (const name of names) bytes += lstatSync(pathIn(root, name)).size;
  if (names.length <= MAX_FILES && bytes <= MAX_BYTES) return;
  throw new UmpireError('snapshot-too-large', { size: `${names.length} files, ${(bytes / BYTES_PER_GB).toFixed(1)} GB` });
}

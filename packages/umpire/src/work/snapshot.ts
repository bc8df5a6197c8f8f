// A private repository for a folder without git: records its files as the first commit of a session. It lies in the session folder; nothing
// is written among the folder's own files.

import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { isPythonEnvironment } from '../sessions/python-environment.js';
import { commitTree } from './commits.js';
import { git, namesInput, nameOf, pathIn, rawNames } from './git.js';
import type { RawName, GitTarget } from './git.js';
import { escapePattern } from './patterns.js';
import { SNAPSHOT } from './repository.js';
import type { SessionGit } from './session-git.js';

const MAX_FILES = 200_000;
const MAX_BYTES = 4 * 1024 ** 3;
const BYTES_PER_GB = 1024 ** 3;

/** Makes the repository, or finds it. */
export async function makeSnapshotRepository({ repository, place }: SessionGit): Promise<void> {
  const { gitDir, checkout } = repository;
  mkdirSync(gitDir, { recursive: true });
  if (!existsSync(join(gitDir, 'HEAD'))) await git({ gitDir }, ['init', '--quiet', '--bare', '--template=']);
  mkdirSync(join(gitDir, 'info'), { recursive: true });
  const own = relative(checkout.workTree, resolve(place.sessionFolder)).split(sep).join('/');
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

/** Records the folder's files. Returns the commit, which no ref has yet. */
export async function recordFolder(sessionGit: SessionGit): Promise<string> {
  const { checkout } = sessionGit.repository;
  const index = join(checkout.gitDir, 'index');
  rmSync(`${index}.lock`, { force: true });
  rmSync(index, { force: true });
  const names = await listFiles(checkout, '');
  checkSize(checkout.workTree, names);
  await git(checkout, ['update-index', '--add', '-z', '--stdin'], { input: namesInput(names) });
  const tree = (await git(checkout, ['write-tree'])).toString('utf8').trim();
  return commitTree(sessionGit, tree, [], 'The files as they were when the session began');
}

/** Every file that is not ignored. An inner repository lists its own files. */
async function listFiles(gitTarget: GitTarget & { readonly workTree: string }, prefix: RawName): Promise<readonly RawName[]> {
  const ownRules = join(gitTarget.workTree, '.git', 'info', 'exclude');
  const rules = existsSync(ownRules) ? ['-X', ownRules] : [];
  const listed = rawNames(await git(gitTarget, ['ls-files', '-z', '-o', '--exclude-standard', ...rules]));
  const files = listed.filter((name) => !name.endsWith('/')).map((name) => prefix + name);
  for (const folder of listed.filter((name) => name.endsWith('/')))
    files.push(...(await listFiles({ ...gitTarget, workTree: join(gitTarget.workTree, nameOf(folder)) }, prefix + folder)));
  return files;
}

function checkSize(root: string, names: readonly RawName[]): void {
  let bytes = 0;
  for (const name of names) bytes += lstatSync(pathIn(root, name)).size;
  if (names.length <= MAX_FILES && bytes <= MAX_BYTES) return;
  throw new UmpireError('snapshot-too-large', { size: `${names.length} files, ${(bytes / BYTES_PER_GB).toFixed(1)} GB` });
}

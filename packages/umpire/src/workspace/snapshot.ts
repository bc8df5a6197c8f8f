// A private repository for a folder without git: it records the folder's files as the commit that a session begins with. It lies
// in the session folder; the folder's own files are read and nothing is written among them.

import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { isPythonEnvironment } from '../sessions/python-environment.js';
import { commitTree } from './commits.js';
import { git, namesInput, nameOf, pathIn, rawNames } from './git.js';
import type { RawName, Seat } from './git.js';
import { escapePattern } from './patterns.js';
import { SNAPSHOT } from './repository.js';
import type { Site } from './site.js';

const MAX_FILES = 200_000;
const MAX_BYTES = 4 * 1024 ** 3;
const BATCH = 1024 ** 3;

/** Makes the repository, or finds it. */
export async function makeSnapshotRepository({ repository, place }: Site): Promise<void> {
  const { gitDir, checkout } = repository;
  mkdirSync(gitDir, { recursive: true });
  if (!existsSync(join(gitDir, 'HEAD'))) await git({ gitDir }, ['init', '--quiet', '--bare', '--template=']);
  mkdirSync(join(gitDir, 'info'), { recursive: true });
  const own = relative(checkout.workTree, resolve(place.sessionFolder)).split(sep).join('/');
  // Of other sessions that lie in the folder, their copies of it.
  const environments = readdirSync(checkout.workTree).filter((name) => isPythonEnvironment(join(checkout.workTree, name)));
  const hidden = [
    '.umpire/',
    'node_modules',
    ...environments.map((name) => `/${escapePattern(name)}/`),
    `${SNAPSHOT}/`,
    ...(own === '' || own.startsWith('..') ? [] : [`/${escapePattern(own)}/`]),
  ];
  writeFileSync(join(gitDir, 'info', 'exclude'), `${hidden.join('\n')}\n`);
  // Files are kept as they are, byte for byte, whatever attributes the folder's own files ask for.
  writeFileSync(join(gitDir, 'info', 'attributes'), '* -text -ident -filter -working-tree-encoding\n');
}

/** Records the folder's files. Its answer is the commit; nothing points to it yet. */
export async function recordFolder(site: Site): Promise<string> {
  const { checkout } = site.repository;
  const index = join(checkout.gitDir, 'index');
  rmSync(`${index}.lock`, { force: true });
  rmSync(index, { force: true });
  const names = await filesOf(checkout, '');
  checkSize(checkout.workTree, names);
  await git(checkout, ['update-index', '--add', '-z', '--stdin'], { input: namesInput(names) });
  const tree = (await git(checkout, ['write-tree'])).toString('utf8').trim();
  return commitTree(site, tree, [], 'The files as they were when the session began');
}

/** Every file that is not ignored. A folder that is a repository of its own is listed by that one. */
async function filesOf(seat: Seat & { readonly workTree: string }, prefix: RawName): Promise<readonly RawName[]> {
  const ownRules = join(seat.workTree, '.git', 'info', 'exclude');
  const rules = existsSync(ownRules) ? ['-X', ownRules] : [];
  const listed = rawNames(await git(seat, ['ls-files', '-z', '-o', '--exclude-standard', ...rules]));
  const files = listed.filter((name) => !name.endsWith('/')).map((name) => prefix + name);
  for (const folder of listed.filter((name) => name.endsWith('/')))
    files.push(...(await filesOf({ ...seat, workTree: join(seat.workTree, nameOf(folder)) }, prefix + folder)));
  return files;
}

function checkSize(root: string, names: readonly RawName[]): void {
  let bytes = 0;
  for (const name of names) bytes += lstatSync(pathIn(root, name)).size;
  if (names.length <= MAX_FILES && bytes <= MAX_BYTES) return;
  throw new UmpireError('snapshot-too-large', { size: `${names.length} files, ${(bytes / BATCH).toFixed(1)} GB` });
}

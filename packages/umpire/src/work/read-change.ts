// Reads the change that the guard checks from git: the files that differ between two trees, or between a tree and the disk, with both
// versions. Also finds the commit to compare with. Needs few git processes for any number of files.

import { isUtf8 } from 'node:buffer';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { FileChange } from '@umpire/guard/change.js';
import { isCode } from '@umpire/guard/syntax/nodes.js';
import { lstatOf } from '../sessions/file-system.js';
import { copyIndex, git, quoteGitLine, namesInput, nameOf, pathIn, rawNames, tryGit, runGitSync } from './git.js';
import type { RawName, GitTarget } from './git.js';
import { projectNames, SHORT_ID } from './session-git.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { findRepository } from './repository.js';
import type { Repository } from './repository.js';
import { makeScratch } from '../sessions/session-folder.js';

/** Larger files are not tests that a person wrote. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

export interface Blob {
  readonly mode: string;
  /** Zeros where it is only on disk. */
  readonly id: string;
}

export interface ChangedFile extends FileChange {
  readonly name: RawName;
  readonly nameBefore: RawName;
  readonly old: Blob | null;
  readonly new: Blob | null;
  /** The file on disk has CR LF line ends and the one in git has not; `after` has none. */
  readonly isCrlf: boolean;
}

export interface ReadChange {
  readonly files: readonly ChangedFile[];
  /** Code files that could not be read and so were not checked. */
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

export interface ChangePlace {
  readonly gitTarget: GitTarget;
  /** The project's folder in the repository; names are relative to it. */
  readonly prefix: string;
  readonly base: string;
  /** A commit or a tree; null: the files on disk, including untracked ones that are not ignored. */
  readonly to: string | null;
  /** Read the whole repository, also where the project is a subfolder. */
  readonly whole?: boolean;
}

export async function readChange(place: ChangePlace): Promise<ReadChange> {
  const { gitTarget, prefix, whole, base, to } = place;
  const shape = { prefix, ...(whole === undefined ? {} : { whole }), command: OF_TREES };
  const differences =
    to === null ? await addModules(place, await readDiskDifferences(place)) : await listDifferences(gitTarget, [base, to], shape);
  const wanted = differences.filter(({ name }) => !nameOf(name).startsWith('.umpire/'));
  const texts = await readBlobs(
    place.gitTarget,
    wanted.flatMap(({ old, new: now }) =>
      [old, now].filter((blob) => blob !== null && isPlainFile(blob) && !isNone(blob.id)),
    ) as readonly Blob[],
  );
  const files: ChangedFile[] = [];
  const problems: { file: string; message: string }[] = [];
  for (const difference of wanted) {
    const { file, unread } = versions(place, difference, texts);
    if (file.before !== file.after || file.renamedFrom !== undefined) files.push(file);
    if (unread !== null && isCode(file.path)) problems.push({ file: file.path, message: `not checked: ${unread}` });
  }
  return { files, problems };
}

interface FileDifference {
  readonly old: Blob | null;
  readonly new: Blob | null;
  readonly name: RawName;
  readonly nameBefore: RawName;
}

/** Adds untracked files to a copy of the index, so that git detects renames. */
async function readDiskDifferences(place: ChangePlace): Promise<readonly FileDifference[]> {
  const { gitTarget, prefix, whole } = place;
  const within = prefix === '' || whole === true ? [] : ['--', prefix];
  const args = ['ls-files', '-z', '-v', '--cached', '--others', '--exclude-standard', '--full-name', ...within];
  const tagged = rawNames(await git(gitTarget, args));
  const withTag = (tag: RegExp): readonly RawName[] => tagged.filter((one) => tag.test(one)).map((one) => one.slice(2));
  const added = withTag(/^\?/).filter((name) => !name.endsWith('/') && !nameOf(name).startsWith('.umpire/'));
  const hidden = [...withTag(/^[a-z]/), ...(await unskipped(gitTarget, withTag(/^S/)))];
  const index = join(gitTarget.gitDir, 'index');
  if ((added.length === 0 && hidden.length === 0) || !existsSync(index)) return listDifferences(gitTarget, [place.base], place);
  const folder = makeScratch('guard');
  try {
    const copy = { ...gitTarget, index: join(folder, 'index') };
    copyIndex(index, copy.index);
    for (const flag of hidden.length === 0 ? [] : ['--no-assume-unchanged', '--no-skip-worktree'])
      await tryGit(copy, ['update-index', flag, '-z', '--stdin'], { input: namesInput(hidden) });
    const add = ['add', '--intent-to-add', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'];
    if (added.length > 0) await tryGit(copy, add, { input: namesInput(added), env: { GIT_LITERAL_PATHSPECS: '1' } });
    return await listDifferences(copy, [place.base], place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MODULE = /^160000 (\S+) 0\t(.+)$/s;

async function addModules({ gitTarget, prefix, whole }: ChangePlace, found: readonly FileDifference[]): Promise<readonly FileDifference[]> {
  const within = prefix === '' || whole === true ? [] : ['--', prefix];
  const known = new Set(found.map(({ name }) => name));
  const added: FileDifference[] = [];
  for (const entry of rawNames(await git(gitTarget, ['ls-files', '-z', '-s', '--full-name', ...within]))) {
    const [, id = '', name = ''] = MODULE.exec(entry) ?? [];
    if (name === '' || known.has(name) || !(await isModuleChanged(join(gitTarget.workTree ?? '.', nameOf(name))))) continue;
    added.push({ old: { mode: '160000', id }, new: { mode: '160000', id: '0'.repeat(id.length) }, name, nameBefore: name });
  }
  return [...found, ...added];
}

/** Compares the files of a submodule with its commit, in a scratch repository with its objects: its own settings may name programs. */
async function isModuleChanged(folder: string): Promise<boolean> {
  if (!existsSync(join(folder, '.git'))) return false;
  const asked = ['rev-parse', '--path-format=absolute', '--git-path', 'objects', '--git-path', 'index', '--verify', '--quiet', 'HEAD'];
  const { code, stdout } = runGitSync(folder, asked);
  const [objects = '', index = '', head = ''] = stdout.toString('utf8').split('\n');
  if (code !== 0 || !existsSync(index)) return false;
  const gitDir = makeScratch('module');
  try {
    for (const path of ['refs', 'objects/info']) mkdirSync(join(gitDir, path), { recursive: true });
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(join(gitDir, 'objects/info/alternates'), `${quoteGitLine(objects)}\n`);
    copyIndex(index, join(gitDir, 'index'));
    const compared = ['diff-index', '--quiet', '--ignore-submodules=dirty', head, '--'];
    return (await tryGit({ gitDir, workTree: folder }, compared)).code === 1;
  } finally {
    rmSync(gitDir, { recursive: true, force: true });
  }
}

/** Files that git skips. In a sparse checkout, missing ones are no change. */
async function unskipped(gitTarget: GitTarget, names: readonly RawName[]): Promise<readonly RawName[]> {
  const sparse =
    names.length > 0 && (await tryGit(gitTarget, ['config', '--bool', 'core.sparseCheckout'])).stdout.toString('utf8').trim() === 'true';
  if (!sparse) return names;
  const root = gitTarget.workTree ?? gitTarget.gitDir;
  return names.filter((name) => lstatOf(pathIn(root, name)) !== undefined);
}

interface DiffScope {
  readonly prefix: string;
  readonly whole?: boolean;
  /** For two trees; default: the files on disk. */
  readonly command?: readonly string[];
}

const OF_TREES = ['diff-tree', '-r'];

async function listDifferences(
  gitTarget: GitTarget,
  trees: readonly string[],
  { prefix, whole, command = ['diff'] }: DiffScope,
): Promise<readonly FileDifference[]> {
  const within = prefix === '' || whole === true ? [] : [prefix];
  // Git would look for changes inside a submodule with the submodule's own settings.
  const shape = ['--raw', '-z', '--no-abbrev', '--find-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'];
  const parts = (await git(gitTarget, [...command, ...shape, ...trees, '--', ...within])).toString('latin1').split('\0');
  const found: FileDifference[] = [];
  for (let at = 0; at + 1 < parts.length;) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = (parts[at++] ?? '').replace(/^:/, '').split(' ');
    const nameBefore = parts[at++] ?? '';
    const name = /^[RC]/.test(status) ? (parts[at++] ?? '') : nameBefore;
    const blob = (mode: string, id: string): Blob | null => (/^0+$/.test(mode) ? null : { mode, id });
    // For files on disk the index may have an older version, or none.
    const now = command === OF_TREES ? newId : '0'.repeat(newId.length);
    found.push({ old: status.startsWith('C') ? null : blob(oldMode, oldId), new: blob(newMode, now), name, nameBefore });
  }
  return found;
}

function isNone(id: string): boolean {
  return /^0+$/.test(id);
}

function isPlainFile({ mode }: Blob): boolean {
  return mode.startsWith('100');
}

/** The bytes of a version, or why there are none. */
type Content = Buffer | 'large' | 'link';

/** By id; large ones are detected without reading them. */
async function readBlobs(gitTarget: GitTarget, blobs: readonly Blob[]): Promise<ReadonlyMap<string, Content>> {
  const ids = [...new Set(blobs.map(({ id }) => id))];
  const found = new Map<string, Content>();
  if (ids.length === 0) return found;
  const sizes = (await git(gitTarget, ['cat-file', '--batch-check'], { input: `${ids.join('\n')}\n` }))
    .toString('latin1')
    .trimEnd()
    .split('\n');
  const small: string[] = [];
  for (const line of sizes) {
    const [id = '', , size = ''] = line.split(' ');
    if (Number(size) <= MAX_FILE_BYTES) small.push(id);
    else found.set(id, 'large');
  }
  if (small.length === 0) return found;
  const out = await git(gitTarget, ['cat-file', '--batch'], { input: `${small.join('\n')}\n` });
  for (let at = 0; at < out.length;) {
    const end = out.indexOf(10, at);
    const [id = '', , size = ''] = out.toString('latin1', at, end).split(' ');
    const length = Number(size);
    if (!Number.isInteger(length)) break;
    found.set(id, out.subarray(end + 1, end + 1 + length));
    at = end + 1 + length + 1;
  }
  return found;
}

function versions(
  { gitTarget, prefix }: ChangePlace,
  difference: FileDifference,
  blobs: ReadonlyMap<string, Content>,
): { readonly file: ChangedFile; readonly unread: string | null } {
  const { old, new: now, name, nameBefore } = difference;
  const [path = '', pathBefore = ''] = projectNames([name, nameBefore], prefix);
  const root = gitTarget.workTree ?? gitTarget.gitDir;
  const [one, two] = [showVersion(contentOf(old, nameBefore, blobs, root), old), showVersion(contentOf(now, name, blobs, root), now)];
  const [before, after] = [one.text, two.text];
  // Only on disk: git stores the file with plain line ends.
  const isCrlf = now !== null && isNone(now.id) && before !== null && after !== null && !before.includes('\r') && after.includes('\r\n');
  const file = {
    path,
    before,
    after: isCrlf ? after.replaceAll('\r\n', '\n') : after,
    ...(path === pathBefore ? {} : { renamedFrom: pathBefore }),
    ...(two.unread === null ? {} : { unread: two.unread }),
    name,
    nameBefore,
    old,
    new: now,
    isCrlf,
  };
  return { file, unread: two.unread ?? one.unread };
}

function contentOf(blob: Blob | null, name: RawName, blobs: ReadonlyMap<string, Content>, root: string): Content | null {
  if (blob === null) return null;
  if (!isPlainFile(blob)) return 'link';
  return isNone(blob.id) ? fileOnDisk(pathIn(root, name)) : (blobs.get(blob.id) ?? 'large');
}

function fileOnDisk(path: Buffer): Content | null {
  try {
    const stat = lstatSync(path);
    if (!stat.isFile()) return 'link';
    return stat.size > MAX_FILE_BYTES ? 'large' : readFileSync(path);
  } catch {
    return null;
  }
}

/** An unreadable version gets a placeholder text, so that the change is still seen. */
function showVersion(content: Content | null, blob: Blob | null): { readonly text: string | null; readonly unread: string | null } {
  if (content === null) return { text: null, unread: null };
  const unread = unreadWhy(content);
  if (unread !== null) return { text: `(${unread}, ${blob?.id ?? ''} ${blob?.mode ?? ''})`, unread };
  return { text: content.toString('utf8'), unread };
}

function unreadWhy(content: Content): string | null {
  if (content === 'large') return `it is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`;
  if (content === 'link') return 'it is a link or a submodule';
  return content.subarray(0, 8000).includes(0) || !isUtf8(content) ? 'it is not UTF-8 text' : null;
}

export async function readFromTree(
  { gitTarget, prefix, tree }: { gitTarget: GitTarget; prefix: string; tree: string },
  path: string,
): Promise<string | null> {
  const { code, stdout } = await tryGit(gitTarget, ['cat-file', 'blob', `${tree}:${prefix === '' ? '' : `${prefix}/`}${path}`]);
  return code === 0 ? stdout.toString('utf8') : null;
}

/** Where to find unchanged files. Plain data, so that another thread can use it. */
export interface UnchangedFiles {
  readonly folder: string;
  /** Files that differ on disk; null: does not exist. */
  readonly texts: ReadonlyMap<string, string | null>;
}

export function filesOnDisk(folder: string): UnchangedFiles {
  return { folder, texts: new Map() };
}

/** For a staged change: the versions in the index; untracked files do not exist. */
export async function filesStaged(gitTarget: GitTarget, prefix: string, folder: string): Promise<UnchangedFiles> {
  const within = prefix === '' ? [] : ['--', prefix];
  const edited = await listDifferences(gitTarget, [], { prefix, command: ['diff-files'] });
  const unknown = rawNames(await git(gitTarget, ['ls-files', '-z', '--others', '--exclude-standard', '--full-name', ...within]));
  const blobs = edited.flatMap(({ old }) => (old !== null && isPlainFile(old) && !isNone(old.id) ? [old] : []));
  const contents = await readBlobs(gitTarget, blobs);
  const texts = new Map<string, string | null>();
  for (const name of unknown) texts.set(projectNames([name], prefix)[0] ?? '', null);
  for (const { old, nameBefore } of edited) {
    const content = old === null ? undefined : contents.get(old.id);
    texts.set(projectNames([nameBefore], prefix)[0] ?? '', Buffer.isBuffer(content) ? content.toString('utf8') : null);
  }
  return { folder, texts };
}

/** Null for a missing or unreadable file. Most requested files do not exist, which one listing of their folder tells for all. */
export function createFileReader({ folder, texts }: UnchangedFiles): (path: string) => string | null {
  const listings = new Map<string, ReadonlyMap<string, Dirent> | null>();
  const listing = (within: string): ReadonlyMap<string, Dirent> | null => {
    const known = listings.get(within);
    if (known !== undefined) return known;
    const entry = within === '' ? undefined : listing(parentOf(within))?.get(lastPart(within));
    const found =
      within === '' || entry?.isDirectory() === true || entry?.isSymbolicLink() === true ? entriesOf(join(folder, within)) : null;
    listings.set(within, found);
    return found;
  };
  return (path) => {
    if (texts.has(path)) return texts.get(path) ?? null;
    if (listing(parentOf(path))?.get(lastPart(path))?.isFile() !== true) return null;
    const place = join(folder, path);
    try {
      return statSync(place).size <= MAX_FILE_BYTES ? readFileSync(place, 'utf8') : null;
    } catch {
      return null;
    }
  };
}

/** By name; null where it is not a readable folder. */
function entriesOf(folder: string): ReadonlyMap<string, Dirent> | null {
  try {
    return new Map(readdirSync(folder, { withFileTypes: true }).map((entry) => [entry.name, entry]));
  } catch {
    return null;
  }
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Branches that changes usually go to. */
const TRUNKS = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];

export interface ChangeBase {
  readonly repository: Repository;
  readonly base: string;
  /** For people: `HEAD`, `the fork from main`. */
  readonly words: string;
  /** Nothing changed, and there is no earlier commit. */
  readonly first: boolean;
}

export function findBase(project: string, asked: string | null): ChangeBase {
  const repository = findRepository(project, project, 'git');
  if (repository.kind !== 'git') throw new UmpireError('guard-no-git', { path: project });
  const tryAsk = (...args: readonly string[]): string | null => {
    const { code, stdout } = runGitSync(project, args);
    return code === 0 ? stdout.toString('utf8').trim() : null;
  };
  const findCommit = (name: string) => tryAsk('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  if (asked !== null) {
    const base = findCommit(asked);
    if (base === null) throw new UmpireError('guard-base-unknown', { name: asked.slice(0, 80) });
    return { repository, base, words: asked === base ? base.slice(0, SHORT_ID) : asked, first: false };
  }
  const head = findCommit('HEAD');
  if (head === null) throw new UmpireError('guard-no-commit', {});
  // The first difference is enough; a whole status would check every file.
  if (
    tryAsk('diff', '--quiet', '--no-ext-diff', 'HEAD', '--', '.') === null ||
    tryAsk('status', '--porcelain', '--untracked-files=normal', '--', '.') !== ''
  )
    return { repository, base: head, words: 'HEAD', first: false };
  for (const trunk of TRUNKS) {
    const commit = findCommit(trunk);
    const fork: string | null = commit === null || commit === head ? null : tryAsk('merge-base', commit, head);
    if (fork !== null && fork !== head) return { repository, base: fork, words: `the fork from ${trunk}`, first: false };
  }
  const parent = findCommit('HEAD~1');
  return { repository, base: parent ?? head, words: parent === null ? 'HEAD' : 'HEAD~1', first: parent === null };
}

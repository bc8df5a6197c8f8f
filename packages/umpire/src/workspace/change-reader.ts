// The change that the guard looks at, read from git: which files differ between two trees, or between one and the files on disk,
// and both versions of each. All of them in a handful of git processes, however many files there are.

import { isUtf8 } from 'node:buffer';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { FileChange } from '@umpire/guard/change.js';
import { isCode } from '@umpire/guard/paths.js';
import { lstatOf } from '../sessions/entry.js';
import { makeScratch } from '../sessions/scratch.js';
import { copyIndex, git, namesInput, nameOf, pathIn, rawNames, tryGit } from './git.js';
import type { RawName, Seat } from './git.js';
import { projectNames } from './names.js';

/** Longer files are no tests that a person wrote. */
const LONGEST_FILE = 2 * 1024 * 1024;

/** One side of a changed file, as git has it. */
export interface Blob {
  readonly mode: string;
  /** Zeros where it lies on disk only. */
  readonly id: string;
}

/** A changed file with what it takes to put it back. */
export interface ChangedFile extends FileChange {
  readonly name: RawName;
  readonly nameBefore: RawName;
  readonly old: Blob | null;
  readonly new: Blob | null;
  /** On disk lines end in CR LF, and in git they do not: `after` is without. */
  readonly isCrlf: boolean;
}

export interface ReadChange {
  readonly files: readonly ChangedFile[];
  /** Code that could not be read, and so was not looked at. */
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

export interface ChangePlace {
  readonly seat: Seat;
  /** The project's folder in the repository; names are told from there. */
  readonly prefix: string;
  readonly base: string;
  /** A commit or a tree; null: the files on disk, those included that git does not know and does not ignore. */
  readonly to: string | null;
  /** Look at the whole repository, also where the project is a folder of it. */
  readonly whole?: boolean;
}

export async function readChange(place: ChangePlace): Promise<ReadChange> {
  const { seat, prefix, whole, base, to } = place;
  const shape = { prefix, ...(whole === undefined ? {} : { whole }), command: OF_TREES };
  const differences = to === null ? await onDisk(place) : await listed(seat, [base, to], shape);
  const wanted = differences.filter(({ name }) => !nameOf(name).startsWith('.umpire/'));
  const texts = await readBlobs(
    place.seat,
    wanted.flatMap(({ old, new: now }) =>
      [old, now].filter((blob) => blob !== null && isFile(blob) && !isNone(blob.id)),
    ) as readonly Blob[],
  );
  const files: ChangedFile[] = [];
  const problems: { file: string; message: string }[] = [];
  for (const difference of wanted) {
    const { file, unread } = versions(place, difference, texts);
    if (file.before !== file.after || file.renamedFrom !== undefined) files.push(file);
    if (unread !== null && isCode(file.path)) problems.push({ file: file.path, message: `it was not looked at: ${unread}` });
  }
  return { files, problems };
}

interface Difference {
  readonly old: Blob | null;
  readonly new: Blob | null;
  readonly name: RawName;
  readonly nameBefore: RawName;
}

/** Files that git does not know are entered into a copy of the index: so a file that was moved is seen as moved. */
async function onDisk(place: ChangePlace): Promise<readonly Difference[]> {
  const { seat, prefix, whole } = place;
  const within = prefix === '' || whole === true ? [] : ['--', prefix];
  const args = ['ls-files', '-z', '-v', '--cached', '--others', '--exclude-standard', '--full-name', ...within];
  const tagged = rawNames(await git(seat, args));
  const named = (tag: RegExp): readonly RawName[] => tagged.filter((one) => tag.test(one)).map((one) => one.slice(2));
  const added = named(/^\?/).filter((name) => !name.endsWith('/') && !nameOf(name).startsWith('.umpire/'));
  const hidden = [...named(/^[a-z]/), ...(await unskipped(seat, named(/^S/)))];
  const index = join(seat.gitDir, 'index');
  if ((added.length === 0 && hidden.length === 0) || !existsSync(index)) return listed(seat, [place.base], place);
  const folder = makeScratch('guard');
  try {
    const copy = { ...seat, index: join(folder, 'index') };
    copyIndex(index, copy.index);
    for (const flag of hidden.length === 0 ? [] : ['--no-assume-unchanged', '--no-skip-worktree'])
      await tryGit(copy, ['update-index', flag, '-z', '--stdin'], { input: namesInput(hidden) });
    const add = ['add', '--intent-to-add', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'];
    if (added.length > 0) await tryGit(copy, add, { input: namesInput(added), env: { GIT_LITERAL_PATHSPECS: '1' } });
    return await listed(copy, [place.base], place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Files that git was told to look away from. Of a sparse checkout those that are not there are no change. */
async function unskipped(seat: Seat, names: readonly RawName[]): Promise<readonly RawName[]> {
  const sparse =
    names.length > 0 && (await tryGit(seat, ['config', '--bool', 'core.sparseCheckout'])).stdout.toString('utf8').trim() === 'true';
  if (!sparse) return names;
  const root = seat.workTree ?? seat.gitDir;
  return names.filter((name) => lstatOf(pathIn(root, name)) !== undefined);
}

interface Listing {
  readonly prefix: string;
  readonly whole?: boolean;
  /** Of two trees; left out: of the files on disk. */
  readonly command?: readonly string[];
}

const OF_TREES = ['diff-tree', '-r'];

async function listed(
  seat: Seat,
  trees: readonly string[],
  { prefix, whole, command = ['diff'] }: Listing,
): Promise<readonly Difference[]> {
  const within = prefix === '' || whole === true ? [] : [prefix];
  const shape = ['--raw', '-z', '--no-abbrev', '--find-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules=untracked'];
  const parts = (await git(seat, [...command, ...shape, ...trees, '--', ...within])).toString('latin1').split('\0');
  const found: Difference[] = [];
  for (let at = 0; at + 1 < parts.length;) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = (parts[at++] ?? '').replace(/^:/, '').split(' ');
    const nameBefore = parts[at++] ?? '';
    const name = /^[RC]/.test(status) ? (parts[at++] ?? '') : nameBefore;
    const blob = (mode: string, id: string): Blob | null => (/^0+$/.test(mode) ? null : { mode, id });
    // Of files on disk the index may know an older version, or none.
    const now = command === OF_TREES ? newId : '0'.repeat(newId.length);
    found.push({ old: status.startsWith('C') ? null : blob(oldMode, oldId), new: blob(newMode, now), name, nameBefore });
  }
  return found;
}

function isNone(id: string): boolean {
  return /^0+$/.test(id);
}

function isFile({ mode }: Blob): boolean {
  return mode.startsWith('100');
}

/** What a version holds: its bytes, or why there are none to read. */
type Content = Buffer | 'large' | 'link';

/** By id; those that are too large are told apart without being read. */
async function readBlobs(seat: Seat, blobs: readonly Blob[]): Promise<ReadonlyMap<string, Content>> {
  const ids = [...new Set(blobs.map(({ id }) => id))];
  const found = new Map<string, Content>();
  if (ids.length === 0) return found;
  const sizes = (await git(seat, ['cat-file', '--batch-check'], { input: `${ids.join('\n')}\n` })).toString('latin1').trimEnd().split('\n');
  const small: string[] = [];
  for (const line of sizes) {
    const [id = '', , size = ''] = line.split(' ');
    if (Number(size) <= LONGEST_FILE) small.push(id);
    else found.set(id, 'large');
  }
  if (small.length === 0) return found;
  const out = await git(seat, ['cat-file', '--batch'], { input: `${small.join('\n')}\n` });
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
  { seat, prefix }: ChangePlace,
  difference: Difference,
  blobs: ReadonlyMap<string, Content>,
): { readonly file: ChangedFile; readonly unread: string | null } {
  const { old, new: now, name, nameBefore } = difference;
  const [path = '', pathBefore = ''] = projectNames([name, nameBefore], prefix);
  const root = seat.workTree ?? seat.gitDir;
  const [one, two] = [textOf(contentOf(old, nameBefore, blobs, root), old), textOf(contentOf(now, name, blobs, root), now)];
  const [before, after] = [one.text, two.text];
  // Only on disk: git keeps the file with plain ends.
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
  if (!isFile(blob)) return 'link';
  return isNone(blob.id) ? fileOnDisk(pathIn(root, name)) : (blobs.get(blob.id) ?? 'large');
}

function fileOnDisk(path: Buffer): Content | null {
  try {
    const stat = lstatSync(path);
    if (!stat.isFile()) return 'link';
    return stat.size > LONGEST_FILE ? 'large' : readFileSync(path);
  } catch {
    return null;
  }
}

/** What cannot be read is told by a text that is its own and no code: that it changed is still seen. */
function textOf(content: Content | null, blob: Blob | null): { readonly text: string | null; readonly unread: string | null } {
  if (content === null) return { text: null, unread: null };
  const unread = unreadWhy(content);
  if (unread !== null) return { text: `(${unread}, ${blob?.id ?? ''} ${blob?.mode ?? ''})`, unread };
  return { text: content.toString('utf8'), unread };
}

function unreadWhy(content: Content): string | null {
  if (content === 'large') return `it is larger than ${LONGEST_FILE / 1024 / 1024} MB`;
  if (content === 'link') return 'it is a link or a submodule';
  return content.subarray(0, 8000).includes(0) || !isUtf8(content) ? 'it is not UTF-8 text' : null;
}

/** One file of a tree; null where it is not there. */
export async function textIn({ seat, prefix, tree }: { seat: Seat; prefix: string; tree: string }, path: string): Promise<string | null> {
  const { code, stdout } = await tryGit(seat, ['cat-file', 'blob', `${tree}:${prefix === '' ? '' : `${prefix}/`}${path}`]);
  return code === 0 ? stdout.toString('utf8') : null;
}

/** Where files lie that the change does not touch. Plain data, for whoever reads them beside this thread. */
export interface SameFiles {
  readonly folder: string;
  /** Of files that are otherwise on disk; null: not there. */
  readonly texts: ReadonlyMap<string, string | null>;
}

/** On disk they are as they were. */
export function onDiskIn(folder: string): SameFiles {
  return { folder, texts: new Map() };
}

/** For what is staged: as the index has them; those that git does not know are not there. */
export async function stagedIn(seat: Seat, prefix: string, folder: string): Promise<SameFiles> {
  const within = prefix === '' ? [] : ['--', prefix];
  const edited = await listed(seat, [], { prefix, command: ['diff-files'] });
  const unknown = rawNames(await git(seat, ['ls-files', '-z', '--others', '--exclude-standard', '--full-name', ...within]));
  const blobs = edited.flatMap(({ old }) => (old !== null && isFile(old) && !isNone(old.id) ? [old] : []));
  const contents = await readBlobs(seat, blobs);
  const texts = new Map<string, string | null>();
  for (const name of unknown) texts.set(projectNames([name], prefix)[0] ?? '', null);
  for (const { old, nameBefore } of edited) {
    const content = old === null ? undefined : contents.get(old.id);
    texts.set(projectNames([nameBefore], prefix)[0] ?? '', Buffer.isBuffer(content) ? content.toString('utf8') : null);
  }
  return { folder, texts };
}

/** Null where there is no such file, or none that can be read. Most that are asked for are not there, which their folder tells for all. */
export function readerOf({ folder, texts }: SameFiles): (path: string) => string | null {
  const listings = new Map<string, ReadonlyMap<string, Dirent> | null>();
  const listing = (within: string): ReadonlyMap<string, Dirent> | null => {
    const known = listings.get(within);
    if (known !== undefined) return known;
    const found = within === '' || isFolder(within) ? entriesOf(join(folder, within)) : null;
    listings.set(within, found);
    return found;
  };
  const isFolder = (path: string): boolean => {
    const entry = listing(folderOf(path))?.get(nameIn(path));
    return entry?.isDirectory() === true || entry?.isSymbolicLink() === true;
  };
  return (path) => {
    if (texts.has(path)) return texts.get(path) ?? null;
    if (listing(folderOf(path))?.get(nameIn(path))?.isFile() !== true) return null;
    const place = join(folder, path);
    try {
      return statSync(place).size <= LONGEST_FILE ? readFileSync(place, 'utf8') : null;
    } catch {
      return null;
    }
  };
}

/** By name; null where it is no folder, or cannot be read. */
function entriesOf(folder: string): ReadonlyMap<string, Dirent> | null {
  try {
    return new Map(readdirSync(folder, { withFileTypes: true }).map((entry) => [entry.name, entry]));
  } catch {
    return null;
  }
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

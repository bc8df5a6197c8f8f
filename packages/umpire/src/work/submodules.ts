// Submodules in a task's work. A commit made in one lies in a clone in the worktree's repository, so the clone is kept; uncommitted changes
// in one are lost, so the person gets a note.

import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf, makeScratch } from '../sessions/session-folder.js';
import type { TreeDifference } from './commits.js';
import { runGitSync, nameOf, pathIn, rawNames, tryGit, git, namesInput } from './git.js';
import type { RawName, GitTarget } from './git.js';
import { SHORT_ID, listFew } from './session-git.js';
import type { SessionGit } from './session-git.js';
import { gitTargetOf, removeSmallFolder } from './worktree.js';
import type { Worktree } from './worktree.js';

const LINK = '160000';

/** Keeps a clone where the work needs a commit that the person's clone does not have. Returns notes for the person. */
export async function keepModules(
  sessionGit: SessionGit,
  worktree: Worktree,
  steps: readonly TreeDifference[],
): Promise<readonly string[]> {
  const links = steps.flatMap(({ name, to }) => (to?.mode === LINK ? [{ raw: name, to }] : []));
  if (links.length === 0) return [];
  const modules = await modulesIn(worktree);
  const words: string[] = [];
  for (const { raw, to } of links) {
    const name = nameOf(raw);
    const module = modules.get(raw) ?? name;
    const made = join(worktree.ownGitDir, 'modules', module);
    if (!existsSync(made) || (await hasModuleCommit(sessionGit, module, to.id))) continue;
    const kept = join(sessionGit.folder, `${KEPT}${worktree.name}`, name);
    // Copied, not moved: after a crash the work is taken again.
    try {
      cpSync(made, kept, { recursive: true });
      const config = join(kept, 'config');
      // Git fails where the configured worktree is gone.
      writeFileSync(config, readFileSync(config, 'latin1').replaceAll(/^\s*worktree\s*=.*\n?/gim, ''), 'latin1');
    } catch (error) {
      throw new UmpireError('write-failed', { path: kept, detail: faultOf(error) });
    }
    const fetch = moduleFetchCommand(name, kept, to.id);
    words.push(`moved the submodule ${name} to ${to.id.slice(0, SHORT_ID)}, which your clone does not have. Fetch it: ${fetch}`);
  }
  return words;
}

/** Plain files in place of a submodule that `.gitmodules` still names: git would keep neither. */
export async function refuseMixed(
  worktree: Worktree,
  { replaced, added }: { readonly replaced: readonly RawName[]; readonly added: readonly RawName[] },
): Promise<void> {
  if (replaced.length === 0) return;
  const modules = await modulesIn(worktree);
  const mixed = replaced.find((path) => modules.has(path));
  if (mixed === undefined) return;
  const files = added.filter((name) => name.startsWith(`${mixed}/`)).map(nameOf);
  throw new UmpireError('read-failed', {
    path: nameOf(mixed),
    detail: `it is a submodule with plain files in its place (${listFew(files)}); remove it from .gitmodules first`,
  });
}

interface KeptModule {
  readonly name: RawName;
  readonly commit: string;
  readonly fetch: string;
  readonly worktree: string;
}

/** Kept clones that the person has not fetched from: the work needs their commits, and nothing else has them. */
export function unfetchedModules({ folder, repository }: SessionGit, steps: readonly TreeDifference[]): readonly KeptModule[] {
  return keptIn(folder).flatMap((worktree) =>
    steps.flatMap(({ name, to }) => {
      const place = join(folder, worktree, nameOf(name));
      if (to?.mode !== LINK || !existsSync(place)) return [];
      const own = join(repository.checkout.workTree, nameOf(name));
      const isFetched = existsSync(join(own, '.git')) && runGitSync(own, ['cat-file', '-e', `${to.id}^{commit}`]).code === 0;
      if (isFetched) return [];
      return [{ name, commit: to.id, fetch: moduleFetchCommand(nameOf(name), place, to.id), worktree: worktree.slice(KEPT.length) }];
    }),
  );
}

export function keptIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(KEPT)) : [];
}

const KEPT = 'modules-';

function moduleFetchCommand(name: string, place: string, id: string): string {
  return `git -C ${name} fetch ${place} ${id}`;
}

/** Submodules with files in the checkout that files of the work would replace. */
export function modulesInTheWay(workTree: string, steps: readonly TreeDifference[]): readonly RawName[] {
  const links = steps
    .filter(({ name, to }) => to?.mode !== LINK && lstatOf(pathIn(workTree, `${name}/.git`)) !== undefined)
    .map(({ name }) => name);
  return links.filter((link) => steps.some(({ name, to }) => to !== null && `${name}/`.startsWith(`${link}/`)));
}

/** Submodules in the index that plain files replaced. */
export async function replacedModules(checkout: GitTarget, files: readonly RawName[]): Promise<readonly RawName[]> {
  const all = new Set(files);
  const folders = new Set(files.flatMap((name) => name.split('/').map((_, end, parts) => parts.slice(0, end).join('/'))));
  const names = [...folders].filter((name) => all.has(name));
  if (names.length === 0) return [];
  const asked = ['ls-files', '-z', '-s', '--full-name', '--', ...names.map((name) => `:(top,literal)${nameOf(name)}`)];
  const entries = rawNames((await tryGit(checkout, asked)).stdout).filter((entry) => entry.startsWith(`${LINK} `));
  return entries.map((entry) => entry.slice(entry.indexOf('\t') + 1));
}

/** Submodules by path, with the name of their clone, which may differ. Without names that lead out of the clones' folder. */
async function modulesIn(worktree: Worktree): Promise<ReadonlyMap<RawName, string>> {
  const file = join(worktree.root, '.gitmodules');
  if (lstatOf(file)?.isFile() !== true) return new Map();
  const asked = ['config', '-z', '--file', file, '--get-regexp', String.raw`^submodule\..*\.path$`];
  const { stdout } = await tryGit(gitTargetOf(worktree), asked);
  const entries = rawNames(stdout).map((entry) => {
    const end = entry.indexOf('\n');
    return [entry.slice(end + 1), nameOf(entry.slice('submodule.'.length, end - '.path'.length))] as const;
  });
  return new Map(entries.filter(([, name]) => !name.split(/[/\\]/).includes('..')));
}

async function hasModuleCommit({ repository }: SessionGit, module: string, id: string): Promise<boolean> {
  const gitDir = join(repository.gitDir, 'modules', module);
  return existsSync(gitDir) && (await tryGit({ gitDir }, ['cat-file', '-e', `${id}^{commit}`])).code === 0;
}

/**
 * One note for each submodule with uncommitted changes. Runs git from a scratch repository with the clone's objects, since the clone's
 * settings are the agent's.
 */
export async function describeUncommitted(worktree: Worktree): Promise<readonly string[]> {
  const words: string[] = [];
  for (const [path, module] of await modulesIn(worktree)) {
    const clone = join(worktree.ownGitDir, 'modules', module);
    const head = lstatOf(pathIn(worktree.root, `${path}/.git`)) === undefined ? null : readCloneHead(clone);
    const names = head === null ? [] : await listChangedIn(clone, join(worktree.root, nameOf(path)), head);
    if (names.length > 0)
      words.push(`left uncommitted changes in the submodule ${nameOf(path)}: ${listFew(names.map(nameOf))}. They are not part of its work`);
  }
  return words;
}

const ID = /^[0-9a-f]{40,64}$/;

function readCloneHead(clone: string): string | null {
  try {
    const head = readFileSync(join(clone, 'HEAD'), 'utf8').trim();
    const ref = /^ref: (refs\/heads\/[\w/-]+)$/.exec(head)?.[1];
    const id = ref === undefined ? head : readFileSync(join(clone, ref), 'utf8').trim();
    return ID.test(id) ? id : null;
  } catch {
    return null;
  }
}

/** Empty where git fails: a note must not block the work. */
async function listChangedIn(clone: string, workTree: string, head: string): Promise<readonly RawName[]> {
  let gitDir = '';
  try {
    gitDir = makeScratch('module');
    for (const folder of ['refs', 'objects', 'objects/info']) mkdirSync(join(gitDir, folder));
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(join(gitDir, 'objects/info/alternates'), `${join(clone, 'objects')}\n`);
    const gitTarget = { gitDir, workTree };
    if ((await tryGit(gitTarget, ['read-tree', head])).code !== 0) return [];
    const { code, stdout } = await tryGit(gitTarget, ['ls-files', '-z', '-m', '-o', '--exclude-standard']);
    return code === 0 ? [...new Set(rawNames(stdout))].filter((name) => name !== '.git').toSorted() : [];
  } catch {
    return [];
  } finally {
    if (gitDir !== '') await removeSmallFolder(gitDir);
  }
}

// Repositories that a task made inside its worktree, by `git init` or a project generator. Git would record only their name, so Umpire
// takes their files. It never runs git in them: their settings are the agent's.

/** Git lists folders that are repositories with a trailing slash. */
export function isRepository(name: RawName): boolean {
  return name.endsWith('/');
}

/** Their files; for those that are submodules now, only their name. */
export async function namesInside(worktree: Worktree, folders: readonly RawName[]): Promise<readonly RawName[]> {
  if (folders.length === 0) return [];
  const modules = await modulesIn(worktree);
  const links = folders.map((folder) => folder.slice(0, -1)).filter((path) => modules.has(path));
  const files: RawName[] = [];
  for (const folder of folders)
    if (!modules.has(folder.slice(0, -1)) && !isCopy(worktree, folder)) files.push(...(await listNestedFiles(worktree, folder)));
  return [...links, ...(await notIgnored(worktree, files))];
}

/** The files in place of a former submodule. */
export async function filesInPlace(worktree: Worktree, folder: RawName): Promise<readonly RawName[]> {
  return notIgnored(worktree, await listNestedFiles(worktree, `${folder}/`));
}

/** Sentences on clones that are not part of the work, since their content exists where they come from. */
export function describeClones(worktree: Worktree, names: readonly RawName[]): readonly string[] {
  const copies = names.filter((name) => isRepository(name) && isCopy(worktree, name)).map(nameOf);
  return copies.map((name) => `left a clone or a worktree in ${name}; it is not part of its work`);
}

/** A clone of another repository, or another worktree of this one. */
function isCopy({ root }: Worktree, folder: RawName): boolean {
  const own = join(root, nameOf(folder), '.git');
  try {
    return lstatOf(own)?.isDirectory() !== true || /^\s*\[remote\b/m.test(readFileSync(join(own, 'config'), 'latin1'));
  } catch {
    return false;
  }
}

/** Every file that its own rules do not ignore, including those of inner repositories. */
async function listNestedFiles(worktree: Worktree, folder: RawName): Promise<readonly RawName[]> {
  const { gitDir, root, index } = worktree;
  const gitTarget = { gitDir, workTree: join(root, nameOf(folder)), index: `${index}.none` };
  const listed = rawNames(await git(gitTarget, ['ls-files', '-z', '-o', '--exclude-standard', '-x', 'node_modules'])).map(
    (name) => folder + name,
  );
  const files = listed.filter((name) => !isRepository(name));
  for (const inner of listed.filter(isRepository)) if (!isCopy(worktree, inner)) files.push(...(await listNestedFiles(worktree, inner)));
  return files;
}

/** The ignore rules of the folders around it apply, too. */
async function notIgnored(worktree: Worktree, names: readonly RawName[]): Promise<readonly RawName[]> {
  if (names.length === 0) return [];
  // An empty index: git refuses to answer for paths in a submodule.
  const gitTarget = gitTargetOf(worktree, `${worktree.index}.none`);
  const { stdout } = await tryGit(gitTarget, ['check-ignore', '-z', '--stdin', '--no-index'], { input: namesInput(names) });
  const ignored = new Set(rawNames(stdout));
  return names.filter((name) => !ignored.has(name));
}

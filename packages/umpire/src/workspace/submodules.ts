// Submodules that a task moved to another commit. What it committed in one lies in a clone behind its worktree, and would go with it.

import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { lstatOf } from '../sessions/entry.js';
import { faultOf } from '../sessions/folder.js';
import type { Difference } from './commits.js';
import { lookAround, nameOf, pathIn, rawNames, tryGit } from './git.js';
import type { RawName, Seat } from './git.js';
import { SHORT_ID, listFew } from './names.js';
import type { Site } from './site.js';
import { seatOf } from './worktree.js';
import type { Worktree } from './worktree.js';

const LINK = '160000';

/** Keeps a clone where the work leads to a commit that the person's own does not have. Answers with words for the person. */
export async function keepModules(site: Site, worktree: Worktree, steps: readonly Difference[]): Promise<readonly string[]> {
  const links = steps.flatMap(({ name, to }) => (to?.mode === LINK ? [{ raw: name, to }] : []));
  if (links.length === 0) return [];
  const modules = await modulesIn(worktree);
  const words: string[] = [];
  for (const { raw, to } of links) {
    const name = nameOf(raw);
    const module = modules.get(raw) ?? name;
    const made = join(worktree.apart, 'modules', module);
    if (!existsSync(made) || (await isKnown(site, module, to.id))) continue;
    const kept = join(site.folder, `${KEPT}${worktree.name}`, name);
    copyModule(made, kept);
    const fetch = fetching(name, kept, to.id);
    words.push(`moved the submodule ${name} to ${to.id.slice(0, SHORT_ID)}, which your clone of it does not have. Fetch it: ${fetch}`);
  }
  return words;
}

/** Plain files in the place of one that `.gitmodules` still names: of the two only one can be meant, and git would keep neither. */
export async function refuseMixed(
  worktree: Worktree,
  { replaced, added }: { readonly replaced: readonly RawName[]; readonly added: readonly RawName[] },
): Promise<void> {
  if (replaced.length === 0) return;
  const modules = await modulesIn(worktree);
  const mixed = replaced.find((path) => modules.has(path));
  if (mixed === undefined) return;
  const files = added.filter((name) => name.startsWith(`${mixed}/`)).map(nameOf);
  throw new UmpireError('read-failed', { path: nameOf(mixed), detail: `${MIXED}: ${listFew(files)}` });
}

interface KeptModule {
  readonly name: RawName;
  readonly commit: string;
  readonly fetch: string;
  /** The worktree of the task that made it. */
  readonly worktree: string;
}

/** Clones that are kept for their commits, and that the person has not fetched from: the work leads to these, and they are nowhere else. */
export function unfetchedModules({ folder, repository }: Site, steps: readonly Difference[]): readonly KeptModule[] {
  return keptIn(folder).flatMap((worktree) =>
    steps.flatMap(({ name, to }) => {
      const place = join(folder, worktree, nameOf(name));
      if (to?.mode !== LINK || !existsSync(place)) return [];
      const own = join(repository.checkout.workTree, nameOf(name));
      const isFetched = existsSync(join(own, '.git')) && lookAround(own, ['cat-file', '-e', `${to.id}^{commit}`]).code === 0;
      if (isFetched) return [];
      return [{ name, commit: to.id, fetch: fetching(nameOf(name), place, to.id), worktree: worktree.slice(KEPT.length) }];
    }),
  );
}

/** The folders of such clones. */
export function keptIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(KEPT)) : [];
}

const KEPT = 'modules-';

function fetching(name: string, place: string, id: string): string {
  return `git -C ${name} fetch ${place} ${id}`;
}

const MIXED = 'it is a submodule, and until .gitmodules does not name it any more git keeps none of the plain files in its place';

/** Those of the checkout, with files of their own in them, that files of the work would come into. */
export function modulesInTheWay(workTree: string, steps: readonly Difference[]): readonly RawName[] {
  const isRepository = (name: RawName): boolean => lstatOf(pathIn(workTree, `${name}/.git`)) !== undefined;
  const links = steps.filter(({ name, to }) => to?.mode !== LINK && isRepository(name)).map(({ name }) => name);
  return links.filter((link) => steps.some(({ name, to }) => to !== null && `${name}/`.startsWith(`${link}/`)));
}

/** Those of the index that files were brought into. */
export async function replacedModules(checkout: Seat, files: readonly RawName[]): Promise<readonly RawName[]> {
  const all = new Set(files);
  const folders = new Set(files.flatMap((name) => name.split('/').map((_, end, parts) => parts.slice(0, end).join('/'))));
  const names = [...folders].filter((name) => all.has(name));
  if (names.length === 0) return [];
  const asked = ['ls-files', '-z', '-s', '--full-name', '--', ...names.map((name) => `:(top,literal)${nameOf(name)}`)];
  const entries = rawNames((await tryGit(checkout, asked)).stdout).filter((entry) => entry.startsWith(`${LINK} `));
  return entries.map((entry) => entry.slice(entry.indexOf('\t') + 1));
}

/** Submodules by their path: the name that git keeps their clones by, which may be another. None that leads out of where those lie. */
export async function modulesIn(worktree: Worktree): Promise<ReadonlyMap<RawName, string>> {
  const file = join(worktree.root, '.gitmodules');
  if (lstatOf(file)?.isFile() !== true) return new Map();
  const asked = ['config', '-z', '--file', file, '--get-regexp', String.raw`^submodule\..*\.path$`];
  const { stdout } = await tryGit(seatOf(worktree), asked);
  const entries = rawNames(stdout).map((entry) => {
    const end = entry.indexOf('\n');
    return [entry.slice(end + 1), nameOf(entry.slice('submodule.'.length, end - '.path'.length))] as const;
  });
  return new Map(entries.filter(([, name]) => !name.split(/[/\\]/).includes('..')));
}

/** Not moved: after a crash the work is taken once more. */
function copyModule(from: string, to: string): void {
  try {
    cpSync(from, to, { recursive: true });
    const config = join(to, 'config');
    // It would be looked for, and git stops where it is gone.
    writeFileSync(config, readFileSync(config, 'latin1').replaceAll(/^\s*worktree\s*=.*\n?/gim, ''), 'latin1');
  } catch (error) {
    throw new UmpireError('write-failed', { path: to, detail: faultOf(error) });
  }
}

async function isKnown({ repository }: Site, module: string, id: string): Promise<boolean> {
  const gitDir = join(repository.gitDir, 'modules', module);
  return existsSync(gitDir) && (await tryGit({ gitDir }, ['cat-file', '-e', `${id}^{commit}`])).code === 0;
}

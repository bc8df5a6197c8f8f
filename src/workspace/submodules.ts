// Submodules that a task moved to another commit. What it committed in one lies in a clone behind its worktree, and would go with it.

import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '../errors.js';
import { lstatOf } from '../runtime/entry.js';
import { faultOf } from '../runtime/folder.js';
import type { Difference } from './commits.js';
import { nameOf, rawNames, tryGit } from './git.js';
import type { RawName } from './git.js';
import { SHORT_ID } from './names.js';
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
    const kept = join(site.folder, `modules-${worktree.name}`, name);
    copyModule(made, kept);
    const fetch = `git -C ${name} fetch ${kept} ${to.id}`;
    words.push(
      `moved the submodule ${name} to ${to.id.slice(0, SHORT_ID)}, which your clone of it does not have. Until umpire clean: ${fetch}`,
    );
  }
  return words;
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

// Submodules that a task moved to another commit. What it committed in one lies in a clone behind its worktree, and would go with it.

import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '../errors.js';
import { faultOf } from '../runtime/folder.js';
import type { Difference } from './commits.js';
import { nameOf, tryGit } from './git.js';
import { SHORT_ID } from './names.js';
import type { Site } from './site.js';
import type { Worktree } from './worktree.js';

const LINK = '160000';

/** Keeps a clone where the work leads to a commit that the person's own does not have. Answers with words for the person. */
export async function keepModules(site: Site, worktree: Worktree, steps: readonly Difference[]): Promise<readonly string[]> {
  const words: string[] = [];
  for (const { name: raw, to } of steps) {
    const name = nameOf(raw);
    const made = join(worktree.apart, 'modules', name);
    if (to?.mode !== LINK || !existsSync(made) || (await isKnown(site, name, to.id))) continue;
    const kept = join(site.folder, `modules-${worktree.name}`, name);
    copyModule(made, kept);
    const fetch = `git -C ${name} fetch ${kept} ${to.id}`;
    words.push(
      `moved the submodule ${name} to ${to.id.slice(0, SHORT_ID)}, which your clone of it does not have. Until umpire clean: ${fetch}`,
    );
  }
  return words;
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

async function isKnown({ repository }: Site, name: string, id: string): Promise<boolean> {
  const gitDir = join(repository.gitDir, 'modules', name);
  return existsSync(gitDir) && (await tryGit({ gitDir }, ['cat-file', '-e', `${id}^{commit}`])).code === 0;
}

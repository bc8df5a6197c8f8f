// What a task changed in a submodule and did not commit there: it is no work, and goes with the worktree. So that it is not lost without a
// word, it is told. The clone is the agent's, settings and all: git looks at the files from a repository of our own that borrows its objects.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lstatOf } from '../sessions/entry.js';
import { makeScratch } from '../sessions/scratch.js';
import { nameOf, pathIn, rawNames, tryGit } from './git.js';
import type { RawName } from './git.js';
import { listFew } from './names.js';
import { removeSmall } from './removal.js';
import { modulesIn } from './submodules.js';
import type { Worktree } from './worktree.js';

/** Words for the person, one for each submodule. */
export async function uncommittedWords(worktree: Worktree): Promise<readonly string[]> {
  const words: string[] = [];
  for (const [path, module] of await modulesIn(worktree)) {
    const clone = join(worktree.apart, 'modules', module);
    const head = lstatOf(pathIn(worktree.root, `${path}/.git`)) === undefined ? null : headOf(clone);
    const names = head === null ? [] : await changedIn(clone, join(worktree.root, nameOf(path)), head);
    if (names.length > 0) words.push(`${LOST} ${nameOf(path)}: ${listFew(names.map(nameOf))}. It is not part of the work`);
  }
  return words;
}

const LOST = 'left changes that are not committed in the submodule';

const ID = /^[0-9a-f]{40,64}$/;

function headOf(clone: string): string | null {
  try {
    const head = readFileSync(join(clone, 'HEAD'), 'utf8').trim();
    const ref = /^ref: (refs\/heads\/[\w/-]+)$/.exec(head)?.[1];
    const id = ref === undefined ? head : readFileSync(join(clone, ref), 'utf8').trim();
    return ID.test(id) ? id : null;
  } catch {
    return null;
  }
}

/** None where git cannot tell: nobody's work is held up for a note. */
async function changedIn(clone: string, workTree: string, head: string): Promise<readonly RawName[]> {
  let gitDir = '';
  try {
    gitDir = makeScratch('module');
    for (const folder of ['refs', 'objects', 'objects/info']) mkdirSync(join(gitDir, folder));
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(join(gitDir, 'objects/info/alternates'), `${join(clone, 'objects')}\n`);
    const seat = { gitDir, workTree };
    if ((await tryGit(seat, ['read-tree', head])).code !== 0) return [];
    const { code, stdout } = await tryGit(seat, ['ls-files', '-z', '-m', '-o', '--exclude-standard']);
    return code === 0 ? [...new Set(rawNames(stdout))].filter((name) => name !== '.git').toSorted() : [];
  } catch {
    return [];
  } finally {
    if (gitDir !== '') await removeSmall(gitDir);
  }
}

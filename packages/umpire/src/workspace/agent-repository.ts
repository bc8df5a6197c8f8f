// What git commands of an agent reach: a small repository of its own behind its worktree. It borrows the person's objects and knows
// their branches, tags and settings; what is written there (commits, branches, the stash, settings) stays in it, and goes with it.

import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { faultOf } from '../sessions/folder.js';
import { identityOf } from './commits.js';
import type { Identity } from './commits.js';
import { copyIndex, nameOf, tryGit } from './git.js';
import { removeSmall } from './removal.js';
import type { Site } from './site.js';
import { linkAdmin, worktreeOf } from './worktree.js';
import type { Worktree } from './worktree.js';

/** What is the same in all repositories for agents of a session. */
export interface AgentModel {
  /** A file with the person's refs, as they were when the run began. */
  readonly refs: string;
  /** Small files by their names in the repository. */
  readonly files: ReadonlyMap<string, Buffer | string>;
  /** The folders that they lie in, outer ones first. */
  readonly folders: readonly string[];
}

/** Of one checkout, of Umpire, or of nobody but the person. */
const OWN_REFS = /^refs\/(?:stash$|(?:umpire|bisect|worktree|rewritten)\/)/;

export async function modelFor(site: Site): Promise<AgentModel> {
  const { gitDir, checkout, kind } = site.repository;
  const [{ stdout }, identity] = await Promise.all([
    tryGit(site.seat, ['for-each-ref', '--format=%(objectname) %(refname) %(symref)']),
    identityOf(site),
  ]);
  const known = stdout
    .toString('latin1')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([id = '', ref = '']) => id !== '' && !OWN_REFS.test(ref));
  const refs = join(site.folder, 'refs');
  const hooks = join(site.folder, 'hooks');
  const plain = known.filter(([, , to = '']) => to === '').map(([id = '', ref = '']) => `${id} ${ref}\n`);
  try {
    writeFileSync(refs, Buffer.from(`# pack-refs with: sorted \n${plain.join('')}`, 'latin1'));
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, 'pre-push'), NO_PUSH, { mode: 0o755 });
  } catch (error) {
    throw new UmpireError('write-failed', { path: site.folder, detail: faultOf(error) });
  }
  const files = new Map<string, Buffer | string>([
    ['config', configOf(site, hooks, identity)],
    ['objects/info/alternates', `${lineOf(join(gitDir, 'objects'))}\n`],
  ]);
  for (const [, ref = '', to = ''] of known) if (to !== '') files.set(nameOf(ref), `ref: ${nameOf(to)}\n`);
  const taken = [
    ...SHARED.map((name) => [gitDir, name] as const),
    ...(kind === 'git' ? [[checkout.gitDir, 'info/sparse-checkout'] as const] : []),
  ];
  for (const [from, name] of taken) {
    const content = existsSync(join(from, name)) ? readFileSync(join(from, name)) : '';
    // Most have the one that git puts there, with nothing but comments.
    if (/^[^#\n]/m.test(content.toString('latin1'))) files.set(name, content);
  }
  return { refs, files, folders: foldersOf(['refs/', ...files.keys()]) };
}

function foldersOf(paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => {
    const parts = path.split('/').slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  });
  return [...new Set(found)];
}

const SHARED = ['info/exclude', 'info/attributes', 'shallow'];

/** What is handed in is what lies in the worktree. A push would go past the critic and the person. */
const NO_PUSH = `#!/bin/sh
echo "umpire: nothing is pushed from a task's worktree; its files are taken over when the task is completed" >&2
exit 1
`;

/** The person's settings hold; what is set there comes after them, and so counts more. */
function configOf({ repository: { gitDir, checkout, kind } }: Site, hooks: string, { name, mail }: Identity): string {
  const extensions = extensionsIn(join(gitDir, 'config'));
  const own = join(checkout.gitDir, 'config.worktree');
  const isOwn = kind === 'git' && extensions.some((line) => PER_WORKTREE.test(line)) && existsSync(own);
  const kept = extensions.filter((line) => !PER_WORKTREE.test(line) && !REF_STORAGE.test(line));
  return [
    '[include]',
    ...[join(gitDir, 'config'), ...(isOwn ? [own] : [])].map((path) => `\tpath = ${lineOf(path, true)}`),
    '[core]',
    `\trepositoryformatversion = ${kept.length > 0 ? 1 : 0}`,
    '\tbare = false',
    `\thooksPath = ${lineOf(hooks, true)}`,
    '\tfsmonitor = false',
    // Found by where the project lies, or not at all: without one they could not commit.
    `[user]\n\tname = ${lineOf(name, true)}\n\temail = ${lineOf(mail, true)}`,
    // What agents commit is not kept. Asked for a passphrase they would wait for ever.
    '[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false',
    // Nothing goes on in it when its task has ended.
    '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false',
    ...(kept.length > 0 ? ['[extensions]', ...kept] : []),
    '',
  ].join('\n');
}

const PER_WORKTREE = /^\s*worktreeConfig\b/i;
const REF_STORAGE = /^\s*refStorage\b/i;

/** How the repository is made; git reads it from the file itself, and follows no include for it. */
function extensionsIn(config: string): readonly string[] {
  let isInside = false;
  return readFileSync(config, 'utf8')
    .split('\n')
    .filter((line) => {
      const section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1];
      if (section !== undefined) isInside = section.toLowerCase() === 'extensions';
      return isInside && section === undefined && /^\s*\w/.test(line);
    });
}

/** A path, or words, on one line, as git reads it. */
function lineOf(path: string, isQuoted = path.includes('\n')): string {
  return isQuoted ? `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : path;
}

/** From here on git commands in the worktree reach its own repository. `branch`: it is on that one; else on none. */
export function setApart(model: AgentModel, worktree: Worktree, at: string, branch: string | null): void {
  const { apart: folder, root } = worktree;
  try {
    mkdirSync(folder);
    for (const name of model.folders) mkdirSync(join(folder, name));
    for (const [name, content] of model.files) writeFileSync(join(folder, name), content);
    linkOrCopy(model.refs, join(folder, 'packed-refs'));
    if (branch !== null) {
      mkdirSync(dirname(join(folder, branch)), { recursive: true });
      writeFileSync(join(folder, branch), `${at}\n`);
    }
    writeFileSync(join(folder, 'HEAD'), branch === null ? `${at}\n` : `ref: ${branch}\n`);
    linkOrCopy(join(worktree.admin, 'index'), join(folder, 'index'));
    linkAdmin({ admin: folder, root });
  } catch (error) {
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
}

/** The one behind the worktree that this folder is in. */
export function agentRepositoryAt(site: Site, folder: string): string {
  const [name = ''] = relative(site.folder, folder).split(sep);
  return worktreeOf(site, name).apart;
}

/** Git there is that of the person's repository again. What agents made in theirs is gone. */
export async function joinAgain(worktree: Worktree): Promise<void> {
  linkAdmin(worktree);
  await removeSmall(worktree.apart);
}

/** Refs and index are replaced by git when they change, and never written into. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyIndex(from, to);
  }
}

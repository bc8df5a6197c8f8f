// The git repository that an agent sees: a small one of its own behind its worktree. It borrows the person's objects and has their
// branches, tags and settings. Everything written there (commits, branches, stashes, settings) stays in it and is removed with it.

import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { faultOf } from '../sessions/session-folder.js';
import { identityOf } from './commits.js';
import type { Identity } from './commits.js';
import { copyIndex, nameOf, tryGit } from './git.js';
import { removeSmallFolder } from './remove-folder.js';
import type { SessionGit } from './session-git.js';
import { linkAdmin, worktreeOf } from './worktree.js';
import type { Worktree } from './worktree.js';

/** The parts that are the same for all agent repositories of a session. */
export interface RepositoryTemplate {
  /** A file with the person's refs, as of the start of the run. */
  readonly refs: string;
  /** Small files by their name in the repository. */
  readonly files: ReadonlyMap<string, Buffer | string>;
  /** The folders of these files, outer ones first. */
  readonly folders: readonly string[];
}

/** Refs of a single checkout, of Umpire, or private to the person. */
const OWN_REFS = /^refs\/(?:stash$|(?:umpire|bisect|worktree|rewritten)\/)/;

export async function makeRepositoryTemplate(sessionGit: SessionGit): Promise<RepositoryTemplate> {
  const { gitDir, checkout, kind } = sessionGit.repository;
  const [{ stdout }, identity] = await Promise.all([
    tryGit(sessionGit.gitTarget, ['for-each-ref', '--format=%(objectname) %(refname) %(symref)']),
    identityOf(sessionGit),
  ]);
  const known = stdout
    .toString('latin1')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([id = '', ref = '']) => id !== '' && !OWN_REFS.test(ref));
  const refs = join(sessionGit.folder, 'refs');
  const hooks = join(sessionGit.folder, 'hooks');
  const plain = known.filter(([, , to = '']) => to === '').map(([id = '', ref = '']) => `${id} ${ref}\n`);
  try {
    writeFileSync(refs, Buffer.from(`# pack-refs with: sorted \n${plain.join('')}`, 'latin1'));
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, 'pre-push'), NO_PUSH, { mode: 0o755 });
  } catch (error) {
    throw new UmpireError('write-failed', { path: sessionGit.folder, detail: faultOf(error) });
  }
  const files = new Map<string, Buffer | string>([
    ['config', configOf(sessionGit, hooks, identity)],
    ['objects/info/alternates', `${lineOf(join(gitDir, 'objects'))}\n`],
  ]);
  for (const [, ref = '', to = ''] of known) if (to !== '') files.set(nameOf(ref), `ref: ${nameOf(to)}\n`);
  const taken = [
    ...SHARED.map((name) => [gitDir, name] as const),
    ...(kind === 'git' ? [[checkout.gitDir, 'info/sparse-checkout'] as const] : []),
  ];
  for (const [from, name] of taken) {
    const content = existsSync(join(from, name)) ? readFileSync(join(from, name)) : '';
    // Mostly git's default file, with nothing but comments.
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

/** Umpire takes the files of the worktree. A push would bypass the critic and the person. */
const NO_PUSH = `#!/bin/sh
echo "umpire: cannot push from a task's worktree; Umpire merges its files when the task is completed" >&2
exit 1
`;

/** Includes the person's settings; later entries override them. */
function configOf({ repository: { gitDir, checkout, kind } }: SessionGit, hooks: string, { name, mail }: Identity): string {
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
    // Git may find no identity at this path; without one, agents could not commit.
    `[user]\n\tname = ${lineOf(name, true)}\n\temail = ${lineOf(mail, true)}`,
    // Agents' commits are not kept, and a passphrase prompt would block for ever.
    '[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false',
    // No background work may outlive the task.
    '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false',
    ...(kept.length > 0 ? ['[extensions]', ...kept] : []),
    '',
  ].join('\n');
}

const PER_WORKTREE = /^\s*worktreeConfig\b/i;
const REF_STORAGE = /^\s*refStorage\b/i;

/** Git reads extensions from the file itself and follows no include for them. */
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

/** Text on one line of a git file, quoted where needed. */
function lineOf(path: string, isQuoted = path.includes('\n')): string {
  return isQuoted ? `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : path;
}

/** Switches git in the worktree to its own repository. `branch`: checked out there; null: detached. */
export function makeAgentRepository(template: RepositoryTemplate, worktree: Worktree, at: string, branch: string | null): void {
  const { agentGitDir: folder, root } = worktree;
  try {
    mkdirSync(folder);
    for (const name of template.folders) mkdirSync(join(folder, name));
    for (const [name, content] of template.files) writeFileSync(join(folder, name), content);
    linkOrCopy(template.refs, join(folder, 'packed-refs'));
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

/** The agent repository of the worktree that contains this folder. */
export function agentRepositoryAt(sessionGit: SessionGit, folder: string): string {
  const [name = ''] = relative(sessionGit.folder, folder).split(sep);
  return worktreeOf(sessionGit, name).agentGitDir;
}

/** Switches git in the worktree back to the person's repository and removes the agent's. */
export async function removeAgentRepository(worktree: Worktree): Promise<void> {
  linkAdmin(worktree);
  await removeSmallFolder(worktree.agentGitDir);
}

/** Git replaces refs and index and never writes into them, so a hard link is safe. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyIndex(from, to);
  }
}

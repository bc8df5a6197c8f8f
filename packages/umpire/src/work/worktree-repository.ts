// The git repository in a worktree: a small one of its own, for the agents and people who work there. It borrows the person's objects and has
// their branches, tags and settings. Everything written there (commits, branches, stashes, settings) stays in it and is removed with it;
// Umpire copies a person's commits before. Umpire never runs git with its settings.

import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';
import { identityOf } from './commits.js';
import type { Identity } from './commits.js';
import { copyIndex, git, quoteGitLine, nameOf, tryGit } from './git.js';
import type { SessionGit } from './session-git.js';
import { worktreeOf, removeSmallFolder } from './worktree.js';
import type { Worktree } from './worktree.js';

/** The parts that are the same for all worktrees of a session. */
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
    ['config', worktreeConfig(sessionGit, hooks, identity)],
    ['objects/info/alternates', `${quoteGitLine(join(gitDir, 'objects'))}\n`],
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
  return {
    refs,
    files,
    folders: [
      ...new Set(
        ['refs/', ...files.keys()].flatMap((path) => {
          const parts = path.split('/').slice(0, -1);
          return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
        }),
      ),
    ],
  };
}

const SHARED = ['info/exclude', 'info/attributes', 'shallow'];

/** Umpire takes the files of the worktree. A push would bypass the critic and the person. */
const NO_PUSH = `#!/bin/sh
echo "umpire: cannot push from a task's worktree; Umpire merges its files when the task is completed" >&2
exit 1
`;

/** Includes the person's settings; later entries override them. */
function worktreeConfig({ repository: { gitDir, checkout, kind } }: SessionGit, hooks: string, { name, mail }: Identity): string {
  // Git reads extensions from the file itself and follows no include for them.
  const config = join(gitDir, 'config');
  let isInside = false;
  const extensions = readFileSync(config, 'utf8')
    .split('\n')
    .filter((line) => {
      const section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1];
      if (section !== undefined) isInside = section.toLowerCase() === 'extensions';
      return isInside && section === undefined && /^\s*\w/.test(line);
    });
  const own = join(checkout.gitDir, 'config.worktree');
  const isOwn = kind === 'git' && extensions.some((line) => PER_WORKTREE.test(line)) && existsSync(own);
  const kept = extensions.filter((line) => !PER_WORKTREE.test(line) && !REF_STORAGE.test(line));
  return [
    '[include]',
    ...[join(gitDir, 'config'), ...(isOwn ? [own] : [])].map((path) => `\tpath = ${quoteGitLine(path, true)}`),
    '[core]',
    `\trepositoryformatversion = ${kept.length > 0 ? 1 : 0}`,
    '\tbare = false',
    `\thooksPath = ${quoteGitLine(hooks, true)}`,
    '\tfsmonitor = false',
    // Git may find no identity at this path; without one, agents could not commit.
    `[user]\n\tname = ${quoteGitLine(name, true)}\n\temail = ${quoteGitLine(mail, true)}`,
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

/** Makes the repository anew. `branch`: checked out there; null: detached. HEAD comes last: with it, the repository is complete. */
export async function makeOwnRepository(
  template: RepositoryTemplate,
  worktree: Worktree,
  at: string,
  branch: string | null,
): Promise<void> {
  const { ownGitDir: folder } = worktree;
  if (lstatOf(folder)?.isDirectory() === true) rmSync(join(folder, 'HEAD'), { recursive: true, force: true });
  await removeSmallFolder(folder);
  try {
    mkdirSync(folder);
    for (const name of template.folders) mkdirSync(join(folder, name));
    for (const [name, content] of template.files) writeFileSync(join(folder, name), content);
    copyFileSync(template.refs, join(folder, 'packed-refs'));
    if (branch !== null) {
      mkdirSync(dirname(join(folder, branch)), { recursive: true });
      writeFileSync(join(folder, branch), `${at}\n`);
    }
    copyIndex(worktree.index, join(folder, 'index'));
    writeFileSync(join(folder, 'HEAD'), branch === null ? `${at}\n` : `ref: ${branch}\n`);
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
}

/** A folder, not a link that leads elsewhere, and complete. */
export function hasOwnRepository({ ownGitDir }: Worktree): boolean {
  return lstatOf(ownGitDir)?.isDirectory() === true && lstatOf(join(ownGitDir, 'HEAD'))?.isFile() === true;
}

/** Writes again what decides which programs git starts and where it reads. False where a link or a file is in the way. */
export function restoreSettings(template: RepositoryTemplate, worktree: Worktree): boolean {
  const { ownGitDir: folder } = worktree;
  if (
    !hasOwnRepository(worktree) ||
    ['info', 'objects', 'objects/info'].some((name) => lstatOf(join(folder, name))?.isDirectory() === false)
  )
    return false;
  for (const name of ['config', 'commondir', 'objects/info/alternates', ...SHARED]) {
    const [path, wanted] = [join(folder, name), template.files.get(name)];
    const stat = lstatOf(path);
    if (stat === undefined ? wanted === undefined : stat.isFile() && wanted !== undefined && readFileSync(path).equals(Buffer.from(wanted)))
      continue;
    rmSync(path, { recursive: true, force: true });
    if (wanted === undefined) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, wanted);
  }
  return true;
}

/** The repository of the worktree that contains this folder. */
export function ownRepositoryAt(sessionGit: SessionGit, folder: string): string {
  const [name = ''] = relative(sessionGit.folder, folder).split(sep);
  return worktreeOf(sessionGit, name).ownGitDir;
}

const ID = /^[0-9a-f]{40,64}$/;

/** The commits of HEAD and of all branches and stashes of the repository. Read as files: its settings are not Umpire's. */
export function readOwnTips(worktree: Worktree): { readonly head: string | null; readonly others: readonly string[] } {
  if (!hasOwnRepository(worktree)) return { head: null, others: [] };
  const { ownGitDir } = worktree;
  const refs = new Map<string, string>();
  for (const line of readRefFile(ownGitDir, 'packed-refs').split('\n')) {
    const [id = '', ref = ''] = line.split(' ');
    if (ID.test(id) && PERSONS.test(ref)) refs.set(ref, id);
  }
  for (const ref of ['refs/stash', ...looseRefs(ownGitDir, 'refs/heads')]) {
    const id = readRefFile(ownGitDir, ref).trim();
    if (ID.test(id)) refs.set(ref, id);
  }
  // Older stashes are only in the log.
  const stashes = readRefFile(ownGitDir, 'logs/refs/stash')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  const head = readRefFile(ownGitDir, 'HEAD').trim();
  const tip = head.startsWith('ref: ') ? refs.get(head.slice('ref: '.length)) : head;
  return {
    head: tip !== undefined && ID.test(tip) ? tip : null,
    others: [...new Set([...refs.values(), ...stashes.filter((id) => ID.test(id))])],
  };
}

const PERSONS = /^refs\/(?:heads\/|stash$)/;

function looseRefs(gitDir: string, folder: string): readonly string[] {
  if (lstatOf(join(gitDir, folder))?.isDirectory() !== true) return [];
  return readdirSync(join(gitDir, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    return entry.isDirectory() ? looseRefs(gitDir, name) : entry.isFile() ? [name] : [];
  });
}

function readRefFile(gitDir: string, name: string): string {
  try {
    return readFileSync(join(gitDir, name), 'latin1');
  } catch {
    return '';
  }
}

/** Objects that only the worktree's repository has are readable, too. */
export function borrowObjects({ ownGitDir }: Worktree): { readonly borrowed: string } {
  return { borrowed: join(ownGitDir, 'objects') };
}

/** Copies commits or trees with all that they need to the person's repository. `known`: a commit that it has. */
export async function copyObjects(sessionGit: SessionGit, worktree: Worktree, ids: readonly string[], known: string): Promise<void> {
  const { borrowed } = borrowObjects(worktree);
  if (!existsSync(borrowed) || readdirSync(borrowed).every((name) => name === 'info')) return;
  const input = `${[...ids, `^${known}`, `^${known}^{tree}`].join('\n')}\n`;
  const pack = await git({ ...sessionGit.gitTarget, borrowed }, ['pack-objects', '--revs', '--stdout', '-q'], { input });
  await git(sessionGit.gitTarget, ['unpack-objects', '-q'], { input: pack });
}

// A git remote for sessions on many machines. Each machine has a bare mirror of it, and a worker has a clone per session that borrows the
// mirror's objects. Umpire writes `refs/umpire/<session>/*` and the session's branch there, and nothing else. Git's own credentials
// apply; nothing asks for a password, and no hook or setting of a project or a clone takes part.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { sha256 } from '../sessions/hash.js';
import { safeName } from '../sessions/safe-name.js';
import { faultOf, makeFolders, makeScratch } from '../sessions/session-folder.js';
import { git, gitFault, gitMessage, quoteGitLine, tryGit } from './git.js';
import type { GitOptions, GitResult, GitTarget } from './git.js';
import { findRepository } from './repository.js';
import { readRecordedFolder, refsOf, taskRef, SHORT_ID, sessionBranch } from './session-git.js';
import { breakLock, planMove } from './session-worktree.js';

/** For one command to a remote: the first copy of a large project takes minutes. */
const LIMIT_MS = 600_000;

interface MirrorOptions {
  /** An ssh or https address, or the path of a repository. */
  readonly remote: string;
  readonly home: string;
  readonly say: (note: string) => void;
  readonly limitMs?: number;
}

/** A bare copy of a remote on this machine. Several processes may use it at once. */
export interface Mirror {
  readonly gitDir: string;
  readonly address: RemoteAddress;
  readonly limitMs: number;
  /** Makes sure that these commits are here. Asks the remote only for missing ones: the session's refs, all branches, then the ids. */
  fetch(commits: readonly string[], session: string): Promise<void>;
}

export async function openMirror({ remote, home, say, limitMs = LIMIT_MS }: MirrorOptions): Promise<Mirror> {
  const address = parseRemote(remote);
  const last = address.label.split(/[/:]/).findLast((part) => part !== '') ?? '';
  const gitDir = join(resolve(home), `${safeName(last.replace(/\.git$/, ''))}-${sha256(address.label).slice(0, SHORT_ID)}.git`);
  if (!existsSync(gitDir)) {
    say(`Making a mirror of ${address.label}.`);
    // Complete before it has its name. If two processes make one, one of them stays.
    const ids = await listRemote(address, limitMs, []);
    let draft: string | null = null;
    try {
      makeFolders(home);
      draft = mkdtempSync(join(home, '.mirror-'));
      await initBare(draft, [...ids.values()][0]?.length ?? 0);
      renameSync(draft, gitDir);
    } catch (error) {
      if (draft !== null) rmSync(draft, { recursive: true, force: true });
      if (isUmpireError(error)) throw error;
      if (!existsSync(gitDir)) throw new UmpireError('write-failed', { path: gitDir, detail: faultOf(error) });
    }
  }
  const mirror = { gitDir, address, limitMs };
  return { ...mirror, fetch: (commits, session) => fetchCommits(mirror, commits, session) };
}

const SHA256_CHARS = 64;

async function initBare(gitDir: string, idLength: number): Promise<void> {
  const format = idLength === SHA256_CHARS ? 'sha256' : 'sha1';
  await git({ gitDir }, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, gitDir]);
}

/** A fetch is stored as one pack when it is complete: after a kill, no commit is there without its files. */
const SETTINGS = ['-c', 'protocol.version=2', '-c', 'fetch.unpackLimit=1'];
const FETCH = [...SETTINGS, 'fetch', '--quiet', '--no-tags', '--prune', '--no-write-fetch-head', '--no-recurse-submodules', '--'];

type Place = Pick<Mirror, 'gitDir' | 'address' | 'limitMs'>;

async function fetchCommits(place: Place, commits: readonly string[], session: string): Promise<void> {
  const refs = `refs/umpire/${safeName(session)}/*`;
  const branch = `refs/heads/${sessionBranch(session)}*`;
  const patterns = [[refs, branch], ['refs/heads/*']].map((group) => group.map((ref) => `+${ref}:${ref}`));
  let missing = await missingIn(place, commits);
  for (const pattern of patterns) {
    if (missing.length === 0) return;
    const result = await fetchOnce(place, pattern);
    if (result.code !== 0) throw unreachable(place.address, result);
    missing = await missingIn(place, commits);
  }
  for (const commit of missing) {
    const result = ID.test(commit) ? await fetchOnce(place, [commit]) : null;
    if (result?.code === 0 && (await missingIn(place, [commit])).length === 0) continue;
    if (result !== null && result.code !== 0 && !NOT_THERE.test(result.stderr)) throw unreachable(place.address, result);
    throw new UmpireError('remote-lacks', { remote: place.address.label, commit, session: safeName(session) });
  }
}

const NOT_THERE = /not our ref|unadvertised object|couldn't find remote ref|no such remote ref/i;

function fetchOnce({ gitDir, address, limitMs }: Place, wanted: readonly string[]): Promise<GitResult> {
  return insist(gitDir, () => askRemote({ gitDir }, [...FETCH, address.url, ...wanted], limitMs));
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Something else than the id of a commit is always missing. */
async function missingIn({ gitDir }: Pick<Place, 'gitDir'>, commits: readonly string[]): Promise<readonly string[]> {
  const wanted = [...new Set(commits)];
  const asked = wanted.filter((commit) => ID.test(commit));
  if (asked.length === 0) return wanted;
  const out = await git({ gitDir }, ['cat-file', '--batch-check'], { input: asked.map((commit) => `${commit}\n`).join('') });
  const there = new Set(
    out
      .toString('utf8')
      .split('\n')
      .flatMap((line) => (/^[0-9a-f]+ commit /.test(line) ? [line.split(' ')[0]] : [])),
  );
  return wanted.filter((commit) => !there.has(commit));
}

/** Nothing asks for a password or for trust in a host: there is nobody to answer. */
function askRemote(gitTarget: GitTarget, args: readonly string[], limitMs: number): Promise<GitResult> {
  return tryGit(gitTarget, args, { limitMs, env: { GIT_ASKPASS: '', SSH_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never' } });
}

/** Another git holds a lock, or a killed one left it. */
const DISTURBED = /\.lock': File exists|cannot lock ref|unable to update local ref|failed to read .*worktrees|incorrect old value/;
const ATTEMPTS = 8;
const FIRST_PAUSE_MS = 20;

async function insist(gitDir: string, act: () => Promise<GitResult>): Promise<GitResult> {
  for (let attempt = 1; ; attempt++) {
    const result = await act();
    if (result.code === 0 || attempt === ATTEMPTS || !DISTURBED.test(result.stderr)) return result;
    const locks = [...result.stderr.matchAll(/'([^'\n]+\.lock)': File exists/g)].map(([, path = '']) => path);
    for (const path of locks) if (path.startsWith(`${gitDir}/`)) await breakLock(path);
    // Two processes must not meet again.
    await new Promise((done) => setTimeout(done, FIRST_PAUSE_MS * 2 ** attempt * Math.random()));
  }
}

function unreachable(address: RemoteAddress, { code, stderr }: GitResult): UmpireError {
  const said = address.redact(gitMessage(stderr));
  return new UmpireError('remote-unreachable', { remote: address.label, detail: said === '' ? `exit status ${code}` : said });
}

async function listRemote(address: RemoteAddress, limitMs: number, refs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = makeScratch('remote');
  try {
    // In a folder of its own: an address is never the name of a remote in some repository's settings.
    await initBare(folder, 0);
    const result = await askRemote({ gitDir: folder }, ['ls-remote', '--quiet', '--refs', '--', address.url, ...refs], limitMs);
    if (result.code !== 0) throw unreachable(address, result);
    const lines = result.stdout
      .toString('utf8')
      .split('\n')
      .map((line) => line.split('\t'));
    return new Map(lines.flatMap(([id = '', ref = '']) => (refs.length === 0 || refs.includes(ref) ? [[ref, id] as const] : [])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface CloneOptions {
  /** The folder of the checkout: one session of one worker. */
  readonly folder: string;
  readonly session: string;
  readonly branch: string;
  readonly base: string;
  readonly head: string;
}

/**
 * A project for `openWorkspace`: the files of `base`, and the session's refs at `base` and `head`, whatever an earlier attempt left. Call it
 * again for a newer head, while no workspace of the session is open.
 */
export async function prepareClone(mirror: Mirror, { folder, session, branch, base, head }: CloneOptions): Promise<string> {
  await mirror.fetch([base, head], session);
  const gitDir = join(folder, '.git');
  try {
    makeFolders(folder);
    if (!existsSync(join(gitDir, 'HEAD'))) await initClone(folder, base.length);
    writeFileSync(join(gitDir, 'config'), mirrorConfig(mirror, base.length));
    mkdirSync(join(gitDir, 'objects', 'info'), { recursive: true });
    writeFileSync(join(gitDir, 'objects', 'info', 'alternates'), `${quoteGitLine(join(mirror.gitDir, 'objects'))}\n`);
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
  const names = refsOf({ branch, place: { session } });
  const worktrees = readRecordedFolder({ gitDir }, session);
  if (worktrees !== null) planMove({ folder: worktrees }, head);
  const moves = [
    [names.base, base],
    [names.head, head],
    [names.branch, head],
  ].map(([ref, to]) => `update ${ref} ${to}\n`);
  await must(gitDir, { gitDir }, ['update-ref', '-m', 'umpire', '--stdin'], { input: moves.join('') });
  // HEAD comes last: with it, the checkout is complete.
  if (readFileSync(join(gitDir, 'HEAD'), 'utf8') !== `${base}\n`) {
    await must(gitDir, { gitDir, workTree: folder }, ['read-tree', '--reset', '-u', base]);
    await must(gitDir, { gitDir }, ['update-ref', '--no-deref', 'HEAD', base]);
  }
  return folder;
}

async function initClone(folder: string, idLength: number): Promise<void> {
  const gitDir = join(folder, '.git');
  mkdirSync(gitDir, { recursive: true });
  await initBare(gitDir, idLength);
}

/** Written anew at every use: it decides which programs git starts. The address is for Git LFS and for people. */
function mirrorConfig({ address }: Mirror, idLength: number): string {
  const isSha256 = idLength === SHA256_CHARS;
  return [
    '[core]',
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    '\tbare = false',
    ...(isSha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    `[remote "origin"]\n\turl = ${quoteGitLine(address.label, true)}`,
    '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false',
    '',
  ].join('\n');
}

async function must(gitDir: string, gitTarget: GitTarget, args: readonly string[], asking?: GitOptions): Promise<void> {
  const { code, stderr } = await insist(gitDir, () => tryGit(gitTarget, args, asking));
  if (code !== 0) throw gitFault(args, code, stderr);
}

export interface Attempt {
  readonly session: string;
  readonly task: string;
  readonly attempt: number;
  readonly commit: string;
}

/** Hands in the work of an attempt: returns its ref on the remote. Pushed again, the last commit counts. */
export async function pushAttempt(clone: string, remote: string, { session, task, attempt, commit }: Attempt): Promise<string> {
  const address = parseRemote(remote);
  const ref = taskRef({ branch: sessionBranch(session), place: { session } }, task, attempt);
  const result = await pushObjects(join(clone, '.git'), address, commit, [`+${commit}:${ref}`]);
  if (result.code !== 0) throw refusalFault(address, ref, result);
  return ref;
}

/** The client's push of the commit that a session begins with. The name of a session on the remote belongs to one base. */
export async function pushBase(project: string, remote: string, { session, commit }: Pick<Attempt, 'session' | 'commit'>): Promise<void> {
  const address = parseRemote(remote);
  const { gitDir, kind } = findRepository(project, project, null);
  if (kind !== 'git') throw new UmpireError('remote-project', { path: project });
  const { base } = refsOf({ branch: sessionBranch(session), place: { session } });
  if ((await listRemote(address, LIMIT_MS, [base])).get(base) === commit) return;
  const result = await pushObjects(gitDir, address, commit, [`--force-with-lease=${base}:`, `${commit}:${base}`]);
  if (result.code !== 0) await explainPush(address, LIMIT_MS, result, { ref: base, from: null, to: commit });
}

/** Pushes from an empty repository that borrows the objects: settings of the project, and of agents in a clone, do not redirect it. */
async function pushObjects(gitDir: string, address: RemoteAddress, commit: string, wanted: readonly string[]): Promise<GitResult> {
  const folder = makeScratch('push');
  try {
    await initBare(folder, commit.length);
    const shallow = join(gitDir, 'shallow');
    if (existsSync(shallow) && statSync(shallow).isFile()) writeFileSync(join(folder, 'shallow'), readFileSync(shallow));
    return await push({ gitDir: folder, borrowed: join(gitDir, 'objects') }, address, LIMIT_MS, wanted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PUSH = ['push', '--porcelain', '--no-verify', '--no-signed', '--no-follow-tags', '--recurse-submodules=no'];

function push(gitTarget: GitTarget, address: RemoteAddress, limitMs: number, wanted: readonly string[]): Promise<GitResult> {
  const options = wanted.filter((word) => word.startsWith('--'));
  const refs = wanted.filter((word) => !word.startsWith('--'));
  return askRemote(gitTarget, [...PUSH, ...options, '--', address.url, ...refs], limitMs);
}

export interface BranchMove {
  readonly branch: string;
  /** Null: the branch must not exist. */
  readonly from: string | null;
  readonly to: string;
}

/** Moves a branch of the remote if it is still at `from`. If it is at `to` already, that is the same. */
export async function moveRemoteBranch({ gitDir, address, limitMs }: Mirror, { branch, from, to }: BranchMove): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const result = await push({ gitDir }, address, limitMs, [`--force-with-lease=${ref}:${from ?? ''}`, `${to}:${ref}`]);
  if (result.code !== 0) await explainPush(address, limitMs, result, { ref, from, to });
}

/** The server answers in many ways, so its refs tell: moved by this push after all, by another, or not at all. */
async function explainPush(
  address: RemoteAddress,
  limitMs: number,
  result: GitResult,
  { ref, from, to }: { readonly ref: string; readonly from: string | null; readonly to: string },
): Promise<void> {
  const found = (await listRemote(address, limitMs, [ref])).get(ref) ?? null;
  if (found === to) return;
  if (found === from) throw refusalFault(address, ref, result);
  const params = { ref, remote: address.label, expected: from ?? 'no commit', found: found ?? 'no commit' };
  throw new UmpireError('remote-moved', params);
}

const MAX_SAID = 3;

/** The reason and the first lines that the server said. */
function refusalFault(address: RemoteAddress, ref: string, { code, stdout, stderr }: GitResult): UmpireError {
  const reason = /^!\t.*\t(.*)$/m.exec(stdout.toString('utf8'))?.[1];
  if (reason === undefined && !stderr.includes('remote: ')) return unreachable(address, { code, stdout, stderr });
  const lines = stderr.split('\n').flatMap((line) => /^remote: (.*\S)/.exec(line)?.[1] ?? []);
  const detail = [reason ?? gitMessage(stderr), ...lines.slice(0, MAX_SAID)].join(': ');
  return new UmpireError('remote-refused', { remote: address.label, ref, detail: address.redact(detail).replace(/\.$/, '') });
}

// The address of a git remote: checked, as git gets it, and as people read it, without a password.

interface RemoteAddress {
  /** For git. May contain a password. */
  readonly url: string;
  readonly label: string;
  /** A message of git without the parts of the address that are secret. */
  readonly redact: (text: string) => string;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
/** `git@host:path`; a path has a slash before any colon. */
const SCP = /^[^/\\]+:/;

export function parseRemote(remote: string): RemoteAddress {
  const scheme = SCHEME.exec(remote)?.[1]?.toLowerCase();
  const detail =
    remote.trim() === ''
      ? 'it is empty'
      : /\p{Cc}/u.test(remote) || remote.startsWith('-')
        ? 'a control character or a leading dash is not allowed'
        : /^[a-z0-9+.-]+::/i.test(remote)
          ? 'an address that runs a command is not allowed'
          : scheme !== undefined && !SCHEMES.has(scheme)
            ? `${scheme}:// is not supported`
            : null;
  if (detail !== null) throw new UmpireError('remote-invalid', { remote: hideSecrets(remote), detail });
  const url = scheme === undefined && !SCP.test(remote) ? resolve(remote) : remote;
  const secrets = secretsIn(url);
  return {
    url,
    label: hideSecrets(url),
    redact: (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), hideSecrets(text)),
  };
}

const SCHEMES = new Set(['ssh', 'https', 'http', 'file', 'git']);

/** A token may stand in the place of the user; over ssh, a name alone is no secret. */
function hideSecrets(text: string): string {
  return text
    .replaceAll(/\b(https?:\/\/)[^/\s]*@/gi, '$1')
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/[^/\s:@]*):[^/\s]*@/gi, '$1@')
    .replaceAll(/\b(https?:\/\/[^\s?#'"]*)[?#][^\s'"]*/gi, '$1');
}

const MIN_SECRET_CHARS = 4;

function secretsIn(url: string): readonly string[] {
  const [, scheme = '', user = '', password = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/:]*)(?::([^/]*))?@/i.exec(url) ?? [];
  const found = [password, ...(/^https?$/i.test(scheme) && password === '' ? [user] : [])];
  return found.flatMap((secret) => [secret, decodeUrl(secret)]).filter((secret) => secret.length >= MIN_SECRET_CHARS);
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

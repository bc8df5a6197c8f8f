// Runs git: never through a shell, never with a prompt, and without settings and variables that would redirect it (hooks, signing, GIT_DIR
// of a calling command). Programs that only the repository's own settings name do not run: such a repository may have come in an archive.
// Filters and merge drivers are the exception, and only where a run or `apply` writes files or merges: Git LFS needs them.

import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';
import type { Stats } from 'node:fs';
import { findPersonalProgram, personalPath } from '../sessions/environment.js';

export interface GitTarget {
  readonly gitDir: string;
  /** Not needed for commands on commits only. */
  readonly workTree?: string;
  readonly index?: string;
  /** A folder with more objects to read; new ones go to the repository. */
  readonly borrowed?: string;
  /** Nobody's settings but the repository's apply, so that a result is the same on every machine. */
  readonly ownSettingsOnly?: true;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Names in git may be any bytes: one character per byte preserves them. `nameOf` converts them to text. */
export type RawName = string;

const OVERRIDES = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.splitIndex=false',
  'index.sparse=false',
  'core.safecrlf=false',
  'core.quotePath=false',
  'core.ignoreStat=false',
  'core.trustctime=true',
  'core.checkStat=default',
  'i18n.commitEncoding=UTF-8',
  // Work that the journal records must survive a power failure.
  'core.fsync=objects,reference',
  'core.fsyncMethod=batch',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'log.showSignature=false',
].flatMap((setting) => ['-c', setting]);

/** Variables for identity and settings; all other GIT_ variables are removed. */
const KEPT_VARIABLES =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH|SSH_COMMAND|SSH|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)$/;

function gitEnvironment(gitTarget: GitTarget | null, extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || KEPT_VARIABLES.test(name))),
    PATH: personalPath(),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // Reading the person's checkout must not write its index.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_DEFAULT_REF_FORMAT: 'files',
    ...(gitTarget === null ? {} : { GIT_DIR: gitTarget.gitDir }),
    ...(gitTarget?.workTree === undefined ? {} : { GIT_WORK_TREE: gitTarget.workTree }),
    ...(gitTarget?.index === undefined ? {} : { GIT_INDEX_FILE: gitTarget.index }),
    ...(gitTarget?.borrowed === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoteGitLine(gitTarget.borrowed, true) }),
    ...(gitTarget?.ownSettingsOnly === true ? { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' } : {}),
    ...extra,
  };
}

function findGit(): string {
  const place = findPersonalProgram('git');
  if (place === null) throw new UmpireError('git-missing');
  return place;
}

/** Text on one line of a git file, quoted where needed. */
export function quoteGitLine(path: string, isQuoted = path.includes('\n')): string {
  return isQuoted ? `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : path;
}

/**
 * Git records once, when a repository is made, whether its disk is case-insensitive. A repository copied from another machine would hide
 * files here. Where the folder's name does not tell, the repository's setting stays.
 */
function caseSetting({ workTree }: GitTarget): readonly string[] {
  if (workTree === undefined) return [];
  // An agent may have removed `.git`; the worktree itself exists.
  const place = [join(workTree, '.git'), workTree].find((path) => lstatOf(path) !== undefined) ?? workTree;
  const shouted = join(dirname(place), basename(place).toUpperCase());
  const [one, other] = [lstatOf(place), lstatOf(shouted)];
  const isApart = shouted !== place && (one?.ino !== other?.ino || one?.dev !== other?.dev);
  return isApart ? ['-c', 'core.ignoreCase=false'] : [];
}

export interface GitOptions {
  readonly input?: string | Buffer;
  readonly env?: NodeJS.ProcessEnv;
  /** The repository's own filters run even where files are only compared. For commands that change the project. */
  readonly filters?: boolean;
  readonly limitMs?: number;
}

/** Settings that name a program, and what stands for them if only the repository has them. */
const PROGRAMS: readonly (readonly [key: RegExp, value: string])[] = [
  [/^core\.sshcommand$/, 'ssh'],
  [/^core\.(?:gitproxy|askpass|alternaterefscommand|editor|pager)$/, ''],
  [/^credential\.(?:.+\.)?helper$/, ''],
  [/^diff\.(?:external|.+\.command|.+\.textconv)$/, ''],
  [/^gpg\.(?:program|.+\.program|.+\.defaultkeycommand)$/, 'false'],
  [/^uploadpack\.packobjectshook$/, ''],
];
const FILTERS: typeof PROGRAMS = [
  [/^filter\..+\.(?:clean|smudge|process)$/, ''],
  [/^filter\..+\.required$/, 'false'],
];
/** Commands that compare files with git's. They may show a filtered file as changed; in return they run nothing of the repository. */
const COMPARING = new Set(['status', 'diff', 'diff-files', 'diff-index', 'add', 'ls-files']);

function subcommandOf(args: readonly string[]): string {
  return args.find((word) => !word.startsWith('-')) ?? '';
}

/** Restores the person's own settings where the repository's name programs. As variables: the name of a filter may have a `=`. */
function programSettings(env: NodeJS.ProcessEnv, cwd: string, filters: boolean): NodeJS.ProcessEnv {
  const kinds = filters ? PROGRAMS : [...PROGRAMS, ...FILTERS];
  const settings = settingsIn(env, cwd);
  const own = new Set(settings.filter(({ isOwn }) => isOwn).map(({ key }) => key));
  const added = [...own].flatMap((key) => {
    const known = kinds.find(([pattern]) => pattern.test(key));
    if (known === undefined) return [];
    const others = settings.filter((one) => !one.isOwn && one.key === key).map(({ value }) => value);
    // Helpers add up; an empty one begins anew.
    const values = key.endsWith('helper') ? ['', ...others] : [others.at(-1) ?? known[1]];
    return values.map((value) => ({ key, value }));
  });
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  // Git fetches missing objects of a partial clone: never by a command in the remote's address (`ext::`) or for a remote on this machine.
  const isLocal = ![...own].some((key) => /^remote\..+\.uploadpack$/.test(key));
  return Object.fromEntries([
    ['GIT_ALLOW_PROTOCOL', `${isLocal ? 'file:' : ''}git:http:https:ssh`],
    ...(added.length === 0 ? [] : [['GIT_CONFIG_COUNT', String(first + added.length)]]),
    ...added.flatMap(({ key, value }, at) => [
      [`GIT_CONFIG_KEY_${first + at}`, key],
      [`GIT_CONFIG_VALUE_${first + at}`, value],
    ]),
  ]) as NodeJS.ProcessEnv;
}

interface GitSetting {
  readonly key: string;
  readonly value: string;
  readonly isOwn: boolean;
}

const known = new Map<string, readonly GitSetting[]>();

/** Reads the settings, which runs nothing: once, and again after they changed. */
function settingsIn(env: NodeJS.ProcessEnv, cwd: string): readonly GitSetting[] {
  const { GIT_DIR: gitDir } = env;
  const files = gitDir === undefined ? [] : [join(gitDir, 'config'), join(gitDir, 'config.worktree')];
  const [main, other] = files.map((path) => lstatOf(path));
  // A folder below the repository and a linked worktree have their settings elsewhere.
  if (main?.isFile() !== true) return readGitSettings(env, cwd);
  const version = [gitDir, main.mtimeMs, main.size, other?.mtimeMs, other?.size].join('\0');
  const found = known.get(version) ?? readGitSettings(env, cwd);
  if (!found.some(({ key }) => key.startsWith('include'))) known.set(version, found);
  return found;
}

function readGitSettings(env: NodeJS.ProcessEnv, cwd: string): readonly GitSetting[] {
  const { status, stdout } = spawnSync(findGit(), ['config', '--list', '--show-scope', '-z'], {
    cwd,
    env,
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  if (status !== 0) return [];
  const parts = stdout.toString('latin1').split('\0');
  const settings: GitSetting[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key = '', ...value] = (parts[at + 1] ?? '').split('\n');
    settings.push({ key: nameOf(key), value: nameOf(value.join('\n')), isOwn: parts[at] === 'local' || parts[at] === 'worktree' });
  }
  return settings;
}

export function tryGit(
  gitTarget: GitTarget,
  args: readonly string[],
  { input, env = {}, filters = !COMPARING.has(subcommandOf(args)), limitMs }: GitOptions = {},
): Promise<GitResult> {
  const cwd = gitTarget.workTree ?? gitTarget.gitDir;
  const variables = gitEnvironment(gitTarget, env);
  return new Promise((resolve, reject) => {
    // In its own session: Ctrl-C stops Umpire but not a git in the middle of a write, and nothing can ask for a password.
    const child = spawn(findGit(), [...OVERRIDES, ...caseSetting(gitTarget), ...args], {
      cwd,
      env: { ...variables, ...programSettings(variables, cwd, filters) },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    const timers = limitMs === undefined ? [] : endAfter(child, limitMs, (note) => err.push(Buffer.from(note)));
    child.on('error', (error) => reject(startError(error, cwd, args)));
    child.on('close', (code) => {
      timers.forEach(clearTimeout);
      resolve({ code: code ?? 128, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') });
    });
    // A git that ends before it has read its input reports why by its exit status.
    child.stdin?.on('error', () => undefined);
    if (input !== undefined) child.stdin?.end(input);
  });
}

const MS_PER_S = 1000;
/** Git removes its lock files at the first signal. */
const GRACE_MS = 2000;

function endAfter(child: ChildProcess, limitMs: number, note: (text: string) => void): readonly NodeJS.Timeout[] {
  const signalGit = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It has just ended.
    }
  };
  return [
    setTimeout(() => {
      note(`\nfatal: no answer within ${limitMs / MS_PER_S} seconds\n`);
      signalGit('SIGTERM');
    }, limitMs),
    setTimeout(() => signalGit('SIGKILL'), limitMs + GRACE_MS),
  ];
}

export async function git(gitTarget: GitTarget, args: readonly string[], asking: GitOptions = {}): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    const { code, stdout, stderr } = await tryGit(gitTarget, args, asking);
    if (code === 0) return stdout;
    if (attempt === ATTEMPTS || !DISTURBED.test(stderr)) throw gitFault(args, code, stderr);
  }
}

/** Git fails while another git adds or removes a worktree; a retry helps. */
const DISTURBED = /failed to read .*worktrees/;
const ATTEMPTS = 5;

/** The same for a short answer such as an id or a name. */
export async function askGit(gitTarget: GitTarget, args: readonly string[], asking: GitOptions = {}): Promise<string> {
  return (await git(gitTarget, args, asking)).toString('utf8').trim();
}

/** The lines of an answer that are not empty. */
export async function listLines(gitTarget: GitTarget, args: readonly string[], asking: GitOptions = {}): Promise<readonly string[]> {
  return (await git(gitTarget, args, asking))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Runs git synchronously in a folder that is not known yet. */
export function runGitSync(folder: string, args: readonly string[], input?: string): GitResult {
  const variables = gitEnvironment(null, {});
  const { status, stdout, stderr, error } = spawnSync(findGit(), [...OVERRIDES, ...args], {
    cwd: folder,
    env: { ...variables, ...programSettings(variables, folder, !COMPARING.has(subcommandOf(args))) },
    ...(input === undefined ? {} : { input }),
    stdio: ['pipe', 'pipe', 'pipe'],
    // Node's default limit is 1 MB, and a large change has more.
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  if (error !== undefined) throw startError(error, folder, args);
  return { code: status ?? 128, stdout, stderr: stderr.toString('utf8') };
}

function startError(error: NodeJS.ErrnoException, cwd: string, args: readonly string[]): Error {
  // Node reports a missing working folder like a missing program.
  if (error.code === 'ENOENT' && existsSync(cwd)) return new UmpireError('git-missing');
  return new UmpireError('git-failed', { what: args[0] ?? '', detail: existsSync(cwd) ? faultOf(error) : `no such folder: ${cwd}` });
}

const LAST_LINES = 3;

export function gitFault(args: readonly string[], code: number, stderr: string): UmpireError {
  const said = gitMessage(stderr);
  return new UmpireError('git-failed', { what: args[0] ?? '', detail: said === '' ? `exit status ${code}` : said });
}

export function gitMessage(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
  const fault = lines.findLastIndex((line) => /^(?:fatal|error): /.test(line));
  // In a long message, the line that begins with fatal or error says most.
  const told = fault >= 0 && fault < lines.length - LAST_LINES ? lines.slice(fault, fault + 1) : lines.slice(-LAST_LINES);
  return told.join(' ').trim().replace(/\.$/, '');
}

export function rawNames(output: Buffer): readonly RawName[] {
  return output
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '');
}

export function namesInput(names: Iterable<RawName>): Buffer {
  return Buffer.from([...names].map((name) => `${name}\0`).join(''), 'latin1');
}

export function nameOf(raw: RawName): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
}

export function rawOf(name: string): RawName {
  return Buffer.from(name, 'utf8').toString('latin1');
}

/** The path of a listed file as bytes, since its name need not be text. */
export function pathIn(root: string, name: RawName): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(name, 'latin1')]);
}

/**
 * Git trusts file times in an index that are older than the index itself. A copy must keep its time, or a file changed in the same clock
 * tick would look unchanged.
 */
export function copyIndex(from: string, to: string): void {
  try {
    const written = Math.floor(statSync(from).mtimeMs) / 1000;
    copyFileSync(from, to);
    utimesSync(to, written, written);
  } catch (error) {
    throw new UmpireError('write-failed', { path: to, detail: faultOf(error) });
  }
}

// Checks the parent folders of a path. Beyond a link or a file in their place, Umpire reads, writes and removes nothing.

/** Is a link among the parent folders? Then the path leads elsewhere, and git refuses it. */
export function linkOnPathTest(root: string): (name: RawName) => boolean {
  return wayTest(root, (stat) => stat.isSymbolicLink());
}

export function blockedPathTest(root: string): (name: RawName) => boolean {
  return wayTest(root, (stat) => !stat.isDirectory());
}

function wayTest(root: string, matches: (stat: Stats) => boolean): (name: RawName) => boolean {
  const known = new Map<string, boolean>([['.', false]]);
  const isFound = (folder: string): boolean => {
    const seen = known.get(folder);
    if (seen !== undefined) return seen;
    const found = isFound(dirname(folder)) || isAt(pathIn(root, folder), matches);
    known.set(folder, found);
    return found;
  };
  return (name) => isFound(dirname(name));
}

function isAt(path: Buffer, matches: (stat: Stats) => boolean): boolean {
  try {
    const stat = lstatOf(path);
    return stat !== undefined && matches(stat);
  } catch {
    return false;
  }
}

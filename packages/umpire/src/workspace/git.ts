// Runs git: never through a shell, never with a prompt, and without settings and variables that would redirect it (hooks, signing, GIT_DIR
// of a calling command).

import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';

/** What a git command works on: its repository, its files, its index. */
export interface GitTarget {
  readonly gitDir: string;
  /** Not needed for commands on commits only. */
  readonly workTree?: string;
  readonly index?: string;
  /** A folder with more objects to read; new ones go to the repository. */
  readonly borrowed?: string;
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
].flatMap((setting) => ['-c', setting]);

/** Variables for identity and settings; all other GIT_ variables are removed. */
const KEPT_VARIABLES =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH|SSH_COMMAND|SSH|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)$/;

/** The environment without variables that redirect git. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || KEPT_VARIABLES.test(name)));
}

function environmentOf(gitTarget: GitTarget | null, extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...cleanEnvironment(),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // Reading the person's checkout must not write its index.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_DEFAULT_REF_FORMAT: 'files',
    ...(gitTarget === null ? {} : { GIT_DIR: gitTarget.gitDir }),
    ...(gitTarget?.workTree === undefined ? {} : { GIT_WORK_TREE: gitTarget.workTree }),
    ...(gitTarget?.index === undefined ? {} : { GIT_INDEX_FILE: gitTarget.index }),
    ...(gitTarget?.borrowed === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: lineOf(gitTarget.borrowed, true) }),
    ...extra,
  };
}

/** Text on one line of a git file, quoted where needed. */
export function lineOf(path: string, isQuoted = path.includes('\n')): string {
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
}

/** Runs git and returns its result, whatever the exit status. */
export function tryGit(gitTarget: GitTarget, args: readonly string[], { input, env = {} }: GitOptions = {}): Promise<GitResult> {
  const cwd = gitTarget.workTree ?? gitTarget.gitDir;
  return new Promise((resolve, reject) => {
    // In its own session: Ctrl-C stops Umpire but not a git in the middle of a write, and nothing can ask for a password.
    const child = spawn('git', [...OVERRIDES, ...caseSetting(gitTarget), ...args], {
      cwd,
      env: environmentOf(gitTarget, env),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', (error) => reject(startError(error, cwd, args)));
    child.on('close', (code) => resolve({ code: code ?? 128, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') }));
    // A git that ends before it has read its input reports why by its exit status.
    child.stdin?.on('error', () => undefined);
    if (input !== undefined) child.stdin?.end(input);
  });
}

/** Runs git and throws on failure. */
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

/** Runs git synchronously in a folder that is not known yet. */
export function runGitSync(folder: string, args: readonly string[], input?: string): GitResult {
  const { status, stdout, stderr, error } = spawnSync('git', [...OVERRIDES, ...args], {
    cwd: folder,
    env: environmentOf(null, {}),
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

/** Git's error message without the full stop. */
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

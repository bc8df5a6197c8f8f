// Runs git: never through a shell, never with a prompt, and deaf to settings and variables that would lead it elsewhere (hooks,
// signing, GIT_DIR of a surrounding command). What is asked of git is left to the other files of this room.

import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { lstatOf } from '../sessions/entry.js';
import { faultOf } from '../sessions/folder.js';

/** Where a git command sits: its repository (or the folder of one worktree in it), its files, its index. */
export interface Seat {
  readonly gitDir: string;
  /** None for commands that look at commits only. */
  readonly workTree?: string;
  readonly index?: string;
}

export interface Answer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Names that git lists may be any bytes: one character a byte keeps them whole. `nameOf` makes them text for people. */
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
  // What the journal calls done must outlive a loss of power.
  'core.fsync=objects,reference',
  'core.fsyncMethod=batch',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
].flatMap((setting) => ['-c', setting]);

/** Who a person is to git and where their settings lie; every other GIT_ variable is left out. */
const KEPT =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH|SSH_COMMAND|SSH|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)$/;

/** The environment without what would redirect git. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name)));
}

function environmentOf(seat: Seat | null, extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...cleanEnvironment(),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // Looking at the person's checkout must not write its index.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_DEFAULT_REF_FORMAT: 'files',
    ...(seat === null ? {} : { GIT_DIR: seat.gitDir }),
    ...(seat?.workTree === undefined ? {} : { GIT_WORK_TREE: seat.workTree }),
    ...(seat?.index === undefined ? {} : { GIT_INDEX_FILE: seat.index }),
    ...extra,
  };
}

/**
 * Git is told once, when a repository is made, whether its disk takes A and a for one name. One that came from another machine would have
 * it overlook files here. Of a folder that cannot tell, the repository's word holds.
 */
function caseOf({ workTree }: Seat): readonly string[] {
  if (workTree === undefined) return [];
  // An agent may have removed the first; the other is there.
  const place = [join(workTree, '.git'), workTree].find((path) => lstatOf(path) !== undefined) ?? workTree;
  const shouted = join(dirname(place), basename(place).toUpperCase());
  const [one, other] = [lstatOf(place), lstatOf(shouted)];
  const isApart = shouted !== place && (one?.ino !== other?.ino || one?.dev !== other?.dev);
  return isApart ? ['-c', 'core.ignoreCase=false'] : [];
}

export interface Asking {
  readonly input?: string | Buffer;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs git and tells how it ended, whatever that was. */
export function tryGit(seat: Seat, args: readonly string[], { input, env = {} }: Asking = {}): Promise<Answer> {
  const cwd = seat.workTree ?? seat.gitDir;
  return new Promise((resolve, reject) => {
    // In a session of its own: Ctrl-C ends Umpire, not a git in the middle of a write, and nothing can ask for a password.
    const child = spawn('git', [...OVERRIDES, ...caseOf(seat), ...args], {
      cwd,
      env: environmentOf(seat, env),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', (error) => reject(startFault(error, cwd, args)));
    child.on('close', (code) => resolve({ code: code ?? 128, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') }));
    // A git that ends before it has read everything says why by its exit status.
    child.stdin?.on('error', () => undefined);
    if (input !== undefined) child.stdin?.end(input);
  });
}

/** Runs git where any failure is one for the person to mend. */
export async function git(seat: Seat, args: readonly string[], asking: Asking = {}): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    const { code, stdout, stderr } = await tryGit(seat, args, asking);
    if (code === 0) return stdout;
    if (attempt === ATTEMPTS || !DISTURBED.test(stderr)) throw gitFault(args, code, stderr);
  }
}

/** Git stops where another git makes or removes a worktree just then. */
const DISTURBED = /failed to read .*worktrees/;
const ATTEMPTS = 5;

/** The same for a word of an answer: an id, a name. */
export async function askGit(seat: Seat, args: readonly string[], asking: Asking = {}): Promise<string> {
  return (await git(seat, args, asking)).toString('utf8').trim();
}

/** Looks at a folder before anything is known about it. Waits for the answer: whoever asks has nothing else to do yet. */
export function lookAround(folder: string, args: readonly string[], input?: string): Answer {
  const { status, stdout, stderr, error } = spawnSync('git', [...OVERRIDES, ...args], {
    cwd: folder,
    env: environmentOf(null, {}),
    ...(input === undefined ? {} : { input }),
    stdio: ['pipe', 'pipe', 'pipe'],
    // Node's own limit is a megabyte, and a large change has more.
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  if (error !== undefined) throw startFault(error, folder, args);
  return { code: status ?? 128, stdout, stderr: stderr.toString('utf8') };
}

function startFault(error: NodeJS.ErrnoException, cwd: string, args: readonly string[]): Error {
  // A missing working folder is reported in the same words as a missing program.
  if (error.code === 'ENOENT' && existsSync(cwd)) return new UmpireError('git-missing');
  return new UmpireError('git-failed', { what: args[0] ?? '', detail: existsSync(cwd) ? faultOf(error) : `there is no folder ${cwd}` });
}

const LAST = 3;

export function gitFault(args: readonly string[], code: number, stderr: string): UmpireError {
  const said = gitWords(stderr);
  return new UmpireError('git-failed', { what: args[0] ?? '', detail: said === '' ? `it ended with exit status ${code}` : said });
}

/** What git said of it, without a full stop. */
export function gitWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
  const fault = lines.findLastIndex((line) => /^(?:fatal|error): /.test(line));
  // Of a long message, advice for one, the line counts that says what it is about.
  const told = fault >= 0 && fault < lines.length - LAST ? lines.slice(fault, fault + 1) : lines.slice(-LAST);
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

/** Where a listed file lies: as bytes, since its name need not be text. */
export function pathIn(root: string, name: RawName): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(name, 'latin1')]);
}

/**
 * An index holds the times of files; git trusts those older than the index itself. A copy must not look younger than it is,
 * or a file changed in the same tick of the clock would pass for unchanged.
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

// The sandbox of `--sandbox`: every program of a run sees the whole disk and writes only where its work goes. bubblewrap makes it;
// which places are whose is said by who runs the session. Starting and ending programs is left to child.ts.

import { execFile } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import type { Sandbox } from '@umpire/core/ports.js';
import { isFile } from '../sessions/entry.js';
import { homeFolder } from '../sessions/environment.js';

/** All absolute. Where one lies in another, the later of these lists holds; what agents need for themselves is open also in a kept place. */
export interface SandboxPlaces {
  /** Never written: the person's checkout and repository, the worktrees of others. */
  readonly kept: readonly string[];
  /** What the person's settings allow beside what agents need for themselves. */
  readonly write: readonly string[];
  /** What belongs to a working folder and lies beside it. */
  readonly alongside?: (workdir: string) => string;
  /** What only Umpire writes in the session folder. */
  readonly sealed: readonly string[];
}

/** Where coding agents keep their sign-in, settings and history, and package managers what they have downloaded; below the home folder. */
const STATE: readonly string[] = [
  '.claude',
  '.claude.json',
  '.codex',
  '.gemini',
  '.config/opencode',
  '.local/share/opencode',
  '.local/state/opencode',
  '.cache',
  '.npm',
];

/** The same, moved elsewhere by the person. */
const STATE_VARIABLES: readonly string[] = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'OPENCODE_CONFIG_DIR', 'XDG_CACHE_HOME'];

/** Root without its powers could make no sandbox inside, and Codex makes one. By another name it is as any user; its files stay root's. */
const AS_NOBODY = process.getuid?.() === 0 ? ['--unshare-user', '--uid', '65534', '--gid', '65534'] : [];

const BASE: readonly string[] = [
  ...AS_NOBODY,
  '--die-with-parent',
  '--unshare-pid',
  '--cap-drop',
  'ALL',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
];

/** bubblewrap itself must outlive the question whether its program would finish, and a shell cannot trap what it inherits as ignored. */
const HEEDLESS = ['/usr/bin/env', '--ignore-signal=INT,TERM'];
const HEEDING = ['/usr/bin/env', '--default-signal=INT,TERM'];

/** Throws `sandbox-unavailable` where programs cannot be held here: nothing runs without the sandbox that was asked for. */
export async function openSandbox(places: SandboxPlaces): Promise<Sandbox> {
  const bwrap = findProgram('bwrap', process.env['PATH'] ?? '');
  if (platform() !== 'linux' || bwrap === null) throw new UmpireError('sandbox-unavailable', { detail: whyNone(platform()) });
  const enter = (binds: readonly string[], argv: readonly string[]) => [...HEEDLESS, bwrap, ...BASE, ...binds, '--', ...HEEDING, ...argv];
  const fault = await faultOfRun(enter([], ['true']));
  if (fault !== null) throw new UmpireError('sandbox-unavailable', { detail: `bubblewrap does not work here: ${fault}` });
  const around: Sandbox['around'] = ({ argv, workdir, writable = [], env }) => {
    checkProgram(argv[0] ?? '', workdir, env['PATH'] ?? '');
    const { alongside } = places;
    const added = realPlaces(places.write);
    const own = realPlaces([workdir, ...(alongside === undefined ? [] : [alongside(workdir)]), ...writable]);
    const sealed = realPlaces(places.sealed);
    const usual = realPlaces([...temporaryFolders(), ...stateFolders()]);
    const binds = [
      ...grounds(usual, realPlaces(places.kept), [...added, ...own, ...sealed]),
      ...grounds(added, [], [...own, ...sealed]),
      ...own.map(openAt),
      ...sealed.map(shutAt),
    ].flatMap(({ how, place }) => [how, place, place]);
    return enter([...binds, '--chdir', workdir], argv);
  };
  return { around };
}

function whyNone(system: string): string {
  return system === 'linux' ? 'the program bwrap is not installed' : `it is made with bubblewrap, which ${system} does not have`;
}

/** Paths with links in them are resolved: inside, a link may lead elsewhere. What is not there is left out. */
function realPlaces(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    try {
      return [realpathSync.native(path)];
    } catch {
      return [];
    }
  });
}

interface Bind {
  readonly how: '--bind-try' | '--ro-bind-try';
  readonly place: string;
}

function openAt(place: string): Bind {
  return { how: '--bind-try', place };
}

function shutAt(place: string): Bind {
  return { how: '--ro-bind-try', place };
}

/**
 * Open and shut places, each holding against those around it; one that is both is shut. What is bound cannot be renamed: so the open
 * folders on the way to a shut place, or to one of the `inner` ones, are bound too, lest they be moved away and others put where they were.
 */
function grounds(open: readonly string[], shut: readonly string[], inner: readonly string[]): readonly Bind[] {
  const byLength = (one: Bind, other: Bind): number => one.place.length - other.place.length;
  const known = [...open.map(openAt), ...shut.map(shutAt)].toSorted(byLength);
  const isOpen = (folder: string): boolean => known.findLast(({ place }) => `${folder}/`.startsWith(`${place}/`))?.how === '--bind-try';
  const between = new Set<string>();
  for (const place of [...shut, ...inner]) {
    for (let folder = dirname(place); folder !== dirname(folder); folder = dirname(folder)) if (isOpen(folder)) between.add(folder);
  }
  for (const { place } of known) between.delete(place);
  return [...known, ...[...between].map(openAt)].toSorted(byLength);
}

function temporaryFolders(): readonly string[] {
  return ['/tmp', '/var/tmp', tmpdir()];
}

function stateFolders(): readonly string[] {
  const named = STATE_VARIABLES.map((name) => process.env[name] ?? '');
  const below = homeFolder() === '' ? [] : STATE.map((path) => join(homeFolder(), path));
  return [...below, ...named].filter((path) => isAbsolute(path));
}

/** An entry of PATH that is not absolute would depend on where one stands. */
function findProgram(name: string, path: string): string | null {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find((place) => isFile(place)) ?? null;
}

/** Inside, a program that cannot be started would look like one that failed. */
function checkProgram(program: string, workdir: string, path: string): void {
  const place = program.includes('/') ? resolve(workdir, program) : findProgram(program, path);
  if (place === null) throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT' });
  accessSync(place, constants.X_OK);
}

/** Why a command fails, in its own last line; null where it does not. */
function faultOfRun([program = '', ...args]: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000 }, (error, _, stderr) => {
      resolve(error === null ? null : (stderr.trim().split('\n').at(-1) ?? '') || error.message);
    });
  });
}

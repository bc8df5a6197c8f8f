// The sandbox of `--sandbox`, made with bubblewrap: programs can read the whole disk and write only to the folders of their task. The
// caller says which folders. child-process.ts starts and ends programs.

import { execFile } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import type { Sandbox } from '@umpire/core/ports.js';
import { isFile } from '../sessions/file-system.js';
import { homeFolder } from '../sessions/environment.js';
import { keyFolder } from '../sessions/journal-key.js';

/** All absolute. Where one contains another, the later list wins; the agents' own state folders are writable also inside a kept folder. */
export interface SandboxPlaces {
  /** Never writable: the person's checkout and repository, the worktrees of other tasks. */
  readonly kept: readonly string[];
  /** Folders that the settings allow. */
  readonly write: readonly string[];
  /** The repository that belongs to a working folder. */
  readonly alongside?: (workdir: string) => string;
  /** Files in the session folder that only Umpire writes. */
  readonly sealed: readonly string[];
}

/** Sign-in, settings and history of coding agents, and caches of package managers; below the home folder. */
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

/** Environment variables that move those folders. */
const STATE_VARIABLES: readonly string[] = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'OPENCODE_CONFIG_DIR', 'XDG_CACHE_HOME'];

/** Codex makes its own sandbox inside, which root without capabilities cannot. As another user it can; files stay root's. */
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

/** bubblewrap itself must survive the request to finish, and a shell cannot trap signals that it inherits as ignored. */
const HEEDLESS = ['/usr/bin/env', '--ignore-signal=INT,TERM'];
const HEEDING = ['/usr/bin/env', '--default-signal=INT,TERM'];

/** Throws `sandbox-unavailable`: Umpire never runs without the sandbox that was asked for. */
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
    const hidden = realPlaces([keyFolder() ?? []].flat()).flatMap((place) => ['--tmpfs', place]);
    return enter([...binds, ...hidden, '--chdir', workdir], argv);
  };
  return { around };
}

function whyNone(system: string): string {
  return system === 'linux' ? 'bubblewrap (bwrap) is not installed' : `it needs bubblewrap, which ${system} does not have`;
}

/** Resolves links, since a link may lead elsewhere inside the sandbox. Missing paths are left out. */
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
 * Writable and read-only places; inner ones override outer ones, and read-only wins for the same path. A bound folder cannot be renamed: so
 * the writable folders on the way to a read-only or `inner` place are bound too, or a program could move them away and replace them.
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

/** A relative entry of PATH would depend on the working folder. */
function findProgram(name: string, path: string): string | null {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find((place) => isFile(place)) ?? null;
}

/** Inside the sandbox, a program that cannot be started would look like one that failed. */
function checkProgram(program: string, workdir: string, path: string): void {
  const place = program.includes('/') ? resolve(workdir, program) : findProgram(program, path);
  if (place === null) throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT' });
  accessSync(place, constants.X_OK);
}

/** The last line of a command's error; null where it succeeds. */
function faultOfRun([program = '', ...args]: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000 }, (error, _, stderr) => {
      resolve(error === null ? null : (stderr.trim().split('\n').at(-1) ?? '') || error.message);
    });
  });
}

// The sandbox of `--sandbox`, made with bubblewrap: programs can read the whole disk and write only to the folders of their task. The
// caller says which folders; private-state.ts has what stands in for folders of the home. child-process.ts starts and ends programs.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Sandbox } from '@umpire/core/model/ports.js';
import { openPrivateState, realPlaces, temporaryFolders } from './private-state.js';
import { checkProgram } from './supervisor.js';
import { namesIn } from '../sessions/file-system.js';
import { findPersonalProgram } from '../sessions/environment.js';

/** All absolute. Where one contains another, the later list wins; private copies are writable also inside a kept folder. */
export interface SandboxPlaces {
  /** Never writable: the person's checkout and repository, the worktrees of other tasks. */
  readonly kept: readonly string[];
  /** Folders that the settings allow. */
  readonly write: readonly string[];
  /** The repository that belongs to a working folder. */
  readonly alongside?: (workdir: string) => string;
  /** Files in the session folder that only Umpire writes. */
  readonly sealed: readonly string[];
  /** Folders that look empty. */
  readonly hidden?: readonly string[];
  /** Where agents write: the session folder, worktrees. Checks see empty folders, with their own working folder in them. */
  readonly agents?: readonly string[];
  /** Where Umpire keeps what its checks work with. Agents see an empty folder. */
  readonly scratch?: string;
  /** A new folder for the private copies of this run. Without it there are none. */
  readonly copies?: string;
}

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
  const bwrap = findPersonalProgram('bwrap');
  if (platform() !== 'linux' || bwrap === null) throw new UmpireError('sandbox-unavailable', whyNone(platform()));
  const enter = (binds: readonly string[], argv: readonly string[]) => [...HEEDLESS, bwrap, ...BASE, ...binds, '--', ...HEEDING, ...argv];
  // The last line of a command's error; null where it succeeds.
  const [program = '', ...args] = enter([], ['/bin/sh', '-c', ':']);
  const fault = await new Promise<string | null>((resolve) => {
    execFile(program, args, { timeout: 10_000 }, (error, _, stderr) => {
      resolve(error === null ? null : (stderr.trim().split('\n').at(-1) ?? '') || error.message);
    });
  });
  if (fault !== null)
    throw new UmpireError(
      'sandbox-unavailable',
      whyFailed(fault, (name) => {
        try {
          return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim();
        } catch {
          return null;
        }
      }),
    );
  const { alongside, copies, scratch: scratchIn } = places;
  const state = copies === undefined ? null : openPrivateState(copies);
  return {
    around: ({ argv, workdir, writable = [], env, isCheck = false }) => {
      const path = env['PATH'] ?? '';
      checkProgram(argv[0] ?? '', workdir, path);
      const copied = (isCheck ? state?.copiesForCheck(workdir, env) : state?.copiesFor(argv[0] ?? '', env)) ?? [];
      const temporary = temporaryFolders();
      const scratch = scratchIn === undefined ? [] : realPlaces([scratchIn]);
      const added = realPlaces(places.write);
      const emptied = isCheck ? outermost([...realPlaces(places.agents ?? []), ...scratch]) : [];
      // A check that could leave a file beside them would speak to the next one.
      const works = isCheck ? scratch.flatMap((place) => namesIn(place).map((name) => join(place, name))) : [];
      const own = realPlaces([...works, workdir, ...(alongside === undefined ? [] : [alongside(workdir)]), ...writable]);
      const isEmptied = (place: string) => emptied.some((folder) => `${place}/`.startsWith(`${folder}/`));
      const sealed = realPlaces(places.sealed).filter((place) => !isEmptied(place));
      const shut = [
        ...realPlaces(places.kept),
        ...copied.flatMap(({ shown }) => shown),
        // What the person's PATH names there is the person's.
        ...realPlaces(path.split(delimiter).filter(isAbsolute)).filter((bin) => temporary.some((place) => bin.startsWith(`${place}/`))),
      ].map(shutAt);
      const binds = [
        ...grounds(
          [
            ...temporary.filter((place) => !copied.some((copy) => copy.place === place)).map(openAt),
            ...copied.map(({ place, copy }): Bind => ({ how: '--bind', place, from: copy })),
            ...shut,
          ],
          [...added, ...own, ...sealed],
        ),
        ...grounds(added.map(openAt), [...own, ...sealed]),
        ...emptied.map((place): Bind => ({ how: '--tmpfs', place })),
        ...own.map(openAt),
        ...emptied.map((place): Bind => ({ how: '--remount-ro', place })),
        ...sealed.map(shutAt),
      ].flatMap(({ how, place, from = place }) => (how === '--tmpfs' || how === '--remount-ro' ? [how, place] : [how, from, place]));
      const empty = [...realPlaces(places.hidden ?? []), ...(isCheck ? [] : scratch)];
      const hidden = empty.flatMap((place) => ['--tmpfs', place, '--remount-ro', place]);
      return enter([...binds, ...hidden, '--chdir', workdir], argv);
    },
    close: () => state?.close(),
    ...(copies === undefined ? {} : { copies }),
  };
}

function outermost(places: readonly string[]): readonly string[] {
  const all = [...new Set(places)];
  return all.filter((place) => !all.some((other) => place.startsWith(`${other}/`)));
}

interface Unavailable extends Readonly<Record<string, string>> {
  readonly detail: string;
  readonly advice: string;
}

function whyNone(system: string): Unavailable {
  if (system !== 'linux')
    return { detail: `it needs Linux, and this is ${system}`, advice: 'Run Umpire in a Linux container or virtual machine.' };
  const advice = 'Install bubblewrap: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap.';
  return { detail: 'the program bwrap (bubblewrap) is not on the PATH', advice };
}

/** Kernel settings that forbid user namespaces: the value that forbids them, and one that allows them. */
const FORBIDDING: readonly (readonly [name: string, forbids: string, allows: string])[] = [
  ['user.max_user_namespaces', '0', '10000'],
  ['kernel.unprivileged_userns_clone', '0', '1'],
  ['kernel.apparmor_restrict_unprivileged_userns', '1', '0'],
];

/** `read`: the value of a kernel setting; null where the kernel has none of this name. */
export function whyFailed(fault: string, read: (name: string) => string | null): Unavailable {
  const found = FORBIDDING.find(([name, forbids]) => read(name) === forbids);
  if (found !== undefined) {
    const [name, forbids, allows] = found;
    const detail = `bubblewrap failed (${fault}), and the kernel setting ${name} is ${forbids}`;
    return { detail, advice: `Allow user namespaces: sudo sysctl -w ${name}=${allows}.` };
  }
  const advice = 'Allow user namespaces. For a container: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined.';
  return { detail: `bubblewrap failed (${fault})`, advice };
}

interface Bind {
  readonly how: '--bind' | '--bind-try' | '--ro-bind-try' | '--tmpfs' | '--remount-ro';
  readonly place: string;
  /** What stands at this place; the place itself where not given. */
  readonly from?: string;
}

function openAt(place: string): Bind {
  return { how: '--bind-try', place };
}

function shutAt(place: string): Bind {
  return { how: '--ro-bind-try', place };
}

/**
 * Inner places override outer ones, and for the same path the later one wins. A bound folder cannot be renamed: so the writable folders on
 * the way to a place that is not theirs are bound too, or a program could move them away and replace them.
 */
function grounds(binds: readonly Bind[], inner: readonly string[]): readonly Bind[] {
  const byLength = (one: Bind, other: Bind): number => one.place.length - other.place.length;
  const known = binds.toSorted(byLength);
  const others = known.flatMap(({ how, place }) => (how === '--bind-try' ? [] : [place]));
  const between = new Set<string>();
  for (const place of [...others, ...inner]) {
    for (let folder = dirname(place); folder !== dirname(folder); folder = dirname(folder))
      if (known.findLast(({ place }) => `${folder}/`.startsWith(`${place}/`))?.how === '--bind-try') between.add(folder);
  }
  for (const { place } of known) between.delete(place);
  return [...known, ...[...between].map(openAt)].toSorted(byLength);
}

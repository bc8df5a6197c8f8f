// Everything that tests write lies in one folder of the run, in memory where there is room: much of the time of git goes to the disk. So do
// worktrees, settings and records of tests that name no folder for them, and not in the home of whoever runs the tests.

import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const MEMORY = '/dev/shm';
const LEAST_BYTES = 2 ** 31;
const NAME = 'umpire-tests-';
const OWN = `${NAME}${process.pid}`;

// Before anything asks for it: workers and the programs that they start have this environment. The settings and vitest both load this file.
if (basename(tmpdir()) !== OWN) {
  process.env['TMPDIR'] = join(chooseFolder(), OWN);
  process.umask(0o022);
  if (process.env['HOME'] === undefined || !isPlain(homedir())) process.env['HOME'] = join(tmpdir(), 'home');
}
const folder = tmpdir();

export const WORKTREES = join(folder, 'worktrees');

/** Settings and records of tests that name no folder for them. */
export const HOMES = join(folder, 'homes');

/** Before all tests. Also removes what a killed run left. */
export function setup(): void {
  const place = dirname(folder);
  for (const name of readdirSync(place))
    if (name.startsWith(NAME) && !isAlive(Number(name.slice(NAME.length)))) rmSync(join(place, name), { recursive: true, force: true });
  mkdirSync(join(folder, 'home'), { recursive: true });
}

/** After all tests. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** In memory, in the person's own choice, or beside it: where nothing above changes what tests and tools find. */
function chooseFolder(): string {
  const usual = [tmpdir(), '/tmp', '/var/tmp'].filter((place) => existsSync(place)).map((place) => realpathSync(place));
  const places = process.env['TMPDIR'] === undefined && isRoomyMemory() ? [MEMORY, ...usual] : usual;
  return places.find(isPlain) ?? tmpdir();
}

/** No space in the path, and no repository or package above. */
function isPlain(path: string): boolean {
  if (/\s/.test(path)) return false;
  if (['.git', 'package.json', '.umpire', 'node_modules'].some((name) => existsSync(join(path, name)))) return false;
  return dirname(path) === path || isPlain(dirname(path));
}

/** Containers have little memory there, and often run no program from it. */
function isRoomyMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY);
    return bavail * bsize > LEAST_BYTES && !mount?.includes('noexec');
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

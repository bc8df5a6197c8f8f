// What Umpire reads from its environment: the home, cache and state folders, and the variables that its child processes inherit.

import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Empty if there is none: in containers HOME may be unset and the user may have no entry. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** The XDG specification says to ignore a relative path. */
function xdgFolder(variable: string, inHome: string, otherwise = ''): string {
  const named = process.env[variable] ?? '';
  if (isAbsolute(named)) return named;
  return homeFolder() === '' ? otherwise : join(homeFolder(), inHome);
}

/** Where programs keep files that can be made again. */
export function cacheHome(): string {
  return xdgFolder('XDG_CACHE_HOME', '.cache', tmpdir());
}

/** Where the person's own settings are. */
export function configHome(): string {
  return xdgFolder('XDG_CONFIG_HOME', '.config');
}

/** Where programs keep what must survive a reboot and is no setting. Empty if there is no such folder. */
export function stateHome(): string {
  return xdgFolder('XDG_STATE_HOME', join('.local', 'state'));
}

/** A git hook or alias sets these to the person's repository. Agents and tools must use the repository of their own folder. */
const REPOSITORY =
  /^GIT_(?:DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH|GRAFT_FILE|SHALLOW_FILE|NAMESPACE|PREFIX|INTERNAL_SUPER_PREFIX)$/;

export function inheritedVariables(): Readonly<Record<string, string>> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !REPOSITORY.test(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Where Umpire sends something to: https, or plain http on this machine. */
export function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

/** Monotonic: setting the clock does not change it, and on Linux it stands still while the machine is suspended. */
export function elapsedMs(): number {
  return process.uptime() * 1000;
}

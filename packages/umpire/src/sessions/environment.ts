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

/** Where programs keep files that can be made again. The XDG specification says to ignore a relative path. */
export function cacheHome(): string {
  const named = process.env['XDG_CACHE_HOME'] ?? '';
  return isAbsolute(named) ? named : homeFolder() === '' ? tmpdir() : join(homeFolder(), '.cache');
}

/** Where the person's own settings are. */
export function configHome(): string {
  const named = process.env['XDG_CONFIG_HOME'] ?? '';
  return isAbsolute(named) ? named : homeFolder() === '' ? '' : join(homeFolder(), '.config');
}

/** Where programs keep what must survive a reboot and is no setting. Empty if there is no such folder. */
export function stateHome(): string {
  const named = process.env['XDG_STATE_HOME'] ?? '';
  return isAbsolute(named) ? named : homeFolder() === '' ? '' : join(homeFolder(), '.local', 'state');
}

/** A git hook or alias sets these to the person's repository. Agents and tools must use the repository of their own folder. */
const REPOSITORY =
  /^GIT_(?:DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH|GRAFT_FILE|SHALLOW_FILE|NAMESPACE|PREFIX|INTERNAL_SUPER_PREFIX)$/;

export function inheritedVariables(): Readonly<Record<string, string>> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !REPOSITORY.test(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

export function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

/** Monotonic: setting the clock does not change it, and on Linux it stands still while the machine is suspended. */
export function elapsedMs(): number {
  return process.uptime() * 1000;
}

const MAX_MS_WITHOUT_BREAK = 100;

interface TimerClock {
  readonly elapsedMs: () => number;
  readonly after: (ms: number, act: () => void) => () => void;
}

export class EventLoopBreaks {
  private lastMs: number;

  constructor(private readonly clock: TimerClock) {
    this.lastMs = clock.elapsedMs();
  }

  isDue(): boolean {
    return this.clock.elapsedMs() - this.lastMs > MAX_MS_WITHOUT_BREAK;
  }

  async take(): Promise<void> {
    await new Promise<void>((resolve) => void this.clock.after(0, resolve));
    this.lastMs = this.clock.elapsedMs();
  }
}

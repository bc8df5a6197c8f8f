// What is taken over of the environment around Umpire: where caches lie, and what programs that it starts are told.

import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Empty where there is none: no HOME, and a user that the system has no entry for, as in containers. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Where a person's programs keep what can be made again. A path that is not whole counts as none, as its specification says. */
export function cacheHome(): string {
  const named = process.env['XDG_CACHE_HOME'] ?? '';
  return isAbsolute(named) ? named : homeFolder() === '' ? tmpdir() : join(homeFolder(), '.cache');
}

/** A git hook, or an alias, says by these which repository is meant: the person's own. Agents and tools must find the one they stand in. */
const REPOSITORY =
  /^GIT_(?:DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH|GRAFT_FILE|SHALLOW_FILE|NAMESPACE|PREFIX|INTERNAL_SUPER_PREFIX)$/;

export function surroundings(): Readonly<Record<string, string>> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !REPOSITORY.test(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

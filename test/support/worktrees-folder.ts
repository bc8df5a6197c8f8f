// Worktrees, settings and records of tests that name no folder for them lie here, and not in the home of whoever runs the tests.

import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const WORKTREES = join(tmpdir(), `umpire-worktrees-${process.pid}`);

/** Settings and records of tests that name no folder for them. */
export const HOMES = join(tmpdir(), `umpire-homes-${process.pid}`);

/** After all tests. */
export function teardown(): void {
  rmSync(HOMES, { recursive: true, force: true });
  rmSync(WORKTREES, { recursive: true, force: true });
}

// Worktrees of tests that name no folder for them lie here, and not in the home of whoever runs the tests.

import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const WORKTREES = join(tmpdir(), `umpire-worktrees-${process.pid}`);

/** After all tests. */
export function teardown(): void {
  rmSync(WORKTREES, { recursive: true, force: true });
}

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { HOMES, WORKTREES } from './test/support/worktrees-folder.js';

const isSoak = process.env['UMPIRE_SOAK'] === '1';

/** A busy machine is no failure: only a test that hangs takes this long. */
const testTimeout = 300_000;

export default defineConfig({
  test: {
    tags: [{ name: 'soak', description: 'Runs in `npm run soak` only.' }],
    ...(isSoak ? {} : { tagsFilter: ['!soak'] }),
    strictTags: true,
    // Stories wait for processes and disks more than they compute.
    maxWorkers: availableParallelism() + 1,
    // Files share the modules of their worker: isolation would double the time.
    isolate: false,
    testTimeout,
    // Tests write the settings of their projects themselves, and none of the person's own count.
    env: { UMPIRE_WORKTREES: WORKTREES, UMPIRE_TRUST: '1', XDG_CONFIG_HOME: HOMES, XDG_STATE_HOME: HOMES },
    globalSetup: './test/support/worktrees-folder.ts',
    include: ['packages/{core,reports,guard,umpire}/src/**/*.test.ts', 'test/*.test.ts', 'test/campaigns/*.test.ts'],
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/{loops,formats}/**/*.ts', 'packages/reports/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.generated.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      thresholds: { branches: 95 },
    },
  },
});

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

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
    projects: [
      {
        // Pure rooms share their modules between files: isolation would double the time.
        extends: true,
        test: {
          name: 'pure',
          include: ['packages/{core,reports,guard}/src/**/*.test.ts', 'packages/umpire/src/report/**/*.test.ts'],
          isolate: false,
          testTimeout,
        },
      },
      {
        extends: true,
        test: { name: 'umpire', include: ['packages/umpire/src/!(report)/**/*.test.ts', 'test/*.test.ts'], testTimeout },
      },
      { extends: true, test: { name: 'campaigns', include: ['test/campaigns/*.test.ts'], testTimeout } },
    ],
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

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    // For what hangs: a busy machine is no fault.
    testTimeout: 300_000,
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/loops/**/*.ts', 'packages/core/src/formats/**/*.ts', 'packages/reports/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.generated.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      thresholds: { branches: 95 },
    },
  },
});

// `npm run check`: format, lint, types and the fast tests, in under a minute. For every save and every commit.

import { join } from 'node:path';
import { installIfNeeded, root, run, tool } from './tools.mjs';

installIfNeeded();
run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
tool('oxfmt', ['--check']);
tool('oxlint', ['--type-aware', '--deny-warnings']);
tool('typescript', ['-p', 'tsconfig.json'], 'tsc');
tool('typescript', ['-p', 'packages/dashboard/tsconfig.json'], 'tsc');
tool('knip', ['--no-progress']);
const slow = [
  'test/fuzz/**',
  'test/slow/**',
  'test/{spec,decide,own-loop,check,replay,replay-rules,proving-loops,mutation}.test.ts',
  'test/run*.test.ts',
  'packages/core/src/proof/space.test.ts',
];
tool('vitest', ['run', '--no-isolate', ...slow.flatMap((pattern) => ['--exclude', pattern])]);

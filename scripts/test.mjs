// `npm test`: everything. Installs if needed, builds, then format, lint, types, dead code, all tests with coverage, fuzzing.

import { join } from 'node:path';
import { installIfNeeded, root, run, tool } from './tools.mjs';

installIfNeeded();
if (!process.env.UMPIRE_CORPUS) process.stderr.write('UMPIRE_CORPUS is not set: reports of other tools are not tried (skipped).\n');
run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
tool('oxfmt', ['--check']);
tool('oxlint', ['--type-aware', '--deny-warnings']);
tool('typescript', ['-p', 'tsconfig.json'], 'tsc');
tool('typescript', ['-p', 'packages/dashboard/tsconfig.json'], 'tsc');
tool('knip', ['--no-progress']);
tool('vitest', ['run', '--coverage', '--exclude', 'test/fuzz/**']);
tool('vitest', ['run', 'test/fuzz']);

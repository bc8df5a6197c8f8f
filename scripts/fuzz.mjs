// `npm run fuzz`: the fuzz tests with a million inputs a reader (or UMPIRE_FUZZ of your own).

import { join } from 'node:path';
import { installIfNeeded, root, run, tool } from './tools.mjs';

installIfNeeded();
process.env.UMPIRE_FUZZ ??= '1000000';
run(process.execPath, [join(root, 'scripts', 'generate.mjs')]);
tool('vitest', ['run', 'test/fuzz', '--testTimeout', '3600000']);

// `npm start`: installs if needed, builds, and runs the demo. Works on a fresh clone with only Node and npm.

import { join } from 'node:path';
import { installIfNeeded, root, run } from './tools.mjs';

installIfNeeded();
process.stderr.write('Building …\n');
run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
run(process.execPath, [join(root, 'scripts', 'demo.mjs')]);

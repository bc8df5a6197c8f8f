// Where the package lies on disk: its role texts are read from there, whether this runs as the bundled command, as the
// library or from its sources.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let known: string | null = null;

/** It does not move while the process runs. */
export function packageRoot(): string {
  return (known ??= findRoot());
}

/** The folder of the code that runs: the build has what it starts in threads beside it, the sources have not. */
export function codeFolder(): string {
  return typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
}

function findRoot(): string {
  let folder = codeFolder();
  while (!existsSync(join(folder, 'roles', 'judge.md'))) {
    const parent = dirname(folder);
    if (parent === folder) return folder;
    folder = parent;
  }
  return folder;
}

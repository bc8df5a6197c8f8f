// Finds the installed package, which contains the role texts: for the bundled command, the library and the sources.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let known: string | null = null;

export function packageRoot(): string {
  return (known ??= findRoot());
}

/** Null where it cannot be read. */
export function packageVersion(): string | null {
  try {
    const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version?: unknown };
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}

/** The folder of the running code. The build has the code of its worker threads beside it; the sources do not. */
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

// A large change that is read in several threads is judged as one that is read in one: all labelled changes put together, and test files
// of this repository with a check and a title changed.

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { readInThreads } from '../../src/engine/guard-threads.js';
import type { FileChange } from '../../src/guard/change.js';
import { KnownBefore, guard } from '../../src/guard/guard.js';
import { readCase } from '../support/guard-cases.js';

const root = join(import.meta.dirname, '..', '..');
const cache = join(root, 'node_modules', '.cache', 'umpire');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'threads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every labelled change in a folder of its own; what it leaves alone lies on disk. */
function labelled(): { readonly files: readonly FileChange[]; readonly same: ReadonlyMap<string, string> } {
  const files: FileChange[] = [];
  const same = new Map<string, string>();
  for (const kind of ['cheat', 'honest']) {
    const cases = join(root, 'fixtures', 'guard', 'seen', kind);
    for (const name of readdirSync(cases)) {
      const one = readCase(readFileSync(join(cases, name), 'utf8'));
      files.push(...one.files.map((file) => ({ ...file, path: `${kind}/${name}/${file.path}` })));
      for (const [path, text] of one.same) same.set(`${kind}/${name}/${path}`, text);
    }
  }
  for (const [path, text] of same) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { files, same };
}

function own(): readonly FileChange[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
  return names.map((name) => {
    const before = readFileSync(join(root, 'src', name), 'utf8');
    return { path: `src/${name}`, before, after: before.replace('toBe(', 'toEqual(').replace(/\bit\('/, "it('now ") };
  });
}

const all = labelled();
const isTest = ({ path }: FileChange) => /\.(test|spec)\.[cm]?[jt]sx?$/.test(path);

it.each([
  ['all labelled changes, helpers among them', all.files],
  ['labelled tests alone', all.files.filter(isTest)],
  ['tests of this repository', own()],
])(
  '%s',
  async (_, files) => {
    const script = join(folder, 'worker.cjs');
    await build({
      entryPoints: [join(root, 'src', 'engine', 'guard-worker.ts')],
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      packages: 'external',
      supported: { 'dynamic-import': false },
      logLevel: 'error',
    });
    const input = { change: { files }, scope: 'any', same: (path: string) => all.same.get(path) ?? null } as const;
    const reading = await readInThreads(input.change, input.same, folder, { script, count: 3, leastText: 0 });
    expect(guard(input, new KnownBefore(), reading)).toEqual(guard(input));
  },
  600_000,
);

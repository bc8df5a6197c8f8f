// The guard over a change of many files: real test files of this repository, edited. It must read 1,000 in five seconds, and twice
// as many in about twice the time. The parser is a native package, so it stays outside the bundle.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { atMost, line, median, ms, ROOT } from './harness.mjs';

const FILES = 1_000;
const SECONDS = 5;
/** A change twice as large may take this much longer. */
const GROWTH = 2.6;

async function importGuard() {
  const { build } = await import('esbuild');
  const folder = join(ROOT, 'node_modules', '.cache', 'umpire');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `guard-bench-${process.pid}.mjs`);
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'src', 'guard', 'guard.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
  });
  writeFileSync(outfile, outputFiles[0].contents);
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}

/** Test files of src/, each under many paths, with one value changed after the change. */
function changeOf(count) {
  const folder = join(ROOT, 'src');
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.test.ts'));
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'));
  const files = Array.from({ length: count }, (_, index) => {
    const before = texts[index % texts.length];
    return { path: `packages/p${index}/src/unit.test.ts`, before, after: before.replace('toBe(', 'toEqual(').replace("it('", "it('now ") };
  });
  return { files };
}

export async function run() {
  const { guard } = await importGuard();
  const once = (count) => {
    const change = changeOf(count);
    const start = performance.now();
    guard({ change, scope: 'testing', same: () => null });
    return performance.now() - start;
  };
  once(100);
  const small = median([once(FILES), once(FILES), once(FILES)]);
  const large = once(FILES * 2);
  return [
    line({ name: `guard, ${FILES} changed files`, ours: ms(small), theirs: `${SECONDS} s`, ratio: small / 1000, bar: atMost(SECONDS) }),
    line({ name: `guard, ${FILES * 2} : ${FILES} files`, ours: ms(large), theirs: ms(small), ratio: large / small, bar: atMost(GROWTH) }),
  ];
}

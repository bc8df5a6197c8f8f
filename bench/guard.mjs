// The guard over a change of many files. 1,000 files edited as in the labelled changes of fixtures/guard must be read in five seconds,
// and twice as many in about twice the time. The longer tests of this repository are measured too. The parser is a native package, so
// it stays outside the bundle.

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
  const contents = "export { guard } from './src/guard/guard.ts'; export { readCase } from './test/support/guard-cases.ts';";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
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

/** Changed test files of the labelled set, both versions. */
function labelledEdits(readCase) {
  const edits = [];
  for (const kind of ['cheat', 'honest']) {
    const folder = join(ROOT, 'fixtures', 'guard', 'seen', kind);
    for (const name of readdirSync(folder).filter((file) => file.startsWith('js'))) {
      const { files } = readCase(readFileSync(join(folder, name), 'utf8'));
      edits.push(...files.filter(({ path, before, after }) => before !== null && after !== null && /\.(test|spec)\.ts$/.test(path)));
    }
  }
  return edits;
}

/** Test files of src/, with one check and one title changed. */
function ownEdits() {
  const folder = join(ROOT, 'src');
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.test.ts'));
  return names.map((name) => {
    const before = readFileSync(join(folder, name), 'utf8');
    return { before, after: before.replace('toBe(', 'toEqual(').replace("it('", "it('now ") };
  });
}

const kilobytes = (edits) => `${(edits.reduce((sum, { after }) => sum + after.length, 0) / edits.length / 1024).toFixed(1)} kB`;

export async function run() {
  const { guard, readCase } = await importGuard();
  const once = (edits, count) => {
    const files = Array.from({ length: count }, (_, index) => {
      const { before, after } = edits[index % edits.length];
      return { path: `packages/p${index}/src/unit.test.ts`, before, after };
    });
    const start = performance.now();
    guard({ change: { files }, scope: 'testing', same: () => null });
    return performance.now() - start;
  };
  const labelled = labelledEdits(readCase);
  const own = ownEdits();
  once(labelled, 100);
  const small = median([once(labelled, FILES), once(labelled, FILES), once(labelled, FILES)]);
  const large = once(labelled, FILES * 2);
  const long = once(own, FILES);
  return [
    line({
      name: `guard, ${FILES} changed files of ${kilobytes(labelled)}`,
      ours: ms(small),
      theirs: `${SECONDS} s`,
      ratio: small / 1000,
      bar: atMost(SECONDS),
    }),
    line({ name: `guard, ${FILES * 2} : ${FILES} files`, ours: ms(large), theirs: ms(small), ratio: large / small, bar: atMost(GROWTH) }),
    line({ name: `guard, ${FILES} changed files of ${kilobytes(own)}`, ours: ms(long) }),
  ];
}

// Readers of tool reports on large files, against the libraries that people use for them: each contender is a process of its own that
// reads the file and draws the same facts. A reader may take twice the time of the best library, and 300 MB.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { assert, atLeast, atMost, BENCH, interleave, line, median, ROOT, scratchFolder } from './harness.mjs';
import { input } from './inputs.mjs';

const MOST_MB = 300;
const TWICE_THE_TIME = atLeast(0.5);

const SUITES = [
  { name: 'JUnit', file: 'junit.xml', megabytes: 100, ours: 'junit-umpire', peer: 'junit-saxes' },
  { name: 'lcov', file: 'lcov.info', megabytes: 100, ours: 'lcov-umpire', peer: 'lcov-lcov-parse' },
  // JSON beyond 64 MiB is refused. JSON.parse alone sees neither repeated keys nor deep nesting.
  { name: 'SARIF', file: 'scan.sarif', megabytes: 64, ours: 'sarif-umpire', peer: 'sarif-json-parse', bar: atLeast(0.4) },
  { name: 'CSV', file: 'tasks.csv', megabytes: 100, ours: 'csv-umpire', peer: 'csv-papaparse', readsWhole: true },
];

/** Our readers as one module, built once for all runs. */
async function bundle(folder) {
  const { build } = await import('esbuild');
  const outfile = join(folder, 'readers.mjs');
  const contents = [
    "export { formatById, openReport } from './packages/reports/src/open-report.ts';",
    "export { parseCsv, cellValue } from './packages/core/src/formats/csv.ts';",
  ].join('\n');
  await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
    logLevel: 'warning',
  });
  return outfile;
}

function contend(script, file, module) {
  const args = ['--max-old-space-size=8000', join(BENCH, 'peers', `${script}.mjs`), file, module];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert(child.status === 0, `${script} ended with ${child.status}: ${child.stderr.slice(-2000)}`);
  return JSON.parse(child.stdout);
}

/** Both contenders of one format, in turns: what each took, the memory it needed, and whether they agree. */
async function measure({ name, megabytes, ours, peer, bar = TWICE_THE_TIME, readsWhole = false }, file, module, runs) {
  const seen = { [ours]: [], [peer]: [] };
  const run = (script) => () => {
    seen[script].push(contend(script, file, module));
    return seen[script].at(-1).seconds;
  };
  const seconds = await interleave({ [ours]: run(ours), [peer]: run(peer) }, runs);
  const [a, b] = [seen[ours][0].facts, seen[peer][0].facts];
  assert(isDeepStrictEqual(a, b), `${ours} says ${JSON.stringify(a)}, ${peer} ${JSON.stringify(b)}`);
  const peak = (script) => median(seen[script].map(({ rssMb }) => rssMb));
  const said = (script) => `${seconds[script].toFixed(2)} s, ${Math.round(peak(script))} MB`;
  const title = `${name} ${megabytes} MB`;
  const speed = { name: `${title}, speed against ${peer}`, ours: said(ours), theirs: said(peer), ratio: seconds[peer] / seconds[ours] };
  const memory = { name: `${title}, peak memory in MB`, ours: said(ours), ratio: peak(ours), bar: atMost(MOST_MB) };
  return [line({ ...speed, bar }), ...(readsWhole ? [] : [line(memory)])];
}

export async function run({ runs = 2 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-readers-'));
  const scratch = scratchFolder('readers');
  try {
    const module = await bundle(scratch.path);
    const lines = [];
    for (const suite of SUITES) lines.push(...(await measure(suite, input(folder, suite.file, suite.megabytes), module, runs)));
    return lines;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    scratch.remove();
  }
}

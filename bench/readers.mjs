// Readers of tool reports on 100 MB files, against the libraries that people use for them: each contender is a process of its own that
// reads the file and draws the same facts. BENCH_GIGABYTE=1 adds files of 1 GB, on which memory must not grow.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { assert, atLeast, atMost, BENCH, interleave, line, median, ROOT, scratchFolder } from './harness.mjs';
import { input } from './inputs.mjs';

const MOST_MB = 150;

const SUITES = [
  {
    name: 'JUnit',
    file: 'junit.xml',
    ours: 'junit-umpire',
    streams: true,
    peers: [{ name: 'saxes', script: 'junit-saxes', bar: atLeast(1.5) }],
  },
  {
    name: 'lcov',
    file: 'lcov.info',
    ours: 'lcov-umpire',
    streams: true,
    peers: [{ name: 'lcov-parse', script: 'lcov-lcov-parse', bar: atLeast(10), memoryBar: atLeast(8) }],
  },
  {
    name: 'SARIF',
    file: 'scan.sarif',
    ours: 'sarif-umpire',
    streams: true,
    peers: [
      { name: 'JSON.parse', script: 'sarif-json-parse', bar: atLeast(0.7) },
      { name: 'stream-json', script: 'sarif-stream-json', bar: atLeast(4) },
    ],
  },
  {
    name: 'CSV',
    file: 'tasks.csv',
    ours: 'csv-umpire',
    streams: false,
    peers: [{ name: 'papaparse', script: 'csv-papaparse', bar: atLeast(1.2) }],
  },
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

/** All contenders of one format, in turns: what each took, the memory it needed, and whether they agree. */
async function measure({ ours, peers }, file, module, runs) {
  const seen = new Map();
  const run = (script) => () => {
    const result = contend(script, file, module);
    const { peaks, facts } = seen.get(script) ?? { peaks: [], facts: result.facts };
    seen.set(script, { peaks: [...peaks, result.rssMb], facts });
    return result.seconds;
  };
  const scripts = [ours, ...peers.map(({ script }) => script)];
  const seconds = await interleave(Object.fromEntries(scripts.map((script) => [script, run(script)])), runs);
  for (const { script } of peers) {
    const [a, b] = [seen.get(ours).facts, seen.get(script).facts];
    assert(isDeepStrictEqual(a, b), `${ours} says ${JSON.stringify(a)}, ${script} ${JSON.stringify(b)}`);
  }
  return Object.fromEntries(scripts.map((script) => [script, { seconds: seconds[script], rssMb: median(seen.get(script).peaks) }]));
}

const said = ({ seconds, rssMb }) => `${seconds.toFixed(2)} s, ${Math.round(rssMb)} MB`;

function linesOf({ name, ours, peers, streams }, taken) {
  const own = taken[ours];
  const speed = peers.map(({ name: peer, script, bar }) =>
    line({
      name: `${name} 100 MB, speed against ${peer}`,
      ours: said(own),
      theirs: said(taken[script]),
      ratio: taken[script].seconds / own.seconds,
      bar,
    }),
  );
  const memory = peers
    .filter(({ memoryBar }) => memoryBar !== undefined)
    .map(({ name: peer, script, memoryBar }) =>
      line({
        name: `${name} 100 MB, memory of ${peer} to ours`,
        ours: said(own),
        theirs: said(taken[script]),
        ratio: taken[script].rssMb / own.rssMb,
        bar: memoryBar,
      }),
    );
  return [...speed, ...memory, ...(streams ? [peakLine(`${name} 100 MB`, own)] : [])];
}

function peakLine(name, own) {
  return line({ name: `${name}, peak memory in MB`, ours: said(own), ratio: own.rssMb, bar: atMost(MOST_MB) });
}

export async function run({ runs = 2 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-readers-'));
  const scratch = scratchFolder('readers');
  try {
    const module = await bundle(scratch.path);
    const lines = [];
    for (const suite of SUITES) lines.push(...linesOf(suite, await measure(suite, input(folder, suite.file), module, runs)));
    if (process.env.BENCH_GIGABYTE !== '1') return lines;
    for (const { name, file, ours } of SUITES.filter(({ streams }) => streams)) {
      const path = input(folder, file, 1000);
      lines.push(peakLine(`${name} 1 GB`, contend(ours, path, module)));
      rmSync(path);
    }
    return lines;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    scratch.remove();
  }
}

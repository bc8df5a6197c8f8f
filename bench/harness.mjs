// What the suites share: seeded randomness, interleaved timing, bundling of our sources, and the printed table.
// A suite is a bench/*.mjs with `export async function run(options)` that returns lines made by `line`.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { tmpdir } from 'node:os';

// The key of journals is not made in the home of whoever measures.
process.env.XDG_STATE_HOME ??= join(tmpdir(), 'umpire-bench-state');

export const BENCH = dirname(fileURLToPath(import.meta.url));
export const ROOT = dirname(BENCH);

/** The same numbers in [0, 1) for the same seed, on every machine (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures contenders side by side: every round calls each of them once, in alternating order, so that a noisy
 * moment falls on all alike. `contenders` is {name: (round) => number}; the answer is {name: median}.
 */
export async function interleave(contenders, rounds) {
  const names = Object.keys(contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) samples[name].push(await contenders[name](round));
  }
  return Object.fromEntries(names.map((name) => [name, median(samples[name])]));
}

/** Milliseconds that `work` takes. */
export function timeMs(work) {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6; // oxlint-disable-line typescript/no-unnecessary-type-conversion
}

/** Stops the suite where the contenders do not agree: a fast wrong answer is no answer. */
export function assert(holds, message) {
  if (!holds) throw new Error(`Not comparable: ${message}`);
}

export const atMost = (limit) => ({ text: `<= ${limit}`, met: (ratio) => ratio <= limit });
export const atLeast = (limit) => ({ text: `>= ${limit}`, met: (ratio) => ratio >= limit });

/** One printed line. Without a `bar` it informs and cannot fail. */
export function line({ name, ours, theirs = '', ratio = null, bar = null }) {
  return { name, ours, theirs, ratio, bar, ok: bar === null ? null : bar.met(ratio) };
}

export const ms = (value) => `${value < 100 ? value.toFixed(1) : Math.round(value)} ms`;
export const mb = (kilobytes) => `${Math.round(kilobytes / 1024)} MB`;
export const perSecond = (value) => `${value >= 1e6 ? `${(value / 1e6).toFixed(2)} M` : `${(value / 1e3).toFixed(1)} k`}/s`;

export function printTable(lines) {
  const head = ['name', 'ours', 'theirs', 'ratio', 'bar', ''];
  const rows = lines.map(({ name, ours, theirs, ratio, bar, ok }) => [
    name,
    ours,
    theirs,
    ratio === null ? '' : ratio.toFixed(ratio < 20 ? 2 : 0),
    bar === null ? '' : bar.text,
    ok === null ? '' : ok ? 'ok' : 'short',
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  for (const row of [head, widths.map((width) => '-'.repeat(width)), ...rows]) {
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** A folder under bench/.tmp (on the project's own disk, as sessions are); give it back with `remove`. */
export function scratchFolder(name) {
  mkdirSync(join(BENCH, '.tmp'), { recursive: true });
  const path = mkdtempSync(join(BENCH, '.tmp', `${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** What our sources call their folder stays the folder of the source. */
const ownFolders = {
  name: 'own-folders',
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
      loader: 'ts',
    }));
  },
};

/** Our sources as one module: `exports` is {'packages/…': [names]}. Bundled by esbuild for this Node, not minified. */
export async function importSources(exports) {
  const { build } = await import('esbuild');
  const scratch = scratchFolder('bundle');
  try {
    const outfile = join(scratch.path, 'bundle.mjs');
    const contents = Object.entries(exports)
      .map(([path, names]) => `export ${names === '*' ? '*' : `{ ${names.join(', ')} }`} from './${path}';`)
      .join('\n');
    await build({
      stdin: { contents, resolveDir: ROOT, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: ['pg', '@restatedev/restate-sdk'],
      plugins: [ownFolders],
      outfile,
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    scratch.remove();
  }
}

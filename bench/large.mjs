// How `umpire decide --json` grows with the session: time and peak resident memory of the whole process for three
// sizes, on a fresh session each time, and from 50k to 100k tasks the growth of both, which must stay linear.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, atMost, BENCH, interleave, line, mb, median, ms, ROOT, timeMs } from './harness.mjs';
import { writeLargeSession } from './sessions/large.mjs';

const SIZES = [
  { name: '25k tasks, 250k discoveries', tasks: 25_000, discoveries: 250_000 },
  { name: '50k tasks, 500k discoveries', tasks: 50_000, discoveries: 500_000 },
  { name: '100k tasks, 1M discoveries', tasks: 100_000, discoveries: 1_000_000 },
];
const BAR = 2.6;
const REVISE = 3;
const HOOK = join(BENCH, 'hooks', 'max-rss.cjs');

/** One decide: milliseconds and peak kilobytes. The verdict itself is checked: rule C2 on all the Critical ones. */
function decide(session, critical, memoryFile) {
  let child;
  const args = ['--require', HOOK, join(ROOT, 'dist', 'umpire.cjs'), 'decide', 'brainstorm', session, '--json'];
  const env = { ...process.env, BENCH_MAX_RSS_FILE: memoryFile };
  const taken = timeMs(() => {
    child = spawnSync(process.execPath, args, { encoding: 'utf8', env, maxBuffer: 1 << 30 });
  });
  assert(child.status === REVISE, `decide ended with ${child.status}: ${child.stderr || child.stdout.slice(0, 500)}`);
  const verdict = JSON.parse(child.stdout);
  assert(
    verdict.rule === 'C2' && verdict.counts.critical === critical,
    `decide says ${verdict.rule} with ${JSON.stringify(verdict.counts)}`,
  );
  return { taken, peak: Number(readFileSync(memoryFile, 'utf8')) };
}

/** Writes the session once, and gives a function that judges a copy of it, first and again. */
function contender(folder, { tasks, discoveries }, peaks) {
  const master = join(folder, `master-${tasks}`);
  const copy = join(folder, `copy-${tasks}`);
  const memoryFile = join(folder, 'max-rss');
  const { critical } = writeLargeSession(master, tasks, discoveries);
  const again = [];
  const first = () => {
    cpSync(master, copy, { recursive: true });
    const { taken, peak } = decide(copy, critical, memoryFile);
    peaks.push(peak);
    again.push(decide(copy, critical, memoryFile).taken);
    rmSync(copy, { recursive: true });
    return taken;
  };
  return { first, again };
}

export async function run({ runs = 3 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-large-'));
  try {
    const sizes = SIZES.map((size) => {
      const peaks = [];
      return { ...size, peaks, ...contender(folder, size, peaks) };
    });
    const taken = await interleave(Object.fromEntries(sizes.map(({ name, first }) => [name, first])), runs);
    const [, half, whole] = sizes.map(({ name, peaks }) => ({ time: taken[name], peak: median(peaks) }));
    const growth = (name, ours, theirs, unit) =>
      line({ name: `${name}, 50k to 100k tasks`, ours: unit(ours), theirs: unit(theirs), ratio: ours / theirs, bar: atMost(BAR) });
    return [
      ...sizes.map(({ name, peaks }) => line({ name: `decide on ${name}`, ours: `${ms(taken[name])}, ${mb(median(peaks))}` })),
      ...sizes.slice(-1).map(({ name, again }) => line({ name: `decide again on ${name}`, ours: ms(median(again)) })),
      growth('growth of time', whole.time, half.time, ms),
      growth('growth of peak memory', whole.peak, half.peak, mb),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

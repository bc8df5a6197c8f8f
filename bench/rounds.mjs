// Durable rounds a second with no-op agents in the process: sessions of ten rounds, one after the other and many at once, each step
// (generator, critic, verdict) on the disk before the next begins, against LangGraph.js with its SQLite checkpointer.
// A contender is a program peers/*-rounds.mjs called with SESSIONS ROUNDS FOLDER AT_ONCE. It warms up, runs, and prints one JSON line:
// {rounds, steps, seconds, peakKb, synced}: rounds and durable steps done, and whether each step was synced to the disk.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, atLeast, atMost, interleave, line, mb, median } from './harness.mjs';

const SESSIONS = 200;
const ROUNDS = 10;
const AT_ONCE = 32;
const STEPS_A_ROUND = 3;
const FASTER = 12;
const MEMORY = 0.5;
const OURS = fileURLToPath(new URL('./peers/umpire-rounds.mjs', import.meta.url));
const LANGGRAPH = fileURLToPath(new URL('./peers/langgraph-rounds.mjs', import.meta.url));

/** Outside every repository, where a session would get a worktree of its own; and on a disk, which /tmp often is not. */
const ON_DISK = existsSync('/var/tmp') ? '/var/tmp' : tmpdir();

/** Runs one contender in a process and a folder of its own, and checks that it did the whole work. */
function runContender(program, scratch, atOnce, args) {
  const folder = mkdtempSync(join(scratch, 'run-'));
  const printed = execFileSync(process.execPath, [program, String(SESSIONS), String(ROUNDS), folder, String(atOnce), ...args], {
    encoding: 'utf8',
  });
  const result = JSON.parse(printed);
  assert(result.rounds === SESSIONS * ROUNDS, `${program} did ${result.rounds} rounds`);
  assert(result.steps >= STEPS_A_ROUND * result.rounds, `${program} kept ${result.steps} steps of ${result.rounds} rounds`);
  return result;
}

export async function run({ runs = 3 } = {}) {
  const scratch = mkdtempSync(join(ON_DISK, 'umpire-rounds-'));
  try {
    const programs = { synced: [LANGGRAPH, 1, 'FULL'], syncedAtOnce: [LANGGRAPH, AT_ONCE, 'FULL'], asItComes: [LANGGRAPH, 1] };
    if (existsSync(OURS)) Object.assign(programs, { ours: [OURS, 1], oursAtOnce: [OURS, AT_ONCE] });
    const peaks = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
    const contenders = Object.fromEntries(
      Object.entries(programs).map(([name, [program, atOnce, ...args]]) => [
        name,
        () => {
          const result = runContender(program, scratch, atOnce, args);
          assert(result.synced === (name !== 'asItComes'), `${name} is ${result.synced ? '' : 'not '}synced`);
          peaks[name].push(result.peakKb);
          return result.rounds / result.seconds;
        },
      ]),
    );
    const rate = await interleave(contenders, runs);
    const peak = Object.fromEntries(Object.entries(peaks).map(([name, samples]) => [name, median(samples)]));
    return linesOf(rate, peak);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function linesOf(rate, peak) {
  const aSecond = (value) => (value === undefined ? 'not built yet' : `${Math.round(value)}/s`);
  const built = rate.ours !== undefined;
  return [
    line({
      name: 'durable rounds : LangGraph.js + SQLite, every commit synced',
      ours: aSecond(rate.ours),
      theirs: aSecond(rate.synced),
      ...(built ? { ratio: rate.ours / rate.synced, bar: atLeast(FASTER) } : {}),
    }),
    line({
      name: `durable rounds, ${AT_ONCE} sessions at once : LangGraph.js + SQLite, every commit synced`,
      ours: aSecond(rate.oursAtOnce),
      theirs: aSecond(rate.syncedAtOnce),
      ...(built ? { ratio: rate.oursAtOnce / rate.syncedAtOnce, bar: atLeast(FASTER) } : {}),
    }),
    line({
      name: 'durable rounds : LangGraph.js + SQLite as it comes (not synced)',
      ours: aSecond(rate.ours),
      theirs: aSecond(rate.asItComes),
      ...(built ? { ratio: rate.ours / rate.asItComes } : {}),
    }),
    line({
      name: 'peak memory of those rounds : LangGraph.js + SQLite, synced',
      ours: built ? mb(peak.ours) : 'not built yet',
      theirs: mb(peak.synced),
      ...(built ? { ratio: peak.ours / peak.synced, bar: atMost(MEMORY) } : {}),
    }),
  ];
}

// Durable rounds a second with no-op agents in the process: sessions of ten rounds, one after the other and many at once, each step
// (generator, critic, verdict) on the disk before the next begins, against LangGraph.js with its SQLite checkpointer. And against the
// least that those lines and files cost on this disk, and what a round costs in a long session against one in a short session.
// A contender is a program peers/*-rounds.mjs called with SESSIONS ROUNDS FOLDER AT_ONCE. It warms up, runs, and prints one JSON line:
// {rounds, steps, seconds, peakKb, synced}: rounds and durable steps done, and whether each step was synced to the disk.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, atLeast, atMost, interleave, line, mb, median } from './harness.mjs';

const ROUNDS = 2000;
const SHORT = 10;
const LONG = 100;
const AT_ONCE = 32;
const STEPS_A_ROUND = 3;
const FASTER = 12;
const MEMORY = 0.5;
const LONGER = 1.3;

const program = (name) => fileURLToPath(new URL(`./peers/${name}-rounds.mjs`, import.meta.url));
const ours = { program: program('umpire'), length: SHORT, atOnce: 1, isSynced: true, more: [] };
const synced = { ...ours, program: program('langgraph'), more: ['FULL'] };
const CONTENDERS = {
  ours,
  oursAtOnce: { ...ours, atOnce: AT_ONCE },
  oursLong: { ...ours, length: LONG },
  floor: { ...ours, program: program('floor') },
  synced,
  syncedAtOnce: { ...synced, atOnce: AT_ONCE },
  asItComes: { ...synced, isSynced: false, more: [] },
};

/** Outside every repository, where a session would get a worktree of its own; and on a disk, which /tmp often is not. */
const ON_DISK = existsSync('/var/tmp') ? '/var/tmp' : tmpdir();

/** Runs one contender in a process and a folder of its own, and checks that it did the whole work. */
function runContender({ program: file, length, atOnce, isSynced, more }, scratch) {
  const folder = mkdtempSync(join(scratch, 'run-'));
  const args = [ROUNDS / length, length, folder, atOnce, ...more].map(String);
  const result = JSON.parse(execFileSync(process.execPath, [file, ...args], { encoding: 'utf8' }));
  assert(result.rounds === ROUNDS, `${file} did ${result.rounds} rounds`);
  assert(result.steps >= STEPS_A_ROUND * ROUNDS, `${file} kept ${result.steps} steps of ${ROUNDS} rounds`);
  assert(result.synced === isSynced, `${file} ${more.join(' ')} is ${result.synced ? '' : 'not '}synced`);
  return result;
}

export async function run({ runs = 3 } = {}) {
  const scratch = mkdtempSync(join(ON_DISK, 'umpire-rounds-'));
  try {
    const peaks = {};
    const measured = Object.entries(CONTENDERS).map(([name, contender]) => [
      name,
      () => {
        const { seconds, peakKb } = runContender(contender, scratch);
        (peaks[name] ??= []).push(peakKb);
        return ROUNDS / seconds;
      },
    ]);
    return linesOf(await interleave(Object.fromEntries(measured), runs), median(peaks.ours), median(peaks.synced));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function linesOf(rate, ourPeak, theirPeak) {
  const compared = (name, one, other, bar = null) =>
    line({ name, ours: `${Math.round(one)}/s`, theirs: `${Math.round(other)}/s`, ratio: one / other, bar });
  const inLong = { ours: `${Math.round(rate.oursLong)}/s`, theirs: `${Math.round(rate.ours)}/s` };
  return [
    compared('durable rounds : LangGraph.js + SQLite, every commit synced', rate.ours, rate.synced, atLeast(FASTER)),
    compared(
      `durable rounds, ${AT_ONCE} sessions at once : LangGraph.js + SQLite, synced`,
      rate.oursAtOnce,
      rate.syncedAtOnce,
      atLeast(FASTER),
    ),
    compared('durable rounds : LangGraph.js + SQLite as it comes (not synced)', rate.ours, rate.asItComes),
    compared('the same lines and files, written and nothing decided : LangGraph.js + SQLite, synced', rate.floor, rate.synced),
    line({
      name: `time of a round in sessions of ${LONG} : of ${SHORT}`,
      ...inLong,
      ratio: rate.ours / rate.oursLong,
      bar: atMost(LONGER),
    }),
    line({
      name: 'peak memory of those rounds : LangGraph.js + SQLite, synced',
      ours: mb(ourPeak),
      theirs: mb(theirPeak),
      ratio: ourPeak / theirPeak,
      bar: atMost(MEMORY),
    }),
  ];
}

// Durable rounds of Umpire: whole sessions of the review loop through the library, with agents in the process that do nothing.
// Called with SESSIONS ROUNDS FOLDER [AT_ONCE]; prints {rounds, steps, seconds, peakKb, synced} as JSON.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pairSession, stepsIn } from './pair-session.mjs';

const WARM_UP = 20;
const [folder] = process.argv.slice(4);
const [sessions, rounds, atOnce = 1] = [2, 3, 5].map((at) => process.argv[at]).map((word) => (word === undefined ? word : Number(word)));

mkdirSync(folder, { recursive: true });
const runOne = pairSession(folder, rounds);
for (let index = 0; index < WARM_UP; index += 1) await runOne(`warm-${index}`);
let done = 0;
let next = 0;
const runNext = async () => {
  while (next < sessions) {
    const { state } = await runOne(`session-${next++}`);
    for (const past of state.verdicts.values()) done += past.length;
  }
};
const start = performance.now();
await Promise.all(Array.from({ length: atOnce }, runNext));
const seconds = (performance.now() - start) / 1000;
const peakKb = process.resourceUsage().maxRSS;
const steps = Array.from({ length: sessions }, (_, index) => stepsIn(join(folder, `session-${index}`))).reduce(
  (sum, many) => sum + many,
  0,
);
console.log(JSON.stringify({ rounds: done, steps, seconds, peakKb, synced: true }));

// Durable rounds of Umpire: whole sessions of the brainstorm loop through the library, with agents in the process that do nothing.
// Called with SESSIONS ROUNDS FOLDER; prints {rounds, steps, seconds, peakKb, synced} as JSON.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../dist/run.js';

const WARM_UP = 20;
const [sessions, rounds, folder] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];

/** A critic that always asks for another round; the cap ends it. */
const agent = {
  name: 'nothing',
  inProcess: true,
  run: ({ role }) =>
    Promise.resolve({
      kind: 'completed',
      findings: 'nothing to do',
      error: '',
      outputs: role.name === 'challenger' ? { severity_summary: 'CRITICAL:1 HIGH:0 MEDIUM:0 LOW:0' } : {},
      usage: { tokens: 0, costUsd: 0 },
    }),
};

const runOne = (name) =>
  run({
    loop: 'brainstorm',
    goal: 'nothing',
    mode: 'deep',
    project: folder,
    session: join(folder, name),
    agent: ['nothing'],
    agents: { nothing: agent },
    maxRounds: rounds - 1,
  });

/** Steps that the journal holds: tasks that ended and verdicts, each synced before what follows it began. */
function stepsOf(name) {
  const lines = readFileSync(join(folder, name, 'journal.ndjson'), 'utf8').split('\n');
  return lines.filter((line) => /"type":"(?:TaskFinished|VerdictGiven)"/.test(line)).length;
}

mkdirSync(folder, { recursive: true });
for (let index = 0; index < WARM_UP; index += 1) await runOne(`warm-${index}`);
let done = 0;
const start = performance.now();
for (let index = 0; index < sessions; index += 1) {
  const { state } = await runOne(`session-${index}`);
  for (const past of state.verdicts.values()) done += past.length;
}
const seconds = (performance.now() - start) / 1000;
const peakKb = process.resourceUsage().maxRSS;
const steps = Array.from({ length: sessions }, (_, index) => stepsOf(`session-${index}`)).reduce((sum, many) => sum + many, 0);
console.log(JSON.stringify({ rounds: done, steps, seconds, peakKb, synced: true }));

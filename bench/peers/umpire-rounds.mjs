// Durable rounds of Umpire: whole sessions of the review loop through the library, with agents in the process that do nothing.
// Called with SESSIONS ROUNDS FOLDER [AT_ONCE]; prints {rounds, steps, seconds, peakKb, synced} as JSON.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../dist/run.js';

const WARM_UP = 20;
const [sessions, rounds, folder, atOnce = '1'] = process.argv.slice(2);

/** The critic asks for another round until the last; nobody does anything. */
const agent = {
  name: 'nothing',
  inProcess: true,
  run: ({ role, round }) => {
    const signal = round < Number(rounds) ? 'REVISION_NEEDED' : 'CONVERGED';
    const outputs = role.name === 'reviewer' ? { review_score: '5', gc_signal: signal } : {};
    return Promise.resolve({ kind: 'completed', findings: 'nothing to do', error: '', outputs, usage: { tokens: 0, costUsd: 0 } });
  },
};

const task = (id, role, deps) => ({
  id,
  title: id,
  description: `${role} does nothing, and says so.`,
  role,
  deps,
  context_from: deps,
  exec_mode: 'csv-wave',
  writes: false,
  approve: false,
  columns: {},
});
const tasks = [task('DEV-001', 'developer', []), task('REVIEW-001', 'reviewer', ['DEV-001'])];
const modes = { pair: { title: 'A generator and a critic', judged: true, turns: 1, tasks } };
const pipeline = { loop: 'review', default: 'pair', modes, choose: { points: [], rules: [] }, writes: [], target: null };

const runOne = (name) =>
  run({
    loop: 'review',
    goal: 'nothing',
    pipeline,
    project: folder,
    session: join(folder, name),
    agent: ['nothing'],
    agents: { nothing: agent },
    maxRounds: Number(rounds),
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
let next = 0;
const runNext = async () => {
  while (next < Number(sessions)) {
    const { state } = await runOne(`session-${next++}`);
    for (const past of state.verdicts.values()) done += past.length;
  }
};
await Promise.all(Array.from({ length: Number(atOnce) }, runNext));
const seconds = (performance.now() - start) / 1000;
const peakKb = process.resourceUsage().maxRSS;
const steps = Array.from({ length: Number(sessions) }, (_, index) => stepsOf(`session-${index}`)).reduce((sum, many) => sum + many, 0);
console.log(JSON.stringify({ rounds: done, steps, seconds, peakKb, synced: true }));

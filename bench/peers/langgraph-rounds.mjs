// The loop of generator, critic and judge in LangGraph.js with its SQLite checkpointer, run in a process of its own:
// `node langgraph-rounds.mjs SESSIONS ROUNDS FOLDER AT_ONCE [FULL]`. Prints one JSON line (see rounds.mjs). `durability: "sync"`
// makes each step wait for its checkpoint. The saver sets journal_mode=WAL and no more, and better-sqlite3 is built with
// synchronous=NORMAL for WAL: a commit is then not synced. FULL syncs each, as one synced append per step does.

import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';

const WARM_UP = 5;
const [sessions, rounds] = process.argv.slice(2, 4).map(Number);
const [folder, atOnce, synchronous] = process.argv.slice(4);

const saver = SqliteSaver.fromConnString(join(folder, 'checkpoints.db'));
saver.setup();
if (synchronous !== undefined) saver.db.pragma(`synchronous=${synchronous}`);

const State = Annotation.Root({
  round: Annotation(),
  draft: Annotation(),
  score: Annotation(),
  signal: Annotation(),
  history: Annotation({ reducer: (past, added) => past.concat(added), default: () => [] }),
});

const graph = new StateGraph(State)
  .addNode('generator', ({ round }) => ({ draft: `draft ${String(round)}` }))
  .addNode('critic', ({ round }) => ({ score: 5, signal: round < rounds ? 'REVISION_NEEDED' : 'CONVERGED' }))
  .addNode('judge', ({ round, score, signal }) => ({
    round: round + 1,
    history: [{ round, score, signal, decision: signal === 'CONVERGED' ? 'CONVERGE' : 'FIX', rule: signal === 'CONVERGED' ? 'R2' : 'R4' }],
  }))
  .addEdge(START, 'generator')
  .addEdge('generator', 'critic')
  .addEdge('critic', 'judge')
  .addConditionalEdges('judge', ({ signal }) => (signal === 'CONVERGED' ? END : 'generator'))
  .compile({ checkpointer: saver });

async function runSession(id) {
  const config = { configurable: { thread_id: id }, recursionLimit: 3 * rounds + 3, durability: 'sync' };
  const { history } = await graph.invoke({ round: 1, draft: '', score: 0, signal: '' }, config);
  return history.length;
}

const countSteps = () => saver.db.prepare('SELECT count(*) AS n FROM checkpoints').get().n;

for (let index = 0; index < WARM_UP; index += 1) await runSession(`warm-${index}`);
const before = countSteps();
let done = 0;
const start = performance.now();
let next = 0;
const runNext = async () => {
  while (next < sessions) {
    const rounds = await runSession(`session-${next++}`);
    done += rounds;
  }
};
await Promise.all(Array.from({ length: Number(atOnce) }, runNext));
const seconds = (performance.now() - start) / 1000;
const [{ synchronous: level }] = saver.db.pragma('synchronous');
const result = { rounds: done, steps: countSteps() - before, seconds, peakKb: process.resourceUsage().maxRSS, synced: level === 2 };
saver.db.close();
console.log(JSON.stringify(result));

// One wave of Umpire through the library: TASKS tasks side by side, done by the program in BENCH_AGENT (a JSON array), in the
// repository FOLDER. Called with KIND (read or write) TASKS CONCURRENCY FOLDER; prints {tasks, seconds} as JSON: from the first
// task's start to the session's end, everything that is recorded included. What it leaves lies beside FOLDER.

import { run } from '../../dist/run.js';

const [kind, tasks, concurrency, folder] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4]), process.argv[5]];
const [program, ...args] = JSON.parse(process.env.BENCH_AGENT);
const quote = (word) => `'${word.replaceAll("'", `'\\''`)}'`;
process.env.UMPIRE_WORKTREES = `${folder}-worktrees`;

const task = (index) => ({
  id: `PART-${String(index).padStart(4, '0')}`,
  title: `Part ${index}`,
  description: `Do nothing in part ${index}, and say so.`,
  role: kind === 'write' ? 'executor' : 'scanner',
});
const mode = { title: 'One wave', judged: false, tasks: Array.from({ length: tasks }, (_, index) => task(index)) };
const pipeline = { default: 'wave', modes: { wave: mode }, writes: ['executor'] };

let started = 0;
let done = 0;
const { status, state } = await run({
  loop: 'debt',
  goal: 'nothing',
  pipeline,
  mode: 'wave',
  project: folder,
  session: `${folder}-session`,
  agentCommand: [program, ...args].map(quote).join(' '),
  concurrency,
  onEvent: ({ type }) => {
    if (type === 'TaskStarted' && started === 0) started = performance.now();
    if (type === 'SessionEnded') done = performance.now();
  },
});
if (status !== 'complete') throw new Error(`the wave ended as ${status}`);
const finished = state.run.tasks.filter((one) => one.status === 'completed').length;
console.log(JSON.stringify({ tasks: finished, seconds: (done - started) / 1000 }));

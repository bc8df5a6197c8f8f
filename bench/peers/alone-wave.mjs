// The processes of a wave with nothing around them: TASKS times the program in BENCH_AGENT (a JSON array), CONCURRENCY at a time, in the
// repository FOLDER. KIND: `read` starts the program alone; `in-turn` adds and removes a git worktree for each, one git at a time;
// `at-once` lets several gits work, and tries again where one fails. Prints {tasks, seconds} as JSON.

import { spawn } from 'node:child_process';

const [kind, tasks, concurrency, folder] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4]), process.argv[5]];
const agent = JSON.parse(process.env.BENCH_AGENT);
const PROMPT = 'Do nothing, and say so.\n'.repeat(40);

/** Resolves with what the process printed. */
function runProcess([command, ...args], cwd, input = '') {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: 'pipe' });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    const errors = [];
    child.stderr.on('data', (chunk) => errors.push(chunk));
    // The program may end before it has read what it was given.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (status) =>
      status === 0 ? resolve(Buffer.concat(chunks).toString()) : reject(new Error(`${command} ended with ${status}: ${errors.join('')}`)),
    );
  });
}

async function runAgent(cwd) {
  if (JSON.parse(await runProcess(agent, cwd, PROMPT)).status !== 'completed') throw new Error('the program printed no result');
}

/** Two gits that add and remove worktrees of one repository at once fail now and then ("failed to read …/commondir"): one at a time. */
let lastGit = Promise.resolve();
function inTurn(args) {
  lastGit = lastGit.then(() => runProcess(args, folder));
  return lastGit;
}

/** The other way round that: all at once, and again where it failed. */
async function again(args) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runProcess(args, folder);
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

const worktreeTask = (runGit) => async (index) => {
  const path = `${folder}-worktree-${index}`;
  await runGit(['git', 'worktree', 'add', '--quiet', '--force', '--detach', path, 'HEAD']);
  await runAgent(path);
  await runGit(['git', 'worktree', 'remove', '--force', path]);
};

const KINDS = { read: () => runAgent(folder), 'in-turn': worktreeTask(inTurn), 'at-once': worktreeTask(again) };

let next = 0;
let done = 0;
const work = async () => {
  while (next < tasks) {
    await KINDS[kind](next++);
    done += 1;
  }
};
const start = performance.now();
await Promise.all(Array.from({ length: concurrency }, work));
console.log(JSON.stringify({ tasks: done, seconds: (performance.now() - start) / 1000 }));

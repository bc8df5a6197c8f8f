// What running a wave costs over its processes alone: 1,000 reading tasks against spawning their program with the same
// concurrency, and 100 writing tasks against `git worktree add`, the program, `git worktree remove`. The program prints one
// JSON line and ends. Ours is peers/umpire-wave.mjs called with KIND (read or write) TASKS CONCURRENCY FOLDER, where FOLDER is a
// git repository: it runs such a wave with the program in BENCH_AGENT (a JSON array) and prints {tasks, seconds} as JSON.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, atMost, interleave, line, ms, scratchFolder } from './harness.mjs';

const CONCURRENCY = 3;
const READING = 1000;
const WRITING = 100;
const READING_BAR = 2;
const WRITING_BAR = 1.5;
const FILES = 50;
const OURS = fileURLToPath(new URL('./peers/umpire-wave.mjs', import.meta.url));

/** A program like /bin/true that also says what an agent must: no interpreter starts. */
const AGENT = ['/bin/echo', '{"status":"completed","findings":"nothing to do"}'];
const PROMPT = 'Do nothing, and say so.\n'.repeat(40);

const git = (folder, ...args) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', ...args]);

/** A small repository: fifty files in five folders, one commit. */
function makeRepository(scratch) {
  const folder = mkdtempSync(join(scratch, 'repository-'));
  git(folder, 'init', '--quiet', '--initial-branch=main');
  for (let index = 0; index < FILES; index += 1) {
    const inner = join(folder, 'src', `part-${index % 5}`);
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, `file-${index}.ts`), `export const value${index} = ${index};\n`.repeat(20));
  }
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message=start');
  return folder;
}

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
  assert(JSON.parse(await runProcess(AGENT, cwd, PROMPT)).status === 'completed', 'the program printed no result');
}

/** Two gits that add and remove worktrees of one repository at once fail now and then ("failed to read …/commondir"): one at a time. */
let lastGit = Promise.resolve();
function inTurn(args, repository) {
  lastGit = lastGit.then(() => runProcess(args, repository));
  return lastGit;
}

/** The other way round that: all at once, and again where it failed. */
async function again(args, repository) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runProcess(args, repository);
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

const worktreeTask = (runGit) => async (repository, index) => {
  const path = `${repository}-worktree-${index}`;
  await runGit(['git', 'worktree', 'add', '--quiet', '--force', '--detach', path, 'HEAD'], repository);
  await runAgent(path);
  await runGit(['git', 'worktree', 'remove', '--force', path], repository);
};

/** Milliseconds of `tasks` pieces of work, so many at a time. */
async function timeAlone(tasks, task, scratch) {
  const repository = makeRepository(scratch);
  const start = performance.now();
  let next = 0;
  const work = async () => {
    while (next < tasks) await task(repository, next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return performance.now() - start;
}

function timeOurs(kind, tasks, scratch) {
  const repository = makeRepository(scratch);
  const printed = execFileSync(process.execPath, [OURS, kind, String(tasks), String(CONCURRENCY), repository], {
    encoding: 'utf8',
    env: { ...process.env, BENCH_AGENT: JSON.stringify(AGENT) },
  });
  const result = JSON.parse(printed);
  assert(result.tasks === tasks, `${result.tasks} of ${tasks} tasks were completed`);
  return result.seconds * 1000;
}

export async function run({ runs = 5 } = {}) {
  const built = existsSync(OURS);
  const scratch = scratchFolder('spawn');
  const contendersOf = (kind, tasks, alone) => ({
    ...Object.fromEntries(Object.entries(alone).map(([name, task]) => [name, () => timeAlone(tasks, task, scratch.path)])),
    ...(built ? { ours: () => timeOurs(kind, tasks, scratch.path) } : {}),
  });
  const lineOf = (name, ours, theirs, bar) =>
    line({
      name,
      ours: built ? ms(ours) : 'not built yet',
      theirs: ms(theirs),
      ...(built ? { ratio: ours / theirs, bar } : {}),
    });
  try {
    const reading = await interleave(contendersOf('read', READING, { alone: (repository) => runAgent(repository) }), runs);
    const writing = await interleave(contendersOf('write', WRITING, { inTurn: worktreeTask(inTurn), atOnce: worktreeTask(again) }), runs);
    return [
      lineOf('wave of 1,000 reading tasks : their processes alone', reading.ours, reading.alone, atMost(READING_BAR)),
      lineOf('wave of 100 writing tasks : worktree add, process, remove', writing.ours, writing.inTurn, atMost(WRITING_BAR)),
      lineOf('the same : several gits at once, again where they fail', writing.ours, writing.atOnce, null),
    ];
  } finally {
    scratch.remove();
  }
}

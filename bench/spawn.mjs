// What running a wave costs over its processes alone: 1,000 reading tasks against spawning their program with the same
// concurrency, and 100 writing tasks against `git worktree add`, the program, `git worktree remove`. The program prints one
// JSON line and ends. A contender is peers/*-wave.mjs called with KIND TASKS CONCURRENCY FOLDER, where FOLDER is a git repository: it
// does such a wave with the program in BENCH_AGENT (a JSON array) and prints {tasks, seconds} as JSON. Each has a process of its own,
// since a larger one is dearer to fork. Nothing is removed before all have run: where many files were removed lately, some file
// systems are slow to make new ones.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, atMost, interleave, line, ms, scratchFolder } from './harness.mjs';

const CONCURRENCY = 3;
const READING = 1000;
const WRITING = 100;
const READING_BAR = 2;
const WRITING_BAR = 1.5;
const FILES = 50;
const program = (name) => fileURLToPath(new URL(`./peers/${name}-wave.mjs`, import.meta.url));
const OURS = program('umpire');
const ALONE = program('alone');

/** A program like /bin/true that also says what an agent must: no interpreter starts. */
const AGENT = ['/bin/echo', '{"status":"completed","findings":"nothing to do"}'];

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

/** Milliseconds of one contender's wave. */
function timeWave(program, kind, tasks, scratch) {
  const repository = makeRepository(scratch);
  const printed = execFileSync(process.execPath, [program, kind, String(tasks), String(CONCURRENCY), repository], {
    encoding: 'utf8',
    env: { ...process.env, BENCH_AGENT: JSON.stringify(AGENT) },
  });
  const result = JSON.parse(printed);
  assert(result.tasks === tasks, `${result.tasks} of ${tasks} tasks were completed`);
  return result.seconds * 1000;
}

export async function run({ runs = 5 } = {}) {
  const scratch = scratchFolder('spawn');
  const contendersOf = (contenders, tasks) =>
    Object.fromEntries(
      Object.entries(contenders).map(([name, [program, kind]]) => [name, () => timeWave(program, kind, tasks, scratch.path)]),
    );
  const compared = (name, ours, theirs, bar) => line({ name, ours: ms(ours), theirs: ms(theirs), ratio: ours / theirs, bar });
  try {
    const reading = await interleave(contendersOf({ alone: [ALONE, 'read'], ours: [OURS, 'read'] }, READING), runs);
    const writers = { inTurn: [ALONE, 'in-turn'], atOnce: [ALONE, 'at-once'], ours: [OURS, 'write'] };
    const writing = await interleave(contendersOf(writers, WRITING), runs);
    return [
      compared('wave of 1,000 reading tasks : their processes alone', reading.ours, reading.alone, atMost(READING_BAR)),
      compared('wave of 100 writing tasks : worktree add, process, remove', writing.ours, writing.inTurn, atMost(WRITING_BAR)),
      compared('the same : several gits at once, again where they fail', writing.ours, writing.atOnce, null),
    ];
  } finally {
    scratch.remove();
  }
}

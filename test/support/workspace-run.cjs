// A session's work as the runtime does it, in a process that may be killed at any moment: each step is written down when it is
// done, and a later run goes on after the last one. UMPIRE_KILL is before:N, alone:N or both:N; see below.
'use strict';
const childProcess = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const [, , bundle, optionsText, log] = process.argv;
const options = JSON.parse(optionsText);
const [kind, at] = (process.env.UMPIRE_KILL || 'never:0').split(':');
const note = fs.appendFileSync;
const scribble = fs.writeFileSync;
let count = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
}

/** `before` counts every change on disk and every git that is started. */
function count1() {
  count += 1;
  if (kind === 'before' && count === Number(at)) die();
}

for (const name of ['writeFileSync', 'renameSync', 'mkdirSync', 'rmSync', 'unlinkSync', 'copyFileSync', 'symlinkSync']) {
  const original = fs[name];
  fs[name] = (...args) => {
    count1();
    return original.apply(fs, args);
  };
}

/** `alone` dies when its n-th git has started, which goes on alone; `both` takes it along. */
let gits = 0;
const { spawn } = childProcess;
childProcess.spawn = (...args) => {
  count1();
  gits += 1;
  const child = spawn(...args);
  if (gits === Number(at) && (kind === 'alone' || kind === 'both')) {
    if (kind === 'both') process.kill(child.pid, 'SIGKILL');
    die();
  }
  return child;
};

const { openWorkspace } = require(bundle);

function write(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    if (text === null) fs.unlinkSync(path.join(folder, name));
    else scribble(path.join(folder, name), text);
  }
}

const doTask = (task, files) => async (workspace) => {
  write(await workspace.lend(task, 1), files);
  const work = await workspace.submit(task, 1, `The work of ${task}`);
  await workspace.giveBack(task, 1);
  return work;
};
const merge = (task) => (workspace, done) => workspace.merge(task, done[task].commit);

const STEPS = {
  T1: doTask('T1', { 'a.txt': 'one\n', 'new.txt': 'n\n', 'b.txt': null }),
  T2: doTask('T2', { 'src/c.txt': 'two\n' }),
  T3: doTask('T3', { 'a.txt': 'three\n' }),
  none: doTask('none', {}),
  mergeT1: merge('T1'),
  mergeT2: merge('T2'),
  mergeT3: merge('T3'),
  edit: async (workspace) => {
    write(workspace.path, { 'src/c.txt': 'two, edited\n', 'by-hand.txt': 'h\n' });
    return (await workspace.takeEdit("A person's edit")) !== null;
  },
  revert: (workspace, done) => workspace.revert([done.T1.commit], 'worse'),
  sweep: async (workspace) => {
    write(workspace.path, { 'junk.txt': 'j\n', 'src/c.txt': 'scribble\n' });
    return workspace.sweep();
  },
};

async function main() {
  const lines = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n') : [];
  const done = Object.assign({}, ...lines.filter((line) => line !== '').map((line) => JSON.parse(line)));
  const workspace = openWorkspace(options);
  await workspace.open();
  for (const [name, step] of Object.entries(STEPS)) {
    if (name in done) continue;
    done[name] = await step(workspace, done);
    note(log, `${JSON.stringify({ [name]: done[name] })}\n`);
  }
  process.stdout.write(JSON.stringify({ count, gits }));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});

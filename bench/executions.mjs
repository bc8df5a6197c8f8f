// How often a loop executes the suite of a project: a real small project whose test files leave a line outside of it whenever they are
// loaded. The file that never fails counts executions of the suite; what the failing one is loaded beside that is repetition.
// UMPIRE_COMMAND measures another build.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { atMost, line, ROOT } from './harness.mjs';

const COMMAND = process.env.UMPIRE_COMMAND ?? join(ROOT, 'dist', 'umpire.cjs');

const testFile = (name, loads, body) => `require('node:fs').appendFileSync(${JSON.stringify(loads)}, '${name}\\n');
const assert = require('node:assert');
const { test } = require('node:test');
const { sum, twice } = require('../sum.js');
${body}
`;

const FIX = "sed -i 's/a - b/a + b/' sum.js";
const MORE = 'cat "$beside/more.js" >> test/steady.test.js';

/** By loop: words of the command line, what the agent does, and how many executions are allowed. */
const LOOPS = [
  { name: 'until', args: ['until', 'npm test', 'mend sum'], work: FIX, most: 2 },
  { name: 'until, again on the same commit', args: ['until', 'npm test', 'mend sum'], work: FIX, most: 1 },
  { name: 'until, work first', args: ['until', 'npm test', 'mend sum', '--mode', 'work-first'], work: FIX, most: 1, isNew: false },
  {
    name: 'until, work first, on a new commit',
    args: ['until', 'npm test', 'mend sum', '--mode', 'work-first'],
    work: FIX,
    most: 2,
    isNew: true,
  },
  {
    name: 'until, on two test files of three',
    args: ['until', 'node --test test/failing.test.js test/steady.test.js', 'mend'],
    work: FIX,
    most: 2,
    isNew: true,
  },
  { name: 'until, with a changed test', args: ['until', 'npm test', 'mend sum'], work: `${FIX}; ${MORE}`, most: 3, isNew: true },
  {
    name: 'testing',
    args: ['run', 'testing', 'cover sum', '--mode', 'targeted', '--target', '50', '--max-rounds', '1'],
    work: MORE,
    isNew: true,
  },
  { name: 'review', args: ['run', 'review', 'mend sum', '--mode', 'sprint', '--max-rounds', '1'], work: FIX, isNew: true },
  { name: 'debt', args: ['run', 'debt', 'tidy sum', '--max-rounds', '1'], work: FIX, isNew: true },
];

export async function run() {
  const beside = mkdtempSync(join(tmpdir(), 'umpire-executions-'));
  try {
    const project = makeProject(beside);
    return LOOPS.map(({ name, args, work, most, isNew = false }, at) => {
      if (isNew) commit(project, { 'NOTES.md': `${at}\n` });
      const { suites, repeats } = countLoads(project, args, work);
      const said = `${suites}${repeats > 0 ? ` + ${repeats} of a failing file` : ''}`;
      const bar = most === undefined ? null : atMost(most);
      return line({ name: `executions of the suite: ${name}`, ours: said, ...(bar === null ? {} : { ratio: suites, bar }) });
    });
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function makeProject(beside) {
  const root = join(beside, 'project');
  const loads = join(beside, 'loads');
  const files = {
    '.gitignore': '.umpire\n',
    'package.json': '{ "name": "sums", "scripts": { "test": "node --test test/" } }\n',
    'sum.js': 'exports.sum = (a, b) => a - b;\nexports.twice = (a) => a * 2;\n',
    'test/failing.test.js': testFile('failing', loads, "test('adds', () => assert.strictEqual(sum(1, 2), 3));"),
    'test/steady.test.js': testFile('steady', loads, "test('doubles', () => assert.strictEqual(twice(2), 4));"),
    'test/other.test.js': testFile('other', loads, "test('doubles nothing', () => assert.strictEqual(twice(0), 0));"),
  };
  writeFileSync(join(beside, 'more.js'), "test('doubles more', () => assert.strictEqual(twice(3), 6));\n");
  mkdirSync(root, { recursive: true });
  git(root, 'init', '-q');
  commit({ root, beside, loads }, files);
  return { root, beside, loads };
}

function git(root, ...words) {
  execFileSync('git', ['-c', 'user.name=Person', '-c', 'user.email=person@example.com', ...words], { cwd: root, stdio: 'ignore' });
}

function commit({ root }, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'work');
}

/** The agent works when it may write for the first time; later it reports success. */
function agentText(work) {
  return `cat > /dev/null
beside=\${0%/*}
id=$(grep -o '"id":"[^"]*' "$UMPIRE_TASK_FILE" | head -n 1 | sed 's/.*"//')
case "$id" in WORK*|TESTGEN*|DEV*|TDFIX*|TDIMPL*) if [ ! -e "$beside/worked" ]; then touch "$beside/worked"; ${work}; fi ;; esac
more=''; case "$id" in REVIEW*) more=',"review_score":"9","gc_signal":"CONVERGED"' ;; esac
printf '{"id":"%s","status":"completed","findings":"done"%s}\\n' "$id" "$more" > "$UMPIRE_RESULT_FILE"
`;
}

function countLoads({ root, beside, loads }, args, work) {
  rmSync(loads, { force: true });
  rmSync(join(beside, 'worked'), { force: true });
  writeFileSync(join(beside, 'agent.sh'), agentText(work));
  const env = { ...process.env, HOME: beside, XDG_CACHE_HOME: join(beside, 'cache'), UMPIRE_WORKTREES: join(beside, 'worktrees') };
  const ran = spawnSync(process.execPath, [COMMAND, ...args, '--agent-command', `sh ${join(beside, 'agent.sh')}`, '--yes'], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  if (process.env.UMPIRE_SHOW === '1') console.error(ran.stderr);
  const loaded = existsSync(loads) ? readFileSync(loads, 'utf8').split('\n') : [];
  const count = (name) => loaded.filter((each) => each === name).length;
  return { suites: count('steady'), repeats: Math.max(0, count('failing') - count('steady')) };
}

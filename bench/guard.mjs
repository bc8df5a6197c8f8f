// `umpire guard` over a change of many files, as people get it: the whole command, on a git repository, from a cold start. 1,000 files
// edited as in the labelled changes of fixtures/guard must be judged in five seconds, TypeScript and Python, and so must 1,000 of the
// longer tests of this repository; twice as many in about twice the time. No two files are the same.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { assert, atMost, interleave, line, ms, ROOT, timeMs } from './harness.mjs';

const FILES = 1_000;
const SECONDS = 5;
/** A change twice as large may take this much longer. */
const GROWTH = 2.6;
const BREACHES = 3;
const COMMAND = join(ROOT, 'dist', 'umpire.cjs');

/** A section of a labelled change: what a file holds before or after it. */
const SECTION = /^=== (before|after) (\S+)\n([^]*?)(?=^=== |(?![^]))/gm;

const LANGUAGES = {
  ts: { cases: 'js', isTest: /\.(test|spec)\.ts$/, holds: /\b(it|test)\(/, path: 'src/unit.test.ts', comment: '//' },
  py: { cases: 'py', isTest: /(^|\/)test_\w+\.py$/, holds: /def test_/, path: 'tests/test_unit.py', comment: '#' },
};

/** Changed test files of the labelled set, both versions. */
function labelledEdits({ cases, isTest, holds }) {
  const edits = [];
  const isWhole = ({ before, after }) => before !== undefined && after !== undefined && holds.test(before) && holds.test(after);
  for (const kind of ['cheat', 'honest']) {
    const folder = join(ROOT, 'fixtures', 'guard', 'seen', kind);
    for (const name of readdirSync(folder).filter((file) => file.startsWith(cases))) {
      const files = new Map();
      for (const [, side, path, text] of readFileSync(join(folder, name), 'utf8').matchAll(SECTION))
        if (isTest.test(path)) files.set(path, { ...files.get(path), [side]: text });
      edits.push(...[...files.values()].filter(isWhole));
    }
  }
  return edits;
}

/** Test files of src/, with one check and one title changed. */
function ownEdits() {
  const folder = join(ROOT, 'src');
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.test.ts'));
  return names.map((name) => {
    const before = readFileSync(join(folder, name), 'utf8');
    return { before, after: before.replace('toBe(', 'toEqual(').replace(/\bit\('/, "it('now ") };
  });
}

const kilobytes = (edits) => `${(edits.reduce((sum, { after }) => sum + after.length, 0) / edits.length / 1024).toFixed(1)} kB`;

function git(cwd, ...args) {
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'commit.gpgsign=false'];
  const { status, stderr } = spawnSync('git', [...who, ...args], { cwd, encoding: 'utf8' });
  assert(status === 0, `git ${args[0]} ended with ${status}: ${stderr}`);
}

/** A repository with one version of so many files in its last commit, and the other on disk. */
function repository(folder, edits, count, { path: name, comment }) {
  mkdirSync(folder, { recursive: true });
  const write = (side) => {
    for (let index = 0; index < count; index += 1) {
      const path = join(folder, 'packages', `p${index}`, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${comment} File ${index}.\n${edits[index % edits.length][side]}`);
    }
  };
  git(folder, 'init', '-q');
  write('before');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'before');
  write('after');
  return folder;
}

function guard(cwd) {
  let child;
  const taken = timeMs(() => {
    child = spawnSync(process.execPath, [COMMAND, 'guard', '--json'], { cwd, encoding: 'utf8', maxBuffer: 1 << 30 });
  });
  assert(child.status === BREACHES, `umpire guard ended with ${child.status}: ${child.stderr}`);
  const { findings, problems } = JSON.parse(child.stdout);
  assert(findings.length > 0 && problems.length === 0, `${findings.length} findings, ${problems.length} problems`);
  return taken;
}

export async function run({ runs = 3 } = {}) {
  const { ts, py } = LANGUAGES;
  const [labelled, python, own] = [labelledEdits(ts), labelledEdits(py), ownEdits()];
  const folder = mkdtempSync(join(tmpdir(), 'umpire-guard-bench-'));
  try {
    const contenders = Object.fromEntries(
      [
        ['small', labelled, FILES, ts],
        ['large', labelled, FILES * 2, ts],
        ['python', python, FILES, py],
        ['long', own, FILES, ts],
      ].map(([name, edits, count, language]) => {
        const place = repository(join(folder, name), edits, count, language);
        return [name, () => guard(place)];
      }),
    );
    const { small, large, python: snakes, long } = await interleave(contenders, runs);
    const within = (name, taken) => line({ name, ours: ms(taken), theirs: `${SECONDS} s`, ratio: taken / 1000, bar: atMost(SECONDS) });
    return [
      within(`umpire guard, ${FILES} changed files of ${kilobytes(labelled)}`, small),
      line({
        name: `umpire guard, ${FILES * 2} : ${FILES} files`,
        ours: ms(large),
        theirs: ms(small),
        ratio: large / small,
        bar: atMost(GROWTH),
      }),
      within(`umpire guard, ${FILES} changed Python files of ${kilobytes(python)}`, snakes),
      within(`umpire guard, ${FILES} changed files of ${kilobytes(own)}`, long),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

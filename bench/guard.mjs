// `umpire guard` over a change of many files, as people get it: the whole command, on a git repository, from a cold start. 1,000 plain
// test files with one check weakened in each must be judged in five seconds, TypeScript and Python; so must 1,000 files that are
// rewritten as in the labelled changes of fixtures/guard, and 1,000 of the longer tests of this repository; twice as many in about twice
// the time. No two files are the same.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packedFile, readPacked } from '../scripts/guard-cases.mjs';
import { assert, atMost, interleave, line, ms, ROOT, timeMs } from './harness.mjs';

const FILES = 1_000;
const SECONDS = 5;
/** A change twice as large may take this much longer. */
const GROWTH = 2.6;
const BREACHES = 3;
const COMMAND = join(ROOT, 'dist', 'umpire.cjs');

const LANGUAGES = {
  ts: { cases: 'js', isTest: /\.(test|spec)\.ts$/, holds: /\b(it|test)\(/, path: 'src/unit.test.ts', comment: '//' },
  py: { cases: 'py', isTest: /(^|\/)test_\w+\.py$/, holds: /def test_/, path: 'tests/test_unit.py', comment: '#' },
};

/** Changed test files of the labelled set, both versions. */
function labelledEdits({ cases, isTest, holds }) {
  const edits = [];
  const isWhole = ({ before, after }) => before !== undefined && after !== undefined && holds.test(before) && holds.test(after);
  for (const { id, files: sections } of ['cheat', 'honest'].flatMap((label) => readPacked(packedFile('seen', label)))) {
    if (!id.startsWith(cases)) continue;
    const files = new Map();
    for (const { side, path, text } of sections)
      if (side !== 'same' && isTest.test(path)) files.set(path, { ...files.get(path), [side]: text });
    edits.push(...[...files.values()].filter(isWhole));
  }
  return edits;
}

/** Test files of packages/, with one check and one title changed. */
function ownEdits() {
  const folder = join(ROOT, 'packages');
  const names = readdirSync(folder, { recursive: true }).filter((name) => /^\w+\/src\/.*\.test\.ts$/.test(name));
  return names.map((name) => {
    const before = readFileSync(join(folder, name), 'utf8');
    return { before, after: before.replace('toBe(', 'toEqual(').replace(/\bit\('/, "it('now ") };
  });
}

/** A file of a dozen tests, as people write them; every second edit asks for less, the others for any error. */
function plainEdits({ cases }) {
  const numbers = Array.from({ length: 8 }, (_, index) => index);
  return Array.from({ length: FILES }, (_, index) => {
    const more = { js: moreInTypeScript, py: moreInPython }[cases](index, numbers);
    const before = { js: headInTypeScript, py: headInPython }[cases](index) + more;
    const isFirst = index % 2 === 0;
    const after =
      cases === 'py'
        ? isFirst
          ? before.replace(/ == \d+\n/, ' is not None\n')
          : before.replace(', match="zero"', '')
        : isFirst
          ? before.replace(/toBe\(\d+\)/, 'toBeDefined()')
          : before.replace("toThrow('zero')", 'toThrow()');
    return { before, after };
  });
}

const headInPython = (index) => `import pytest
from app.mod${index} import add${index}, div${index}


class TestMod${index}:
    def setup_method(self):
        self.base = ${index}

    def test_add(self):
        assert add${index}(self.base, 2) == ${index + 2}

    @pytest.mark.parametrize("a, b, want", [(1, 2, 3), (2, 3, 5), (5, 8, 13)])
    def test_rows(self, a, b, want):
        result = add${index}(a, b)
        assert result == want

    def test_div(self):
        with pytest.raises(ZeroDivisionError, match="zero"):
            div${index}(1, 0)
`;

const moreInPython = (index, numbers) =>
  numbers
    .map(
      (number) => `
    def test_more_${number}(self):
        value = add${index}(${number}, self.base)
        assert value == ${index + number}
        assert isinstance(value, int)
`,
    )
    .join('');

const headInTypeScript = (index) => `import { describe, expect, it } from 'vitest';
import { add${index}, div${index} } from './mod${index}';

describe('mod${index}', () => {
  it('adds', () => {
    expect(add${index}(${index}, 2)).toBe(${index + 2});
  });

  it.each([
    [1, 2, 3],
    [2, 3, 5],
    [5, 8, 13],
  ])('%i + %i', (a, b, want) => {
    const result = add${index}(a, b);
    expect(result).toBe(want);
  });

  it('divides', () => {
    expect(() => div${index}(1, 0)).toThrow('zero');
  });
`;

const moreInTypeScript = (index, numbers) =>
  `${numbers
    .map(
      (number) => `
  it('more ${number}', () => {
    const value = add${index}(${number}, ${index});
    expect(value).toBe(${index + number});
    expect(typeof value).toBe('number');
  });
`,
    )
    .join('')}});
`;

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
  const [plain, plainPython] = [plainEdits(ts), plainEdits(py)];
  const folder = mkdtempSync(join(tmpdir(), 'umpire-guard-bench-'));
  try {
    const contenders = Object.fromEntries(
      [
        ['plain', plain, FILES, ts],
        ['plainPython', plainPython, FILES, py],
        ['small', labelled, FILES, ts],
        ['large', labelled, FILES * 2, ts],
        ['python', python, FILES, py],
        ['long', own, FILES, ts],
      ].map(([name, edits, count, language]) => {
        const place = repository(join(folder, name), edits, count, language);
        return [name, () => guard(place)];
      }),
    );
    const taken = await interleave(contenders, runs);
    const within = (what, edits, time) =>
      line({
        name: `umpire guard, ${FILES} ${what} of ${kilobytes(edits)}`,
        ours: ms(time),
        theirs: `${SECONDS} s`,
        ratio: time / 1000,
        bar: atMost(SECONDS),
      });
    return [
      within('files, one check weakened in each,', plain, taken.plain),
      within('Python files, one check weakened in each,', plainPython, taken.plainPython),
      within('labelled rewrites', labelled, taken.small),
      line({
        name: `umpire guard, ${FILES * 2} : ${FILES} files`,
        ours: ms(taken.large),
        theirs: ms(taken.small),
        ratio: taken.large / taken.small,
        bar: atMost(GROWTH),
      }),
      within('labelled rewrites in Python', python, taken.python),
      within('of the longer tests of this repository', own, taken.long),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

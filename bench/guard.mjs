// `umpire guard` as people get it: the whole command, on a git repository, from a cold start. One changed test beside a bare start of
// Node, in a small repository and in a large one; one test added to a file of 400 kB; 1,000 changed test files.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { assert, atMost, interleave, line, ms, ROOT, timeMs } from './harness.mjs';

const MANY = 1_000;
const LARGE = 5_000;
const LONG_FILE = 400 * 1024;
const COMMAND = join(ROOT, 'dist', 'umpire.cjs');
const numbers = Array.from({ length: 8 }, (_, index) => index);

/** Files of a dozen tests, as people write them. Every second one asks for less, the others for any error. */
const LANGUAGES = {
  ts: {
    path: 'src/unit.test.ts',
    text: (index) => headInTypeScript(index) + moreInTypeScript(index, numbers),
    weaken: (text, index) =>
      index % 2 === 0 ? text.replace(/toBe\(\d+\)/, 'toBeDefined()') : text.replace("toThrow('zero')", 'toThrow()'),
  },
  py: {
    path: 'tests/test_unit.py',
    text: (index) => headInPython(index) + moreInPython(index, numbers),
    weaken: (text, index) => (index % 2 === 0 ? text.replace(/ == \d+\n/, ' is not None\n') : text.replace(', match="zero"', '')),
  },
};

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

function git(cwd, ...args) {
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'commit.gpgsign=false'];
  const { status, stderr } = spawnSync('git', [...who, ...args], { cwd, encoding: 'utf8' });
  assert(status === 0, `git ${args[0]} ended with ${status}: ${stderr}`);
}

/** A repository whose last commit has all files; `changed` of them are weakened on disk. */
function repository(folder, { path, text, weaken }, count, changed) {
  const write = (index, body) => {
    const file = join(folder, 'packages', `p${index}`, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, body);
  };
  for (let index = 0; index < count; index += 1) write(index, text(index));
  git(folder, 'init', '-q');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'before');
  for (let index = 0; index < changed; index += 1) write(index, weaken(text(index), index));
  return folder;
}

/** One long test file, to which one test is added. */
function longFile(folder, { text }) {
  let body = '';
  for (let index = 0; body.length < LONG_FILE; index += 1) body += text(index).replace(/^import .*\n/gm, '');
  const file = join(folder, 'long.test.ts');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, body);
  git(folder, 'init', '-q');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'before');
  writeFileSync(file, `${body}\nit('is new', () => {\n  expect(add1(1, 2)).toBe(3);\n});\n`);
  return folder;
}

function guard(cwd, status) {
  let child;
  const taken = timeMs(() => {
    child = spawnSync(process.execPath, [COMMAND, 'guard', '--json'], { cwd, encoding: 'utf8', maxBuffer: 1 << 30 });
  });
  assert(child.status === status, `umpire guard ended with ${child.status}: ${child.stderr}`);
  assert(JSON.parse(child.stdout).problems.length === 0, 'files could not be read');
  return taken;
}

const bareNode = () => timeMs(() => spawnSync(process.execPath, ['-e', '0']));

export async function run({ runs = 5 } = {}) {
  const { ts, py } = LANGUAGES;
  const folder = mkdtempSync(join(tmpdir(), 'umpire-guard-bench-'));
  try {
    const small = repository(join(folder, 'small'), ts, 10, 1);
    const large = repository(join(folder, 'large'), ts, LARGE, 1);
    const one = await interleave({ node: bareNode, small: () => guard(small, 3), large: () => guard(large, 3) }, runs * 2);
    const places = {
      long: [longFile(join(folder, 'long'), ts), 0],
      many: [repository(join(folder, 'many'), ts, MANY, MANY), 3],
      python: [repository(join(folder, 'python'), py, MANY, MANY), 3],
    };
    const taken = await interleave(
      Object.fromEntries(Object.entries(places).map(([name, [place, status]]) => [name, () => guard(place, status)])),
      runs,
    );
    const times = (name, time) => line({ name, ours: ms(time), theirs: ms(one.node), ratio: time / one.node, bar: atMost(2.5) });
    const within = (name, time, seconds) =>
      line({ name, ours: ms(time), theirs: `${seconds} s`, ratio: time / 1000, bar: atMost(seconds) });
    return [
      times('umpire guard, one changed test : node -e 0', one.small),
      times(`umpire guard, one changed test among ${LARGE} files : node -e 0`, one.large),
      within('umpire guard, one test added to a file of 400 kB', taken.long, 1.5),
      within(`umpire guard, ${MANY} changed TypeScript files`, taken.many, 6),
      within(`umpire guard, ${MANY} changed Python files`, taken.python, 6),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// What is taken out of a change: the hunks that lie, the file where that is not enough, and never more files than have to.

import { describe, expect, it } from 'vitest';
import type { FileChange } from '../change.js';
import type { GuardFinding } from '../findings/finding.js';
import { findingOf } from '../findings/finding.js';
import { findRuleWords } from '../rules/all.js';
import { revertBreaches } from './revert-breaches.js';
import type { Look } from './revert-breaches.js';

/** A guard that finds every line with the word `lie` in it that is new, and cannot read what has no last brace. */
const look: Look = ({ files }) => ({
  findings: files.flatMap(liesIn),
  unread: new Set(files.filter(({ after }) => after !== null && !after.endsWith('}\n')).map(({ path }) => path)),
});

function liesIn({ path, before, after }: FileChange): readonly GuardFinding[] {
  const lines = (after ?? '').split('\n');
  const lies = lines.flatMap((text, at) => (text.includes('lie') && !(before ?? '').includes(text) ? [finding(path, text, at + 1)] : []));
  return after === null ? [finding(path, '', 1)] : lies;
}

function finding(file: string, text: string, line: number): GuardFinding {
  return findingOf(findRuleWords('assertion-weakened'), { file, level: 'breach', after: { from: 0, to: text.length, line, text } });
}

function corrected(files: readonly FileChange[], findings: readonly GuardFinding[], by: Look) {
  return revertBreaches({ files }, findings, by).corrections;
}

function taken(...files: readonly FileChange[]) {
  return corrected(files, look({ files }).findings, look);
}

describe('by hunk', () => {
  it('keeps what is honest in the file, and the files that are', () => {
    const files = [
      { path: 'a', before: '{\none\ntwo\n}\n', after: '{\nlie\ntwo\nthree\n}\n' },
      { path: 'b', before: '{\n}\n', after: '{\nmore\n}\n' },
    ];
    expect(taken(...files)).toEqual([{ path: 'a', how: 'hunk', text: '{\none\ntwo\nthree\n}\n' }]);
  });

  it('goes by file where what would be left is no code', () => {
    const [before, after] = ['{\none\ntwo\nthree\n}\n', '{\nlie\ntwo\nthree\n}\nopen\n'];
    expect(taken({ path: 'a', before, after })).toEqual([{ path: 'a', how: 'file', text: before }]);
  });

  it('tries hunk by hunk where the findings do not point at what is wrong', () => {
    const [before, after] = ['{\none\ntwo\nthree\n}\n', '{\nONE\ntwo\nlie\n}\n'];
    const vague: Look = (change) => ({ ...look(change), findings: look(change).findings.map((one) => ({ ...one, after: null, line: 1 })) });
    const files = [{ path: 'a', before, after }];
    expect(corrected(files, vague({ files }).findings, vague)).toEqual([{ path: 'a', how: 'hunk', text: '{\nONE\ntwo\nthree\n}\n' }]);
  });
});

describe('of a file that was moved', () => {
  it('takes the lie back, and leaves it where it is', () => {
    const moved = { path: 'b', renamedFrom: 'a', before: '{\none\ntwo\n}\n', after: '{\nlie\ntwo\nthree\n}\n' };
    expect(taken(moved)).toEqual([{ path: 'b', how: 'hunk', text: '{\none\ntwo\nthree\n}\n' }]);
    expect(taken({ ...moved, after: '{\nlie\ntwo\n}\n' })).toEqual([{ path: 'b', how: 'hunk', text: moved.before }]);
  });
});

describe('by added test', () => {
  const test = (title: string, ...lines: readonly string[]) =>
    `it('${title}', () => {\n${lines.map((line) => `  ${line};\n`).join('')}});\n`;
  const head = "import { total } from '../cart';\n\n";
  const [one, lie, two] = [
    test('adds', 'expect(total([1])).toBe(1)'),
    test('is a lie', 'lie()'),
    test('is empty', 'expect(total([])).toBe(0)'),
  ];
  const plain: Look = ({ files }) => ({ findings: files.flatMap(liesIn), unread: new Set() });
  const left = (file: FileChange) => corrected([file], plain({ files: [file] }).findings, plain);

  it('keeps the honest tests of a new file', () => {
    const after = `${head}${one}\n${lie}\n${two}`;
    expect(left({ path: 'cart.test.ts', before: null, after })).toEqual([
      { path: 'cart.test.ts', how: 'hunk', text: `${head}${one}\n\n${two}` },
    ]);
  });

  it('keeps the honest ones of several that were added to a file', () => {
    const [before, after] = [head + one, head + one + lie + two];
    expect(left({ path: 'cart.test.ts', before, after })).toEqual([{ path: 'cart.test.ts', how: 'hunk', text: head + one + two }]);
  });

  it('keeps no new file without a test, nor one whose lie is outside of them', () => {
    const path = 'cart.test.ts';
    expect(left({ path, before: null, after: head + lie })).toEqual([{ path, how: 'file', text: null }]);
    expect(left({ path, before: null, after: `${head}lie();\n${one}` })).toEqual([{ path, how: 'file', text: null }]);
  });

  it('takes a decorated method with its decorators', () => {
    const kept = 'class TestCart:\n    def test_adds(self):\n        assert total([1]) == 1\n\n';
    const after = `${kept}    @mark.parametrize("n", [1])\n    def test_lie(self, n):\n        lie()\n`;
    expect(left({ path: 'test_cart.py', before: null, after })).toEqual([{ path: 'test_cart.py', how: 'hunk', text: kept }]);
  });
});

describe('by file', () => {
  it('takes one back that was new, deleted, or has nothing else in it', () => {
    const files = [
      { path: 'deleted', before: '{\n}\n', after: null },
      { path: 'new', before: null, after: '{\nlie\n}\n' },
      { path: 'one', before: '{\none\n}\n', after: '{\nlie\n}\n' },
    ];
    expect(taken(...files)).toEqual([
      { path: 'deleted', how: 'file', text: '{\n}\n' },
      { path: 'new', how: 'file', text: null },
      { path: 'one', how: 'file', text: '{\none\n}\n' },
    ]);
  });

  it('takes a file back to where it was where the move itself is the lie', () => {
    const moved = { path: 'b', renamedFrom: 'a', before: '{\none\n}\n', after: '{\none\n}\n' };
    const hidden: Look = ({ files }) => ({ findings: files.map(({ path }) => finding(path, '{', 1)), unread: new Set() });
    expect(corrected([moved], hidden({ files: [moved] }).findings, hidden)).toEqual([
      { path: 'b', how: 'file', text: moved.before, renamedFrom: 'a' },
    ]);
  });

  it('takes back everything where a finding names no file of the change', () => {
    const files = [{ path: 'support', before: '{\n}\n', after: '{\nweaker\n}\n' }];
    const elsewhere: Look = (change) => ({ findings: change.files.length > 0 ? [finding('test', 'x', 1)] : [], unread: new Set() });
    expect(corrected(files, elsewhere({ files }).findings, elsewhere)).toEqual([{ path: 'support', how: 'file', text: '{\n}\n' }]);
  });

  it('takes the file where the finding is gone before anything was taken: it was not in its lines', () => {
    const files = [{ path: 'a', before: '{\none\n}\n', after: '{\ntwo\n}\n' }];
    expect(corrected(files, [finding('a', 'x', 9)], () => ({ findings: [], unread: new Set() }))).toEqual([
      { path: 'a', how: 'file', text: '{\none\n}\n' },
    ]);
  });

  it('ends where findings stay whatever is done', () => {
    const files = [{ path: 'a', before: '{\n}\n', after: '{\nlie\n}\n' }];
    const stubborn: Look = () => ({ findings: [finding('a', 'x', 1)], unread: new Set() });
    expect(revertBreaches({ files }, stubborn({ files }).findings, stubborn)).toEqual({
      corrections: [{ path: 'a', how: 'file', text: '{\n}\n' }],
      change: { files: [] },
      left: [finding('a', 'x', 1)],
    });
  });

  it('takes all of it where every file that goes brings the next one out', () => {
    const files = Array.from({ length: 20 }, (_, at) => ({ path: `f${at + 10}`, before: '{\n}\n', after: '{\nx\n}\n' }));
    const next: Look = ({ files: left }) => ({ findings: left.slice(0, 1).map(({ path }) => finding(path, 'x', 2)), unread: new Set() });
    let looks = 0;
    const counted: Look = (change) => {
      looks += 1;
      return next(change);
    };
    expect(corrected(files, next({ files }).findings, counted).map(({ path, how }) => `${path} ${how}`)).toEqual(
      files.map(({ path }) => `${path} file`),
    );
    expect(looks).toBeLessThan(9);
  });
});

it('looks at the whole of a large change a few times only, and at the files it tries by themselves', () => {
  const [before, after] = ['{\none\ntwo\nthree\n}\n', '{\nONE\ntwo\nlie\n}\n'];
  const files = Array.from({ length: 600 }, (_, at) => ({ path: `f${at}`, before, after }));
  const vague: Look = (change) => ({ ...look(change), findings: look(change).findings.map((one) => ({ ...one, after: null, line: 1 })) });
  let seen = 0;
  const counted: Look = (change) => {
    seen += change.files.length;
    return vague(change);
  };
  const { corrections, left } = revertBreaches({ files }, vague({ files }).findings, counted);
  expect(new Set(corrections.map(({ how, text }) => `${how} ${text ?? ''}`))).toEqual(new Set(['hunk {\nONE\ntwo\nthree\n}\n']));
  expect({ count: corrections.length, left }).toEqual({ count: 600, left: [] });
  expect(seen).toBeLessThan(600 * 6);
});

describe('tests inside a source file', () => {
  // One hunk: lines of both change side by side.
  const before = '#[test]\nfn adds() { assert_eq!(sum(), 1); }\npub fn sum() -> u8 { 1 }\n';
  const after = '#[test]\nfn adds() { sum(); }\npub fn sum() -> u8 { 2 }\n';
  const path = 'src/lib.rs';
  /** A retrial points at no line. */
  const hidden: Look = ({ files }) => ({
    findings: files.flatMap((one) =>
      one.after?.includes('assert_eq') === true
        ? []
        : [findingOf(findRuleWords('regression-hidden'), { file: path, level: 'breach', before: null, after: null })],
    ),
    unread: new Set(),
  });

  it('go back to what they were, and the product code stays', () => {
    const change = { path, before, after };
    expect(corrected([change], hidden({ files: [change] }).findings, hidden)).toEqual([
      { path, how: 'hunk', text: before.replace('{ 1 }', '{ 2 }') },
    ]);
  });
});

// What is taken out of a change: the hunks that lie, the file where that is not enough, and never more files than have to.

import { describe, expect, it } from 'vitest';
import type { FileChange } from './change.js';
import type { GuardFinding } from './finding.js';
import { findingOf } from './finding.js';
import { takeBack } from './taking-back.js';
import type { Look } from './taking-back.js';

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
  return findingOf({ rule: 'assertion-weakened', file, after: { file, from: 0, to: text.length, line, text } });
}

function corrected(files: readonly FileChange[], findings: readonly GuardFinding[], by: Look) {
  return takeBack({ files }, findings, by).corrections;
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

  it('takes a file that was moved back to where it was', () => {
    const moved = { path: 'b', renamedFrom: 'a', before: '{\none\ntwo\n}\n', after: '{\nlie\ntwo\nthree\n}\n' };
    expect(taken(moved)).toEqual([{ path: 'b', how: 'file', text: moved.before, renamedFrom: 'a' }]);
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
    expect(takeBack({ files }, stubborn({ files }).findings, stubborn)).toEqual({
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
  const { corrections, left } = takeBack({ files }, vague({ files }).findings, counted);
  expect(new Set(corrections.map(({ how, text }) => `${how} ${text ?? ''}`))).toEqual(new Set(['hunk {\nONE\ntwo\nthree\n}\n']));
  expect({ count: corrections.length, left }).toEqual({ count: 600, left: [] });
  expect(seen).toBeLessThan(600 * 6);
});

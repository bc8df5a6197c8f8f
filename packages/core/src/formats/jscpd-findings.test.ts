// Reports of jscpd.

import { expect, test } from 'vitest';
import { readJscpd } from './jscpd-findings.js';

const pair = (first: string, second: string, start = 1, lines: unknown = 9) => ({
  lines,
  firstFile: { name: first, start },
  secondFile: { name: second, start: 40 },
});

test('two files are one finding, whichever comes first and wherever the copy is', () => {
  const [one, other, moved] = readJscpd({ duplicates: [pair('b.js', 'a.js'), pair('a.js', 'b.js'), pair('a.js', 'b.js', 7, 12)] }) ?? [];
  expect(other).toEqual({
    severity: 'medium',
    message: '9 lines are written again in b.js',
    artifact: 'a.js',
    line: 1,
    rule: 'duplication',
    fingerprint: one?.fingerprint,
  });
  expect(one).toMatchObject({ artifact: 'a.js', line: 40 });
  expect(moved).toMatchObject({ line: 7, fingerprint: one?.fingerprint });
});

test('a copy within one file', () =>
  expect(
    readJscpd({
      duplicates: [pair('a\\b.js', 'a\\b.js', 50, null), { firstFile: { name: 'c.js' }, secondFile: { name: 'c.js' } }],
    })?.map(({ artifact, line, message }) => `${artifact}:${line} ${message}`),
  ).toEqual(['a/b.js:40 lines are written again in the same file', 'c.js:null lines are written again in the same file']));

test('other JSON and malformed entries', () => {
  expect([null, [], {}, { duplicates: 3 }].map((value) => readJscpd(value))).toEqual([null, null, null, null]);
  expect(readJscpd({ duplicates: [3, {}, { firstFile: { name: 'a.js' } }, { firstFile: {}, secondFile: { name: 'a.js' } }] })).toEqual([]);
});

// How findings change from round to round: each kind of change, copies, and files changed by a fix.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeFinding } from '../formats/finding.js';
import type { Finding } from '../model/vocabulary.js';
import { traceFindings } from './finding-history.js';
import type { FindingChange, RoundFindings } from './finding-history.js';
import { SOAK } from '../../../../test/support/campaign.js';

/** `a@12`: a finding named a on line 12 of src/a.ts; `a@12:src/b.ts` lies elsewhere; `a@` nowhere. */
function finding(text: string): Finding {
  const [name = '', place = '1'] = text.split('@');
  const [line = '', file = `src/${name}.ts`] = place.split(':');
  return makeFinding({ severity: 'high', message: `finding ${name}`, artifact: line === '' ? null : file, line: Number(line) });
}

function roundsOf(texts: readonly string[], touched: Readonly<Record<number, readonly string[]>> = {}): readonly RoundFindings[] {
  return texts.map((text, index) => ({
    round: index + 1,
    findings: text.split(' ').filter(Boolean).map(finding),
    touched: touched[index + 1] ?? null,
  }));
}

/** `1 new a@1`: round, change, name, line. */
function check(texts: readonly string[], expected: readonly string[], touched: Readonly<Record<number, readonly string[]>> = {}): void {
  const traces = traceFindings(roundsOf(texts, touched));
  expect(traces.map(({ round, change, finding: { message, line } }) => `${round} ${change} ${message.slice(8)}@${line ?? ''}`)).toEqual(
    expected,
  );
}

test('a finding is new, persists with a moved line, is fixed, comes back', () => {
  check(['a@1', 'a@40', '', 'a@7'], ['1 new a@1', '2 persisting a@40', '3 fixed a@40', '4 came back a@7']);
});

test('gone for several rounds is fixed once, and may come back more than once', () => {
  check(['a@1', '', '', 'a@1', '', 'a@1'], ['1 new a@1', '2 fixed a@1', '4 came back a@1', '5 fixed a@1', '6 came back a@1']);
});

test('a trace knows when its finding was first seen', () => {
  const traces = traceFindings(roundsOf(['', 'a@1', 'a@1', '', 'a@1']));
  expect(traces.map(({ change, first }) => [change, first])).toEqual([
    ['new', 2],
    ['persisting', 2],
    ['fixed', 2],
    ['came back', 2],
  ]);
});

test('another severity is the same finding', () => {
  const low = { ...finding('a@1'), severity: 'low' as const };
  const [, second] = traceFindings([
    { round: 1, findings: [finding('a@1')], touched: null },
    { round: 2, findings: [low], touched: null },
  ]);
  expect(second).toEqual({ round: 2, finding: low, change: 'persisting', first: 1 });
});

test('copies of a finding are counted', () => {
  check(
    ['a@1 a@2 a@3', 'a@2', 'a@2 a@9 a@8 a@7'],
    [
      '1 new a@1',
      '1 new a@2',
      '1 new a@3',
      '2 persisting a@2',
      '2 fixed a@1',
      '2 fixed a@3',
      '3 persisting a@2',
      '3 came back a@9',
      '3 came back a@8',
      '3 new a@7',
    ],
  );
});

test('of copies, those on a line that had one before persist', () => {
  check(['a@5', 'a@1 a@5'], ['1 new a@5', '2 new a@1', '2 persisting a@5']);
});

test('a new finding in a file that the fix touched is caused by it', () => {
  check(['a@1', 'b@1 c@1 d@'], ['1 new a@1', '2 caused by a fix b@1', '2 new c@1', '2 new d@', '2 fixed a@1'], { 2: ['src/b.ts'] });
});

test('if the changed files are unknown, the files of the fixed findings are used', () => {
  check(
    ['a@1:src/x.ts b@1:src/y.ts', 'b@1:src/y.ts c@2:src/x.ts d@3:src/y.ts'],
    ['1 new a@1', '1 new b@1', '2 persisting b@1', '2 caused by a fix c@2', '2 new d@3', '2 fixed a@1'],
  );
});

test('nothing in the first round is caused by a fix, and nothing by a fix that touched no file', () => {
  check(['a@1'], ['1 new a@1'], { 1: ['src/a.ts'] });
  check(['a@1:x.ts', 'b@1:x.ts'], ['1 new a@1', '2 new b@1', '2 fixed a@1'], { 2: [] });
});

test('a path that an agent wrote shorter or longer is still the same file', () => {
  check(['', 'a@1:button.css'], ['2 caused by a fix a@1'], { 2: ['src/ui/button.css'] });
  check(['', 'a@1:/home/me/project/src/button.css'], ['2 caused by a fix a@1'], { 2: ['src/button.css'] });
  check(['', 'a@1:on.css'], ['2 new a@1'], { 2: ['src/button.css'] });
});

test('a finding that came back is not caused by a fix', () => {
  check(['a@1', '', 'a@1'], ['1 new a@1', '2 fixed a@1', '3 came back a@1'], { 3: ['src/a.ts'] });
});

test('every finding of a round has one change, and copies add up', () => {
  const names = fc.constantFrom('a', 'b', 'c');
  const round = fc.array(fc.tuple(names, fc.integer({ min: 1, max: 3 })), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(round, { maxLength: 8 }), (drawn) => {
      const rounds = roundsOf(drawn.map((found) => found.map(([name, line]) => `${name}@${line}`).join(' ')));
      const traces = traceFindings(rounds);
      const standing = new Map<string, number>();
      const count = (print: string, by: number) => standing.set(print, (standing.get(print) ?? 0) + by);
      const change: Readonly<Record<FindingChange, number>> = { new: 1, 'came back': 1, 'caused by a fix': 1, persisting: 0, fixed: -1 };
      for (const { round: number, findings } of rounds) {
        const here = traces.filter((trace) => trace.round === number);
        expect(here.filter(({ change }) => change !== 'fixed').map(({ finding: found }) => found)).toEqual(findings);
        for (const trace of here) count(trace.finding.fingerprint, change[trace.change]);
        const now = new Map<string, number>();
        for (const { fingerprint } of findings) now.set(fingerprint, (now.get(fingerprint) ?? 0) + 1);
        expect(new Map([...standing].filter(([, copies]) => copies > 0))).toEqual(now);
      }
    }),
  );
});

test('the same object twice is two copies', () => {
  const same = finding('a@1');
  const traces = traceFindings([
    { round: 1, findings: [same, same], touched: null },
    { round: 2, findings: [same], touched: null },
  ]);
  expect(traces.map(({ change }) => change)).toEqual(['new', 'new', 'persisting', 'fixed']);
});

test('handles three hundred thousand copies', SOAK, () => {
  const one = finding('a@1');
  const many = Array.from({ length: 300_000 }, (_, index) => ({ ...one, line: index + 1 }));
  const rounds = [many, many.slice(150_000), many].map((findings, index) => ({ round: index + 1, findings, touched: null }));
  const fates = traceFindings(rounds).map(({ change }) => change);
  expect(fates.filter((change) => change === 'came back')).toHaveLength(150_000);
});

test('V9: a finding that came and went with reverted work was never fixed', () => {
  const rounds = roundsOf(['a@1', 'a@1 b@2', 'a@1', '']).map((round) => ({ ...round, isUndone: round.round === 2 }));
  expect(traceFindings(rounds).map(({ round, change, finding: { message } }) => `${round} ${change} ${message.slice(8)}`)).toEqual([
    '1 new a',
    '2 persisting a',
    '2 new b',
    '3 persisting a',
    '4 fixed a',
  ]);
});

test('V9: a finding that reverted work had fixed persists', () => {
  const rounds = roundsOf(['a@1', '', 'a@1']).map((round) => ({ ...round, isUndone: round.round === 2 }));
  expect(traceFindings(rounds).map(({ round, change }) => `${round} ${change}`)).toEqual(['1 new', '2 fixed', '3 persisting']);
});

// Findings from parts, sentences and objects, and stable fingerprints.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findingFromUnknown, makeFinding } from './finding.js';

function check(
  value: unknown,
  expected: Readonly<Record<string, unknown>> | null,
  notes: readonly string[] = [],
  fallback: 'high' | null = 'high',
): void {
  const drawn = findingFromUnknown(value, fallback);
  const { fingerprint, ...rest } = drawn.finding ?? { fingerprint: null };
  expect([drawn.finding === null ? null : rest, drawn.notes]).toEqual([expected && { artifact: null, line: null, ...expected }, notes]);
  expect(drawn.finding === null || /^[0-9a-f]{16}$/.test(String(fingerprint))).toBe(true);
}

describe('makeFinding', () => {
  test('all parts', () => {
    expect(makeFinding({ severity: 'low', message: ' a \n b ', artifact: './src\\a.ts', line: 3, rule: 'r', dimension: 'd' })).toEqual({
      severity: 'low',
      message: 'a b',
      artifact: 'src/a.ts',
      line: 3,
      rule: 'r',
      dimension: 'd',
      fingerprint: 'c9e547b0d3616edf',
    });
  });

  test('leaves out empty parts', () => {
    expect(makeFinding({ severity: 'high', message: '', line: 3, rule: ' ', dimension: null })).toMatchObject({
      message: 'no message was given',
      artifact: null,
      line: null,
    });
    expect(Object.keys(makeFinding({ severity: 'high', message: 'm' }))).toEqual([
      'severity',
      'message',
      'artifact',
      'line',
      'fingerprint',
    ]);
    expect([0, -1, 1.5, NaN, 1e300].map((line) => makeFinding({ severity: 'high', message: 'm', artifact: 'a', line }).line)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  const print = (message: string, artifact = 'a', rule = 'r', line = 1) =>
    makeFinding({ severity: 'high', message, artifact, rule, line }).fingerprint;

  test('the fingerprint ignores lines, numbers and spaces', () => {
    expect(new Set([print('contrast 2.8:1'), print(' contrast  31.75:4 '), print('contrast 2.8:1', './a', 'r', 99)]).size).toBe(1);
  });

  test('the fingerprint changes with rule, file and words', () => {
    expect(new Set([print('m'), print('n'), print('m', 'b'), print('m', 'a', 's'), print('é'), print('ĩ')]).size).toBe(6);
  });

  test('different messages get different fingerprints', () => {
    const made = new Set(
      Array.from({ length: 20_000 }, (_, n) =>
        print(`m ${String.fromCharCode(97 + (n % 26), 97 + ((n / 26) % 26), 97 + ((n / 676) % 26), 97 + n / 17_576)}`),
      ),
    );
    expect(made.size).toBe(20_000);
  });
});

describe('sentences', () => {
  test('tagged', () => check('[LOW] Old comment (a.ts:3)', { severity: 'low', message: 'Old comment', artifact: 'a.ts', line: 3 }));
  test('untagged', () =>
    check('Too slow', { severity: 'high', message: 'Too slow' }, ['a finding has no severity; counted as High: "Too slow"']));
  test('untagged, without fallback', () => check('Too slow', null, [], null));
  test('nothing', () => check('None', null));
  test('a tag without a text', () => check('[HIGH] none', null));
});

describe('objects', () => {
  const said = { severity: 'high', message: 'm' };
  test.each([
    ['severity', { severity: 'High', message: 'm' }, said],
    ['level', { level: 'error', description: 'm' }, said],
    ['priority', { priority: 'P1', title: 'm' }, said],
    ['a type that is a severity', { type: 'major', text: 'm' }, said],
    ['a tag in the message', { issue: '[HIGH] m' }, said],
    ['file and line', { ...said, file: 'a.ts', line: '12' }, { ...said, artifact: 'a.ts', line: 12 }],
    ['path and range', { ...said, path: 'a.ts', lines: [3, 9] }, { ...said, artifact: 'a.ts', line: 3 }],
    ['location in one text', { ...said, location: 'a.ts:7' }, { ...said, artifact: 'a.ts', line: 7 }],
    ['location as an object', { ...said, location: { file: 'a.ts', start_line: 7 } }, { ...said, artifact: 'a.ts', line: 7 }],
    ['location as an empty object', { ...said, location: {} }, said],
    ['several files', { ...said, files: ['a.ts', 'b.ts'] }, { ...said, artifact: 'a.ts' }],
    ['a module', { ...said, module: 'auth' }, { ...said, artifact: 'auth' }],
    ['a file of no use', { ...said, file: 'n/a', line: 4 }, said],
    ['a file that is no text', { ...said, file: 3 }, said],
    ['the file in the message', { severity: 'high', message: 'm (a.ts:3)' }, { ...said, artifact: 'a.ts', line: 3 }],
    ['the same file in both', { severity: 'high', message: 'm (a.ts:3)', file: 'a.ts' }, { ...said, artifact: 'a.ts', line: 3 }],
    [
      'another file in the message',
      { severity: 'high', message: 'm (a.ts:3)', file: 'b.ts' },
      { ...said, message: 'm (a.ts:3)', artifact: 'b.ts' },
    ],
    ['a line of no use', { ...said, file: 'a.ts', line: 'x' }, { ...said, artifact: 'a.ts' }],
    ['rule', { ...said, ruleId: 'no-any' }, { ...said, rule: 'no-any' }],
    ['an id that is a rule', { ...said, id: 'color-contrast' }, { ...said, rule: 'color-contrast' }],
    ['an id that only numbers', { ...said, id: 'F-001', category: 'security' }, { ...said, rule: 'security' }],
    ['dimension', { ...said, dimension: 'Consistency' }, { ...said, dimension: 'Consistency' }],
    ['no message', { severity: 'critical' }, { severity: 'critical', message: 'no message was given' }],
    ['a rule for a message', { severity: 'low', rule: 'no-any' }, { severity: 'low', message: 'no-any', rule: 'no-any' }],
  ])('%s', (_, value, expected) => check(value, expected));

  test('an unknown severity counts High', () => {
    check({ severity: 'severe-ish', message: 'm' }, said, ['unknown severity "severe-ish"; counted as High']);
    check({ severity: {}, message: 'm' }, said, ['unknown severity "an object"; counted as High']);
  });

  test('without a severity', () => {
    check({ message: 'm' }, said, ['a finding has no severity; counted as High: "m"']);
    check({ message: 'm' }, null, [], null);
  });

  test('no findings', () => {
    check({ message: 'None' }, null);
    check({}, null);
    check(null, null);
    check({ x: 1 }, null, ['ignored a finding without message, severity and file']);
    check(5, null, ['ignored a finding that is neither a string nor an object']);
    check({ ...said, status: 'Resolved' }, null, ['ignored a finding marked as resolved: "m"']);
    check({ ...said, fixed: true }, null, ['ignored a finding marked as resolved: "m"']);
    check({ ...said, status: 'open' }, said);
  });

  test('keys such as constructor and __proto__ are harmless', () => {
    check(JSON.parse('{"__proto__": {"severity": "critical"}, "constructor": "x", "message": "m", "severity": "low"}'), {
      severity: 'low',
      message: 'm',
    });
  });
});

test('of the severities of a finding and its group the worse counts', () => {
  expect(findingFromUnknown('m', null, { group: 'critical', dimension: 'd' })).toMatchObject({
    finding: { severity: 'critical', dimension: 'd' },
    notes: [],
  });
  expect(findingFromUnknown({ severity: 'critical', message: 'm' }, null, { group: 'critical' }).notes).toEqual([]);
  expect(findingFromUnknown({ severity: 'low', message: 'm' }, null, { group: 'critical' })).toMatchObject({
    finding: { severity: 'critical' },
    notes: ['a finding under Critical says Low; counted as Critical: "m"'],
  });
});

test('the kind decides before the fallback', () => {
  const classify = (text: string, dimension: string) => (text.includes('x') || dimension === 'y' ? ('low' as const) : null);
  expect(['x', 'z'].map((text) => findingFromUnknown(text, 'high', { classify }).finding?.severity)).toEqual(['low', 'high']);
  expect(findingFromUnknown({ message: 'z', dimension: 'y' }, 'high', { classify }).finding?.severity).toBe('low');
});

test('never throws, whatever the value', () => {
  fc.assert(fc.property(fc.anything(), (value) => findingFromUnknown(value, 'high').notes.length >= 0));
});

// What holds of every format that is JSON, on its own fixtures: recognised and no other, the same however the bytes are cut, never a
// pass when cut off, empty or something else.

import type { Format } from './format.js';
import { openReport } from './open-report.js';
import { FORMATS } from './formats.js';
import { readHead } from './format.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FIXTURES: readonly (readonly [format: string, file: string])[] = [
  ['jest', 'vitest.json'],
  ['jest', 'jest.json'],
  ['mocha', 'mocha.json'],
  ['ctrf', 'ctrf.json'],
  ['istanbul', 'coverage-final.json'],
  ['istanbul-summary', 'coverage-summary.json'],
  ['v8', 'coverage-1.json'],
  ['sarif', 'oxlint.sarif'],
  ['eslint', 'eslint.json'],
  ['oxlint', 'oxlint.json'],
  ['biome', 'biome-1.json'],
  ['biome', 'biome-2.json'],
  ['pylint', 'pylint.json'],
  ['pyright', 'pyright.json'],
  ['bandit', 'bandit.json'],
  ['stryker', 'mutation.json'],
  ['axe', 'axe.json'],
];

const fixture = (format: string, file: string): Buffer => readFileSync(join(import.meta.dirname, '../../../fixtures/tools', format, file));
const formatOf = (id: string): Format => FORMATS.find((each) => each.id === id)!;

function read(format: Format, bytes: Uint8Array, cut = bytes.length || 1): ToolReport {
  const reader = openReport({ format: format, root: '/project' });
  for (let at = 0; at < bytes.length; at += cut) {
    const piece = Uint8Array.from(bytes.subarray(at, at + cut));
    reader.write(piece);
    piece.fill(0x21);
  }
  return reader.end();
}

const CUT_OFF = /^the report is not valid JSON at line \d+, column \d+: ./;

describe.each(FIXTURES)('%s: %s', (id, file) => {
  const bytes = fixture(id, file);
  const format = formatOf(id);

  it('is recognised by what is in it', () => {
    expect(FORMATS.find((each) => each.recognises(readHead(bytes, 'report')))?.id).toBe(id);
  });

  it('is the same however it is cut', () => {
    const whole = read(format, bytes);
    expect(whole.outcome).not.toBe('error');
    for (const cut of [1, 2, 3, 7, 64]) expect(read(format, bytes, cut)).toEqual(whole);
  });

  it('is an error where it is cut off, and says where', () => {
    const end = bytes.toString('utf8').trimEnd().length;
    for (let length = 1; length < end; length += 1 + (length % 37)) {
      const { outcome, problems } = read(format, bytes.subarray(0, length));
      expect(outcome).toBe('error');
      expect(problems).toEqual([{ line: expect.any(Number) as number, message: expect.stringMatching(CUT_OFF) as string }]);
    }
  });
});

const IDS = [...new Set([...FIXTURES.map(([id]) => id), 'ruff'])];

describe.each(IDS)('%s', (id) => {
  const format = formatOf(id);
  const text = (report: string): ToolReport => read(format, new TextEncoder().encode(report));

  // An empty list is what Pylint writes where it found nothing.
  const lists = id === 'pylint' ? [] : ['[]'];
  it.each([
    ...lists,
    '',
    ' \n',
    '{}',
    'null',
    '7',
    '"text"',
    '[null]',
    '[7]',
    '[[]]',
    '{"a":1}',
    '{"__proto__":{"a":1}}',
    'x',
    '{}{}',
    '<a/>',
  ])('is an error where it is %j', (report) => {
    const { outcome, problems } = text(report);
    expect(outcome).toBe('error');
    expect(problems.map(({ message }) => message).join()).toMatch(/expected|has no|is missing|missing: |no file|no rule|is empty/);
  });

  it('takes any value in any place', () => {
    const keys = 'testResults assertionResults coverageMap tests passes failures pending stats results summary runs result functions files'
      .concat(
        ' diagnostics violations incomplete messages tool driver rules invocations nodes mutants total a.js thresholds'.concat(
          ' generalDiagnostics statistics metrics errors location range',
        ),
      )
      .split(' ');
    const values: unknown[] = [null, 7, '', 'x', true, [], {}, [null], [7], [{}], [[]], { a: 1 }, { __proto__: null, toString: 1 }];
    for (const key of keys) {
      for (const value of values) {
        const nested = [{ [key]: value }, { [key]: [value] }, { [key]: { x: value } }, [{ [key]: value, messages: [value], nodes: value }]];
        for (const report of [...nested, { runs: nested, results: { tests: nested, [key]: value }, files: { x: { mutants: nested } } }])
          expect(['error', 'fail', 'pass']).toContain(text(JSON.stringify(report)).outcome);
      }
    }
  });
});

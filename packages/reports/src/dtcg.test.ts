import { dtcg } from './dtcg.js';
import { openReport } from './open-report.js';
import { readHead } from './format.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';

function read(text: string, chunk = 7) {
  const reader = openReport({ format: dtcg });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += chunk) reader.write(bytes.slice(at, at + chunk));
  return reader.end();
}

function recognises(text: string, name = ''): boolean {
  return dtcg.recognises(readHead(new TextEncoder().encode(text), name));
}

it('passes a clean file, whose references may lead elsewhere', () => {
  const text =
    '{"é": {"$type": "color", "$value": "{blue.500}"}, "n": {"$type": "number", "$value": 1}, "m": {"$type": "number", "$value": "{n}"}}';
  expect(read(text)).toEqual({
    format: 'dtcg',
    outcome: 'pass',
    findings: [],
    counts: { critical: 0, high: 0, medium: 0, low: 0 },
    problems: [{ message: '1 reference leads to a token outside this file; check the files together with: umpire critique design' }],
  });
});

it('finds what is wrong in the file itself', () => {
  const report = read('{\n"a": {"$type": "number", "$value": "x"},\n"b": {"$type": "number", "$value": "{c}"},\n"c": {"$value": "{b}"}}');
  expect({ outcome: report.outcome, findings: report.findings.map(({ severity, rule, message }) => [severity, rule, message]) }).toEqual({
    outcome: 'fail',
    findings: [
      ['critical', 'format/value', 'A number is expected, not a string: a (line 2)'],
      ['critical', 'reference/cycle', 'The references go in a circle (b > c > b): b, c (line 3)'],
    ],
  });
});

it.each([
  ['{"a": {"$type": "num', 'the report is not valid JSON at line 1, column 21: it ends inside a string and looks cut off', 1],
  ['[]', 'it is no JSON object; expected groups and tokens', 1],
  ['{"a": {}}', 'the file has no token; expected at least one object with "$value"', 1],
])('%j is an error', (text, message, line) => {
  const { outcome, problems } = read(text);
  expect({ outcome, problems }).toEqual({ outcome: 'error', problems: [{ message, line }] });
});

it('refuses a file that is too large, in bounded memory', () => {
  expect(read(`{"a":1${' '.repeat(32 * 1024 * 1024)}}`, 1024 * 1024)).toMatchObject({
    outcome: 'error',
    problems: [{ message: 'the file has more than 32 MB of tokens; split it' }],
  });
});

it('reads a large file, and knows the lines in it to its end', () => {
  const reader = openReport({ format: dtcg });
  const write = (text: string) => reader.write(new TextEncoder().encode(text));
  write('{"a": {"$type": "number"');
  for (let at = 0; at < 30_000; at += 1) write(`,\n"n${at}": {"$value": ${at}, "$description": "${'one of many, '.repeat(8)}"}`);
  write(',\n"last": {"$value": "x"}}}');
  expect(reader.end().findings).toMatchObject([{ severity: 'critical', message: expect.stringContaining('(line 30002)') as string }]);
});

it('is recognised by its content, else by its name', () => {
  expect({
    value: recognises('{"a": {"$value" : 1}}'),
    name: recognises('{"a": {}}', 'x.tokens.json'),
    resolver: recognises('{"version": "2025.10", "resolutionOrder": []}'),
    list: recognises('[{"$value": 1}]'),
    other: recognises('{"a": {"value": 1}}', 'package.json'),
  }).toEqual({ value: true, name: true, resolver: true, list: false, other: false });
});

it('never throws, whatever the tokens', () => {
  const name = fc.constantFrom(
    'a',
    'b',
    '$type',
    '$value',
    '$ref',
    '$root',
    '$extends',
    '$extensions',
    '$deprecated',
    '__proto__',
    'dark',
    'light',
    'colorSpace',
    'components',
    'mode',
    'value',
    'unit',
    'x.y',
  );
  const leaf = fc.oneof(
    fc.constantFrom(
      'color',
      'dimension',
      'typography',
      'shadow',
      '{a}',
      '{a.b}',
      '{b.$root}',
      '#/a',
      '#/a/$value',
      '#ff0000',
      'rgb(',
      '10px',
      'srgb',
      'none',
    ),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(name, tree, { maxKeys: 6 }), (value) => {
      expect(['pass', 'fail', 'error']).toContain(read(JSON.stringify(value), 4096).outcome);
    }),
    { numRuns: 1000 },
  );
});

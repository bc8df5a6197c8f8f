import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Discovery } from '../model/vocabulary.js';
import { DiscoveryScanner, MAX_LINE_BYTES, printDiscovery, readEntries } from './discoveries.js';
import type { DiscoveryScan } from './discoveries.js';

const encoder = new TextEncoder();

/** Scans with a reused buffer, like a reader of a large file. */
function scan(
  text: string | Uint8Array,
  sizes: readonly number[] = [],
  types: readonly string[] = ['note'],
  maxLineBytes?: number,
): DiscoveryScan {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const scanner = new DiscoveryScanner(new Set(types), maxLineBytes);
  const buffer = new Uint8Array(bytes.length);
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    const chunk = bytes.subarray(at, at + size);
    buffer.set(chunk);
    scanner.push(buffer.subarray(0, chunk.length));
    buffer.fill(0x23, 0, chunk.length);
    at += chunk.length;
  }
  return scanner.end();
}

function check(text: string, expected: Partial<DiscoveryScan>): void {
  const bytes = encoder.encode(text).length;
  const whole = { entries: [], lines: 1, malformed: 0, firstMalformed: null, endsWithNewline: true, bytes, ...expected };
  expect(scan(text)).toEqual(whole);
  expect(
    scan(
      text,
      Array.from({ length: bytes }, () => 1),
    ),
  ).toEqual(whole);
}

function checkMalformed(line: string, problem: string): void {
  check(`${line}\n`, { malformed: 1, firstMalformed: { line: 1, problem } });
}

const note = { ts: 't', worker: 'w', type: 'note', data: { n: 1 } };
const json = JSON.stringify(note);

test('keeps the entries of the wanted types, with their lines', () => {
  check('', { lines: 0 });
  check(`${json}\n`, { entries: [{ ...note, line: 1 }] });
  check(json, { entries: [{ ...note, line: 1 }], endsWithNewline: false });
  check(`\n${json}\n${JSON.stringify({ ...note, type: 'other' })}\n \t\r\n${json}`, {
    entries: [
      { ...note, line: 2 },
      { ...note, line: 5 },
    ],
    lines: 5,
    endsWithNewline: false,
  });
  check('\n\n\n', { lines: 3 });
  check('{"type":"note","data":{},"more":1,"ts":5,"worker":null}\n', {
    entries: [{ ts: '', worker: '', type: 'note', data: {}, line: 1 }],
  });
});

test('tolerates a byte order mark at the start, and CRLF', () => {
  check(`\ufeff${json}\r\n${json}\r\n`, {
    entries: [
      { ...note, line: 1 },
      { ...note, line: 2 },
    ],
    lines: 2,
  });
  check('\ufeff\n', {});
  check(`${json}\n\ufeff${json}\n`, {
    entries: [{ ...note, line: 1 }],
    lines: 2,
    malformed: 1,
    firstMalformed: { line: 2, problem: 'it is not JSON' },
  });
});

test('skips and counts malformed lines, and describes the first', () => {
  checkMalformed('nonsense', 'it is not a JSON object');
  checkMalformed('[]', 'it is not a JSON object');
  checkMalformed('null', 'it is not a JSON object');
  checkMalformed('{"type":"note","data":{"cut', 'it is not a JSON object');
  checkMalformed('{x}', 'it is not JSON');
  checkMalformed('{"data":{}}', 'its "type" is missing or not a string');
  checkMalformed('{"type":1,"data":{}}', 'its "type" is missing or not a string');
  checkMalformed('{"type":"note"}', 'its "data" is missing or not an object');
  checkMalformed('{"type":"note","data":[]}', 'its "data" is missing or not an object');
  checkMalformed('{"type":"note","data":null}', 'its "data" is missing or not an object');
  check(`{x}\n${json}\n\n[]\n${json.slice(0, 9)}`, {
    entries: [{ ...note, line: 2 }],
    lines: 5,
    malformed: 3,
    firstMalformed: { line: 1, problem: 'it is not JSON' },
    endsWithNewline: false,
  });
});

test('a key named __proto__ is an ordinary key', () => {
  const [entry] = scan('{"__proto__":{"type":"note"},"type":"note","data":{"__proto__":{"polluted":true}}}\n').entries;
  expect({
    keys: Object.keys(entry?.data ?? {}),
    inherited: entry?.data['polluted'],
    global: ({} as Record<string, unknown>)['polluted'],
  }).toEqual({
    keys: ['__proto__'],
    inherited: undefined,
    global: undefined,
  });
  check('{"__proto__":{"type":"note","data":{}}}\n', {
    malformed: 1,
    firstMalformed: { line: 1, problem: 'its "type" is missing or not a string' },
  });
});

test('invalid UTF-8 ends neither a line nor the scan', () => {
  const bytes = Uint8Array.from([...encoder.encode('{"type":"note","data":{"a":"'), 0xff, 0xe2, 0x82, ...encoder.encode(`"}}\n${json}\n`)]);
  expect(scan(bytes).entries.map(({ data, line }) => ({ data, line }))).toEqual([
    { data: { a: '\ufffd\ufffd' }, line: 1 },
    { data: { n: 1 }, line: 2 },
  ]);
});

test('a line over the limit is malformed however it arrives, and the next one is read', () => {
  const limit = json.length;
  const rejected = { malformed: 1, firstMalformed: { line: 1, problem: `it is longer than ${limit} bytes` } };
  for (const sizes of [[], [1], [limit], [limit + 1], [5, 5, 5], Array.from({ length: 200 }, () => 1)]) {
    const entries = [{ ...note, line: 2 }];
    expect(scan(`${json} \n${json}\n`, sizes, ['note'], limit)).toEqual({
      entries,
      lines: 2,
      ...rejected,
      endsWithNewline: true,
      bytes: 2 * limit + 3,
    });
    expect(scan(`${json} `, sizes, ['note'], limit)).toEqual({
      entries: [],
      lines: 1,
      ...rejected,
      endsWithNewline: false,
      bytes: limit + 1,
    });
  }
});

test('joins a long line from its chunks', () => {
  const long = { ...note, data: { text: Array.from({ length: 30_000 }, (_, index) => `${index}é`).join(' ') } };
  for (const size of [1, 700, 70_000]) {
    const sizes = Array.from({ length: Math.ceil(300_000 / size) }, () => size);
    expect(scan(`${json}\n${printDiscovery(long)}`, sizes).entries).toEqual([
      { ...note, line: 1 },
      { ...long, line: 2 },
    ]);
  }
});

test('a line without an end uses no more memory than the limit', () => {
  const scanner = new DiscoveryScanner(new Set());
  const chunk = new Uint8Array(4 * 1024 * 1024).fill(0x61);
  const before = process.memoryUsage().arrayBuffers;
  for (let pushed = 0; pushed < 40; pushed++) scanner.push(chunk);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MAX_LINE_BYTES);
  expect(scanner.end()).toEqual({
    entries: [],
    lines: 1,
    malformed: 1,
    firstMalformed: { line: 1, problem: 'it is longer than 16777216 bytes' },
    endsWithNewline: false,
    bytes: 40 * chunk.length,
  });
});

test('an entry is printed as one line that no tool breaks', () => {
  const odd: Discovery = { ...note, data: { text: 'a\nb\u2028c\u2029"é\u{1f600}\ud800' } };
  expect(printDiscovery(odd)).toBe('{"ts":"t","worker":"w","type":"note","data":{"text":"a\\nb\\u2028c\\u2029\\"é\u{1f600}\\ud800"}}\n');
  expect(printDiscovery({ ...odd, extra: 1 } as Discovery)).toBe(printDiscovery(odd));
});

test('reads printed entries back, however the file is cut into chunks', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '"', '\\', 'é', '€', '\u{1f600}', '\u2028', '\ufeff', '\ud800', '\0') });
  const data = fc
    .dictionary(text, fc.oneof(text, fc.jsonValue()), { maxKeys: 3 })
    .map((made) => JSON.parse(JSON.stringify(made)) as Record<string, unknown>);
  const entry = fc.record({ ts: text, worker: text, type: fc.constantFrom('note', 'other'), data });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 40 }), (made, sizes) => {
      const printed = made.map(printDiscovery).join('');
      const kept = made.map((one, index) => ({ ...one, line: index + 1 })).filter((one) => one.type === 'note');
      expect(scan(printed, sizes)).toEqual({
        entries: kept,
        lines: made.length,
        malformed: 0,
        firstMalformed: null,
        endsWithNewline: true,
        bytes: encoder.encode(printed).length,
      });
    }),
    { numRuns: 1_000 },
  );
});

test('any bytes give the same result however they are cut', () => {
  const piece = fc.oneof(
    fc.constantFrom(json, '{}', '\n', '\r\n', '\ufeff', ' ', '{"type":"note","data":{}}').map((part) => encoder.encode(part)),
    fc.uint8Array({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 80 }),
      (pieces, sizes, limit) => {
        const bytes = Uint8Array.from(pieces.flatMap((part) => [...part]));
        expect(scan(bytes, sizes, ['note'], limit)).toEqual(scan(bytes, [], ['note'], limit));
      },
    ),
    { numRuns: 2_000 },
  );
});

function checkEntries(text: string, entries: readonly unknown[], notes: readonly string[] = []): void {
  expect(readEntries(text, { path: 'discoveries.ndjson' })).toEqual({
    ok: true,
    reading: { values: {}, findings: [], lists: { entries }, notes },
  });
}

test('an entry becomes an item with its data and worker', () =>
  checkEntries('{"worker":"w","data":{"a":1,"b":"x","c":true,"d":null,"e":[1],"f":{}}}\n\n', [
    { a: 1, b: 'x', c: true, d: null, worker: 'w' },
  ]));
test('the worker of the entry overrides one in the data', () => checkEntries('{"worker":"w","data":{"worker":"v"}}', [{ worker: 'w' }]));
test('an entry without data is its own data', () => checkEntries('{"worker":3,"x":1}', [{ worker: '', x: 1 }]));
test('drops infinite numbers and __proto__', () =>
  checkEntries('{"data":{"a":1e999,"__proto__":1,"constructor":"c"}}', [{ constructor: 'c', worker: '' }]));
test('an empty board has no entries', () => checkEntries('', []));
test('notes broken lines', () =>
  checkEntries(
    'x\n[1]\n{"a',
    [],
    [
      'ignored the entry on line 1: it is not a JSON object',
      'ignored the entry on line 2: it is a list, expected an object',
      'ignored an entry: it is not valid JSON at line 3, column 4: it ends inside a string and looks cut off',
    ],
  ));

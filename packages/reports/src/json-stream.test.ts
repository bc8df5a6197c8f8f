import { mutations } from '../../../test/support/mutate.js';
import { type JsonStreamFault, JsonStream, type Picks } from './json-stream.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Cut into pieces of these lengths, over and over; each piece is overwritten after it was read, as the edge does. */
function feed(picks: Picks, bytes: Uint8Array, cuts: readonly number[] = [bytes.length || 1]): JsonStream {
  const stream = new JsonStream(picks);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = Math.max(1, cuts[turn % cuts.length] ?? 1);
    const piece = Uint8Array.from(bytes.subarray(at, at + length));
    stream.write(piece);
    piece.fill(0x21);
    at += length;
  }
  stream.end();
  return stream;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Taken {
  readonly values: unknown[];
  readonly fault: JsonStreamFault | null;
  readonly repeated: string | null;
}

function take(path: string, text: string, cuts?: readonly number[], without?: readonly string[]): Taken {
  const values: unknown[] = [];
  const pick = {
    value: (value: unknown, key: string) => void values.push(key === '' ? value : [key, value]),
    ...(without ? { without } : {}),
  };
  const { fault, repeated } = feed({ [path]: pick }, encode(text), cuts);
  return { values, fault, repeated };
}

const read = (values: readonly unknown[]): Taken => ({ values: [...values], fault: null, repeated: null });

describe('paths', () => {
  it.each([
    ['', '{"a":[1]}', [{ a: [1] }]],
    ['a', '{"b":1,"a":2,"c":{"a":3}}', [['a', 2]]],
    ['a.b', '{"a":{"b":"x"},"b":"y"}', [['b', 'x']]],
    ['[]', '[1,[2],"3",null,true]', [1, [2], '3', null, true]],
    ['a[]', '{"a":[{"x":1},{}],"b":[2]}', [{ x: 1 }, {}]],
    ['a[].b[]', '{"a":[{"b":[1,2]},{"b":[]},{"c":[9]},{"b":[3]}]}', [1, 2, 3]],
    [
      '*',
      '{"a":1,"b":[2]}',
      [
        ['a', 1],
        ['b', [2]],
      ],
    ],
    ['files.*', '{"files":{"a/b.ts":{"n":1}},"other":{"c":2}}', [['a/b.ts', { n: 1 }]]],
    [
      '*.lines',
      '{"a":{"lines":1},"b":{"lines":2}}',
      [
        ['lines', 1],
        ['lines', 2],
      ],
    ],
    ['a[]', '{"a":{"b":1}}', []],
    ['a.b', '{"a":[{"b":1}]}', []],
    ['a', '{"\\u0061":1}', [['a', 1]]],
    ['ä.€', '{"ä":{"€":1}}', [['€', 1]]],
    ['__proto__.x', '{"__proto__":{"x":1}}', [['x', 1]]],
    ['', ' "text" ', ['text']],
    ['', '-12.5e-3', [-0.0125]],
  ])('%s of %s', (path, text, values) => {
    for (let cut = 1; cut <= text.length; cut += 1) expect(take(path, text, [cut])).toEqual(read(values));
  });

  it('says when containers open and close, and what is none', () => {
    const log: unknown[] = [];
    const note = (name: string) => ({
      open: (kind: string, key: string) => void log.push([name, 'open', kind, key]),
      close: () => void log.push([name, 'close']),
      value: (value: unknown) => void log.push([name, value]),
    });
    feed({ runs: note('runs'), 'runs[]': note('run'), 'runs[].a': note('a') }, encode('{"runs":[{"a":1},7,{},{"a":null}]}'), [3]);
    feed({ runs: note('runs'), 'runs[]': note('run') }, encode('{"runs":{"x":[1]}}'));
    expect(log).toEqual([
      ['runs', 'open', 'list', 'runs'],
      ['run', 'open', 'object', ''],
      ['a', 1],
      ['run', 'close'],
      ['run', 7],
      ['run', 'open', 'object', ''],
      ['run', 'close'],
      ['run', 'open', 'object', ''],
      ['a', null],
      ['run', 'close'],
      ['runs', 'close'],
      ['runs', { x: [1] }],
    ]);
  });

  it('leaves members out that nobody reads, and still checks them', () => {
    const text = '[{"a":1,"b":{"c":[1,"]"]},"d":"ü"},{"b":"x"},{"b":2,"e":{"b":3}},[4]]';
    for (let cut = 1; cut <= text.length; cut += 1)
      expect(take('[]', text, [cut], ['b'])).toEqual(read([{ a: 1, b: null, d: 'ü' }, { b: null }, { b: null, e: { b: 3 } }, [4]]));
    expect(take('[]', '[{"b":{"c" 1}}]', [4], ['b']).fault).toEqual({
      line: 1,
      byte: 11,
      isCut: false,
      problem: 'there is "1" where ":" was expected after the key',
    });
  });

  it('knows where a value begins', () => {
    const places: unknown[] = [];
    const stream = new JsonStream({ 'a[]': () => void places.push(stream.where) });
    for (const piece of ['{\n "a": [1,\n', '\n  {"x":', '\n2}]}']) stream.write(encode(piece));
    expect(places).toEqual([
      { line: 2, byte: 9 },
      { line: 4, byte: 15 },
    ]);
  });

  it('names a key that one object gives twice, and no other', () => {
    expect(take('[].a', '[{"a":1},{"a":2,"b":3,"b":4},{"a":{"a":5},"a":6}]')).toEqual({
      values: [
        ['a', 1],
        ['a', 2],
        ['a', { a: 5 }],
        ['a', 6],
      ],
      fault: null,
      repeated: 'a',
    });
    expect(take('[].a', '[{"a":1},{"a":{"a":2}}]').repeated).toBeNull();
  });
});

describe('faults', () => {
  it.each([
    ['', 1, 0, true, ''],
    [' \n ', 2, 3, true, ''],
    ['{"a":[1,\n{"b":2}', 2, 16, true, 'a list'],
    ['{"a":1', 1, 6, true, 'a value'],
    ['{"a":"1"', 1, 8, true, 'an object'],
    ['{"a":"x', 1, 7, true, 'a text'],
    ['{"a', 1, 3, true, 'a text'],
    ['{"a":tru', 1, 8, true, 'a value'],
    ['{"a":12.', 1, 8, true, 'a value'],
    ['[1,]', 1, 3, false, 'there is "]" where a value was expected'],
    ['[1 2]', 1, 3, false, 'there is "2" where "," or the closing bracket was expected'],
    ['[1}', 1, 2, false, 'there is "}" where "," or the closing bracket was expected'],
    ['{"a":1,}', 1, 7, false, 'there is "}" where a key in double quotes was expected'],
    ['{a:1}', 1, 1, false, 'there is "a" where a key in double quotes or "}" was expected'],
    ['{"a" "b"}', 1, 5, false, 'there is a quotation mark where ":" was expected after the key'],
    ['{}\n{}', 2, 3, false, 'there is "{" where nothing more was expected'],
    ['[€]', 1, 1, false, 'there is a character beyond ASCII where a value or "]" was expected'],
    ['{"a":\u0001}', 1, 5, false, 'there is "\\u0001" where a value was expected'],
    ['{"a":nul}', 1, 5, false, 'there is "nul" where a value was expected'],
    ['["a\nb"]', 1, 3, false, 'a text in quotes is broken by a line end or control character'],
    ['["\\x"]', 1, 3, false, 'there is an unknown escape after a backslash'],
    ['["\\u00g0"]', 1, 6, false, 'there is an unknown escape after a backslash'],
    ['[01]', 1, 1, false, 'there is "01" where a value was expected'],
    ['[1.]', 1, 1, false, 'there is "1." where a value was expected'],
    ['[nul]', 1, 1, false, 'there is "nul" where a value was expected'],
    [`[${'9'.repeat(1001)}]`, 1, 1, false, 'a number or word has more than 1000 characters'],
  ])('%j', (text, line, byte, isCut, problem) => {
    const fault = { line, byte, isCut, problem };
    for (const path of ['', '[].x', 'b', '*', 'a[]']) {
      expect(take(path, text).fault).toEqual(fault);
      expect(take(path, text, [1]).fault).toEqual(fault);
      expect(take(path, text, [2, 3]).fault).toEqual(fault);
    }
  });

  it('refuses nesting without end, wanted or not', () => {
    const deep = '['.repeat(100_000);
    const fault = { line: 1, byte: 1000, isCut: false, problem: 'the JSON is nested more than 1000 levels deep' };
    expect(take('a', deep).fault).toEqual(fault);
    expect(take('', deep, [7]).fault).toEqual(fault);
    expect(take('', `${'['.repeat(1000)}${']'.repeat(1000)}`).fault).toBeNull();
  });

  it('refuses one wanted value and one key without end, and reads on over what is not wanted', () => {
    const large = `{"a":["${'x'.repeat(17 * 1024 * 1024)}"]}`;
    expect(take('a', large, [1 << 20]).fault).toMatchObject({ isCut: false, problem: 'one entry is larger than 16 MB' });
    expect(take('a', large).fault).toMatchObject({ isCut: false, problem: 'one entry is larger than 16 MB' });
    expect(take('b', large, [1 << 20]).fault).toBeNull();
    expect(take('', large, [1 << 20], ['a'])).toEqual(read([{ a: null }]));
    expect(take('*', `{"${'k'.repeat(1 << 20)}":1}`, [1 << 14]).fault).toMatchObject({ problem: 'a key is longer than 64 KB' });
  });
});

describe('against JSON.parse', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  const spaces = fc.constantFrom(0, 1, 3, '\t');

  it('hands out the same values however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, noNullPrototype: true } as object), cuts, spaces, (value, lengths, indent) => {
        const text = JSON.stringify({ runs: [value, { x: value }, value], 'kéy "\\': value }, null, indent);
        const parsed = JSON.parse(text) as { runs: unknown[] };
        expect(take('runs[]', text, lengths)).toEqual(read(parsed.runs));
        expect(take('', text, lengths)).toEqual(read([parsed]));
        expect(take('*', text, lengths)).toEqual(read(Object.entries(parsed)));
      }),
      { numRuns: 300 },
    );
  });

  it('accepts and refuses the same texts', () => {
    const seeds = ['{"a":[1,-2.5e3,{"b":"x\\n\\u00e9"}],"c":null}', '[[],{},"",0,true]', '{"a":{"a":{"a":"€ä"}}}', ' [1 , 2 ]\n'];
    let accepted = 0;
    let turn = 0;
    for (const text of mutations(seeds, 5000, 7)) {
      turn += 1;
      const bytes = encode(text);
      const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      const expected = parse(decoded);
      const taken = take(turn % 2 === 0 ? '' : 'a', text, [1 + (turn % 13)]);
      if (taken.fault?.problem.startsWith('it is nested') || taken.fault?.problem.startsWith('a number')) continue;
      expect(taken.fault === null, text).toBe(expected !== undefined);
      if (expected === undefined) continue;
      accepted += 1;
      if (turn % 2 === 0) expect(taken.values).toEqual([expected.value]);
    }
    expect(accepted).toBeGreaterThan(300);
  });
});

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

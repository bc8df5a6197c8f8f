import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLastObject } from './last-json-object.js';
import { SOAK } from '../../../../test/support/campaign.js';

function check(text: string, expected: string | null): void {
  expect(findLastObject(text)).toBe(expected);
}

test('finds the object on its own line, in prose and in a fence', () => {
  check('{"id":1}', '{"id":1}');
  check('Working.\n{"a":1}\n{"b":2}\n\n', '{"b":2}');
  check('Here it is: {"a": {"b": [1, {"c": null}]}} and that was it.', '{"a": {"b": [1, {"c": null}]}}');
  check('```json\n{\n  "a": "b"\n}\n```\nDone }', '{\n  "a": "b"\n}');
  check('[{"a":1},{"b":2}]', '{"b":2}');
  check('{"text":"braces } { and \\"quotes\\" \\\\ \\u00e9"} x', '{"text":"braces } { and \\"quotes\\" \\\\ \\u00e9"}');
  check('{"n":[-1.5e+3,0,true,false,null]} .', '{"n":[-1.5e+3,0,true,false,null]}');
});

test('skips text that is not JSON', () => {
  for (const text of [
    '',
    'nothing',
    '{',
    '}',
    '{}',
    'const x = {}; {a: 1}',
    '{"a":1,}',
    "{'a':1}",
    '{"a":01}',
    '{"a":"\n"}',
    '{"a" 1}',
    '{"a":1]',
    '{"a":[1}',
  ])
    check(text, null);
  check('{"a":1} then {} and { x }', '{"a":1}');
  check('if (x) { y({"a":1}) }', '{"a":1}');
  check('{"outer": {"inner": 1}, oops', '{"inner": 1}');
  check('set {"a: then {"id":"A"} .', '{"id":"A"}');
  check('{"cut": "off {"b":2} .', '{"b":2}');
});

/** Slow and plain: of all parts that are JSON objects, the one that ends last, and of those the longest. */
function findSlowly(text: string): string | null {
  for (let end = text.length; end > 0; end -= 1) {
    for (let start = 0; start < end && text[end - 1] === '}'; start += 1) {
      const part = text.slice(start, end);
      if (part.startsWith('{') && !/^\{\s*\}$/.test(part) && isJson(part)) return part;
    }
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('finds the same object as a naive search', () => {
  const scrap = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '\\',
    ' ',
    '\n',
    '1',
    'x',
    '"a"',
    '"a":',
    '{"a":1}',
    '{"b":{"c":"d"}}',
    '{}',
  );
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 25 }), (scraps) => {
      const text = scraps.join('');
      expect(findLastObject(text)).toBe(findSlowly(text));
    }),
    { numRuns: 5000 },
  );
});

test('adversarial text takes no longer than prose', SOAK, () => {
  const size = 1_000_000;
  const malice = [
    '{"a":',
    '{"a":[',
    '{',
    '[',
    '{"',
    '"{',
    '}',
    '{"{":":",',
    '{"a":1,',
    '{"\\"{',
    '{"a":{"b":"{',
    '\n{"',
    '{"a":"{":"',
    '\\"{"',
    '{"x":{}}',
  ];
  for (const piece of malice) {
    const text = piece.repeat(Math.ceil(size / piece.length));
    for (const hostile of [text, `${text} `, `{"a":1}${text}`]) {
      const start = performance.now();
      findLastObject(hostile);
      expect({ piece, slow: performance.now() - start > 3000 }).toEqual({ piece, slow: false });
    }
  }
});

test('adversarial text before the result does not hide it', () => {
  for (const piece of ['{"a":', '{', '{"a":1,', '{"a":{"b":"{', '{"a":"{":"']) check(`${piece.repeat(100_000)} x\n {"ok":1} .`, '{"ok":1}');
});

import { HEAD_BYTES, readHead } from './format.js';
import { describe, expect, it } from 'vitest';

function check(text: string, expected: { kind: string; root?: string; keys?: readonly string[]; isArray?: boolean }): void {
  const { kind, root, keys, isArray } = readHead(Buffer.from(text), 'x');
  expect({ kind, root, keys: [...keys], isArray }).toEqual({ root: '', keys: [], isArray: false, ...expected });
}

describe('the head of a report', () => {
  it('is XML with a root element', () => {
    check('<testsuites>', { kind: 'xml', root: 'testsuites' });
    check(' \n<?xml version="1.0"?>\n<!-- <b> -->\n<x:coverage a="1">', { kind: 'xml', root: 'coverage' });
    check('<!DOCTYPE coverage SYSTEM "http://x/y.dtd">\n<coverage/>', { kind: 'xml', root: 'coverage' });
    check('<!DOCTYPE a [<!ENTITY b "c">]>\n<a/>', { kind: 'xml', root: 'a' });
    for (const text of ['<!-- never closed', '<?xml', '<!DOCTYPE a [', '<!DOCTYPE', '<', '<?xml?> text'])
      check(text, { kind: 'xml', root: '' });
  });

  it('is JSON with outermost keys', () => {
    check('{"a": {"b": [1, "c"]}, "d\\"e": ["f"], "g": "h"}', { kind: 'json', keys: ['a', 'd\\"e', 'g'] });
    check('[{"a": 1}, {"b": 2}]', { kind: 'json', keys: ['a'], isArray: true });
    check('[[{"a": 1}]]', { kind: 'json', isArray: true });
    check('["a", {"b": 1}]', { kind: 'json', keys: ['b'], isArray: true });
    check('{"a": "never \\"b\\": closed', { kind: 'json', keys: ['a'] });
    check('{"__proto__": 1}}]]{"x":1}', { kind: 'json', keys: ['__proto__'] });
  });

  it('is text otherwise, and nothing of it is taken for granted', () => {
    check('TAP version 13', { kind: 'text' });
    check('', { kind: 'text' });
    expect(readHead(Buffer.from('a'), 'C:\\Reports/Sub/JUnit.XML').name).toBe('junit.xml');
    expect(readHead(Buffer.alloc(HEAD_BYTES + 10, 0x61), '').text.length).toBe(HEAD_BYTES);
  });
});

// Reads and writes every kind of message, and rejects everything else.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRpc, writeRpc } from './json-rpc.js';
import type { RpcMessage } from './json-rpc.js';

const id = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
const method = fc.string();
/** Values that JSON can hold: `undefined` and -0 do not survive. */
const value = fc.jsonValue({ maxDepth: 3 }).map((one) => JSON.parse(JSON.stringify(one)) as unknown);
const message: fc.Arbitrary<RpcMessage> = fc.oneof(
  fc.record({ kind: fc.constant('request' as const), id, method, params: value }),
  fc.record({ kind: fc.constant('notice' as const), method, params: value }),
  fc.record({ kind: fc.constant('answer' as const), id, result: value }),
  fc.record({ kind: fc.constant('refusal' as const), id, error: fc.record({ code: fc.integer(), message: fc.string(), data: value }) }),
);

it('reads back what it writes, on one line', () => {
  fc.assert(
    fc.property(message, (one) => {
      const line = writeRpc(one);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(readRpc(line)).toEqual(one);
    }),
  );
});

it('rejects every other line and never throws', () => {
  for (const line of [
    '',
    'hello',
    '{}',
    '[]',
    'null',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"1.0","id":1,"result":1}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":{},"result":1}',
    '{"jsonrpc":"2.0","id":[1],"method":"x"}',
    '{"jsonrpc":"2.0","result":1}',
    '{"jsonrpc":"2.0","id":1,"error":"no"}',
    '{"jsonrpc":"2.0","id":1,"method":5,"result":1}',
    '{"jsonrpc":"2.0","id":1,"resu',
    `{"jsonrpc":"2.0","method":"x","params":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  ])
    expect([line.slice(0, 60), readRpc(line)]).toEqual([line.slice(0, 60), null]);
  fc.assert(fc.property(fc.string(), (text) => readRpc(text) === null));
  fc.assert(
    fc.property(message, fc.nat(), (one, at) => {
      const line = writeRpc(one).trimEnd();
      expect(readRpc(line.slice(0, at % line.length))).toBe(null);
    }),
  );
});

it('accepts messages that deviate from the specification', () => {
  expect(readRpc('  {"jsonrpc":"2.0","method":"x"}\r')).toEqual({ kind: 'notice', method: 'x', params: undefined });
  expect(readRpc('{"jsonrpc":"2.0","id":1,"result":null}')).toEqual({ kind: 'answer', id: 1, result: null });
  expect(readRpc('{"jsonrpc":"2.0","id":1,"error":{}}')).toEqual({ kind: 'refusal', id: 1, error: { code: 0, message: '' } });
});

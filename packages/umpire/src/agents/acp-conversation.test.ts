// Umpire's side of a conversation against agents that say anything at all, in any order: it never throws, and never says what it must not.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRpc } from '@umpire/core/formats/json-rpc.js';
import { AcpConversation } from './acp-conversation.js';

const PLACES = { workdir: '/work', session: '/session', writes: true, allow: [], commands: [] };
const NEW = { askAgain: () => null, conversation: null, countsTokens: true };

function newConversation() {
  const sent: string[] = [];
  const report: string[] = [];
  const conversation = new AcpConversation({
    scope: PLACES,
    prompt: 'Do it.',
    ...NEW,
    version: '1',
    readyMs: 60_000,
    tell: (words) => void report.push(words),
  });
  conversation.begin({ say: (text) => sent.push(text) > 0, leave: () => undefined });
  return { conversation, sent, report };
}

const anything = fc.jsonValue({ maxDepth: 3 });
const word = fc.constantFrom('session/update', 'session/request_permission', 'session/new', 'initialize', 'terminal/create', 'x');
const kind = fc.constantFrom('agent_message_chunk', 'tool_call', 'tool_call_update', 'usage_update', 'plan', 'x');
const tool = fc.record({
  toolCallId: fc.oneof(fc.constantFrom('a', 'b'), anything),
  kind: fc.oneof(fc.constantFrom('edit', 'execute', 'read', 'other'), anything),
  status: fc.oneof(fc.constantFrom('pending', 'completed', 'failed'), anything),
  title: fc.oneof(fc.string(), anything),
  locations: fc.oneof(fc.array(fc.record({ path: fc.oneof(fc.constantFrom('/work/a', '/etc/passwd', '..'), anything) })), anything),
  content: fc.oneof(fc.record({ type: fc.constant('text'), text: fc.string() }), fc.array(anything), anything),
});
const update = fc.record({
  sessionId: fc.constantFrom('s', 'other', 5),
  update: fc.oneof(
    anything,
    fc.tuple(kind, tool).map(([sessionUpdate, rest]) => ({ sessionUpdate, ...rest })),
  ),
});
const option = fc.oneof(
  fc.record({ optionId: fc.constant('for good'), kind: fc.constant('allow_always') }),
  fc.record({ optionId: fc.constant('once'), kind: fc.constant('allow_once') }),
  fc.record({ optionId: fc.constantFrom('no', 5), kind: fc.constantFrom('reject_once', 'reject_always', 7) }),
  anything,
);
const permission = fc.record({
  sessionId: fc.constant('s'),
  toolCall: fc.oneof(tool, anything),
  options: fc.oneof(fc.array(option), anything),
});
const line = fc.oneof(
  fc.string(),
  fc.record({ id: fc.oneof(fc.nat(5), anything), result: anything }),
  fc.record({ id: fc.nat(5), result: fc.record({ sessionId: fc.constant('s'), protocolVersion: fc.constantFrom(1, 2) }) }),
  fc.record({ id: fc.nat(5), result: fc.record({ stopReason: fc.oneof(fc.string(), anything), usage: anything, _meta: anything }) }),
  fc.record({ id: fc.nat(5), error: anything }),
  fc.record({ method: word, params: fc.oneof(anything, update, permission) }),
  fc.record({ id: fc.nat(9), method: word, params: fc.oneof(anything, permission) }),
);

it('survives any input, answers every request once, and allows nothing permanently', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.nat(30), (lines, stopAt) => {
      const { conversation, sent } = newConversation();
      const ready = ['{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}', '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'];
      const texts = lines.map((one) => (typeof one === 'string' ? one : JSON.stringify({ jsonrpc: '2.0', ...one })));
      const all = [...(stopAt % 2 === 0 ? ready : []), ...texts];
      all.forEach((text, at) => {
        if (at === stopAt) conversation.finish();
        conversation.handleLine(text);
      });
      const { report, words } = conversation.end();
      const requests = all.map(readRpc).filter((one) => one?.kind === 'request').length;
      const answers = sent.map((text) => readRpc(text)).filter((one) => one?.kind === 'answer' || one?.kind === 'refusal');
      expect(answers.length).toBe(requests);
      expect(sent.filter((text) => text.includes('for good'))).toEqual([]);
      expect(report.usage.tokens).toBeGreaterThanOrEqual(0);
      expect(words === undefined || words === null || words.length > 0).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it('keeps a bounded part of the answer and a bounded number of open tools', () => {
  const { conversation } = newConversation();
  conversation.handleLine('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}');
  conversation.handleLine('{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}');
  const say = (update: object) =>
    conversation.handleLine(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } }));
  const text = 'x'.repeat(100_000);
  for (let at = 0; at < 30; at += 1) say({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  for (let at = 0; at < 3000; at += 1) say({ sessionUpdate: 'tool_call', toolCallId: String(at), title: 't' });
  say({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: '{"status":"completed"}' } });
  const { report } = conversation.end();
  expect(report.text.length).toBe(1024 * 1024);
  expect(report.text.endsWith('{"status":"completed"}')).toBe(true);
  expect(conversation['tools'].size).toBe(1000);
});

it('stops an agent that does not read its input', () => {
  const conversation = new AcpConversation({ scope: PLACES, prompt: '', ...NEW, version: '1', readyMs: 60_000, tell: () => undefined });
  let isUrgent = false;
  conversation.begin({ say: () => false, leave: (urgent) => void (isUrgent = urgent) });
  expect([conversation.end().words, isUrgent]).toEqual(['does not read its input', true]);
});

/** As codex-acp reports that its server limits the rate, ids shortened. */
it('takes an answer as the error when the agent reports a server failure', () => {
  const report = (...updates: readonly object[]) => {
    const { conversation } = newConversation();
    conversation.handleLine('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}');
    conversation.handleLine('{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}');
    for (const one of updates)
      conversation.handleLine(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: one } }));
    conversation.handleLine('{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","usage":null}}');
    return conversation.end().report.fault;
  };
  const status = (type: string) => ({ sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: { type } } } });
  const said = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  const busy = 'exceeded retry limit, last status: 429 Too Many Requests';
  expect(report(status('active'), said('Warning.\n'), status('systemError'), said(`${busy}\n\n`))).toBe(busy);
  expect(report(status('systemError'), said(busy), status('active'), said('It works again.'))).toBeNull();
  expect(report(said(`The server says: ${busy}`))).toBeNull();
});

// Lines as codex 0.169, opencode 1.18, gemini 0.61 and claude 2.1 printed them, ids and paths shortened.

import { expect, test } from 'vitest';
import { EventStream } from './event-stream.js';
import type { AgentReport } from './event-stream.js';

const CODEX = [
  '{"type":"thread.started","thread_id":"01a1"}',
  '{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for `fake` not found."}}',
  '{"type":"turn.started"}',
  '{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"I look at it."}}',
  '{"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"ls","aggregated_output":"{\\"status\\":\\"failed\\"}","exit_code":0,"status":"completed"}}',
  '{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"Done: {\\"status\\":\\"completed\\"}"}}',
  '{"type":"turn.completed","usage":{"input_tokens":3000,"cached_input_tokens":2000,"cache_write_input_tokens":0,"output_tokens":150,"reasoning_output_tokens":100}}',
];

const OPENCODE = [
  '{"type":"step_start","timestamp":1,"sessionID":"s","part":{"id":"p","type":"step-start"}}',
  '{"type":"tool_use","timestamp":1,"sessionID":"s","part":{"type":"tool","tool":"write","state":{"status":"completed"}}}',
  '{"type":"step_finish","timestamp":2,"sessionID":"s","part":{"type":"step-finish","reason":"tool-calls","tokens":{"total":1050,"input":1000,"output":50,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0.25}}',
  '{"type":"text","timestamp":3,"sessionID":"s","part":{"type":"text","text":"Done."}}',
  '{"type":"step_finish","timestamp":4,"sessionID":"s","part":{"type":"step-finish","reason":"stop","tokens":{"input":10,"output":5,"reasoning":1,"cache":{"write":2,"read":100}},"cost":0.5}}',
];

const ids = { session_id: 's', uuid: 'u' };
const displayId = (piece: object, more: object = {}) =>
  JSON.stringify({
    type: 'assistant',
    message: { id: 'msg_1', content: [piece], usage: { input_tokens: 9, output_tokens: 1 } },
    parent_tool_use_id: null,
    ...ids,
    ...more,
  });
const ended = (more: object) =>
  JSON.stringify({
    duration_api_ms: 7,
    total_cost_usd: 0.25,
    usage: { input_tokens: 1000, cache_creation_input_tokens: 200, cache_read_input_tokens: 5000, output_tokens: 50 },
    is_error: false,
    subtype: 'success',
    type: 'result',
    ...ids,
    ...more,
  });
const CLAUDE = [
  JSON.stringify({ type: 'system', subtype: 'init', tools: ['Bash'], ...ids }),
  displayId({ type: 'tool_use', name: 'Bash', input: { command: 'npm test', description: 'run' } }),
  JSON.stringify({ type: 'system', subtype: 'permission_denied', tool_name: 'Bash', message: 'This command requires approval', ...ids }),
  JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: '{"status":"failed"}' }] }, ...ids }),
  displayId({ type: 'text', text: 'Mine: {"status":"failed"}' }, { parent_tool_use_id: 'toolu_1' }),
  displayId({ type: 'text', text: 'Done: {"status":"completed"}' }),
];

function told(text: string, size = text.length, before = 0): AgentReport | null {
  const stream = new EventStream(before);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size));
  return stream.end();
}

test('finds the last answer and the usage, however the output is chunked', () => {
  const codex = {
    text: 'Done: {"status":"completed"}',
    fault: null,
    usage: { tokens: 3150, costUsd: 0, unknown: ['cost'] },
    conversation: '01a1',
    conversationTokens: 3150,
  };
  const opencode = { text: 'Done.', fault: null, usage: { tokens: 1050 + 118, costUsd: 0.75 }, conversation: 's' };
  for (const size of [1, 7, 100_000]) {
    expect(told(CODEX.join('\n'), size)).toEqual(codex);
    expect(told(`${OPENCODE.join('\r\n')}\r\n`, size)).toEqual(opencode);
  }
});

test('a continued conversation of codex counts only its new tokens', () => {
  expect(told(CODEX.join('\n'), 100, 3000)).toMatchObject({ usage: { tokens: 150 }, conversationTokens: 3150 });
  expect(told(CODEX.slice(0, -1).join('\n'), 100, 3000)?.usage).toEqual({ tokens: 0, costUsd: 0, unknown: ['tokens', 'cost'] });
});

test('joins the pieces of a message of gemini, and reads its usage', () => {
  const at = { timestamp: '2026-11-18T14:23:23.839Z' };
  const piece = (content: string) => JSON.stringify({ type: 'message', ...at, role: 'assistant', content, delta: true });
  const lines = [
    JSON.stringify({ type: 'init', ...at, session_id: 'a690', model: 'auto' }),
    JSON.stringify({ type: 'message', ...at, role: 'user', content: 'Say {"status":"failed"}.' }),
    piece('I look.'),
    JSON.stringify({ type: 'tool_use', ...at, tool_name: 'write_file', tool_id: 't', parameters: { file_path: '/w/a' } }),
    JSON.stringify({ type: 'tool_result', ...at, tool_id: 't', status: 'success' }),
    piece('{"status":'),
    piece('"completed"}'),
  ];
  const end = (more: object) => JSON.stringify({ type: 'result', ...at, stats: { total_tokens: 4200, input_tokens: 4000 }, ...more });
  const text = '{"status":"completed"}';
  expect(told([...lines, end({ status: 'success' })].join('\n'))).toEqual({
    text,
    fault: null,
    usage: { tokens: 4200, costUsd: 0, unknown: ['cost'] },
    conversation: 'a690',
  });
  expect(told(lines.join('\n'))).toMatchObject({ text, usage: { unknown: ['tokens', 'cost'] } });
  expect(told(end({ status: 'error', error: { type: 'Error', message: 'Quota exceeded' } }))?.fault).toBe('Quota exceeded');
});

test('reads the answer, the usage with subagents and the denied tools of claude', () => {
  const modelUsage = {
    large: { inputTokens: 1000, outputTokens: 50, cacheReadInputTokens: 5000, cacheCreationInputTokens: 200, costUSD: 0.2 },
    small: { inputTokens: 100, outputTokens: 5, costUSD: 0.05 },
  };
  const permission_denials = [{ tool_name: 'Bash', tool_input: { command: 'npm test' } }];
  const answer = { text: 'Done: {"status":"completed"}', fault: null, conversation: 's' };
  const all = [...CLAUDE, ended({ result: 'Done: {"status":"completed"}', modelUsage, permission_denials })].join('\n');
  expect(told(all)).toEqual({ ...answer, usage: { tokens: 6355, costUsd: 0.25 }, refused: 'Bash npm test' });
  // One that goes on tells of all of it again.
  expect(told(`${all}\n${ended({ result: 'Again.', total_cost_usd: 0.5 })}`)).toEqual({ ...answer, usage: { tokens: 6355, costUsd: 0.5 } });
  // Killed: each message counts once, and its cost is not known.
  expect(told(CLAUDE.join('\n'))).toEqual({ ...answer, usage: { tokens: 10, costUsd: 0, unknown: ['cost'] } });
  // Only the event at the end of a message has all of its output.
  const streamed = (event: object) => JSON.stringify({ type: 'stream_event', event, api_message_id: 'msg_1', ...ids });
  const delta = streamed({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 50 } });
  const begun = streamed({ type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 9, output_tokens: 1 } } });
  expect(told([begun, ...CLAUDE, delta, streamed({ type: 'content_block_stop' })].join('\n'))?.usage.tokens).toBe(59);
  // A continued conversation has the usage of its earlier runs in all other counts.
  const since = (tokens: number, costUSD: number) => ({
    model_usage_since_last_result: { large: { inputTokens: tokens, costUSD } },
    modelUsage,
  });
  const twice = [...CLAUDE, ended(since(700, 0.5)), ended(since(7, 0.25))];
  expect(told(twice.join('\n'))?.usage).toEqual({ tokens: 707, costUsd: 0.75 });
  expect(told(ended({ is_error: true, result: 'Invalid API key' }))).toMatchObject({ text: '', fault: 'Invalid API key' });
  const structured_output = { status: 'completed', findings: 'all' };
  expect(told(ended({ result: 'I did it.', structured_output }))?.text).toBe(JSON.stringify(structured_output));
  const errors = ['Reached maximum budget ($0.008)'];
  expect(told(ended({ is_error: true, subtype: 'error_max_budget_usd', errors }))?.fault).toBe(errors[0]);
  const rejected = JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1_795_030_000 }, ...ids });
  expect(told(`${rejected}\n${ended({ is_error: true, result: 'You hit your limit' })}`)?.signs?.resetsAtMs).toBe(1_795_030_000_000);
  expect(told(ended({ is_error: true, subtype: 'error_max_turns' }))).toMatchObject({ fault: 'error_max_turns', usage: { tokens: 6250 } });
});

test('reads an answer of the maximum length', () => {
  const result = JSON.stringify({ status: 'completed', findings: 'x'.repeat(900_000) });
  const line = JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text: result } });
  for (const size of [64 * 1024, line.length]) expect(told(`${CODEX[0]}\n${line}\n`, size)?.text).toBe(result);
});

test('ignores text after the result', () => {
  const said = (text: string) => JSON.stringify({ type: 'text', sessionID: 's', part: { type: 'text', text } });
  expect(told([said('I look at {"name":"x"}.'), said('{"status":"completed"}'), said('Done.')].join('\n'))?.text).toBe(
    '{"status":"completed"}',
  );
  expect(told([said('I look at it.'), said('Done.')].join('\n'))?.text).toBe('Done.');
});

test('reports the last error', () => {
  const fault = (...lines: readonly string[]) => told(lines.join('\n'))?.fault;
  const again = '{"type":"error","message":"Reconnecting... 5/5"}';
  expect(fault(again, '{"type":"turn.failed","error":{"message":"401 Unauthorized"}}')).toBe('401 Unauthorized');
  expect(fault(again, '{"type":"error","error":{"name":"APIError","data":{"message":"the key is wrong","statusCode":401}}}')).toBe(
    'the key is wrong',
  );
  expect(fault(again, '{"type":"error","error":{"name":"Unknown"}}')).toBe('Unknown');
  expect(fault(again, '{"type":"error"}', '{"type":"error","error":{"message":" "}}')).toBe('Reconnecting... 5/5');
  expect(fault(JSON.stringify({ type: 'error', message: '{"error":{"message":"the key is wrong"}}' }))).toBe('the key is wrong');
  expect(fault(JSON.stringify({ type: 'error', message: '{not JSON' }))).toBe('{not JSON');
  expect([fault(again, CODEX[3] ?? ''), fault(again, CODEX[6] ?? '')]).toEqual([null, null]);
});

test('ignores lines that are not events', () => {
  for (const text of ['', 'text', '{}', '{"type":"text","part":{"text":"x"}}', '[1]\n{"type":5}\n{"type":"constructor"}', '{"type":"text"'])
    expect([text, told(text)]).toEqual([text, null]);
  const odd = [
    '{"type":"thread.started"}',
    '{"type":"text","sessionID":"s","part":{"text":5}}',
    '{"type":"step_finish","sessionID":"s","part":{"tokens":[5],"cost":-1}}',
    '{"type":"turn.completed","usage":7}',
  ];
  expect(told(odd.join('\n'))).toEqual({ text: '', fault: null, usage: { tokens: 0, costUsd: 0 }, conversation: 's' });
  const deep = `{"type":"text","sessionID":"s","part":${'['.repeat(5000)}`;
  const long = `{"type":"text","sessionID":"s","part":{"text":"${'x'.repeat(200_000)}"}}`;
  expect(told(`${deep}\n${long}\n${OPENCODE.join('\n')}`)?.text).toBe('Done.');
});

test('keeps the end of an 18 MB answer, and reports the loss of a larger one', () => {
  const result = '{"status":"completed","findings":"all of it"}';
  const long = told(ended({ result: `${'So it goes. '.repeat(1_500_000)}${result}` }), 65_536);
  expect(long).toMatchObject({ usage: { tokens: 6250, costUsd: 0.25 }, fault: null });
  expect([long?.text.length, long?.text.endsWith(result), long?.lost]).toEqual([1_048_576, true, undefined]);
  const lost = told(`${ended({ result: 'x'.repeat(33 * 1024 * 1024) })}\n`, 65_536);
  expect(lost).toEqual({
    text: '',
    fault: null,
    usage: { tokens: 0, costUsd: 0, unknown: ['tokens', 'cost'] },
    lost: 'It printed an event of more than 32 MB, which Umpire does not read',
  });
  expect(told(ended({ result: 'No result. '.repeat(200_000) }))?.lost).toBe(
    'Umpire searches only the last 1 MB of its output for a result',
  );
});

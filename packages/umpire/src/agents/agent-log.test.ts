import { expect, it } from 'vitest';
import { readableLog } from './agent-log.js';

it('tells the events of codex in words', () => {
  const lines = [
    'Reading prompt from stdin...',
    '{"type":"thread.started","thread_id":"01a1"}',
    '{"type":"turn.started"}',
    '{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"ls"}}',
    '{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":0}}',
    '{"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"npm test","exit_code":1}}',
    '{"type":"item.completed","item":{"id":"item_3","type":"file_change","changes":[{"path":"a.ts","kind":"add"},{"path":"b.ts"}]}}',
    '{"type":"item.completed","item":{"id":"item_4","type":"todo_list","items":[]}}',
    '{"type":"item.completed","item":{"id":"item_5","type":"agent_message","text":"Done.\\nAll of it."}}',
    '{"type":"error","message":"Reconnecting... 1/5"}',
    '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}',
    '',
  ];
  expect(readableLog(lines.join('\n')).split('\n')).toEqual([
    'Reading prompt from stdin...',
    '> $ ls',
    '> $ npm test (exit status 1)',
    '> changed a.ts, b.ts',
    'Done.',
    'All of it.',
    'error: Reconnecting... 1/5',
    '',
  ]);
});

it('tells the events of opencode in words', () => {
  const event = (type: string, part: object) => JSON.stringify({ type, timestamp: 1, sessionID: 's', part });
  const lines = [
    event('step_start', { type: 'step-start' }),
    event('tool_use', { tool: 'write', state: { status: 'completed', title: 'fixed.txt' } }),
    event('tool_use', { tool: 'bash', state: { status: 'error', error: 'it was refused' } }),
    event('reasoning', { text: 'Hm.' }),
    event('text', { text: 'Done.' }),
    event('step_finish', { tokens: { input: 1 }, cost: 0 }),
    JSON.stringify({ type: 'error', sessionID: 's', error: { name: 'APIError', data: { message: 'the key is wrong' } } }),
  ];
  expect(readableLog(lines.join('\n')).split('\n')).toEqual([
    '> write fixed.txt',
    '> bash (failed: it was refused)',
    'Done.',
    'error: the key is wrong',
  ]);
});

it('tells the events of gemini in words, with the pieces of a message joined', () => {
  const event = (type: string, more: object) => JSON.stringify({ type, timestamp: '2026-11-18T14:23:23.839Z', ...more });
  const lines = [
    event('init', { session_id: 's', model: 'auto' }),
    event('message', { role: 'user', content: 'Do it.' }),
    event('message', { role: 'assistant', content: 'I look', delta: true }),
    event('message', { role: 'assistant', content: ' at it.', delta: true }),
    event('tool_use', { tool_name: 'run_shell_command', tool_id: 't', parameters: { command: 'npm test' } }),
    event('tool_result', { tool_id: 't', status: 'error', output: 'Tool execution denied by policy.' }),
    event('message', { role: 'assistant', content: 'Done.', delta: true }),
    event('result', { status: 'success', stats: { total_tokens: 9 } }),
  ];
  expect(readableLog(lines.join('\n')).split('\n')).toEqual([
    'I look at it.',
    '> run_shell_command npm test',
    '> failed: Tool execution denied by policy.',
    'Done.',
  ]);
});

it('tells the events of claude in words, and its last answer once', () => {
  const event = (type: string, more: object) => JSON.stringify({ type, session_id: 's', uuid: 'u', ...more });
  const message = (piece: object) => event('assistant', { message: { content: [piece] } });
  const lines = [
    event('system', { subtype: 'init' }),
    message({ type: 'thinking', thinking: 'Hm.' }),
    message({ type: 'tool_use', name: 'Bash', input: { command: 'npm test' } }),
    event('system', { subtype: 'permission_denied', tool_name: 'Bash', message: 'This command requires approval' }),
    event('user', { message: { content: [{ type: 'tool_result', content: 'This command requires approval' }] } }),
    message({ type: 'tool_use', name: 'Write', input: { file_path: '/w/a.ts', content: 'x' } }),
    message({ type: 'tool_use', name: 'ListAgents', input: {} }),
    message({ type: 'text', text: 'Done.' }),
    event('result', { is_error: false, result: 'Done.' }),
    event('result', { is_error: false, result: 'All of it.' }),
    event('result', { is_error: true, result: 'Invalid API key' }),
    '{"type":"result","result":"of another program"}',
  ];
  expect(readableLog(lines.join('\n')).split('\n')).toEqual([
    '> Bash npm test',
    '> Bash was refused: This command requires approval',
    '> Write /w/a.ts',
    '> ListAgents',
    'Done.',
    'All of it.',
    'error: Invalid API key',
    '{"type":"result","result":"of another program"}',
  ]);
});

it('tells what was said over ACP in words: messages put together, tools once they are done', () => {
  const message = (rest: object) => JSON.stringify({ jsonrpc: '2.0', ...rest });
  const update = (one: object) => message({ method: 'session/update', params: { sessionId: 's', update: one } });
  const said = (text: string, messageId?: string) =>
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId });
  const lines = [
    message({ id: 1, result: { protocolVersion: 1 } }),
    said('I look ', 'm1'),
    update({ sessionUpdate: 'usage_update', used: 1, size: 2 }),
    update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } }),
    said('at it.', 'm1'),
    said('Then on.', 'm2'),
    update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'write', kind: 'edit', status: 'pending' }),
    message({ id: 0, method: 'session/request_permission', params: {} }),
    'Umpire: allowed once: edit "a.ts".',
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'a.ts', status: 'completed' }),
    update({ sessionUpdate: 'tool_call', toolCallId: 'u', title: 'npm test', kind: 'execute', status: 'failed' }),
    said('Nearly'),
    'a line on stderr',
    said(' done.'),
    message({ id: 3, error: { code: -32603, message: 'Internal error', data: { details: 'the key is wrong' } } }),
    '{"jsonrpc":"2.0","id":4,"resu',
    said('The end.'),
  ];
  expect(readableLog(lines.join('\n')).split('\n')).toEqual([
    'I look at it.',
    'Then on.',
    'Umpire: allowed once: edit "a.ts".',
    '> a.ts (edit)',
    '> npm test (execute, failed)',
    'Nearly',
    'a line on stderr',
    ' done.',
    'error: Internal error: the key is wrong',
    '{"jsonrpc":"2.0","id":4,"resu',
    'The end.',
  ]);
});

it('leaves everything else as it came', () => {
  const text = 'a\r\n{"type":"text","text":"mine"}\n{"type":"log"}\n{"type":"item.completed"}\n{"type":"te\n\n\tb';
  expect(readableLog(text)).toBe(text);
  expect(readableLog('no events\n')).toBe('no events\n');
});

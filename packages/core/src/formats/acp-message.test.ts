// Messages as claude-agent-acp 0.49, codex-acp 2.6, gemini 0.61 and opencode 1.18 sent them, shortened.

import { expect, it } from 'vitest';
import {
  errorText,
  mergeToolCall,
  readInitializeResult,
  readPermissionRequest,
  readNewSession,
  readPromptResult,
  readSessionUpdate,
} from './acp-message.js';

it('reads the stop reason and the tokens of a turn', () => {
  const cases: readonly (readonly [unknown, string, number | null])[] = [
    [{ stopReason: 'end_turn', usage: { inputTokens: 3000, outputTokens: 150, cachedReadTokens: 0, totalTokens: 3150 } }, 'end_turn', 3150],
    [{ stopReason: 'end_turn', usage: { inputTokens: 10, outputTokens: 5, cachedReadTokens: 100, thoughtTokens: null } }, 'end_turn', 115],
    [{ stopReason: 'end_turn', _meta: { quota: { token_count: { input_tokens: 3000, output_tokens: 150 } } } }, 'end_turn', 3150],
    [{ stopReason: 'cancelled', usage: null, _meta: { quota: { token_count: null, model_usage: [] } } }, 'cancelled', null],
    [{ stopReason: 7, usage: { totalTokens: -1 } }, '', 0],
    [null, '', null],
    ['end_turn', '', null],
  ];
  for (const [result, reason, tokens] of cases) expect(readPromptResult(result)).toEqual({ reason, tokens });
});

it('reads known updates and ignores the others', () => {
  const read = (update: unknown) => readSessionUpdate({ sessionId: 's', update });
  const cost = { sessionUpdate: 'usage_update', used: 1050, size: 1_000_000, cost: { amount: 0.02, currency: 'USD' } };
  expect(read(cost)).toEqual({ session: 's', update: { kind: 'spent', tokens: 1050, costUsd: 0.02 } });
  expect(read({ ...cost, cost: { amount: 3, currency: 'EUR' } }).update).toEqual({ kind: 'spent', tokens: 1050, costUsd: null });
  const image = { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: 'x', text: 'x' } };
  for (const update of [null, 5, {}, image, { sessionUpdate: 'tool_call' }, { sessionUpdate: 'plan', entries: [] }])
    expect(read(update).update).toEqual({ kind: 'noted' });
  expect(readSessionUpdate('x')).toEqual({ session: null, update: { kind: 'noted' } });
});

it('finds the file of a tool call wherever the agent names it, also in earlier updates', () => {
  // Codex first announces an edit, then asks for it without its kind.
  const told = readSessionUpdate({
    update: { sessionUpdate: 'tool_call', toolCallId: 'c', kind: 'edit', content: [{ type: 'diff', path: '/w/a' }] },
  }).update;
  const asked = readPermissionRequest({
    toolCall: { toolCallId: 'c', title: 'Editing files', kind: null, locations: [{ path: '/w/b' }] },
    options: [],
  });
  expect(mergeToolCall(told.kind === 'used' ? told.tool : undefined, asked?.tool ?? { id: '', paths: [] })).toEqual({
    id: 'c',
    kind: 'edit',
    title: 'Editing files',
    paths: ['/w/a', '/w/b'],
  });
  const other = {
    toolCallId: 'o',
    kind: 'other',
    locations: [{ path: '/s/r.json' }, { path: '/s' }, {}],
    rawInput: { filepath: '/s/r.json' },
  };
  const options = [{ optionId: 'once', kind: 'allow_once', name: 'x' }, { optionId: 5, kind: 'x' }, null];
  expect(readPermissionRequest({ toolCall: other, options })).toEqual({
    tool: { id: 'o', command: '', kind: 'other', paths: ['/s/r.json', '/s'] },
    options: [{ id: 'once', kind: 'allow_once' }],
  });
  for (const params of [null, {}, { toolCall: {} }, { toolCall: [] }]) expect(readPermissionRequest(params)).toBe(null);
});

it('takes the title for the command only where the agent tells no input', () => {
  const told = { toolCallId: 't', kind: 'execute', title: 'npm test' };
  const command = (...calls: readonly object[]) =>
    calls
      .map((call) => readPermissionRequest({ toolCall: call, options: [] })?.tool)
      .reduce((known, call) => (call === undefined ? known : mergeToolCall(known, call)), undefined)?.command;
  expect([command(told), command(told, { toolCallId: 't', rawInput: { command: ['sh', '-c', 'evil'] } })]).toEqual(['npm test', '']);
  expect([command({ ...told, kind: 'edit' }), command({ ...told, rawInput: { command: 'ls' } })]).toEqual([undefined, 'ls']);
});

it('reads the answers to initialize and session/new', () => {
  const greeting = {
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, sessionCapabilities: { additionalDirectories: {}, close: {} } },
    authMethods: [{ id: 'a', name: 'Log in' }, { id: 'b' }, 5],
  };
  expect(readInitializeResult(greeting)).toMatchObject({ version: 1, takesFolders: true, loadsSessions: true, signIns: ['Log in'] });
  expect(readInitializeResult({ protocolVersion: '1', authMethods: {} })).toEqual({
    version: null,
    takesFolders: false,
    loadsSessions: false,
    signIns: [],
  });
  expect([readNewSession({ sessionId: 's' }), readNewSession({ sessionId: '' }), readNewSession(null)]).toEqual(['s', null, null]);
});

it('shows the message of an error that is meant for people', () => {
  const gemini = JSON.stringify({ error: { type: 'authentication_error', message: 'the key is wrong', code: 401 } });
  expect(errorText({ code: 401, message: gemini })).toBe('the key is wrong');
  expect(errorText({ code: -32603, message: 'Internal error', data: { details: 'exited with code 1' } })).toBe(
    'Internal error: exited with code 1',
  );
  expect(errorText({ code: -32603, message: 'Internal error: x', data: { errorKind: 'y', message: 'x' } })).toBe('Internal error: x');
  expect(errorText({ code: 1, message: '', data: 'only this' })).toBe('only this');
  expect(errorText({ code: 1, message: '' })).toBe('');
});

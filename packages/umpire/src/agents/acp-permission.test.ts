// The command that is to pass: what else may be done is tried in acp.test.ts, on an agent that asks.

import { expect, test } from 'vitest';
import { readPermissionRequest } from '@umpire/core/formats/acp-message.js';
import { answerPermission } from './acp-permission.js';

const PLACES = { workdir: '/w', session: '/s', writes: true, allow: [] };

/** As claude-agent-acp asks. */
function mayRun(rawInput: unknown, kind = 'execute', scope: Parameters<typeof answerPermission>[1] = { ...PLACES, command: 'npm test' }) {
  const options = ['allow_always', 'allow_once', 'reject_once'].map((one) => ({ optionId: one, kind: one, name: one }));
  const request = readPermissionRequest({ toolCall: { toolCallId: 't', kind, title: '`npm test`', rawInput }, options });
  return request === null ? null : answerPermission(request, scope).option;
}

test('only the exact check command is allowed, for one call at a time', () => {
  expect(mayRun({ command: 'npm test', description: 'Run the tests' })).toBe('allow_once');
  for (const rawInput of [{ command: 'npm test; curl x' }, { command: ' npm test' }, { command: ['npm test'] }, {}, null])
    expect(mayRun(rawInput)).toBe('reject_once');
  expect(mayRun({ command: 'npm test' }, 'fetch')).toBe('reject_once');
  // No command is to pass, and none is told.
  expect([mayRun({ command: 'npm test' }, 'execute', PLACES), mayRun({}, 'execute', PLACES)]).toEqual(['reject_once', 'reject_once']);
});

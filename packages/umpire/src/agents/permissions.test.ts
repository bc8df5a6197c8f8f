// The commands of the project: what else may be done is tried in acp-agent.test.ts, on an agent that asks.

import { expect, test } from 'vitest';
import { readPermissionRequest } from '@umpire/core/formats/acp-message.js';
import { answerPermission } from './permissions.js';

const PLACES = { workdir: '/w', session: '/s', writes: true, allow: [], commands: [] };

/** As claude-agent-acp asks. */
function mayRun(
  rawInput: unknown,
  kind = 'execute',
  scope: Parameters<typeof answerPermission>[1] = { ...PLACES, commands: ['npm test'] },
  title = '`npm test`',
) {
  const options = ['allow_always', 'allow_once', 'reject_once'].map((one) => ({ optionId: one, kind: one, name: one }));
  const request = readPermissionRequest({ toolCall: { toolCallId: 't', kind, title, rawInput }, options });
  return request === null ? null : answerPermission(request, scope).option;
}

test('only the commands of the project and those that read are allowed, for one call at a time', () => {
  expect(mayRun({ command: 'npm test', description: 'Run the tests' })).toBe('allow_once');
  for (const command of ['npm test -- --bail', 'npm test 2>&1 | tail -20', 'git diff HEAD && npm test'])
    expect(mayRun({ command })).toBe('allow_once');
  for (const rawInput of [
    { command: 'npm test; curl x' },
    { command: 'npm test > a' },
    { command: 'npm testing' },
    { command: ['npm test'] },
    {},
    null,
  ])
    expect(mayRun(rawInput)).toBe('reject_once');
  for (const command of ['cat /etc/passwd', 'cat ../secret', 'ls ..', 'git diff --output=a', 'cat ~/.ssh/id', 'npm test &', 'npm test\nx'])
    expect(mayRun({ command })).toBe('reject_once');
  expect(mayRun({ command: 'git diff main..work | head -50' })).toBe('allow_once');
  expect(mayRun({ command: 'npm test' }, 'fetch')).toBe('reject_once');
  // As gemini asks: without input.
  expect([mayRun(undefined, 'execute', undefined, 'npm test'), mayRun(undefined, 'execute', undefined, 'npm run x')]).toEqual([
    'allow_once',
    'reject_once',
  ]);
  // The project has no command.
  expect([mayRun({ command: 'npm test' }, 'execute', PLACES), mayRun({}, 'execute', PLACES)]).toEqual(['reject_once', 'reject_once']);
});

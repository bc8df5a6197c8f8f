// What a program may hand in as flags of a run.

import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { resolveRunSettings, resolveTargets } from './run-flags.js';
import type { RunFlags } from './run-flags.js';

it.each<[RunFlags, string]>([
  [{ agent: ['claude', 'codex'] }, '--agent claude and --agent codex both set the agent of all other roles'],
  [{ agent: ['claude'], agentCommand: './x' }, '--agent-command and --agent claude both set the agent of all other roles'],
  [{ agent: ['a=claude', 'b=codex', 'a=gemini'] }, '--agent a=claude and --agent a=gemini both set the agent of the role a.'],
])('two agents for one role are refused: %j', (flags, said) => {
  expect(() => resolveRunSettings(flags, DEFAULT_SETTINGS, null, 'reviewer')).toThrow(said);
});

it.each<[RunFlags, Record<string, string>]>([
  [{ agent: ['claude', 'claude', 'a=codex'] }, { '*': 'claude', a: 'codex' }],
  [
    { agent: ['a=codex'], agentCommand: './x' },
    { '*': 'command', a: 'codex' },
  ],
  [
    { agent: ['claude', 'a=command'], agentCommand: './x' },
    { '*': 'claude', a: 'command' },
  ],
])('an agent for each role is taken: %j', (flags, agents) => {
  expect(resolveRunSettings(flags, DEFAULT_SETTINGS, null, 'reviewer').agents).toEqual(agents);
});

it('the settings may give the command a role too', () => {
  const config = { ...DEFAULT_SETTINGS, roles: { a: 'command' } };
  expect(resolveRunSettings({ agent: ['claude'], agentCommand: './x' }, config, null, 'reviewer').agents).toEqual({
    '*': 'claude',
    a: 'command',
  });
});

it('takes builtin without a role for the critic, and leaves the others to their agents', () => {
  const taken = (agent: readonly string[], config = DEFAULT_SETTINGS) => resolveRunSettings({ agent }, config, null, 'reviewer').agents;
  expect(taken(['builtin'])).toEqual({ reviewer: 'builtin' });
  expect(taken(['claude', 'builtin'])).toEqual({ '*': 'claude', reviewer: 'builtin' });
  expect(taken(['claude'], { ...DEFAULT_SETTINGS, agent: 'builtin' })).toEqual({ '*': 'claude', reviewer: 'builtin' });
});

it('V13 takes the target of a layer from the flag, else from the settings, else from the loop', () => {
  const testing = builtinLoop('testing') as Loop;
  const config = { ...DEFAULT_SETTINGS, testing: { targets: { L1: 91, L2: 71 } } };
  const by = (targets: object) => ({ column: 'layer', targets });
  expect(resolveTargets(undefined, testing, DEFAULT_SETTINGS)).toBeUndefined();
  expect(resolveTargets(undefined, testing, config)).toEqual(by({ L1: 91, L2: 71 }));
  expect(resolveTargets({ L1: 90 }, testing, config)).toEqual(by({ L1: 90, L2: 71 }));
  expect(resolveTargets(60, testing, config)).toBe(60);
  expect(resolveTargets(undefined, builtinLoop('review') as Loop, config)).toBeUndefined();
});

import { expect, test } from 'vitest';
import type { AgentSettings } from '../sessions/settings.js';
import { programNamed } from './agent-programs.js';

function named(name: string, agents: Readonly<Record<string, Partial<AgentSettings>>>) {
  const set = Object.fromEntries(
    Object.entries(agents).map(([one, more]) => [one, { runs: { kind: 'preset' as const }, env: {}, ...more }]),
  );
  const started = { project: '/p' };
  return programNamed(name, { started, settings: { agents: {}, agentCommand: null }, session: '/s', config: { agents: set }, own: {} });
}

const uses = (preset: string): Pick<AgentSettings, 'runs'> => ({ runs: { kind: 'preset', uses: preset } });

test('the settings give a preset a model and arguments, also under another name', () => {
  expect(named('strong', { strong: { ...uses('claude'), model: 'opus', args: ['--effort', 'high'], env: { A: '1' } } })).toMatchObject({
    over: 'events',
    spec: { name: 'strong', argv: ['claude'], model: 'opus', args: ['--effort', 'high'], env: { A: '1' }, agent: { name: 'claude' } },
  });
  expect(named('codex', { codex: { model: 'gpt' } })).toMatchObject({
    spec: { name: 'codex', model: 'gpt', agent: { subcommand: 'exec' } },
  });
});

test('an ACP preset takes arguments and variables beside its own', () => {
  expect(named('mine', { mine: { ...uses('claude-acp'), args: ['--x'], env: { A: '1' } } })).toMatchObject({
    over: 'acp',
    spec: { name: 'mine', argv: ['claude-agent-acp', '--x'], env: { A: '1', CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' } },
  });
  expect(() => named('mine', { mine: { ...uses('claude-acp'), model: 'opus' } })).toThrow(/agents\.mine\.model: .* use args or env/);
});

test('an unknown preset is named with the known ones', () => {
  expect(() => named('mine', { mine: uses('claud') })).toThrow(/"claud"/);
});

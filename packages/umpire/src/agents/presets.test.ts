import { randomUUID } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, newWatch, realAssignment } from '../../../../test/support/assignment.js';
import { commandAgent } from './program-agent.js';
import { startGuardian } from './guardian.js';
import { PRESET_NAMES, acpPresetFor, presetFor } from './presets.js';

test('each preset reads the prompt from stdin and may write to the session folder', () => {
  const once = ['claude', 'codex', 'gemini', 'opencode'];
  expect(PRESET_NAMES).toEqual([...once, ...once.map((name) => `${name}-acp`)]);
  const commands = once.map((name) => presetFor(name, '/s p', ['--model', 'm'])?.argv.join(' '));
  expect(commands).toEqual([
    'claude --model m -p --output-format json --permission-mode acceptEdits --add-dir /s p',
    'codex exec --model m --json --sandbox workspace-write --skip-git-repo-check --color never --add-dir /s p -',
    'gemini --model m --approval-mode auto_edit --output-format json --include-directories /s p',
    'opencode run --model m --format json',
  ]);
  expect(presetFor('opencode', '/s"p')?.env).toEqual({ OPENCODE_PERMISSION: '{"external_directory":{"/s\\"p/*":"allow"}}' });
  expect(presetFor('gemini', '/s')?.env).toEqual({ GEMINI_CLI_TRUST_WORKSPACE: 'true' });
  expect([presetFor('cursor', '/s'), presetFor('constructor', '/s')]).toEqual([null, null]);
});

test('claude may run exactly the check command, if its rules can express it', () => {
  const allowed = (command: string) => presetFor('claude', '/s', [], command)?.argv.slice(6, -2);
  expect(allowed('npm test -- "a, b"')).toEqual(['--allowedTools', 'Bash(npm test -- "a, b")']);
  for (const command of ['npm test:*', 'node (a)', 'sh -c "a\\nb"', 'a\nb', ' npm test', 'x'.repeat(1001)])
    expect(allowed(command)).toEqual([]);
  const others = ['codex', 'gemini', 'opencode'].map((name) => [presetFor(name, '/s', [], 'npm test'), presetFor(name, '/s')]);
  for (const [told, untold] of others) expect(told).toEqual(untold);
});

test('each NAME-acp preset uses ACP', () => {
  const names = PRESET_NAMES.filter((name) => name.endsWith('-acp'));
  expect(names.map((name) => acpPresetFor(name, '/s p'))).toEqual([
    { name: 'claude-acp', argv: ['claude-agent-acp'] },
    { name: 'codex-acp', argv: ['codex-acp'] },
    { name: 'gemini-acp', argv: ['gemini', '--acp', '--include-directories', '/s p'] },
    { name: 'opencode-acp', argv: ['opencode', 'acp'] },
  ]);
  expect([acpPresetFor('claude', '/s'), presetFor('claude-acp', '/s'), acpPresetFor('constructor', '/s')]).toEqual([null, null, null]);
});

test('the output of each coding agent is understood', async () => {
  const bin = newFolder();
  const assignment = realAssignment();
  const answer = JSON.stringify({
    type: 'result',
    result: 'Done: {"id":"DEV-001","status":"completed","findings":"ok"}',
    total_cost_usd: 0.5,
    usage: { input_tokens: 9 },
  });
  writeFileSync(join(bin, 'answer.json'), answer);
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\ncat > prompt\nfor word in "$@"; do echo "$word"; done > words\ncat ${bin}/answer.json\n`);
  chmodSync(join(bin, 'claude'), 0o755);
  const guardian = startGuardian(randomUUID());
  const spec = presetFor('claude', assignment.session) ?? { name: '', argv: [] };
  const agent = commandAgent({ ...spec, env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } }, guardian);
  expect(await agent.run(assignment, newWatch())).toMatchObject({ kind: 'completed', findings: 'ok', usage: { tokens: 9, costUsd: 0.5 } });
  expect(readFileSync(join(assignment.workdir, 'prompt'), 'utf8')).toContain('Make the retry idempotent.');
  expect(readFileSync(join(assignment.workdir, 'words'), 'utf8').split('\n').slice(-3)).toEqual(['--add-dir', assignment.session, '']);
  await guardian.close();
});

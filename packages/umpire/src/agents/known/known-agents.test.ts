import { expect, test } from 'vitest';
import { assignmentOf } from '../../../../../test/support/assignment.js';
import type { Assignment } from '@umpire/core/model/ports.js';
import { resultSchema } from '../prompt.js';
import type { AgentPlan, AgentTask } from './known-agent.js';
import { AGENT_NAMES, PRESET_NAMES, describePermissions, findKnownAgent } from './known-agents.js';

const ONCE = AGENT_NAMES;

interface Planned extends AgentPlan {
  readonly files: Readonly<Record<string, string>>;
}

function planOf(name: string, changes: Partial<Assignment> = {}, more: Partial<AgentTask> = {}): Planned {
  const written: Record<string, string> = {};
  const write = (file: string, text: string) => {
    written[file] = text;
    return `/s/agents/1.${file}`;
  };
  const assignment = assignmentOf({ session: '/s', workdir: '/w', ...changes });
  const task = {
    assignment,
    write,
    schema: JSON.stringify(resultSchema(assignment)),
    prompt: { system: '', user: 'Do it.' },
    conversation: null,
    ...more,
  };
  const plan = findKnownAgent(name)?.agent.plan(task);
  if (plan === undefined) throw new Error(`no preset ${name}`);
  return { ...plan, files: written };
}

const schemaOf = (changes: Partial<Assignment> = {}) => JSON.stringify(resultSchema(assignmentOf(changes)));

test('each preset gets the session folder, the schema of the result and the permissions of a writer', () => {
  expect(PRESET_NAMES).toEqual([...ONCE, ...ONCE.map((name) => `${name}-acp`)]);
  const commands = ONCE.map((name) => planOf(name).args.join(' '));
  expect(commands).toEqual([
    `-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --permission-mode acceptEdits --json-schema ${schemaOf()} --add-dir /s`,
    '--json --sandbox workspace-write --skip-git-repo-check --color never --add-dir /s --output-schema /s/agents/1.schema.json -',
    '--approval-mode auto_edit --output-format stream-json --policy /s/agents/1.policy.toml --include-directories /s',
    '--format json',
  ]);
  expect(planOf('codex').files).toEqual({ 'schema.json': schemaOf() });
  expect(planOf('opencode', { session: '/s"p' }).env).toEqual({ OPENCODE_PERMISSION: '{"external_directory":{"/s\\"p/*":"allow"}}' });
  expect(planOf('gemini').env).toEqual({ GEMINI_CLI_TRUST_WORKSPACE: 'true' });
  expect([findKnownAgent('cursor'), findKnownAgent('constructor'), findKnownAgent('constructor-acp')]).toEqual([null, null, null]);
});

test('a reader edits only in the session folder', () => {
  const reader = { writes: false, commands: ['npm test'] };
  expect(planOf('claude', reader).args.slice(7, 13)).toEqual([
    '--permission-mode',
    'default',
    '--allowedTools',
    'Edit(//s/**)',
    'Bash(npm test)',
    'Bash(npm test:*)',
  ]);
  // A rule cannot express this path, and without it the agent could write no evidence.
  expect(planOf('claude', { ...reader, session: '/a*b' }).args).toContain('acceptEdits');
  expect(planOf('gemini', reader).args.slice(0, 2)).toEqual(['--approval-mode', 'default']);
  const permission = JSON.parse(planOf('opencode', reader).env?.['OPENCODE_PERMISSION'] ?? '') as Record<string, Record<string, string>>;
  expect(permission['edit']).toEqual({ '*': 'deny', '/s/*': 'allow', '../s/*': 'allow' });
  expect(permission['bash']).toMatchObject({
    '*': 'deny',
    'git diff': 'allow',
    'git diff *': 'allow',
    'npm test': 'allow',
    'npm test *': 'allow',
  });
});

test('a task may run the commands of the project, if a rule can express them', () => {
  const allowed = (...commands: readonly string[]) => {
    const { args } = planOf('claude', { commands });
    return args.includes('--allowedTools') ? args.slice(args.indexOf('--allowedTools') + 1, args.indexOf('--json-schema')) : [];
  };
  expect(allowed('npm test -- "a, b"')).toEqual(['Bash(npm test -- "a, b")', 'Bash(npm test -- "a, b":*)']);
  expect(allowed('npm run lint && npm test', 'npm test')).toEqual(
    ['npm run lint && npm test', 'npm run lint', 'npm test'].flatMap((command) => [`Bash(${command})`, `Bash(${command}:*)`]),
  );
  for (const command of ['npm test *', 'node (a)', 'sh -c "a\\nb"', 'a\nb', '', 'x'.repeat(1001)]) expect(allowed(command)).toEqual([]);
  expect(planOf('claude', { check: 'make check' }).args).toContain('Bash(make check)');
  const policy = planOf('gemini', { commands: ['npm "test"'], session: '/s.p' }).files['policy.toml'] ?? '';
  expect(policy).toContain('"pwd", "npm \\"test\\""]');
  expect(policy).toContain(String.raw`argsPattern = "\"file_path\":\"/s\\.p/[^\"]*\""`);
});

test('the system prompt, the budget and the conversation are passed on', () => {
  const more = { prompt: { system: 'RULES "1"\n', user: 'Do it.' } };
  const claude = planOf('claude', { budget: { costUsd: 0.123456, tokens: null } }, more);
  expect(claude.args.slice(-6)).toEqual([
    '--append-system-prompt-file',
    '/s/agents/1.system.md',
    '--max-budget-usd',
    '0.1235',
    '--add-dir',
    '/s',
  ]);
  expect([claude.files['system.md'], claude.message]).toEqual(['RULES "1"\n', 'Do it.']);
  expect(planOf('codex', {}, more).args.slice(-3)).toEqual(['--config', 'developer_instructions="RULES \\"1\\"\\n"', '-']);
  for (const name of ['gemini', 'opencode']) expect(planOf(name, {}, more).message).toBe('RULES "1"\n\nDo it.');
  const long = { prompt: { system: 'x'.repeat(200_000), user: 'Do it.' } };
  expect(planOf('codex', {}, long).message).toMatch(/^x{200000}\n\nDo it\.$/);
  // A continued conversation keeps its old system prompt.
  const again = ONCE.map((name) => planOf(name, {}, { ...more, conversation: 'c1' }));
  expect(again.map(({ message }) => message)).toEqual(ONCE.map(() => 'RULES "1"\n\nDo it.'));
  expect(again.map(({ args }) => args.slice(args.indexOf('c1') - 1, args.indexOf('c1') + 1))).toEqual(
    ['--resume', 'resume', '--resume', '--session'].map((word) => [word, 'c1']),
  );
});

test('permissions are described for people', () => {
  const commands = ['npm test', 'npm run lint'];
  expect(describePermissions('claude', { writes: true, commands }, false)).toBe(
    'edit files in its working folder and the session folder; run commands that only read, `npm test`, `npm run lint`',
  );
  expect(describePermissions('opencode', { writes: false, commands: [] }, false)).toBe(
    'edit files in the session folder alone; run commands that only read',
  );
  expect(describePermissions('codex', { writes: false, commands }, false)).toContain('its own sandbox');
  expect(describePermissions('claude-acp', { writes: false, commands }, true)).toContain('Umpire answers');
  expect(describePermissions('constructor', { writes: true, commands }, false)).toBe('what your own account may do');
});

test('each NAME-acp preset uses ACP', () => {
  const overAcp = PRESET_NAMES.map((name) => findKnownAgent(name)!).filter(({ isAcp }) => isAcp);
  expect(overAcp.map(({ agent }) => agent.acp.argv('/s p'))).toEqual([
    ['claude-agent-acp'],
    ['codex-acp'],
    ['gemini', '--acp', '--include-directories', '/s p'],
    ['opencode', 'acp'],
  ]);
});

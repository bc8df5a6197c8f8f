// The plugin for coding agents, and `umpire init --hooks`, which writes the same hooks into a project.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '@umpire/umpire/doors/cli/commands.js';
import type { CommandName } from '@umpire/umpire/doors/cli/commands.js';
import { helpText } from '@umpire/umpire/doors/cli/help.js';
import { HOOK_EVENTS } from '@umpire/umpire/agents/known/known-agents.js';
import { hookEventOf } from '@umpire/core/formats/hook-event.js';
import { cleanUpProjects, command, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const root = join(import.meta.dirname, '..');
const plugin = join(root, 'plugin');
const FILES = readdirSync(plugin, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const textOf = (path: string) => readFileSync(path, 'utf8');
const jsonOf = (path: string) => JSON.parse(textOf(path)) as Record<string, unknown>;

it('names only commands, flags and events that exist', () => {
  const lines = FILES.flatMap((path) => textOf(path).split('\n'));
  const called = lines.flatMap((line) => [
    ...line.matchAll(/(?:\bumpire|umpire\.cjs\\?"(?:,)?) ?"?(hook|until|mcp|init|decide|guard|status)\b([^`\n]*)/g),
  ]);
  expect(called.length).toBeGreaterThan(12);
  for (const [, name = '', rest = ''] of called) {
    expect(Object.keys(COMMANDS)).toContain(name);
    for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(helpText(name as CommandName), `${name} ${flag}`).toContain(flag);
  }
  const events = lines.flatMap((line) => [...line.matchAll(/\bhook (\w+)"/g)].map(([, event = '']) => event));
  expect(events.toSorted()).toEqual(['AfterAgent', 'BeforeTool', 'PreToolUse', 'SessionStart', 'SessionStart', 'Stop']);
  for (const event of events) expect(HOOK_EVENTS.has(event), event).toBe(true);
  expect(lines.filter((line) => line.includes('npx umpire'))).toEqual([]);
});

it('names MCP tools that exist, and has the version of the package', () => {
  const tools = textOf(join(root, 'packages/umpire/src/doors/mcp/tools.ts'));
  const named = ['commands/review.md', 'skills/umpire/SKILL.md'].flatMap((path) =>
    [...textOf(join(plugin, path)).matchAll(/(?:[Cc]all|tools?|then) (?:the tool )?`(\w+)`/g)].map(([, name = '']) => name),
  );
  expect(named).toEqual(expect.arrayContaining(['critique', 'guard', 'decide', 'list']));
  for (const name of named) expect(tools, name).toMatch(new RegExp(`['"]${name}['"]`));
  const { version, files } = jsonOf(join(root, 'package.json'));
  for (const path of ['.claude-plugin/plugin.json', '.codex-plugin/plugin.json', 'gemini/gemini-extension.json'])
    expect(jsonOf(join(plugin, path)), path).toMatchObject({ name: 'umpire', version });
  expect(files).toEqual(expect.arrayContaining(['plugin', '.claude-plugin']));
  expect(jsonOf(join(root, '.claude-plugin/marketplace.json'))).toMatchObject({ plugins: [{ name: 'umpire', source: './plugin' }] });
});

it('starts the build beside it, else umpire on the PATH, else says how to build it', () => {
  const { beside } = makeProject();
  const start = (folder: string, PATH: string) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'umpire.cjs'), '--version'], {
      env: { PATH },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  const { version } = jsonOf(join(root, 'package.json'));
  const ok = { status: 0, stdout: `${String(version)}\n`, stderr: '' };
  expect(start(plugin, '')).toEqual(ok);
  // An agent copies plugins into its own folder.
  const copy = join(beside, 'copied', 'plugin');
  cpSync(plugin, copy, { recursive: true });
  expect(start(copy, '/nowhere')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('npm install && npm run build && npm install -g .') as string,
  });
  mkdirSync(join(beside, 'bin'));
  symlinkSync(command, join(beside, 'bin', 'umpire'));
  expect(start(copy, ['/nowhere', join(beside, 'bin')].join(delimiter))).toEqual(ok);
});

it('sees the files of a patch, and no command in its text', () => {
  const patch = '*** Begin Patch\n*** Update File: docs/a.md\n+umpire resolve x abort\n*** Move to: b.md\n*** End Patch';
  expect(hookEventOf({ tool_name: 'apply_patch', tool_input: { command: patch } })).toMatchObject({
    paths: ['docs/a.md', 'b.md'],
    command: null,
  });
});

const PLAIN = { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };
const init = (project: RunProject, agent: string, ...more: readonly string[]) =>
  project.umpireWith({ env: PLAIN }, 'init', '--hooks', agent, ...more);

it('writes the hooks of an agent into a project, keeps what is there, and changes nothing the second time', async () => {
  const own = { type: 'command', command: 'make lint' };
  const old = { type: 'command', command: '/old/umpire hook Stop' };
  const project = makeProject({
    files: {
      '.claude/settings.json': JSON.stringify({ model: 'x', hooks: { Stop: [{ hooks: [old] }, { hooks: [own] }], Other: [] } }, null, '\t'),
      '.mcp.json': '{"mcpServers":{"theirs":{"command":"a"}}}\n',
      '.codex/config.toml': 'model = "x"\n',
    },
  });
  const at = (path: string) => join(project.root, path);
  const dry = await init(project, 'claude', '--dry-run');
  expect(dry).toMatchObject({ exit: 0, err: 'changed: .claude/settings.json\nchanged: .mcp.json\nNothing was written.\n' });
  expect(project.git('status', '--porcelain')).toBe('');
  const { exit, out, err } = await init(project, 'claude');
  expect({ exit, out }).toEqual({ exit: 0, out: `${at('.claude/settings.json')}\n${at('.mcp.json')}\n` });
  expect(err).toContain('`umpire` is not on the PATH');
  const run = `node ${command}`;
  expect(textOf(at('.claude/settings.json'))).toMatch(/^\{\n\t"model": "x",\n/);
  expect(jsonOf(at('.claude/settings.json'))).toEqual({
    model: 'x',
    hooks: {
      Stop: [{ hooks: [{ type: 'command', command: `${run} hook Stop`, timeout: 3600 }] }, { hooks: [own] }],
      Other: [],
      SessionStart: [{ hooks: [{ type: 'command', command: `${run} hook SessionStart`, timeout: 30 }] }],
      PreToolUse: [expect.objectContaining({ matcher: 'Edit|Write|MultiEdit|NotebookEdit|Bash|apply_patch' })],
    },
  });
  expect(jsonOf(at('.mcp.json'))).toEqual({
    mcpServers: { theirs: { command: 'a' }, umpire: { command: 'node', args: [command, 'mcp'] } },
  });
  await Promise.all(['codex', 'gemini', 'opencode'].map((agent) => init(project, agent)));
  expect(textOf(at('.codex/config.toml'))).toBe(`model = "x"\n\n[mcp_servers.umpire]\ncommand = "node"\nargs = ["${command}","mcp"]\n`);
  expect(jsonOf(at('.gemini/settings.json'))).toMatchObject({
    hooks: { AfterAgent: [{ hooks: [{ command: `${run} hook AfterAgent`, timeout: 3_600_000 }] }] },
    mcpServers: { umpire: { command: 'node' } },
  });
  expect(textOf(at('.opencode/plugin/umpire.js'))).toContain(`const UMPIRE = ["node","${command}"];`);
  expect(jsonOf(at('opencode.json'))).toMatchObject({ mcp: { umpire: { type: 'local', command: ['node', command, 'mcp'] } } });
  const again = await Promise.all(['claude', 'codex', 'gemini', 'opencode'].map(async (agent) => (await init(project, agent)).err));
  expect(again.join('').match(/^\w+(?=: )/gm)).toEqual(Array.from({ length: 7 }, () => 'unchanged'));
});

it('writes nothing into a settings file that it cannot read', async () => {
  const project = makeProject({ files: { '.claude/settings.json': '{ // mine\n}\n' } });
  expect(await init(project, 'claude')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('Cannot add the hooks to .claude/settings.json') as string,
  });
  expect(project.git('status', '--porcelain')).toBe('');
  expect(await init(project, 'emacs')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--hooks takes one of claude, codex, gemini, opencode') as string,
  });
});

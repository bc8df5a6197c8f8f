// `umpire init` on real projects: it writes first settings that Umpire can read, whatever the files of the project are called, and never
// overwrites settings.

import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { check as checkProperty, constantFrom, property, string, uniqueArray } from 'fast-check';
import { expect, it } from 'vitest';
import { init } from '@umpire/umpire/index.js';
import { AGENT_NAMES } from '@umpire/umpire/agents/known/known-agents.js';
import { settingsText } from '@umpire/umpire/views/doctor-page.js';
import { parseSettings } from '@umpire/umpire/sessions/read-settings.js';
import { isNamedBy } from '@umpire/umpire/work/untracked-files.js';
import { SOAK } from './support/campaign.js';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from './support/git-project.js';
import { cleanUpProjects, command, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();
cleanUpAfterwards();

const GIT = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** A PATH with git and programs of these names. */
function pathOf(project: RunProject, ...names: readonly string[]): string {
  const folder = join(project.beside, `bin-${names.join('-')}`);
  mkdirSync(folder);
  symlinkSync(GIT, join(folder, 'git'));
  writeFiles(folder, Object.fromEntries(names.map((name) => [name, '#!/bin/sh\nexit 9\n'])));
  for (const name of names) chmodSync(join(folder, name), 0o755);
  return folder;
}

function settingsIn(project: RunProject): string {
  return readFileSync(join(project.root, 'umpire.config.yaml'), 'utf8');
}

it('chooses an installed agent and the files that worktrees would lack, and says why', async () => {
  const project = makeProject({ files: { '.gitignore': '.env*\n', 'a.test.mjs': "import 'node:test';\n" } });
  project.write({ '.env': 'A=1', '.env.local': 'B=2' });
  const path = pathOf(project, 'gemini', 'codex');
  const { exit, out, err } = await project.umpireWith({ env: { PATH: path } }, 'init');
  expect({ exit, out }).toEqual({ exit: 0, out: `${join(project.root, 'umpire.config.yaml')}\n` });
  expect(err.split('\n')).toEqual([
    `agent: codex, the first installed of claude, codex, gemini, opencode (${join(path, 'codex')})`,
    'workspace.copy: .env, .env.local (not tracked by git, so worktrees need a copy)',
    'Next, check that a run can start:',
    '  umpire doctor',
    '',
  ]);
  const text = settingsIn(project);
  expect(parseSettings(text, 'x')).toMatchObject({ agent: 'codex', workspace: { copy: ['.env', '.env.local'] } });
  expect(text).toContain(`#   testing: node ${process.versions.node}: 1 test file, with coverage\n`);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  const after = await project.umpireWith({ env: { PATH: path } }, 'doctor');
  expect([after.exit, after.out]).toEqual([0, expect.stringMatching(/^ok {4}every role {5}codex$/m)]);
  expect(after.out).not.toContain('left out');
});

it('uses the agent of --agent, even if it is not installed', async () => {
  const project = makeProject();
  const env = { PATH: pathOf(project, 'claude') };
  const unknown = await project.umpireWith({ env }, 'init', '--agent', 'cluade');
  expect([unknown.exit, unknown.err]).toEqual([
    2,
    expect.stringMatching(/^umpire: Unknown agent "cluade"\. Did you mean "claude"\?\nKnown agents: person, claude, /),
  ]);
  const critic = await project.umpireWith({ env }, 'init', '--agent', 'builtin');
  expect([critic.exit, critic.err]).toEqual([2, expect.stringContaining("builtin is Umpire's critic")]);
  expect(existsSync(join(project.root, 'umpire.config.yaml'))).toBe(false);
  const { exit, err } = await project.umpireWith({ env }, 'init', '--agent', 'codex-acp');
  expect([exit, err]).toEqual([
    0,
    expect.stringMatching(/^agent: codex-acp, as requested; not installed: no program "codex-acp" on the PATH\n/),
  ]);
  expect(parseSettings(settingsIn(project), 'x').agent).toBe('codex-acp');
});

it('writes nothing with --dry-run, and chooses no agent if none is installed', async () => {
  const project = makeProject();
  const env = { PATH: pathOf(project) };
  const { exit, out, err } = await project.umpireWith({ env }, 'init', '--dry-run');
  expect(exit).toBe(0);
  expect(err).toBe('agent: none; install one of claude, codex, gemini, opencode\nNothing was written.\n');
  expect(parseSettings(out, 'x')).toMatchObject({ agent: null, workspace: { copy: [] } });
  expect(out).toContain('\n# agent: claude\n');
  const json = await project.umpireWith({ env }, 'init', '--dry-run', '--json');
  expect(JSON.parse(json.out)).toEqual({ path: join(project.root, 'umpire.config.yaml'), text: out, written: false });
  expect(existsSync(join(project.root, 'umpire.config.yaml'))).toBe(false);
});

it('never overwrites settings: not under the other name, through a link or from a subfolder', async () => {
  const project = makeProject({ files: { 'src/a.txt': 'a' } });
  const refused = async (...args: readonly string[]) => {
    const { exit, out, err } = await project.umpire('init', ...args);
    expect([exit, out, err]).toEqual([1, '', expect.stringMatching(/^umpire: The project has settings already: .*\n.*`umpire doctor`/)]);
  };
  project.write({ 'umpire.config.yaml': 'strict: true\n' });
  await refused();
  await refused('--dry-run');
  const inside = await project.umpireWith({ cwd: join(project.root, 'src') }, 'init');
  expect([inside.exit, inside.err]).toEqual([1, expect.stringContaining(join(project.root, 'umpire.config.yaml'))]);
  expect(settingsIn(project)).toBe('strict: true\n');
  project.write({ 'umpire.config.yaml': null, 'umpire.config.yml': 'strict: true\n' });
  await refused();
  project.write({ 'umpire.config.yml': null });
  symlinkSync(join(project.beside, 'nowhere'), join(project.root, 'umpire.config.yaml'));
  await refused();
  expect(existsSync(join(project.beside, 'nowhere'))).toBe(false);
});

it('lets exactly one of two calls at once write the file', async () => {
  const project = makeProject();
  const both = await Promise.all([project.umpire('init', '--agent', 'claude'), project.umpire('init', '--agent', 'codex')]);
  expect(both.map(({ exit }) => exit).toSorted()).toEqual([0, 1]);
  const winner = both[0].exit === 0 ? 'claude' : 'codex';
  expect(parseSettings(settingsIn(project), 'x').agent).toBe(winner);
  expect(both.find(({ exit }) => exit === 1)?.err).toMatch(/^umpire: The project has settings already/);
});

it('works without git, and names the folder of a repository that it uses', async () => {
  const plain = makeProject({ plain: true });
  const empty = join(plain.beside, 'empty');
  mkdirSync(empty);
  expect((await plain.umpireWith({ env: { PATH: empty } }, 'init')).exit).toBe(0);
  const inner = makeProject({ inner: 'packages/a' });
  const { err } = await inner.umpire('init', '--dry-run');
  expect(err).toContain(`The project is ${inner.root}, a folder of a larger repository.`);
  const named = await inner.umpire('init', '--dry-run', '--project', '.');
  expect(named.err).not.toContain('larger repository');
});

it('explains why the file cannot be written', async () => {
  const project = makeProject();
  expect((await project.umpire('init', '--project', 'nowhere')).exit).toBe(1);
  expect((await project.umpire('init', 'now')).exit).toBe(2);
  expect((await project.umpire('init', '--agent')).exit).toBe(2);
});

it('does the same when a program calls it', async () => {
  const project = makeProject();
  const dry = await init({ project: project.root, agent: 'person', dryRun: true });
  expect(dry).toEqual({
    path: join(project.root, 'umpire.config.yaml'),
    text: expect.stringContaining('\nagent: person\n'),
    written: false,
  });
  const wet = await init({ project: project.root, agent: 'person' });
  expect(wet).toEqual({ ...dry, written: true });
  expect(settingsIn(project)).toBe(wet.text);
  await expect(init({ project: project.root })).rejects.toMatchObject({ code: 'config-there' });
  await expect(init({ agent: 3 } as never)).rejects.toMatchObject({ code: 'argument' });
  await expect(init({ dryrun: true } as never)).rejects.toMatchObject({ code: 'argument' });
});

const NAMES = [
  '.env',
  '.env ',
  '.env\n',
  '.env\ta',
  '.env: x',
  '.env #1',
  '.env"',
  ".env'",
  '.env,]',
  '.env\\..\\a',
  '.env*',
  '.env?',
  '.env\u2028',
  '.env\u0085',
  '.env\u007f',
  '.env\u001b[2J',
  '.env-\u{1f600}',
  '.env\u{e0041}',
  '.envé',
  '.env{a}',
  '.env&a',
  '.env|',
  '.env%',
  '.env@',
  '.env`',
  '.env---',
  '.env.1e5',
  '.env\ufeff',
];

it.each(NAMES.map((name) => [name]))('writes the file name %j so that the settings are read correctly', (name) => {
  const folder = temporaryFolder();
  for (const copy of [[name], [name, '.env.second'], Array.from({ length: 40 }, (_, at) => `${name}${at}`)]) {
    const text = settingsText({ agent: 'claude', known: AGENT_NAMES, copy, critics: [] });
    const { workspace, agent } = parseSettings(text, 'x');
    expect(agent).toBe('claude');
    for (const one of copy) expect(isNamedBy(folder, workspace.copy, one)).toBe(true);
    expect(isNamedBy(folder, workspace.copy, 'package.json')).toBe(false);
  }
});

it('writes readable settings, whatever it found', SOAK, () => {
  const name = string({ unit: 'binary', maxLength: 12 }).map((rest) => `.env${rest.replaceAll(/[/\0]/g, '')}`);
  const critic = string({ unit: 'binary' }).map(
    (message) => ({ area: 'critics', name: 'testing', state: 'ok', message, hint: null }) as const,
  );
  const choices = property(
    constantFrom(null, 'claude', 'codex-acp', 'person'),
    uniqueArray(name, { maxLength: 5 }),
    uniqueArray(critic, { maxLength: 3 }),
    (agent, copy, critics) => {
      const read = parseSettings(settingsText({ agent, known: AGENT_NAMES, copy, critics }), 'x');
      expect(read.agent).toBe(agent);
      for (const one of copy) expect(isNamedBy('/', read.workspace.copy, one)).toBe(true);
      expect({ ...read, agent: null, workspace: null }).toEqual({ ...parseSettings('', 'x'), agent: null, workspace: null });
    },
  );
  expect(checkProperty(choices, { numRuns: 300 })).toMatchObject({ failed: false });
});

it('keeps the output of tools inside comments', () => {
  const critics = [
    { area: 'critics', name: 'testing\nstrict: true', state: 'ok', message: 'vitest 1\nagent: mallory', hint: null },
  ] as const;
  expect(parseSettings(settingsText({ agent: null, known: AGENT_NAMES, copy: [], critics }), 'x')).toEqual(parseSettings('', 'x'));
});

it.skipIf(!existsSync('/dev/full'))(
  'says that the settings are written where their path cannot be told; a text that is lost is an error',
  () => {
    const folder = temporaryFolder();
    const line = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, command, 'init'];
    const told = (...words: readonly string[]) => spawnSync('sh', [...line, ...words], { cwd: folder, encoding: 'utf8' });
    expect(told('--dry-run').status).toBe(1);
    const { status, stderr } = told();
    expect(status).toBe(0);
    expect(stderr).toContain(`The settings were written to ${join(folder, 'umpire.config.yaml')}\n`);
    expect(stderr).not.toContain('run the same command again');
    expect(existsSync(join(folder, 'umpire.config.yaml'))).toBe(true);
  },
);

it('writes commented lines that are valid when uncommented', () => {
  const text = settingsText({ agent: null, known: AGENT_NAMES, copy: [], critics: [] });
  const used = text.replace(/^# (?=[a-z_]+: )/gm, '');
  expect(parseSettings(used, 'x')).toMatchObject({
    agent: 'claude',
    workspace: { copy: ['.env'] },
    maxRounds: 5,
    maxMinutes: 120,
    maxCostUsd: 10,
    sandbox: true,
    notify: 'notify-send "$UMPIRE_SESSION_NAME waits for $UMPIRE_QUESTION"',
  });
});

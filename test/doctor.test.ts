// `umpire doctor` on real projects: what it finds, which faults would stop a run, and that it changes nothing. Critics are tested in
// doctor-critics.test.ts.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkSpace } from '@umpire/umpire/doors/doctor.js';
import { ERRORS } from '@umpire/core/model/error-catalogue.js';
import { doctor } from '@umpire/umpire/index.js';
import type { Check, Checkup } from '@umpire/umpire/index.js';
import { ownThings, writeFiles } from './support/git-project.js';
import { runInProcess } from './support/in-process.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const ANSWERS = [{ result: { findings: 'ok' } }];

const GIT = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** A PATH of one folder with these programs in sh, and git. */
function pathOf(project: RunProject, programs: Readonly<Record<string, string>> = {}): string {
  const folder = join(project.beside, `bin-${Object.keys(programs).join('-')}`);
  mkdirSync(folder);
  if (programs['git'] === undefined) symlinkSync(GIT, join(folder, 'git'));
  writeFiles(folder, Object.fromEntries(Object.entries(programs).map(([name, text]) => [name, `#!/bin/sh\n${text}\n`])));
  for (const name of Object.keys(programs)) chmodSync(join(folder, name), 0o755);
  return folder;
}

/** `told`: a check as `state: message [hint]`. */
async function look(project: RunProject, env: Readonly<Record<string, string>> = {}, ...args: readonly string[]) {
  const own = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', HOME: project.beside, UMPIRE_WORKTREES: project.worktrees };
  const {
    exit,
    stdout: out,
    stderr,
  } = await runInProcess(project.root, ['doctor', '--json', ...args], { ...own, UMPIRE_SESSION: undefined, ...env });
  expect(stderr).toBe('');
  const checkup = JSON.parse(out) as Checkup;
  const faults = checkup.checks.filter(({ state }) => state === 'fault').map(({ name }) => name);
  expect({ exit, outcome: checkup.outcome }).toEqual(faults.length > 0 ? { exit: 3, outcome: 'fail' } : { exit: 0, outcome: 'pass' });
  const words = ({ state, message, hint }: Check) => `${state}: ${message}${hint === null ? '' : ` [${hint}]`}`;
  const told = (name: string) =>
    checkup.checks
      .filter((check) => check.name === name)
      .map(words)
      .join('\n');
  return { checkup, faults, told };
}

it('prints all checks as one JSON object, and changes nothing', async () => {
  const project = makeProject({ answers: ANSWERS, files: { 'a.test.mjs': "import 'node:test';\n" } });
  const tmp = join(project.beside, 'tmp');
  mkdirSync(tmp);
  const before = ownThings(project.root);
  const { checkup, told, faults } = await look(project, { TMPDIR: tmp, PATH: pathOf(project) });
  expect(faults).toEqual([]);
  expect(Object.keys(checkup)).toEqual(['umpire', 'node', 'platform', 'project', 'outcome', 'checks']);
  const umpire: unknown = expect.stringMatching(/^\d+\.\d+/);
  expect(checkup).toMatchObject({ umpire, node: process.versions.node, project: project.root });
  for (const check of checkup.checks) expect(Object.keys(check)).toEqual(['area', 'name', 'state', 'message', 'hint']);
  expect([...new Set(checkup.checks.map(({ area }) => area))]).toEqual(['machine', 'project', 'agents', 'critics']);
  expect(told('git')).toMatch(/^ok: \d+\.\d+/);
  expect(told('processes')).toMatch(/^(?:ok: left behind by agents are ended|note: A process that an agent leaves behind)/);
  expect(told('repository')).toBe('ok: git, branch main');
  expect(told('settings')).toBe('ok: umpire.config.yaml');
  expect(told('worktrees')).toMatch(/^ok: .*worktrees, [\d.]+ GB free$/);
  expect(told('play')).toBe('ok: plays agents/play.yaml');
  expect(told('every role')).toBe('ok: play');
  expect([told('uncommitted'), told('left out'), told('sessions')]).toEqual(['', '', '']);
  expect(ownThings(project.root)).toEqual(before);
  const left = readdirSync(tmp).flatMap((home) => readdirSync(join(tmp, home)));
  expect([left, existsSync(project.worktrees), existsSync(join(project.root, '.umpire'))]).toEqual([[], false, false]);
});

it('fits 80 columns, and prints the summary on stderr', async () => {
  const project = makeProject({ config: { agent: 'nobody-of-ours' } });
  const { exit, out, err } = await project.umpire('doctor');
  expect({ exit, err }).toEqual({ exit: 3, err: 'Not ready: 1 fault (every role).\n' });
  expect(out.split('\n').filter((line) => line.length > 80 && !line.includes(project.beside))).toEqual([]);
  expect(out.match(/^(?:Machine|Project|Agents|Critics)$/gm)).toHaveLength(4);
  expect(out).toMatch(/^ok {4}repository {5}git, branch main$/m);
  expect(out).toMatch(/^fault every role {5}Unknown agent "nobody-of-ours"\.\n {21}Known agents: person, claude, /m);
  const good = await makeProject({ answers: ANSWERS }).umpire('doctor');
  expect([good.exit, good.err]).toEqual([0, 'Ready.\n']);
  const bare = await makeProject().umpire('doctor');
  expect([bare.exit, bare.err]).toEqual([0, 'Ready. Pass --agent when you run.\n']);
});

it('finds git missing, broken or too old', async () => {
  const project = makeProject();
  const { message, hint } = ERRORS['git-missing'];
  const empty = join(project.beside, 'empty');
  mkdirSync(empty);
  const none = await look(project, { PATH: empty });
  expect([none.faults, none.told('git')]).toEqual([['git'], `fault: ${message} [${hint}]`]);
  const by = async (says: string, of = makeProject()) => (await look(of, { PATH: pathOf(of, { git: says }) })).told('git');
  const version = (says: string) => `case "$*" in *--version) echo 'git version ${says}';; *) exec ${GIT} "$@";; esac`;
  expect(await by(version('2.30.9'))).toBe(`fault: 2.30.9 is too old; Umpire needs 2.31 [${hint}]`);
  expect(await by(version('2.31.0 (X)'))).toBe('ok: 2.31.0');
  expect(await by('echo "no tools installed" >&2; exit 72')).toBe(`fault: git --version failed: no tools installed [${hint}]`);
});

it('reports a missing sandbox as a fault only if the settings turn it on', async () => {
  const free = makeProject({ answers: ANSWERS });
  const { told, faults } = await look(free, { PATH: pathOf(free) });
  expect(faults).toEqual([]);
  expect(told('sandbox')).toMatch(/^note: No sandbox available: .* \[Only --sandbox needs it\. Install bubblewrap/);
  const held = makeProject({ answers: ANSWERS, config: { sandbox: true } });
  expect((await look(held, { PATH: pathOf(held) })).faults).toEqual(['sandbox']);
});

it('describes the repository: a branch, detached, none, no commit, bare', async () => {
  const project = makeProject({ inner: 'packages/a' });
  expect((await look(project)).told('repository')).toBe('ok: git, branch main; the project is its folder packages/a');
  project.git('checkout', '-q', '--detach');
  expect((await look(project)).told('repository')).toMatch(/^ok: git, detached at [0-9a-f]{7,}; the project/);
  const plain = makeProject({ plain: true });
  expect((await look(plain)).told('repository')).toMatch(/^note: no git repository; Umpire keeps the work/);
  plain.git('init', '-q');
  expect((await look(plain)).told('repository')).toMatch(/^note: nothing is committed yet/);
  const bare = await look(plain, {}, '--project', join(plain.root, '.git'));
  expect(bare.faults).toEqual(['repository']);
  expect(bare.told('repository')).toContain('it is a bare git repository');
});

it('names uncommitted files that agents will not see', async () => {
  const project = makeProject();
  project.write({ 'new.txt': 'x', 'README.md': 'changed\n' });
  expect((await look(project)).told('uncommitted')).toBe(
    'note: Work starts from your last commit. 2 uncommitted files are not part of it (README.md, new.txt). Commit first if the agents should see them.',
  );
});

it('names the settings that cannot be read, with the line', async () => {
  const project = makeProject();
  project.write({ 'umpire.config.yaml': 'agent: claude\nconcurency: 4\n' });
  const { faults, told } = await look(project);
  expect(faults).toEqual(['settings']);
  expect(told('settings')).toMatch(/^fault: .*umpire\.config\.yaml:2: concurency: .*Did you mean "concurrency"\? \[Fix or remove the line/);
  // Without settings, the agents of the roles are unknown.
  expect(told('every role')).toBe('');
  project.write({ 'umpire.config.yaml': null, 'umpire.config.yml': 'agent: claude\n' });
  expect((await look(project)).told('settings')).toContain('Umpire reads umpire.config.yaml. Rename the file.');
  project.write({ 'umpire.config.yml': null });
  expect((await look(project)).told('settings')).toBe('ok: none; write them with umpire init');
});

it('checks the folder for worktrees', async () => {
  const project = makeProject({ answers: ANSWERS, files: { file: 'x' } });
  const at = async (home: string) => (await look(project, { UMPIRE_WORKTREES: home })).told('worktrees');
  expect(await at(join(project.root, 'file', 'below'))).toMatch(/^fault: .*below cannot be created: .*file is not a folder \[Fix that/);
  expect(await at(join(project.root, 'copies'))).toMatch(/^note: .*copies is inside the project/);
  const shut = join(project.beside, 'shut');
  mkdirSync(shut);
  chmodSync(shut, 0o500);
  // Root may write anywhere.
  const isRoot = process.getuid?.() === 0;
  expect(await at(join(shut, 'deep', 'er'))).toMatch(isRoot ? /^ok: .*shut\/deep\/er, / : /^fault: .*shut cannot be written: /);
});

it('reports a fault if no session can be made', async () => {
  const project = makeProject({ answers: ANSWERS, files: { '.umpire': 'a file' } });
  const { faults, told } = await look(project);
  expect([faults, told('sessions')]).toEqual([
    ['sessions'],
    expect.stringMatching(/^fault: .*sessions cannot be created: .*\.umpire is not a folder \[Fix that/),
  ]);
});

it('wants room for worktrees', () => {
  const told = (free: number) => checkSpace('/home', free);
  expect(told(99_999_999)).toMatchObject({ state: 'fault', message: '/home: only 99 MB free' });
  expect(told(100_000_000)).toMatchObject({ state: 'note', message: '/home: only 100 MB free' });
  expect(told(999_999_999)).toMatchObject({ state: 'note', message: '/home: only 999 MB free' });
  expect(told(41_270_000_000)).toMatchObject({ state: 'ok', message: '/home, 41.3 GB free' });
});

it('names files that worktrees will lack, and the setting that copies them', async () => {
  const files = { '.gitignore': '.env*\n!.env.example\n', '.env.example': '', 'README.md': 'x' };
  const project = makeProject({ files });
  project.write({ '.env': 'A=1', '.env.local': 'B=2', 'inner/.env': 'C=3', '.env.d/x': 'D=4' });
  expect((await look(project)).told('left out')).toBe(
    'note: .env, .env.local: not tracked by git, so agents and tests do not see them [If they need them, add to umpire.config.yaml: workspace: { copy: [.env, .env.local] }]',
  );
  project.write({ 'umpire.config.yaml': '{ workspace: { copy: [./.env] } }' });
  expect((await look(project)).told('left out')).toMatch(/^note: \.env\.local: not tracked by git,/);
  project.write({ 'umpire.config.yaml': '{ workspace: { link: [.env?local], copy: [.env] } }' });
  expect((await look(project)).told('left out')).toBe('');
});

it('names left-out files without git too, and in a subfolder of a repository', async () => {
  const plain = makeProject({ plain: true, files: { '.gitignore': '.env\n', '.env': 'A=1', '.env.kept': 'B=2' } });
  expect((await look(plain)).told('left out')).toMatch(/^note: \.env: /);
  const inner = makeProject({ inner: 'packages/a [b]' });
  inner.write({ '.env': 'A=1', '../.env': 'B=2' });
  const { told, checkup } = await look(inner);
  expect(told('left out')).toMatch(/^note: \.env: /);
  expect(checkup.project).toBe(inner.root);
});

it('shows names of files as plain text', async () => {
  const project = makeProject();
  project.write({ '.env\u001b[2J\nfault  git': 'x' });
  const { out } = await project.umpire('doctor');
  expect(out).not.toContain('\u001b');
  expect(out).not.toMatch(/^fault {2}git/m);
  expect(out).toContain('.env\\u001b[2J fault git');
});

it('names cells of tasks.csv that a spreadsheet would run', async () => {
  const project = makeProject({
    files: { '.umpire/sessions/one/tasks.csv': 'id,title,description,role,deps,status\nA,"=HYPERLINK(""http://x"")",d,r,,pending\n' },
  });
  const words = 'tasks.csv has cells that a spreadsheet would run as formulas: line 2 (A), column title.';
  expect((await look(project)).told('formulas')).toBe(`note: one: ${words} [In a spreadsheet, import these columns as text.]`);
  expect((await project.umpire('status', 'one')).out.replaceAll(/\s+/g, ' ')).toContain(words);
});

it('counts sessions, and those that wait for a person', async () => {
  const project = makeProject();
  await project.umpire('until', 'true', ...project.sh('complete done'));
  expect((await look(project)).told('sessions')).toBe('ok: 1 session (umpire list)');
  await project.umpire('until', 'false', '--max-rounds', '1', ...project.sh('complete done'));
  expect((await look(project)).told('sessions')).toBe(
    'note: 2 sessions, 1 waiting for a person [See them with: umpire list --state awaiting]',
  );
});

it('names the installed agents with their paths, and the missing ones', async () => {
  const project = makeProject();
  const path = pathOf(project, { claude: 'exit 9', opencode: 'exit 9' });
  const { told } = await look(project, { PATH: path });
  expect(told('claude')).toBe(`ok: ${join(path, 'claude')}`);
  expect(told('opencode-acp')).toBe(`ok: ${join(path, 'opencode')}`);
  expect(told('not installed')).toBe('note: codex, gemini, claude-acp, codex-acp, gemini-acp');
  expect(told('every role')).toBe('note: no agent chosen [Pass --agent when you run, or choose one with: umpire init.]');
  const bare = makeProject();
  expect((await look(bare, { PATH: pathOf(bare) })).told('not installed')).toMatch(/^note: claude, codex, .*-acp \[Install one/);
});

it('checks every agent in the settings, and reports a fault if a role needs one that cannot work', async () => {
  const agents = {
    gone: { command: './gone.sh' },
    shut: { acp: './README.md --acp' },
    lost: { script: 'agents/lost.yaml' },
    odd: { script: 'agents/odd.yaml' },
    me: { person: true },
    codex: { timeout_minutes: 5 },
    stranger: { timeout_minutes: 5 },
    claude: { allow: ['execute'] },
  };
  const named = { reviewer: 'gone', planner: 'odd', developer: 'me', tester: 'clade' };
  const roles = { ...named, executor: 'builtin', challenger: 'builtin', ideator: 'builtin' };
  const files = { 'README.md': 'x', 'agents/odd.yaml': 'answers: 3\n' };
  const project = makeProject({ config: { agent: 'shut', agents, roles }, files });
  const { told, faults } = await look(project, { PATH: pathOf(project) });
  expect(faults).toEqual(['every role', 'role reviewer', 'role planner', 'role tester', 'role ideator']);
  expect(told('gone')).toMatch(/^note: "gone" cannot be started: no program at ".*gone\.sh" \[Install it/);
  expect(told('lost')).toMatch(/^note: Cannot read agents\/lost\.yaml: /);
  expect(told('odd')).toMatch(/^note: .*odd\.yaml:1: /);
  expect(told('me')).toBe('ok: the person at the terminal');
  expect(told('codex')).toMatch(/^note: "codex" cannot be started: no program "codex" on the PATH /);
  expect(told('stranger')).toMatch(/^note: Unknown agent "stranger"\. /);
  expect(told('claude')).toMatch(/^note: .*agents\.claude\.allow/);
  expect(told('every role')).toMatch(/^fault: "shut" cannot be started: .* is not executable \[Install it/);
  expect(told('role developer')).toBe('ok: me');
  expect(told('role tester')).toMatch(/^fault: Unknown agent "clade"\. Did you mean "claude"\?/);
  expect(told('role executor')).toBe("ok: builtin, Umpire's critic");
});

it('says that the other roles have no agent', async () => {
  const project = makeProject({ config: { roles: { reviewer: 'person' } } });
  expect((await look(project)).told('every role')).toBe(
    'note: no agent chosen for the other roles [Pass --agent when you run, or choose one under agent in umpire.config.yaml.]',
  );
  project.write({ 'umpire.config.yaml': 'agent: builtin\n' });
  expect((await look(project)).told('every role')).toMatch(/^note: .* cannot do other roles \[Pass --agent/);
});

it('refuses a missing project and unknown arguments', async () => {
  const project = makeProject();
  const missing = await project.umpire('doctor', '--project', 'nowhere', '--json');
  expect([missing.exit, JSON.parse(missing.out)]).toMatchObject([1, { error: { code: 'project-missing' } }]);
  expect((await project.umpire('doctor', 'now')).exit).toBe(2);
  expect((await project.umpire('doctor', '--fix')).exit).toBe(2);
});

it('gives programs the same checks as the command', async () => {
  const project = makeProject({ answers: ANSWERS });
  const { checkup } = await look(project);
  const same = await doctor({ project: project.root });
  // The command runs with another HOME, so its worktrees lie elsewhere.
  const steady = ({ checks, ...rest }: Checkup) => ({ ...rest, checks: checks.filter(({ name }) => name !== 'worktrees') });
  expect(steady(same)).toEqual(steady(checkup));
  await expect(doctor({ projekt: '.' } as never)).rejects.toMatchObject({ code: 'argument' });
  await expect(doctor({ project: 3 } as never)).rejects.toMatchObject({ code: 'argument' });
});

// Which project a command uses when it starts in a folder inside one.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, command, eventsOfType, makeProject } from './support/run-project.js';

cleanUpProjects();

it('finds the project’s settings and sessions from a folder inside it, and says so', async () => {
  const project = makeProject({
    config: { agent: 'mine', agents: { mine: { command: 'sh agents/mine.sh' } } },
    files: { 'src/a.txt': 'a\n', 'agents/mine.sh': `cat > /dev/null\npwd\necho '{"status":"completed"}'\n` },
  });
  const cwd = join(project.root, 'src');
  const { exit, err, session } = await project.umpireWith({ cwd }, 'until', 'test -e src/a.txt');
  expect({ exit, session: session.startsWith(join(project.root, '.umpire/sessions/')) }).toEqual({ exit: 0, session: true });
  expect(err).toContain(`Note: Project: ${project.root} (found from src; use only this folder with --project .)\n`);
  expect(existsSync(join(cwd, '.umpire'))).toBe(false);
  const listed = JSON.parse((await project.umpireWith({ cwd }, 'list', '--json')).out) as { project: string; sessions: { path: string }[] };
  expect([listed.project, listed.sessions.map(({ path }) => path)]).toEqual([project.root, [session]]);
  const named = await project.umpireWith({ cwd }, 'until', 'true', '--session', 'here');
  expect({ exit: named.exit, session: named.session }).toEqual({ exit: 0, session: join(cwd, 'here') });
  const above = await project.umpire('until', 'true');
  expect(above.err).not.toContain('Project:');
});

/** Runs a program as a user without an entry in the system. Needs root. */
function asNobody(...args: readonly string[]) {
  const env = { PATH: process.env['PATH'] ?? '' };
  return spawnSync(process.execPath, args, { cwd: '/', uid: 54_321, gid: 54_321, env, encoding: 'utf8' });
}

const isPossible = process.getuid?.() === 0 && asNobody('-e', `fs.accessSync(${JSON.stringify(command)})`).status === 0;

it.skipIf(!isPossible)('works for a user without a home folder or name, as in containers', SOAK, () => {
  const { status, stderr } = asNobody(command, 'until', 'true', '--agent-command', 'true');
  // It gets as far as any user without write permission.
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('Cannot write .umpire/sessions: ') as string });
});

it('takes a folder of a repository as the project, says so, and accepts --project', SOAK, async () => {
  const project = makeProject({ files: { 'packages/one/a.txt': 'a\n' } });
  const cwd = join(project.root, 'packages/one');
  const agent = project.sh('complete ok');
  const found = await project.umpireWith({ cwd }, 'until', 'test -e a.txt', ...agent);
  const named = await project.umpireWith({ cwd }, 'until', 'test -e a.txt', '--project', '.', ...agent);
  const places = [found, named].map(({ session }) => eventsOfType(session, 'SessionStarted')[0]?.project);
  expect([found.exit, named.exit, places]).toEqual([0, 0, [cwd, cwd]]);
  expect(found.err).toContain(
    `Note: Project: ${cwd}, a folder of the repository ${project.root} (use the whole repository with --project ../..)\n`,
  );
  expect(named.err).not.toContain('Project:');
});

it('says that the guard checks only the project’s folder', SOAK, async () => {
  const project = makeProject({
    files: { 'src/a.js': 'export const a = 1;\n', 'test/a.test.js': "test('a', () => expect(1).toBe(1));\n" },
  });
  writeFileSync(join(project.root, 'test/a.test.js'), "test.skip('a', () => expect(1).toBe(1));\n");
  const cwd = join(project.root, 'src');
  const there = await project.umpireWith({ cwd }, 'guard', '--scope', 'any', '--base', 'HEAD', '--json');
  expect({ exit: there.exit, findings: (JSON.parse(there.out) as { findings: unknown[] }).findings }).toEqual({ exit: 0, findings: [] });
  expect(there.err).toBe(
    `Note: Project: ${cwd}, a folder of the repository ${project.root} (use the whole repository with --project ..)\n`,
  );
  const all = await project.umpireWith({ cwd }, 'guard', '--scope', 'any', '--project', '..');
  expect({ exit: all.exit, err: all.err }).toEqual({ exit: 3, err: '' });
});

it('takes a package with its own settings as the project, and any folder without git', SOAK, async () => {
  const files = {
    'umpire.config.yaml': 'agent: nobody\n',
    'packages/one/umpire.config.yaml': 'concurrency: 1\n',
    'packages/one/src/a.txt': 'a\n',
  };
  const project = makeProject({ files });
  const agent = project.sh('complete ok');
  const cwd = join(project.root, 'packages/one/src');
  const { err, session } = await project.umpireWith({ cwd }, 'until', 'test -e src/a.txt', ...agent);
  expect(session.startsWith(join(project.root, 'packages/one/.umpire'))).toBe(true);
  expect(err).toContain('(found from src;');
  const plain = makeProject({ plain: true });
  const inner = join(plain.root, 'inner');
  mkdirSync(inner);
  const alone = await plain.umpireWith({ cwd: inner }, 'until', 'true', ...plain.sh('complete ok'));
  expect(alone.session.startsWith(realpathSync.native(inner))).toBe(true);
});

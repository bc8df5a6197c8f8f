// A repository whose own settings name programs, as one from an archive may: commands that look run none of them, a run and `apply` only
// the filters and merge drivers that its files ask for.

import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { hasBubblewrap } from './support/bubblewrap.js';
import { gitIn } from './support/git-project.js';
import { runInProcess } from './support/in-process.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

let project: RunProject;
let session = '';
let marks = '';

const umpire = (...args: readonly string[]) =>
  runInProcess(project.root, args, { GIT_CONFIG_GLOBAL: '/dev/null', HOME: project.beside, UMPIRE_WORKTREES: project.worktrees });

/** The settings of which a program ran since the last call. */
function ran(): readonly string[] {
  const names = readdirSync(marks).toSorted();
  for (const name of names) rmSync(join(marks, name));
  return names;
}

beforeAll(async () => {
  project = makeProject({
    files: {
      'check.cjs': "process.exit(require('node:fs').existsSync('done.txt') ? 0 : 1);\n",
      'a.test.js': "require('node:test').test('a', () => require('node:assert').ok(1));\n",
      'data.bin': 'data\n',
      '.gitattributes': '*.bin filter=a=b diff=x merge=x\n*.test.js filter=y diff=x\n',
      '.gitignore': '.umpire\n',
    },
  });
  marks = join(project.beside, 'marks');
  mkdirSync(marks);
  const sub = join(project.beside, 'sub');
  mkdirSync(sub);
  gitIn(sub, 'init', '-q');
  writeFileSync(join(sub, 'inner.txt'), 'x\n');
  gitIn(sub, 'add', '-A');
  gitIn(sub, 'commit', '-q', '-m', 'sub');
  project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub, 'lib');
  project.git('commit', '-q', '-m', 'lib');
  const mark = (name: string, then = 'cat') => `touch ${join(marks, name)}; ${then}`;
  const hook = join(project.beside, 'hooks');
  mkdirSync(hook);
  for (const name of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction', 'post-merge'])
    writeFileSync(join(hook, name), `#!/bin/sh\ntouch ${join(marks, `hook-${name}`)}\n`, { mode: 0o755 });
  const settings: Readonly<Record<string, string>> = {
    'core.fsmonitor': mark('fsmonitor', 'false'),
    'core.hooksPath': hook,
    'core.sshCommand': mark('ssh', 'false'),
    'core.pager': mark('pager'),
    'core.editor': mark('editor', 'false'),
    'core.askPass': mark('askpass', 'false'),
    'core.alternateRefsCommand': mark('alternate-refs', 'false'),
    'credential.helper': `!${mark('credential', 'false')}`,
    'diff.external': mark('external', 'false'),
    'diff.x.command': mark('diff-command', 'false'),
    'diff.x.textconv': mark('textconv'),
    'filter.a=b.clean': mark('filter'),
    'filter.a=b.smudge': mark('filter'),
    'filter.a=b.required': 'true',
    'filter.y.clean': mark('filter'),
    'filter.y.smudge': mark('filter'),
    'merge.x.driver': mark('merge', 'false'),
    'gpg.program': mark('gpg', 'false'),
    'commit.gpgSign': 'true',
    'log.showSignature': 'true',
    'uploadpack.packObjectsHook': mark('pack', 'false'),
    'protocol.ext.allow': 'always',
    'submodule.lib.update': `!${mark('submodule', 'false')}`,
    'submodule.recurse': 'true',
  };
  // Work of a run comes first, without these settings.
  writeFileSync(
    join(project.beside, 'agent.cjs'),
    "const fs = require('node:fs');\nfs.writeFileSync('done.txt', 'x');\nfs.writeFileSync('data.bin', 'more\\n');\nfs.writeFileSync(process.env.UMPIRE_RESULT_FILE, JSON.stringify({ status: 'completed', findings: 'done' }));\n",
  );
  const own = join(project.root, '.git', 'modules', 'lib');
  for (const [key, value] of Object.entries(settings)) project.git('config', key, value);
  gitIn(own, 'config', '--unset', 'core.worktree');
  for (const [key, value] of Object.entries(settings)) gitIn(own, 'config', key, value);
  gitIn(own, 'config', 'filter.z.clean', mark('filter-of-submodule'));
  gitIn(own, 'config', 'core.worktree', '../../../lib');
  // Changed files in both, with the size and the look of unchanged ones: git has to read them.
  project.write({ 'data.bin': 'dat4\n', 'a.test.js': "require('node:test').test.skip('a', () => require('node:assert').ok(1));\n" });
  writeFileSync(join(project.root, 'lib', '.gitattributes'), '* filter=z\n');
  writeFileSync(join(project.root, 'lib', 'inner.txt'), 'y\n');
  ran();
}, 60_000);

it('runs filters in a run, and no hook and no other program', async () => {
  const agent = ['--agent-command', `node ${join(project.beside, 'agent.cjs')}`];
  const { exit, stdout, stderr } = await umpire('until', 'node check.cjs', '--max-rounds', '2', ...agent);
  expect(exit, stderr).toBe(0);
  session = stdout.trim().split('\n').at(-1) ?? '';
  expect(ran()).toEqual(['filter']);
}, 60_000);

it.each([
  ['status'],
  ['status', '--json'],
  ['list'],
  ['report'],
  ['logs'],
  ['diff'],
  ['replay'],
  ['doctor'],
  ['guard'],
  ['guard', '--staged'],
  ['guard', '--base', 'HEAD'],
  ['init', '--dry-run'],
  ['check', 'review'],
  ['critique', 'testing', '--dry-run'],
])('umpire %s %s runs no program of the repository', async (...args) => {
  const { stdout, stderr } = await umpire(...(args as string[]).filter((word) => word !== undefined));
  expect(stdout + stderr).not.toBe('');
  expect(ran()).toEqual([]);
});

it('applies the work with filters only', async () => {
  project.git('-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', 'checkout', '-q', '--', 'data.bin');
  ran();
  const { exit, stderr } = await umpire('apply', session);
  expect(exit, stderr).toBe(0);
  expect(existsSync(join(project.root, 'done.txt'))).toBe(true);
  expect(ran()).toEqual(['filter']);
});

it('fetches a missing object of a partial clone by no command of the repository', async () => {
  project.git('config', 'extensions.partialClone', 'origin');
  project.git('config', 'remote.origin.promisor', 'true');
  const blob = gitIn(project.root, '-c', 'core.fsmonitor=false', 'rev-parse', 'HEAD:a.test.js').trim();
  rmSync(join(project.root, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
  ran();
  for (const [key, value] of [
    ['url', `ext::sh -c "touch ${join(marks, 'ext')}"`],
    ['url', 'ssh://nobody@127.0.0.1:1/x'],
    ['url', project.beside],
  ] as const) {
    project.git('config', `remote.origin.${key}`, value);
    project.git('config', 'remote.origin.uploadpack', `touch ${join(marks, 'uploadpack')}; false`);
    await umpire('guard');
    expect(ran(), value).toEqual([]);
  }
}, 30_000);

/** Programs that Umpire itself starts, in folders of a project that are first in the PATH, by any name for them. */
function plantPrograms(root: string): string {
  const places = ['bin', 'node_modules/.bin'].map((name) => join(root, name));
  const link = join(project.beside, `link-to-${basename(root)}`);
  symlinkSync(root, link);
  for (const place of places) {
    mkdirSync(place, { recursive: true });
    for (const name of ['git', 'bwrap', 'bash', 'rm', 'chmod', 'kill', 'sleep', 'perl', 'python3', 'gh', 'notify-send'])
      writeFileSync(join(place, name), `#!/bin/sh\nPATH=/usr/bin:/bin\ntouch ${join(marks, name)}\nexec ${name} "$@"\n`, { mode: 0o755 });
  }
  return [...places, 'bin', '.', join(link, 'bin'), process.env['PATH']].join(':');
}

it('takes no program of its own from a folder inside a project', async () => {
  const PATH = plantPrograms(project.root);
  const agent = ['--agent-command', `/bin/sh -c 'echo "{\\"status\\":\\"completed\\"}" > "$UMPIRE_RESULT_FILE"'`];
  const until = ['until', 'test -e done.txt | /bin/cat', 'a file', '--max-rounds', '1', ...agent];
  const plain = join(project.beside, 'plain');
  mkdirSync(plain);
  for (const [cwd, ...args] of [
    [project.root, 'status'],
    [join(project.root, 'bin'), 'guard', '--base', 'HEAD'],
    [project.beside, 'guard', '--base', 'HEAD', '--project', 'project'],
    [project.beside, ...until, '--project', 'project', ...(hasBubblewrap ? ['--sandbox'] : [])],
  ] as const) {
    await project.startWith({ env: { PATH }, cwd }, ...args).ended;
    expect(
      ran().filter((name) => name !== 'filter'),
      args.join(' '),
    ).toEqual([]);
  }
  // A folder without git is a project too.
  const { exit } = await project.startWith({ env: { PATH: plantPrograms(plain) }, cwd: plain }, ...until).ended;
  expect([exit, ran()]).toEqual([4, []]);
}, 60_000);

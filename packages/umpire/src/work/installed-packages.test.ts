// A5: what agents write into the installed packages of the person's checkout is told, and no check uses it.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { cleanUpAfterwards, gitProject, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { onCommit } from '../critics/clean-check.js';
import { originsOf } from '../sessions/python-environment.js';

cleanUpAfterwards();

const GOOD = "module.exports = 'good';\n";
const EVIL = "module.exports = 'evil';\n";

async function opened(files: Readonly<Record<string, string>> = {}) {
  const project = gitProject({ '.gitignore': 'node_modules\n.venv\n', 'a.js': "module.exports = require('left');\n", ...files });
  writeFiles(project.root, { 'node_modules/left/index.js': GOOD, 'node_modules/left/lib/more.js': GOOD });
  const notes: string[] = [];
  const open = () => project.open({ say: (note) => notes.push(note) });
  return { project, notes, open, workspace: await open() };
}

describe('installed packages in the checkout', () => {
  it('are refused after a task has changed them, and the note names task and file', async () => {
    const { notes, workspace } = await opened();
    const folder = await workspace.lend('DEV-1', 1);
    const file = join(folder, 'node_modules/left/index.js');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, EVIL);
    utimesSync(file, atime, mtime);
    writeFiles(folder, { 'a.js': '// work\n' });
    expect((await workspace.submit('DEV-1', 1, 'work'))?.files).toEqual(['a.js']);
    expect(notes).toEqual([expect.stringMatching(/^DEV-1 .*your checkout: node_modules\/left\/index\.js\./)]);
    await expect(workspace.check(null)).rejects.toMatchObject({
      code: 'packages-changed',
      message: expect.stringMatching(/\(node_modules\).*no lockfile/) as string,
    });
  });

  it.each<readonly [string, (modules: string) => void]>([
    ['a removed file', (modules) => rmSync(join(modules, 'left/lib/more.js'))],
    ['a new package', (modules) => writeFiles(modules, { 'right/index.js': EVIL })],
    ['a new file', (modules) => writeFiles(modules, { 'left/lib/index.js': EVIL })],
  ])('are refused after %s', async (_, change) => {
    const { project, notes, workspace } = await opened();
    await workspace.lend('DEV-1', 1);
    change(join(project.root, 'node_modules'));
    await workspace.submit('DEV-1', 1, 'nothing');
    expect(notes).toHaveLength(1);
    await expect(workspace.check(null)).rejects.toMatchObject({ code: 'packages-changed' });
  });

  it('are used as they are where only caches and generated files changed', async () => {
    const { project, notes, workspace } = await opened();
    await workspace.lend('DEV-1', 1);
    const caches = ['.vite/a.js', '.cache/a', '.prisma/client/index.js', 'left/__pycache__/a.cpython-311.pyc'];
    writeFiles(join(project.root, 'node_modules'), Object.fromEntries(caches.map((path) => [path, EVIL])));
    await workspace.submit('DEV-1', 1, 'nothing');
    const place = await workspace.check(null);
    expect([notes, await place.hasOtherPackages('look')]).toEqual([[], false]);
    await place.remove();
  });

  it('hold for a resumed session too, until the person was told and resumes', async () => {
    const { project, open } = await opened();
    const modules = join(project.root, 'node_modules/left/index.js');
    writeFileSync(modules, EVIL);
    const again = await open();
    await again.lend('DEV-1', 1);
    await again.submit('DEV-1', 1, 'nothing');
    await expect(again.check(null)).rejects.toMatchObject({ code: 'packages-changed' });
    writeFileSync(modules, GOOD);
    const restored = await open();
    const place = await restored.check(null);
    expect(await place.hasOtherPackages('look')).toBe(false);
    await place.remove();
  });

  it('are watched in a Python environment too', async () => {
    const project = gitProject({ '.gitignore': '.venv\n' });
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(project.root, '.venv')]);
    const [python = ''] = execFileSync('ls', [join(project.root, '.venv/lib')], { encoding: 'utf8' }).split('\n');
    const site = join(project.root, '.venv/lib', python, 'site-packages');
    writeFiles(site, { 'left/__init__.py': 'x = 1\n' });
    const notes: string[] = [];
    const workspace = await project.open({ say: (note) => notes.push(note) });
    const folder = await workspace.lend('DEV-1', 1);
    // Imported: Python may keep what it compiled.
    execFileSync(join(folder, '.venv/bin/python'), ['-c', 'import left'], { cwd: folder });
    await workspace.submit('DEV-1', 1, 'nothing');
    expect(notes).toEqual([]);
    writeFiles(site, { 'left/__init__.py': 'x = 2\n' });
    await workspace.submit('DEV-1', 1, 'nothing');
    expect(notes).toEqual([expect.stringContaining(`.venv/lib/${python}/site-packages/left/__init__.py`)]);
  });
});

/** A package as a file, so that npm needs no network. */
function withLockfile(): Readonly<Record<string, string>> {
  const source = temporaryFolder();
  writeFiles(source, { 'left/package.json': '{"name":"left","version":"1.0.0"}\n', 'left/index.js': GOOD });
  execFileSync('npm', ['pack', '--silent', './left'], { cwd: source });
  writeFileSync(join(source, 'package.json'), `{"name":"own","dependencies":{"left":"file:${source}/left-1.0.0.tgz"}}\n`);
  execFileSync('npm', ['install', '--silent', '--offline', '--no-audit'], { cwd: source });
  const read = (name: string) =>
    readFileSync(join(source, name), 'utf8').replaceAll('file:left-1.0.0.tgz', `file:${source}/left-1.0.0.tgz`);
  return { 'package.json': read('package.json'), 'package-lock.json': read('package-lock.json') };
}

const readLeft = (workdir: string) =>
  execFileSync(process.execPath, ['-p', "require('./a.js')"], { cwd: workdir, encoding: 'utf8' }).trim();

describe('with a lockfile', SOAK, () => {
  it('checks get packages installed anew', async () => {
    const { project, workspace } = await opened(withLockfile());
    const folder = await workspace.lend('DEV-1', 1);
    writeFileSync(join(folder, 'node_modules/left/index.js'), EVIL);
    await workspace.submit('DEV-1', 1, 'nothing');
    const seen = await onCommit(
      (commit) => workspace.check(commit),
      null,
      project.root,
      (workdir) => Promise.resolve(readLeft(workdir)),
    );
    expect([seen.result, readLeft(project.root)]).toEqual(['good', 'evil']);
  });

  it('a check that changes the packages of the checkout is done once more, and one that changes its own is refused', async () => {
    const { project, notes, workspace } = await opened(withLockfile());
    const openCheck = (commit: string | null) => workspace.check(commit);
    const seen: string[] = [];
    const change = (often: number) => (workdir: string) => {
      seen.push(readLeft(workdir));
      if (seen.length <= often) writeFileSync(join(workdir, 'node_modules/left/index.js'), EVIL);
      return Promise.resolve(readLeft(workdir));
    };
    expect((await onCommit(openCheck, null, project.root, change(1))).result).toBe('good');
    expect(seen).toEqual(['good', 'good']);
    expect(notes).toEqual([expect.stringContaining('changed while a check ran: node_modules/left/index.js. It runs again')]);
    await expect(onCommit(openCheck, null, project.root, change(9))).rejects.toMatchObject({
      code: 'packages-changed',
      message: expect.stringContaining('a check of this commit changes node_modules/left/index.js') as string,
    });
  });
});

/** Managers that write down how they were called, and install one file. */
function plantManagers(...names: readonly string[]): () => readonly string[] {
  const bin = temporaryFolder();
  const script = `#!/bin/sh
echo "$(basename "$0") $*" >> ${bin}/calls
test -e fails && { echo 'no network'; exit 1; }
mkdir -p "$PACKAGES"
case $PACKAGES in *venv) test -e "$PACKAGES/pyvenv.cfg" || echo 'home = /usr/bin' > "$PACKAGES/pyvenv.cfg" ;; esac
echo "module.exports = 'anew';" > "$PACKAGES/index.js"
`;
  for (const name of names) writeFileSync(join(bin, name), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}:${process.env['PATH'] ?? ''}`);
  return () => (existsSync(join(bin, 'calls')) ? readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n') : []);
}

afterEach(() => void vi.unstubAllEnvs());

const BERRY = '__metadata:\n  version: 8\n';

/** What tells the kind of a folder. */
const MARKS: Readonly<Record<string, string>> = { '.venv': 'pyvenv.cfg', venv: 'pyvenv.cfg', vendor: 'composer/installed.json' };

describe('the table of installers', () => {
  it.each<readonly [lockfile: string, text: string, folder: string, program: string, call: RegExp]>([
    ['package-lock.json', '{}', 'node_modules', 'npm', /^npm ci --prefer-offline/],
    ['pnpm-lock.yaml', '', 'packages/a/node_modules', 'pnpm', /^pnpm install --frozen-lockfile .*--store-dir \S*\/\.umpire\/installing/],
    [
      'yarn.lock',
      '# yarn lockfile v1\n',
      'node_modules',
      'yarn',
      /^yarn install --frozen-lockfile .*--cache-folder \S*\/\.umpire\/installing/,
    ],
    ['yarn.lock', BERRY, 'node_modules', 'yarn', /^yarn install --immutable$/],
    ['bun.lock', '{}', 'node_modules', 'bun', /^bun install --frozen-lockfile$/],
    ['uv.lock', '', '.venv', 'uv', /^uv sync --frozen --no-cache$/],
    ['poetry.lock', '', '.venv', 'poetry', /^poetry install --no-interaction --no-cache$/],
    ['Pipfile.lock', '', 'venv', 'pipenv', /^pipenv sync --dev$/],
    ['Gemfile.lock', '', 'vendor/bundle', 'bundle', /^bundle install$/],
    ['composer.lock', '', 'vendor', 'composer', /^composer install --no-interaction/],
    ['package.json', '{}', 'node_modules', 'npm', /^npm install --no-package-lock --cache \S*\/\.umpire\/installing/],
  ])('%s: after a change (%j), a check gets %s from %s', async (lockfile, text, folder, program, call) => {
    const callsOf = plantManagers(program);
    const project = gitProject({ '.gitignore': `${folder}\n`, [lockfile]: text, 'packages/a/a.js': '' });
    const mark = MARKS[folder];
    const [index, shown] = [
      `${folder}/a/index.js`,
      folder === 'vendor/bundle' ? `${folder}/ruby/3/gems/a/index.js` : `${folder}/a/index.js`,
    ];
    writeFiles(project.root, {
      [shown]: GOOD,
      [index]: GOOD,
      ...(mark === undefined ? {} : { [`${folder}/${mark}`]: 'home = /usr/bin\n' }),
    });
    const workspace = await project.open();
    const before = await workspace.check(null);
    if (!folder.endsWith('venv')) expect(readFileSync(join(before.workdir, shown), 'utf8')).toBe(GOOD);
    await before.remove();
    writeFileSync(join(project.root, shown), EVIL);
    await workspace.lend('DEV-1', 1);
    await workspace.submit('DEV-1', 1, 'nothing');
    const after = await workspace.check(null);
    expect(callsOf()).toContainEqual(expect.stringMatching(call));
    expect(readFileSync(join(after.workdir, folder, 'index.js'), 'utf8')).toContain('anew');
    expect(existsSync(join(after.workdir, '.umpire', 'installing'))).toBe(false);
    // What is installed anew stands for the person's own also where that is switched on in the shell.
    if (folder.endsWith('venv')) expect(originsOf(join(after.workdir, folder))).toEqual([join(project.root, folder)]);
    await after.remove();
  });

  it('installs where the work has another lockfile, once for all folders that it fills', async () => {
    const callsOf = plantManagers('npm');
    const { project, notes, workspace } = await opened({ 'package-lock.json': '{}\n', 'packages/b/b.js': '' });
    writeFiles(project.root, { 'packages/b/node_modules/left/index.js': GOOD });
    const folder = await workspace.lend('DEV-1', 1);
    writeFiles(folder, { 'package-lock.json': '{"lockfileVersion":3}\n' });
    const work = await workspace.submit('DEV-1', 1, 'another version');
    const base = await workspace.check(null);
    const place = await workspace.check(work?.commit ?? null);
    expect([callsOf().length, notes]).toEqual([1, []]);
    expect(existsSync(join(base.workdir, 'node_modules/left/index.js'))).toBe(true);
    expect(readFileSync(join(place.workdir, 'node_modules/index.js'), 'utf8')).toContain('anew');
    await place.restore();
    expect(existsSync(join(place.workdir, 'node_modules/left'))).toBe(false);
    await Promise.all([base.remove(), place.remove()]);
  });

  it.each([
    ['it has no network', 'npm', 'npm failed: exit status 1; output: no network'],
    ['the manager is not on this machine', 'other', 'bun is not installed on this machine'],
  ])("uses the person's unchanged packages where %s, and says so", async (_, manager, why) => {
    plantManagers(manager);
    const [lockfile, files] = manager === 'npm' ? ['package-lock.json', { fails: '' }] : ['bun.lock', {}];
    const { notes, workspace } = await opened({ [lockfile]: '{}\n', ...files });
    const folder = await workspace.lend('DEV-1', 1);
    writeFiles(folder, { [lockfile]: '{"lockfileVersion":3}\n' });
    const work = await workspace.submit('DEV-1', 1, 'another version');
    const place = await workspace.check(work?.commit ?? null);
    expect(notes).toEqual([
      `${lockfile} is another one in the work, and could not be installed (${why}). The check uses your own packages.`,
    ]);
    expect(readFileSync(join(place.workdir, 'node_modules/left/index.js'), 'utf8')).toBe(GOOD);
    await place.remove();
  });
});

describe('packages that do not lie in the checkout', () => {
  const CARGO = `[[package]]\nname = "left"\nversion = "1.0.0"\nsource = "registry+https://example.org/index"\n`;
  const PNP = `"packageLocation": "./",\\\n"packageLocation": "../home/left.zip/node_modules/left/",\\\n"packageLocation": "./.yarn/unplugged/deep/",\\\n`;

  it.each<readonly [string, string, Readonly<Record<string, string>>, string]>([
    ['a crate', 'registry/src/index-1/left-1.0.0/src/lib.rs', { 'Cargo.lock': CARGO }, 'Cargo.lock'],
    ['a Go module', 'pkg/mod/example.org/!left@v1.0.0/left.go', { 'go.sum': 'example.org/Left v1.0.0 h1:abc=\n' }, 'go.sum'],
  ])('%s in the shared cache is watched, and a changed one is refused', async (_, file, files, lockfile) => {
    const home = temporaryFolder();
    for (const [name, value] of [
      ['CARGO_HOME', home],
      ['GOPATH', home],
      ['GOMODCACHE', ''],
    ] as const)
      vi.stubEnv(name, value);
    writeFiles(home, { [file]: GOOD });
    const project = gitProject(files);
    const notes: string[] = [];
    const workspace = await project.open({ say: (note) => notes.push(note) });
    await (await workspace.check(null)).remove();
    await workspace.lend('DEV-1', 1);
    writeFiles(home, { [file]: EVIL, 'registry/src/index-1/other-1.0.0/src/lib.rs': EVIL });
    await workspace.submit('DEV-1', 1, 'nothing');
    expect(notes).toEqual([expect.stringContaining(join(home, file))]);
    await expect(workspace.check(null)).rejects.toMatchObject({
      code: 'packages-changed',
      message: expect.stringContaining(`(${lockfile}), and they cannot be installed anew: they lie in a cache`) as string,
    });
  });

  it("Plug'n'Play finds the same packages from a worktree, and its archives are watched", async () => {
    const project = gitProject({ '.gitignore': '.pnp.cjs\n.yarn\n' });
    writeFiles(project.root, { '.pnp.cjs': PNP, '.yarn/unplugged/deep/index.js': GOOD, '../home/left.zip': 'zip' });
    const notes: string[] = [];
    const workspace = await project.open({ say: (note) => notes.push(note) });
    const folder = await workspace.lend('DEV-1', 1);
    const locations = [...readFileSync(join(folder, '.pnp.cjs'), 'utf8').matchAll(/: "([^"]*)"/g)].map(([, path = '']) =>
      join(folder, path),
    );
    expect(locations).toEqual([
      `${folder}/`,
      `${join(project.root, '../home/left.zip/node_modules/left')}/`,
      `${join(project.root, '.yarn/unplugged/deep')}/`,
    ]);
    writeFiles(project.root, { '../home/left.zip': 'zap' });
    await workspace.submit('DEV-1', 1, 'nothing');
    expect(notes).toEqual([expect.stringContaining('home/left.zip')]);
  });

  it('a store behind links is watched, and what a task adds to one in node_modules stays in its worktree', async () => {
    const store = temporaryFolder();
    const { project, notes } = await opened();
    const modules = join(project.root, 'node_modules');
    writeFiles(store, { 'links/deep/node_modules/deep/index.js': GOOD });
    writeFiles(modules, { '.pnpm/far@1/node_modules/far/index.js': GOOD, '.bun/near@1/node_modules/near/index.js': GOOD });
    symlinkSync(join(store, 'links/deep/node_modules/deep'), join(modules, 'deep'));
    const workspace = await project.open({ session: 'two', say: (note) => notes.push(note) });
    const folder = await workspace.lend('DEV-1', 1);
    writeFiles(folder, { 'node_modules/.pnpm/new@1/node_modules/new/index.js': GOOD });
    await workspace.submit('DEV-1', 1, 'nothing');
    expect(notes).toEqual([]);
    writeFiles(store, { 'links/deep/node_modules/deep/index.js': EVIL });
    writeFiles(modules, { '.bun/near@1/node_modules/near/index.js': EVIL });
    await workspace.submit('DEV-1', 1, 'nothing');
    expect(notes).toEqual([expect.stringMatching(/node_modules\/\.bun\/near@1\/node_modules\/near\/index\.js.*deep\/index\.js/)]);
  });
});

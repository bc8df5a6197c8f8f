// A5: what agents write into the installed packages of the person's checkout is told, and no check uses it.

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { cleanUpAfterwards, gitProject, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { onCommit } from '../critics/clean-check.js';

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

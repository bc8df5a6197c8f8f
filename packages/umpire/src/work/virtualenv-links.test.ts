// A virtual environment of Python in worktrees, with a real Python: its packages are at hand, a package that is installed for editing is
// that of the worktree, and nothing that is installed there reaches the person's own.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import {
  cleanUpAfterwards,
  gitProject,
  ownThings,
  plainProject,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Files, Project } from '../../../../test/support/git-project.js';
import { environmentIn, originsOf } from '../sessions/python-environment.js';
import { hasEditablePackage } from './virtualenv-links.js';

cleanUpAfterwards();
afterEach(() => vi.unstubAllEnvs());

const hasPython = spawnSync('python3', ['-c', 'import venv']).status === 0;

/** Without pip: making one takes a moment, not seconds. Its folder of packages is the answer. */
function makeEnvironment(place: string): string {
  execFileSync('python3', ['-m', 'venv', '--without-pip', place]);
  const [python = ''] = readdirSync(join(place, 'lib'));
  return join(place, 'lib', python, 'site-packages');
}

function ask(folder: string, code: string, program = '.venv/bin/python'): string {
  return execFileSync(program, ['-c', code], { cwd: folder, encoding: 'utf8' }).trim();
}

const SHOP: Files = { 'src/shop/__init__.py': "said = 'committed'\n", 'src/shop/cart.py': "name = 'cart'\n", '.gitignore': '.venv/\n' };

/** As build tools write it where names and folders differ. */
const FINDER = `
import sys
from importlib.machinery import PathFinder, ModuleSpec
from importlib.util import spec_from_file_location
MAPPING = {'store': '/ROOT/src/shop'}
class _EditableFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            return spec_from_file_location(fullname, MAPPING[fullname] + '/__init__.py')
def install():
    if not any(finder == _EditableFinder for finder in sys.meta_path):
        sys.meta_path.append(_EditableFinder)
`;

function shop(ignore = SHOP['.gitignore'] ?? ''): Project & { readonly site: string } {
  const project = gitProject({ ...SHOP, '.gitignore': ignore });
  const site = makeEnvironment(join(project.root, '.venv'));
  writeFiles(site, {
    'left.py': "said = 'left'\n",
    '__editable__.shop-1.0.pth': `${project.root}/src\n`,
    '__editable__.store-1.0.pth': 'import __editable___store_1_0_finder; __editable___store_1_0_finder.install()\n',
    '__editable___store_1_0_finder.py': FINDER.replace('/ROOT', project.root),
  });
  return { ...project, site };
}

describe.skipIf(!hasPython)('a virtual environment (skipped where there is no Python)', () => {
  // The second does not match a link, the third ignores nothing.
  test.each([['.venv\n'], ['.venv/\n'], ['']])('is in every worktree and never committed (.gitignore: %j)', SOAK, async (ignore) => {
    const project = shop(ignore);
    const before = ownThings(project.root);
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    for (const place of [workspace.path, folder]) expect(ask(place, 'import left; print(left.said)')).toBe('left');
    expect(ask(folder, 'import sys; print(sys.prefix)')).toBe(join(folder, '.venv'));
    expect(await workspace.submit('T1', 1, 'nothing')).toBeNull();
    expect(await workspace.sweep()).toEqual([]);
    await workspace.giveBack('T1', 1);
    expect(ownThings(project.root)).toEqual(before);
  });

  test('leads editable packages to the worktree, however they are installed', async () => {
    const project = shop();
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    writeFiles(folder, { 'src/shop/__init__.py': "said = 'of the task'\n" });
    for (const name of ['shop', 'store']) {
      const said = `import ${name}; print(${name}.said, ${name}.__file__)`;
      expect(ask(folder, said)).toBe(`of the task ${folder}/src/shop/__init__.py`);
      expect(ask(project.root, said)).toBe(`committed ${project.root}/src/shop/__init__.py`);
    }
    expect(ask(folder, 'import shop.cart as c; print(c.__file__)')).toBe(join(folder, 'src/shop/cart.py'));
  });

  test('moves relative paths too, but not those that lead elsewhere', SOAK, async () => {
    const project = shop();
    const other = temporaryFolder();
    writeFiles(other, { 'elsewhere.py': "said = 'elsewhere'\n" });
    writeFiles(`${project.root}-2`, { 'near.py': "said = 'near'\n" });
    writeFiles(`${project.root} copy`, { 'copied.py': "said = 'copied'\n" });
    writeFiles(`${project.root}é`, { 'called.py': "said = 'called'\n" });
    writeFiles(project.site, {
      '__editable__.shop-1.0.pth': '../../../../src\n',
      'others.pth': `# a note\n\n${other}\n${project.root}-2\n${project.root} copy\n${project.root}é\n`,
    });
    const folder = await (await project.open()).lend('T1', 1);
    expect(ask(folder, 'import shop, elsewhere, near, copied, called; print(shop.__file__, elsewhere.said, near.said)')).toBe(
      `${folder}/src/shop/__init__.py elsewhere near`,
    );
  });

  test('runs its programs: scripts by their shebang, others unchanged', async () => {
    const project = shop();
    const bin = join(project.root, '.venv/bin');
    writeFileSync(join(bin, 'shop'), `#!${bin}/python3\nimport shop, sys\nprint(shop.__file__, sys.argv[1:])\n`, { mode: 0o755 });
    writeFileSync(join(bin, 'plain'), '#!/bin/sh\necho plain\n', { mode: 0o755 });
    const folder = await (await project.open()).lend('T1', 1);
    expect(execFileSync(join(folder, '.venv/bin/shop'), ['a'], { cwd: folder, encoding: 'utf8' })).toBe(
      `${folder}/src/shop/__init__.py ['a']\n`,
    );
    expect(execFileSync(join(folder, '.venv/bin/plain'), { cwd: folder, encoding: 'utf8' })).toBe('plain\n');
    const active = '. .venv/bin/activate && echo "$VIRTUAL_ENV" && command -v python';
    expect(execFileSync('/bin/sh', ['-c', active], { cwd: folder, encoding: 'utf8' })).toBe(
      `${folder}/.venv\n${folder}/.venv/bin/python\n`,
    );
  });

  test("runs its programs when the worktree's path has a space or is too long for a shebang", SOAK, async () => {
    const project = shop();
    const bin = join(project.root, '.venv/bin');
    const lines = 'import shop, sys\nprint(shop.__file__, sys.flags.isolated, sys.argv[1:])\n';
    writeFileSync(join(bin, 'shop'), `#!${bin}/python3\n${lines}`, { mode: 0o755 });
    writeFileSync(join(bin, 'apart'), `#!${bin}/python3 -I\n${lines}`, { mode: 0o755 });
    for (const name of ['my $work "here"', 'long'.repeat(30)]) {
      const home = join(temporaryFolder(), name, name.includes(' ') ? '' : name);
      const folder = await (await project.open({ home, session: `s-${name.length}` })).lend('T1', 1);
      const run = (script: string) => execFileSync(join(folder, '.venv/bin', script), ['a b'], { cwd: folder, encoding: 'utf8' });
      expect(run('shop')).toBe(`${folder}/src/shop/__init__.py 0 ['a b']\n`);
      expect(run('apart')).toBe(`${folder}/src/shop/__init__.py 1 ['a b']\n`);
    }
  });

  test('keeps manuals, headers and settings that a task installs in the worktree', SOAK, async () => {
    const project = shop();
    writeFiles(join(project.root, '.venv'), { 'share/man/man1/left.1': 'left\n', 'etc/left.json': '{}\n', 'include/site/left.h': '\n' });
    const before = ownThings(project.root);
    const folder = await (await project.open()).lend('T1', 1);
    const own = join(folder, '.venv');
    expect(readFileSync(join(own, 'share/man/man1/left.1'), 'utf8')).toBe('left\n');
    writeFiles(own, { 'share/man/man1/fresh.1': '', 'share/fresh/a': '', 'etc/fresh.json': '', 'include/site/fresh.h': '' });
    expect(ownThings(project.root)).toEqual(before);
  });

  test('is in the worktree when it is active deep in an ignored folder, as with direnv', SOAK, async () => {
    const project = gitProject({ ...SHOP, '.gitignore': '.direnv/\n' });
    const deep = join(project.root, '.direnv/python-3');
    writeFiles(makeEnvironment(deep), { 'editing.pth': `${project.root}/src\n` });
    vi.stubEnv('VIRTUAL_ENV', deep);
    const folder = await (await project.open()).lend('T1', 1);
    const { VIRTUAL_ENV: own = '' } = environmentIn({ PATH: `${deep}/bin`, VIRTUAL_ENV: deep })(folder);
    expect(ask(folder, 'import shop; print(shop.__file__)', join(own, 'bin/python'))).toBe(`${folder}/src/shop/__init__.py`);
  });

  test('does not find a module in the checkout that a task removed', SOAK, async () => {
    const project = shop();
    writeFiles(project.root, { 'src/old.py': '', 'made/other.py': '' });
    writeFiles(project.site, { 'others.pth': `${project.root}/made\n${project.root}/src\n` });
    const folder = await (await project.open()).lend('T1', 1);
    const found = "import importlib.util as u; print([u.find_spec(name) is not None for name in ('shop', 'left', 'old', 'other')])";
    expect(ask(folder, found)).toBe('[True, True, False, True]');
    expect(ask(project.root, found)).toBe('[True, True, True, True]');
  });

  test("keeps a task's installs in the worktree and leaves the person's environment alone", async () => {
    const project = shop();
    const before = readdirSync(project.site);
    const folder = await (await project.open()).lend('T1', 1);
    const purelib = ask(folder, "import sysconfig; print(sysconfig.get_path('purelib'))");
    expect(purelib.startsWith(`${folder}/.venv/`)).toBe(true);
    writeFiles(purelib, { 'fresh.py': "said = 'fresh'\n", 'left.py': "said = 'newer'\n" });
    expect(ask(folder, 'import fresh, left; print(fresh.said, left.said)')).toBe('fresh newer');
    expect(ask(project.root, 'import left; print(left.said)')).toBe('left');
    expect(readdirSync(project.site).filter((name) => name !== '__pycache__')).toEqual(before);
  });

  test('is a plain link when the settings name it', SOAK, async () => {
    const project = shop();
    const folder = await (await project.open({ link: ['.venv'] })).lend('T1', 1);
    expect(realpathSync.native(join(folder, '.venv'))).toBe(join(project.root, '.venv'));
  });

  test('is in worktrees of a folder without git, but not in the snapshot', SOAK, async () => {
    const project = plainProject({ ...SHOP, '.gitignore': '' });
    writeFiles(makeEnvironment(join(project.root, '.venv')), { 'editing.pth': `${project.root}/src\n` });
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    expect(ask(folder, 'import shop; print(shop.__file__)')).toBe(join(folder, 'src/shop/__init__.py'));
    expect(workspace.kind).toBe('snapshot');
    writeFiles(folder, { 'a.txt': 'a\n' });
    expect(await workspace.submit('T1', 1, 'a file')).toMatchObject({ files: ['a.txt'] });
  });

  test("leads programs to the worktree's environment when it is active, also through a link", SOAK, async () => {
    const project = shop();
    const link = join(temporaryFolder(), 'env');
    symlinkSync(join(project.root, '.venv'), link);
    const folder = await (await project.open()).lend('T1', 1);
    mkdirSync(join(folder, 'src/deep/er'), { recursive: true });
    for (const active of [join(project.root, '.venv'), link]) {
      const differing = environmentIn({ PATH: `/nowhere/bin:${active}/bin:/usr/bin:/bin`, VIRTUAL_ENV: active });
      const there = { PATH: `/nowhere/bin:${folder}/.venv/bin:/usr/bin:/bin`, VIRTUAL_ENV: join(folder, '.venv') };
      expect([differing(folder), differing(join(folder, 'src/deep/er'))]).toEqual([there, there]);
      expect([differing(project.root), differing('/')]).toEqual([{}, {}]);
    }
    expect(environmentIn({ PATH: '/usr/bin:/bin' })(folder)).toEqual({});
  });

  test("leads programs to the worktree's environment from any folder of a monorepo", SOAK, async () => {
    const project = gitProject({ 'packages/api/shop.py': '', 'web/a.txt': '', '.gitignore': 'env/\n' });
    const active = join(project.root, 'packages/api/env');
    makeEnvironment(active);
    const folder = await (await project.open()).lend('T1', 1);
    const own = join(folder, 'packages/api/env');
    const differing = environmentIn({ PATH: `${active}/bin:/usr/bin`, VIRTUAL_ENV: active });
    for (const place of ['', 'web', 'packages/api'])
      expect(differing(join(folder, place))).toEqual({ PATH: `${own}/bin:/usr/bin`, VIRTUAL_ENV: own });
    expect(differing(project.root)).toEqual({});
  });

  test('is under .umpire when it lies outside and has the project as an editable package', SOAK, async () => {
    const project = gitProject({ ...SHOP, '.gitignore': '' });
    const outer = join(temporaryFolder(), 'shop-env');
    const site = makeEnvironment(outer);
    writeFiles(site, { 'left.py': "said = 'left'\n" });
    vi.stubEnv('VIRTUAL_ENV', outer);
    expect(hasEditablePackage(project.root, outer)).toBe(false);
    expect(existsSync(join(await (await project.open()).lend('T1', 1), '.umpire'))).toBe(false);
    writeFiles(site, { 'editing.pth': `${project.root}/src\n` });
    const workspace = await project.open();
    const folder = await workspace.lend('T2', 1);
    const { VIRTUAL_ENV: own = '', PATH: path } = environmentIn({ PATH: `${outer}/bin`, VIRTUAL_ENV: outer })(folder);
    expect([own, path]).toEqual([join(folder, '.umpire/venv'), join(folder, '.umpire/venv/bin')]);
    expect(ask(folder, 'import shop, left; print(shop.__file__, left.said)', join(own, 'bin/python'))).toBe(
      `${folder}/src/shop/__init__.py left`,
    );
    expect(await workspace.submit('T2', 1, 'nothing')).toBeNull();
  });

  test('is made again in an existing worktree after the person changed its Python', SOAK, async () => {
    const project = shop();
    const { path } = await project.open();
    writeFiles(join(path, '.venv'), { 'of-before.txt': '' });
    await project.open();
    expect(existsSync(join(path, '.venv/of-before.txt'))).toBe(true);
    const note = join(project.root, '.venv/pyvenv.cfg');
    writeFileSync(note, `${readFileSync(note, 'utf8')}prompt = another\n`);
    rmSync(join(project.root, '.venv/bin/python3'));
    symlinkSync('/bin/true', join(project.root, '.venv/bin/python3'));
    await project.open();
    expect(existsSync(join(path, '.venv/of-before.txt'))).toBe(false);
    expect(realpathSync.native(join(path, '.venv/bin/python3'))).toBe(realpathSync.native('/bin/true'));
    expect(readFileSync(join(path, '.venv/pyvenv.cfg'), 'utf8')).toContain('prompt = another\n');
    expect(existsSync(join(project.root, '.venv/bin/activate'))).toBe(true);
  });

  test('records in a worktree what it was made from', SOAK, async () => {
    const project = shop();
    const folder = await (await project.open()).lend('T1', 1);
    expect(originsOf(join(folder, '.venv'))).toEqual([join(project.root, '.venv')]);
    expect(originsOf(join(project.root, '.venv'))).toEqual([]);
    expect(readFileSync(join(folder, '.venv/pyvenv.cfg'), 'utf8')).toContain('home = ');
  });

  test('is found through the PATH, such as by a shim, and comes first there', SOAK, async () => {
    const project = gitProject({ ...SHOP, '.gitignore': '', 'pyproject.toml': '' });
    const [outer, shims] = [join(temporaryFolder(), 'python'), temporaryFolder()];
    writeFiles(makeEnvironment(outer), { 'editing.pth': `${project.root}/src\n`, 'left.py': "said = 'left'\n" });
    rmSync(join(outer, 'pyvenv.cfg'));
    writeFileSync(join(outer, 'bin/shop'), `#!${outer}/bin/python\nimport shop\nprint(shop.__file__)\n`, { mode: 0o755 });
    const shim = `#!/bin/sh\ncase "$2" in *sys.prefix*) echo ${outer} ;; *) exit 9 ;; esac\n`;
    writeFileSync(join(shims, 'python3'), shim, { mode: 0o755 });
    vi.stubEnv('VIRTUAL_ENV', undefined);
    vi.stubEnv('PATH', `${shims}:${process.env['PATH'] ?? ''}`);
    const folder = await (await project.open()).lend('T1', 1);
    const env = { PATH: `${shims}:/usr/bin:/bin`, ...environmentIn({ PATH: `${shims}:/usr/bin:/bin` })(folder) };
    expect(env).toEqual({ PATH: `${folder}/.umpire/venv/bin:${shims}:/usr/bin:/bin`, VIRTUAL_ENV: join(folder, '.umpire/venv') });
    expect(execFileSync('/bin/sh', ['-c', 'shop'], { cwd: folder, env, encoding: 'utf8' })).toBe(`${folder}/src/shop/__init__.py\n`);
    expect(ask(folder, 'import left; print(left.said)', join(folder, '.umpire/venv/bin/python'))).toBe('left');
  });

  test('ignores an untracked folder that cannot be read', async () => {
    const project = gitProject({ 'a.txt': 'a\n' });
    mkdirSync(join(project.root, 'shut'), { mode: 0 });
    writeFiles(project.root, { 'file.txt': '' });
    expect(existsSync(await (await project.open()).lend('T1', 1))).toBe(true);
    chmodSync(join(project.root, 'shut'), 0o755);
  });

  test("is not taken from a task's work, since its programs would come first in every check", async () => {
    const project = gitProject({ ...SHOP, '.gitignore': '' });
    const outer = join(temporaryFolder(), 'env');
    makeEnvironment(outer);
    const workspace = await project.open();
    const forged = { 'pyvenv.cfg': `home = /usr/bin\numpire-of = ${outer}\n`, 'bin/npm': '#!/bin/sh\n' };
    const files = Object.entries(forged).flatMap(([name, text]) => [
      [`.umpire/venv/${name}`, text],
      [`env/${name}`, text],
    ]);
    const folder = await workspace.lend('T1', 1);
    writeFiles(folder, { ...Object.fromEntries(files), 'provisions.json': '["env", ".umpire/venv"]' });
    const work = await workspace.submit('T1', 1, 'programs of its own');
    await workspace.merge('T1', work!.commit);
    expect(existsSync(join(workspace.path, 'env/bin/npm'))).toBe(true);
    for (const place of [workspace.path, folder, join(workspace.path, 'src')]) {
      expect(environmentIn({ PATH: `${outer}/bin:/bin`, VIRTUAL_ENV: outer })(place)).toEqual({});
      expect(environmentIn({ PATH: '/usr/bin:/bin' })(place)).toEqual({});
    }
  });
});

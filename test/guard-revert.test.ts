// `umpire guard --revert`: what it reverts on disk, what stays, and the patch that it keeps.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CART, TESTS, FILES, WEAKENED, FREE, withMore, jsonOf, places, textIn, guardIn } from './support/guard-shop.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';

cleanUpProjects();

describe('--revert', () => {
  it('reverts findings hunk by hunk, and keeps honest changes and other files', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.test.ts': withMore(WEAKENED), 'src/new.test.ts': FREE });
    const index = project.git('ls-files', '--stage');
    const { exit, out } = await project.umpire('guard', '--revert', '--scope', 'testing');
    const [place = ''] = /\.umpire\/reverted\/\d{8}T\d{6}/.exec(out) ?? [];
    expect({ exit, end: out.replace(place, 'PLACE').split('\n\n').slice(-2).join('\n\n') }).toEqual({
      exit: 0,
      end: 'Reverted\n  src/cart.test.ts: some hunks\n  Your versions are kept in PLACE. If you staged\n  them, stage the reverted files again with git add.\n\n2 breaches in 2 changed files, against HEAD (scope testing). All reverted.\n',
    });
    expect(textIn(project, join(place, 'src/cart.test.ts.kept'))).toBe(withMore(WEAKENED));
    expect([textIn(project, 'src/cart.test.ts'), textIn(project, 'src/new.test.ts')]).toEqual([withMore(TESTS), FREE]);
    expect(project.git('ls-files', '--stage')).toBe(index);
  });

  it('reverts whole files that hold nothing else', async () => {
    const project = makeProject({ files: FILES });
    project.write({
      'src/cart.test.ts': null,
      'src/cart.ts': CART.replace('0.2', '0'),
      'src/focused.test.ts': "import { expect, it } from 'vitest';\nit.only('counts', () => {\n  expect([1].length).toBe(1);\n});\n",
      'src/fine.test.ts': FREE,
    });
    const ran = await guardIn(project, '--revert', '--scope', 'testing', '--json');
    const { reverted, left } = JSON.parse(ran.out) as Record<string, unknown>;
    expect({ exit: ran.exit, reverted, left }).toEqual({
      exit: 0,
      reverted: ['src/cart.test.ts', 'src/cart.ts', 'src/focused.test.ts'].map((file) => ({ file, how: 'file' })),
      left: [],
    });
    expect(project.git('status', '--porcelain')).toBe('?? src/fine.test.ts\n');
  });

  it('keeps source unless only tests may change', async () => {
    const project = makeProject({ files: FILES });
    const mended = CART.replace('0.2', '0.19');
    project.write({ 'src/cart.test.ts': withMore(WEAKENED), 'src/cart.ts': mended });
    expect((await guardIn(project, '--revert')).exit).toBe(0);
    const unskipped = withMore(WEAKENED).replace('it.skip', 'it');
    expect([textIn(project, 'src/cart.test.ts'), textIn(project, 'src/cart.ts')]).toEqual([unskipped, mended]);
    expect((await guardIn(project, '--revert', '--scope', 'testing')).exit).toBe(0);
    expect(textIn(project, 'src/cart.ts')).toBe(CART);
  });

  it('reverts source if the settings permit changes to tests only', async () => {
    const project = makeProject({ files: FILES });
    project.commit({ 'umpire.config.yaml': 'guard: { scope: testing }\n' });
    project.write({ 'src/cart.ts': CART.replace('0.2', '0.19') });
    expect((await guardIn(project, '--revert')).exit).toBe(0);
    expect(textIn(project, 'src/cart.ts')).toBe(CART);
  });

  it('reverts a test too if its checks were in a new file that is deleted', async () => {
    const project = makeProject({ files: FILES });
    project.write({
      'src/cart.test.ts': TESTS.replace("'./cart';", "'./cart';\nimport { nothing } from '../test/nothing';").replace(
        'expect(total([])).toEqual(0)',
        'nothing(total([]))',
      ),
      'test/nothing.ts':
        "import { expect } from 'vitest';\nexpect.extend({ toEqual: () => ({ pass: true, message: () => '' }) });\nexport function nothing(sum: number) {\n  expect(sum).toEqual(0);\n}\n",
    });
    const ran = await guardIn(project, '--revert', '--scope', 'testing', '--json');
    expect({ exit: ran.exit, found: places(jsonOf(ran)) }).toEqual({ exit: 0, found: ['assertions-patched test/nothing.ts:2'] });
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('keeps honest tests of a new file, and the place of a moved file', async () => {
    const project = makeProject({ files: FILES });
    const two = (first: string) =>
      `import { expect, it } from 'vitest';\n${first}it('counts none', () => {\n  expect([].length).toBe(0);\n});\n`;
    const focused = "it.only('counts', () => {\n  expect([1].length).toBe(1);\n});\n";
    project.write({ 'src/cart.test.ts': null, 'src/shop.test.ts': WEAKENED, 'src/new.test.ts': two(focused) });
    const ran = await guardIn(project, '--revert', '--scope', 'testing', '--json');
    const { reverted, left } = JSON.parse(ran.out) as Record<string, unknown>;
    expect({ exit: ran.exit, reverted, left }).toEqual({
      exit: 0,
      reverted: ['src/new.test.ts', 'src/shop.test.ts'].map((file) => ({ file, how: 'hunk' })),
      left: [],
    });
    expect([textIn(project, 'src/new.test.ts'), textIn(project, 'src/shop.test.ts')]).toEqual([two(''), TESTS]);
    expect(project.git('status', '--porcelain')).toBe(' D src/cart.test.ts\n?? src/new.test.ts\n?? src/shop.test.ts\n');
  });

  it('moves a test back that the runner no longer finds', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.test.ts': null, 'src/cart.test.ts.txt': TESTS });
    const { exit, out } = await guardIn(project, '--revert');
    expect({ exit, taken: out.split('\n\n').at(-2)?.split('\n').slice(0, 2) }).toEqual({
      exit: 0,
      taken: ['Reverted', '  src/cart.test.ts.txt: the whole file, renamed back to src/cart.test.ts'],
    });
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('refuses if there is nothing to revert', async () => {
    const project = makeProject({ files: FILES });
    const { exit, err } = await guardIn(project, '--revert');
    expect({ exit, err }).toEqual({
      exit: 1,
      err: 'umpire: Nothing to revert: the changes since HEAD break no rule.\nNo file was changed. See the details: umpire guard\n',
    });
  });
});

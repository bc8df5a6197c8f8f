// What is missing for agents and tests is said before an agent runs.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanUpAfterwards, gitProject, writeFiles } from '../../../../test/support/git-project.js';
import type { Files } from '../../../../test/support/git-project.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { faultNotes } from './project-faults.js';

cleanUpAfterwards();

async function notesOn(files: Files, later: Files = {}, copy: readonly string[] = []): Promise<readonly string[]> {
  const { root } = gitProject({ 'a.txt': 'a\n', ...files });
  writeFiles(root, later);
  return faultNotes(root, { ...DEFAULT_SETTINGS.workspace, copy });
}

it('says nothing of a project that lacks nothing', async () => {
  const tsconfig = '{\n  // words\n  "extends": "./base", /* "x */\n  "compilerOptions": { "paths": { "a//b": ["c",], }, },\n}\n';
  const made = { 'tsconfig.json': tsconfig, 'base.json': '{}', '.env.example': 'A=\n' };
  expect(await notesOn(made, { '.env': 'A=1\n' }, ['.env*'])).toEqual([]);
  // Nothing is installed, so nothing is known of packages.
  expect(await notesOn({ 'tsconfig.json': '{ "extends": "@tsconfig/node20/tsconfig.json" }' })).toEqual([]);
});

it('names submodules that were not fetched', async () => {
  const modules = '[submodule "one"]\n\tpath = vendor/one\n\turl = x\n[submodule "two"]\n\tpath = "vendor/t w o"\n\turl = y\n';
  const fetch = 'Fetch with: git submodule update --init --recursive';
  expect(await notesOn({ '.gitmodules': modules })).toEqual([
    `The submodules vendor/one, vendor/t w o are empty, so agents and tests lack them. ${fetch}`,
  ]);
  const { root } = gitProject({ '.gitmodules': modules });
  mkdirSync(join(root, 'vendor/t w o'), { recursive: true });
  writeFileSync(join(root, 'vendor/t w o/.git'), 'gitdir: x\n');
  expect(await faultNotes(root, DEFAULT_SETTINGS.workspace)).toEqual([
    `The submodule vendor/one is empty, so agents and tests lack it. ${fetch}`,
  ]);
});

it('names environments that worktrees lack, or that nobody made', async () => {
  expect(await notesOn({ '.gitignore': '.env\n', '.env.example': 'A=\n' }, { '.env': 'A=1\n' })).toEqual([
    '.env: not tracked by git, so agents and tests do not see it. If they need it, add to umpire.config.yaml: workspace: { copy: [.env] }',
  ]);
  expect(
    await notesOn({
      '.env.test.sample': 'A=\n',
      'package.json': '{"workspaces":["packages/*"],"scripts":{"test":"node --env-file=.env.test --env-file=\\"conf/x.env\\" --test"}}',
      'packages/a/package.json': '{}',
      'packages/a/.env.example': 'B=\n',
    }),
  ).toEqual([
    '.env.test is missing, which .env.test.sample shows. If tests need it, make it (cp .env.test.sample .env.test), and add to umpire.config.yaml: workspace: { copy: [.env.test] }',
    'conf/x.env is missing, which a script of package.json shows. If tests need it, make it, and add to umpire.config.yaml: workspace: { copy: ["conf/x.env"] }',
    'packages/a/.env is missing, which .env.example shows. If tests need it, make it (cp packages/a/.env.example packages/a/.env), and add to umpire.config.yaml: workspace: { copy: ["packages/a/.env"] }',
  ]);
});

describe('a tsconfig.json', () => {
  const fix = 'Fix it: compilers and test runners stop there.';

  it('must be JSON with comments', async () => {
    expect(await notesOn({ 'tsconfig.json': '{\n  // here\n  "a": 1,\n  "b" 2\n}\n' })).toEqual([
      expect.stringMatching(/^tsconfig\.json:4 cannot be read: .*\. Fix it/),
    ]);
    expect(await notesOn({ 'tsconfig.json': '' })).toEqual([]);
  });

  it('must extend what is there, also in packages and through others', async () => {
    const workspace = { 'package.json': '{"workspaces":["packages/*"]}', 'packages/a/package.json': '{}' };
    expect(await notesOn({ ...workspace, 'packages/a/tsconfig.json': '{ "extends": "../../tsconfig.base.json" }' })).toEqual([
      `packages/a/tsconfig.json extends ../../tsconfig.base.json, which is not there. ${fix}`,
    ]);
    const through = { 'tsconfig.json': '{ "extends": ["./one", "./two.json"] }', 'one.json': '{}', 'two.json': '{ "extends": "./gone" }' };
    expect(await notesOn(through)).toEqual([`two.json extends ./gone, which is not there. ${fix}`]);
    expect(await notesOn({ 'tsconfig.json': '{ "extends": "./one" }', 'one.json': '{ "extends": "./tsconfig" }' })).toEqual([]);
    const installed = {
      'node_modules/@tsconfig/node20/tsconfig.json': '{}',
      'node_modules/exporting/package.json': '{}',
      '.gitignore': 'node_modules\n',
    };
    const extending = (name: string): Files => ({ ...installed, 'tsconfig.json': `{ "extends": "${name}" }` });
    expect(await notesOn(extending('@tsconfig/node20'))).toEqual([]);
    expect(await notesOn(extending('exporting/base'))).toEqual([]);
    expect(await notesOn(extending('@tsconfig/node99/tsconfig.json'))).toEqual([
      `tsconfig.json extends @tsconfig/node99/tsconfig.json, which is not there. ${fix}`,
    ]);
  });
});

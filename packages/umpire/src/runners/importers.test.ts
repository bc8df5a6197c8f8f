import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import type { Files } from '../../../../test/support/git-project.js';
import { findImporters } from './importers.js';

cleanUpAfterwards();

function importersOf(folder: string, files: Files): readonly string[] {
  const root = temporaryFolder();
  writeFiles(root, { '.git/HEAD': 'ref: refs/heads/main\n', ...files });
  return findImporters(join(root, folder));
}

it('finds packages by their names, and those that import them', () => {
  const manifest = (name: string, more: object = {}): string => JSON.stringify({ name, ...more });
  const files = {
    'package.json': '{"workspaces":["packages/*","apps/*"]}',
    'packages/core/package.json': manifest('@shop/core', { dependencies: { '@shop/app': '*' } }),
    'packages/cart/package.json': manifest('@shop/cart', { dependencies: { '@shop/core': 'workspace:*' } }),
    'apps/web/package.json': manifest('@shop/app', { devDependencies: { '@shop/cart': '*' } }),
    'packages/other/package.json': manifest('other', { dependencies: { core: '1' } }),
  };
  expect(importersOf('packages/core', files)).toEqual(['../../apps/web', '../cart']);
  expect(importersOf('packages/cart', files)).toEqual(['../../apps/web', '../core']);
  expect(importersOf('packages/other', files)).toEqual([]);
  // The whole repository measures all of it anyway.
  expect(importersOf('', files)).toEqual([]);
  expect(importersOf('packages/core', { ...files, 'packages/core/package.json': '{' })).toEqual([]);
});

it('finds crates by the paths of their dependencies, or by name through the workspace', () => {
  const crate = (name: string, more: string): string => `[package]\nname = "${name}"\n\n[dependencies]\n${more}\n`;
  const files = {
    'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n\n[workspace.dependencies]\nmy-core = { path = "crates/my-core", version = "1" }\n',
    'crates/my-core/Cargo.toml': crate('my-core', 'serde = "1"'),
    'crates/a/Cargo.toml': crate('a', 'my-core = { path = "../my-core" }'),
    'crates/b/Cargo.toml': crate('b', 'my-core.workspace = true'),
    'crates/c/Cargo.toml': crate('c', 'my_core = { workspace = true, features = ["x"] }'),
    'crates/d/Cargo.toml': crate('d', 'a = { path = "../a" }'),
    'crates/e/Cargo.toml': crate('e', 'my-core-extra = "1"'),
  };
  expect(importersOf('crates/my-core', files)).toEqual(['../a', '../b', '../c', '../d']);
  expect(importersOf('crates/d', files)).toEqual([]);
});

it('finds Go modules that replace it by its folder', () => {
  const files = {
    'lib/go.mod': 'module example.com/lib\n',
    'svc/go.mod': 'module example.com/svc\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ../lib\n',
    'other/go.mod': 'module example.com/other\n\nreplace (\n\texample.com/svc => ../svc\n)\n',
    'far/go.mod': 'module example.com/far\n\nreplace example.com/lib => example.com/fork v1.0.0\n',
  };
  expect(importersOf('lib', files)).toEqual(['../other', '../svc']);
});

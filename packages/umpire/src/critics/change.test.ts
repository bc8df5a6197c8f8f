// The change that a critic looks at: of any size, and never taken for none where git only failed to tell it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, gitProject, plainProject } from '../../../../test/support/git-project.js';
import { findChange } from './change.js';
import { filesNow } from './commit-copy.js';

cleanUpAfterwards();

it('is told whole where git has megabytes to say of it', () => {
  const project = gitProject({ 'a.js': '' });
  const lines = Array.from({ length: 40_000 }, (_, line) => `export const value${line} = 'a line of some length';\n`);
  project.write({ 'a.js': lines.join('') });
  expect(findChange(project.root, null)?.lines.get('a.js')).toEqual([{ from: 1, to: 40_000 }]);
});

it('is none where there is nothing to hold it against', () => {
  expect(findChange(plainProject({ 'a.js': '' }).root, null)).toBeNull();
  expect(findChange(gitProject({ 'a.js': '' }).root, 'nowhere')).toBeNull();
});

it('is an error where git cannot tell it', () => {
  const project = gitProject({ 'a.js': '' });
  project.write({ 'a.js': 'export const a = 1;\n' });
  writeFileSync(join(project.root, '.git', 'index'), 'no index');
  expect(() => findChange(project.root, null)).toThrow(/git/);
  expect(() => filesNow(project.root)).toThrow(/git/);
});

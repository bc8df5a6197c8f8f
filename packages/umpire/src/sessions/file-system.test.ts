// Where paths lead to that are not there yet: what may be written is judged by it.

import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { namesIn, realPath } from './file-system.js';

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-entry-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('follows links to what is not there, and gives up on a circle', () => {
  symlinkSync('/nowhere/at/all', join(folder, 'out'));
  symlinkSync('out', join(folder, 'twice'));
  symlinkSync('b', join(folder, 'a'));
  symlinkSync('a', join(folder, 'b'));
  expect(realPath(join(folder, 'new', 'file'))).toBe(join(folder, 'new', 'file'));
  expect(realPath(join(folder, 'out'))).toBe('/nowhere/at/all');
  expect(realPath(join(folder, 'twice', 'in', 'it'))).toBe('/nowhere/at/all/in/it');
  expect(realPath(join(folder, 'a'))).toMatch(/\/[ab]$/);
  expect([namesIn(folder), namesIn(join(folder, 'none'))]).toEqual([['a', 'b', 'out', 'twice'], []]);
});

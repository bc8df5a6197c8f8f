import { expect, it } from 'vitest';
import { toProjectPath } from './project-path.js';

it.each([
  ['src/a.ts', 'src/a.ts'],
  ['./src//a.ts', 'src/a.ts'],
  ['/project/src/a.ts', 'src/a.ts'],
  ['/project', null],
  ['/projects/a.ts', 'projects/a.ts'],
  ['/etc/passwd', 'etc/passwd'],
  ['../../etc/passwd', 'etc/passwd'],
  ['src/../../../x', 'x'],
  ['C:\\project\\src\\a.ts', 'project/src/a.ts'],
  ['file:///project/src/a%20b.ts', 'src/a b.ts'],
  ['file://localhost/project/a.ts', 'a.ts'],
  ['file:///project/%', '%'],
  ['FILE:a.ts', 'a.ts'],
  [' a.ts ', 'a.ts'],
  ['a\0b', 'ab'],
  ['\0/etc/passwd', 'etc/passwd'],
  ['.\0./.\0./x', 'x'],
  ['file:///%00/etc/x', 'etc/x'],
  ['', null],
  ['.', null],
  ['..', null],
  ['x'.repeat(3000), 'x'.repeat(1000)],
])('%j', (path, expected) => {
  expect(toProjectPath(path, '/project')).toBe(expected);
});

it('knows a root on Windows', () => {
  expect(toProjectPath('C:\\shop\\src\\a.ts', 'C:\\shop')).toBe('src/a.ts');
  expect(toProjectPath('C:/shop/src/a.ts', 'C:\\shop\\')).toBe('src/a.ts');
});

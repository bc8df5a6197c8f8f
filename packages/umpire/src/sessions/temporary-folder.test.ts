import { existsSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { makeScratch } from './temporary-folder.js';

const before = process.env['TMPDIR'];
afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
});

it('makes a folder of its own each time', () => {
  const made = [makeScratch('a'), makeScratch('a')];
  expect([new Set(made).size, ...made.map((place) => existsSync(place))]).toEqual([2, true, true]);
  for (const place of made) rmdirSync(place);
});

it('tells of a place that is not there, by its name', () => {
  process.env['TMPDIR'] = '/nowhere/at/all';
  expect(tmpdir()).toBe('/nowhere/at/all');
  const message = expect.stringContaining('Cannot write the folder for temporary files (TMPDIR=/nowhere/at/all): ') as string;
  expect(() => makeScratch('a')).toThrow(expect.objectContaining({ code: 'write-failed', message }));
});

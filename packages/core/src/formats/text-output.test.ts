// Lines are counted; nothing and bytes are no output.

import { expect, it } from 'vitest';
import { readText } from './text-output.js';

it('counts lines', () => {
  const lines = (text: string) => {
    const result = readText(text);
    return result.ok ? result.reading : result.unreadable.problem;
  };
  expect(lines('a\nb\n')).toEqual({ values: { lines: 2 }, findings: [], lists: {}, notes: [] });
  expect(lines('a\nb')).toMatchObject({ values: { lines: 2 } });
  expect(lines(' ')).toMatch(/it is empty/);
  expect(lines('a\0b')).toMatch(/not text/);
});

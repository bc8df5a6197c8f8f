import { expect, test } from 'vitest';
import { LineFilter } from './line-filter.js';

function filtered(text: string, size: number): string {
  let passed = '';
  const filter = new LineFilter('drop me', (chunk) => (passed += Buffer.from(chunk).toString('utf8')));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) filter.write(bytes.subarray(at, at + size));
  filter.end();
  return passed;
}

test('leaves out lines with the prefix, however the text is chunked', () => {
  for (const size of [1, 3, 7, 1000]) {
    expect(filtered('a\n\ndrop me not\ndrop\nkeep: drop me\ndrop me', size)).toBe('a\n\ndrop\nkeep: drop me\n');
    expect(filtered('drop me\nlast', size)).toBe('last');
  }
});

// Counts the words of README.md and docs/ that people write, and fails above the limit. Not counted: generated pages under
// docs/reference/, what commands print (the tests write it), and files of examples/ that a page quotes.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tools.mjs';

const LIMIT = 20_700;
const FENCE = /^```(\w+)(?: (\S+))?[^\n]*\n([\s\S]*?)^```$/gm;

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const counts = pages.map((page) => ({ page, words: countWords(written(readFileSync(join(root, page), 'utf8'))) }));
const total = counts.reduce((sum, { words }) => sum + words, 0);
const show = (count) => count.toLocaleString('en-US');

for (const { page, words } of counts) console.log(`${show(words).padStart(6)}  ${page}`);
console.log(`${show(total)} of ${show(LIMIT)} words`);
if (total > LIMIT) process.exitCode = 1;

function written(text) {
  return text.replace(FENCE, (block, kind, name, body) => {
    if (kind === 'console') return body.replace(/^(?!\$ ).*$/gm, '');
    return kind === 'text' && name !== undefined ? '' : name?.startsWith('examples/') ? '' : block;
  });
}

function countWords(text) {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

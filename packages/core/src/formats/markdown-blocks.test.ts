// Markdown parsed into sections, lists, tables, paragraphs and fences.

import { describe, expect, test } from 'vitest';
import { parseMarkdown } from './markdown-blocks.js';
import type { MarkdownBlock, ListItem, Section } from './markdown-blocks.js';
import { plainText } from './report-lines.js';

/** The tree as short texts. */
function outline(section: Section): readonly unknown[] {
  return [...section.blocks.map(showBlock), ...section.sections.map((inner) => [`${inner.level} ${inner.title}`, ...outline(inner)])];
}

function showBlock(block: MarkdownBlock): unknown {
  if (block.kind === 'text') return `text ${block.lines.join(' / ')}`;
  if (block.kind === 'fence') return `fence@${block.line} ${block.language}: ${block.text}`;
  if (block.kind === 'table') return { header: block.header, rows: block.rows.map((row) => row.join(' | ')) };
  return block.items.map(showItem);
}

function showItem(item: ListItem): unknown {
  const text = `${item.checked === null ? '' : item.checked ? 'x ' : 'o '}${item.text}${item.details.map((detail) => ` + ${detail}`).join('')}`;
  return item.items.length === 0 ? text : [text, ...item.items.map(showItem)];
}

function check(text: string, expected: readonly unknown[]): void {
  expect(outline(parseMarkdown(text))).toEqual(expected);
}

describe('sections', () => {
  test('headings', () => check('a\n# One #\n## Two\nb\n#\n', ['text a', ['1 One', ['2 Two', 'text b']], ['1 ']]));
  test('underlined', () => check('One\n===\na', [['1 One', 'text a']]));
  test('a rule is no underline', () => check('a\n---\nb\n***\n', ['text a', 'text b']));
  test('bold lines', () =>
    check('**High**\n- a\n**Low:**\nb', [
      ['7 High', ['a']],
      ['7 Low:', 'text b'],
    ]));
  test('bold at the start of a sentence', () => check('**High** is\n**a', ['text **High** is / **a']));
  test('labels', () =>
    check('Issues:\n\n- a\n\n**Others**:\n- b\nc: d\n- e\nDone.\n- f', [
      ['8 Issues:', ['a']],
      ['7 Others', ['b'], 'text c: d', ['e'], 'text Done.', ['f']],
    ]));
  test('a label above a table', () =>
    check('text\nScores\n| a | b |\n|---|---|', ['text text', ['8 Scores', { header: ['a', 'b'], rows: [] }]]));
});

describe('lists', () => {
  test('marks', () => check('- a\n* b\n+ c\n• d\n1. e\n2) f\n-g', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], 'text -g']));
  test('nested', () => check('- a\n  - b\n\t- c\n- d\n', [[['a', ['b', 'c']], 'd']]));
  test('lines that go on', () => check('- a\n  more\n\n  still\n- b\n\nend', [['a + more + still', 'b'], 'text end']));
  test('boxes', () => check('- [x] a\n- [ ] b\n- [HIGH] c', [['x a', 'o b', '[HIGH] c']]));
  test('a fence in it', () => check('- a\n  ```\n  x\n  ```\n- b\n\n  ```\n  y\n  ```', [['a', 'b'], 'fence@3 : x', 'fence@8 : y']));
  test('nesting is bounded', () => {
    const deep = parseMarkdown(Array.from({ length: 60 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'));
    let depth = 0;
    const [block] = deep.blocks;
    for (let items = block?.kind === 'list' ? block.items : []; items.length > 0; items = items.at(-1)?.items ?? []) depth += 1;
    expect(depth).toBeLessThan(25);
  });
});

describe('tables', () => {
  test('with header', () => check('| a | b |\n|:--|--:|\n| 1 | x \\| y |\n| 2 |\n', [{ header: ['a', 'b'], rows: ['1 | x | y', '2 | '] }]));
  test('without outer bars', () => check('a | b\n--|--\n1 | 2', [{ header: ['a', 'b'], rows: ['1 | 2'] }]));
  test('without header', () => check('| a | 1 |\n| b | 2 |', [{ header: [], rows: ['a | 1', 'b | 2'] }]));
  test('a bar in a sentence', () => check('a | b', ['text a | b']));
  test('a table ends a paragraph', () => check('a.\n| b |', ['text a.', { header: [], rows: ['b'] }]));
});

describe('fences', () => {
  test('closed', () => check('```json\n{}\n```\n~~~\n# a\n~~~', ['fence@2 json: {}', 'fence@5 : # a']));
  test('never closed', () => check('```json\n- a', [['a']]));
  test('never closed, after another', () => check('```\na\n```\n```json\n- b', ['fence@2 : a', ['b']]));
  test('around the whole report', () => check('\n```markdown\n# a\n```js\nx\n```\n- b\n```\n', [['1 a', 'fence@5 js: x', ['b']]]));
  test('around the whole report, never closed', () => check('```md\n# a', [['1 a']]));
});

test('comments and quotations', () => {
  check('<!-- a\nb -->\nc\n<!-- d\ne', ['text c / e']);
  check('> - a\n> > b', [['a'], 'text b']);
  check('<details>\n<summary>Critical</summary>\n\n- a\n</details>\n<a', [['8 Critical', ['a'], 'text <a']]);
});

test('marks and line ends', () => {
  check('\uFEFF# a\r\nb\rc', [['1 a', 'text b / c']]);
  expect(['**a** [b](c.md) [d]', 'a](b'].map(plainText)).toEqual(['a b [d]', 'a](b']);
  const places = ['[c.md](d/c.md:7)', '[`c.md`](c.md#L7-L9)', '[here](c.md:7)', '[line 7](c.md#L7)'];
  expect(places.map(plainText)).toEqual(['c.md (d/c.md:7)', '`c.md` (c.md#L7-L9)', 'here (c.md:7)', 'line 7 (c.md#L7)']);
  const others = ['[c.md:7](d/c.md#L7)', '[c.d](https://c.d:80)', '[here](tel:112)', '[here](#L7)', '[High](c.md:7)', '[9.5](c.md:7)'];
  expect(others.map(plainText)).toEqual(['c.md:7', 'c.d', 'here', 'here', 'High', '9.5']);
});

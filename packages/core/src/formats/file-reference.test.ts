// References to files and lines in sentences, and texts that only look like one.

import { describe, expect, test } from 'vitest';
import { parsePath, parseReference } from './file-reference.js';

function check(text: string, artifact: string | null, line: number | null, message = text): void {
  expect(parseReference(text)).toEqual({ artifact, line, message });
}

describe('with a line', () => {
  test.each([
    ['Contrast (tokens.json:12)', 'tokens.json', 12, 'Contrast'],
    ['Contrast (tokens.json:12) is 3.1:1.', 'tokens.json', 12, 'Contrast is 3.1:1.'],
    ['Contrast [tokens.json:12]', 'tokens.json', 12, 'Contrast'],
    ['Contrast (`src/a.ts:12:5`)', 'src/a.ts', 12, 'Contrast'],
    ['See src/a.ts:12-20 for more', 'src/a.ts', 12],
    ['src/a.ts:12 - wrong', 'src/a.ts', 12, 'wrong'],
    ['`a.ts:3` — wrong', 'a.ts', 3, 'wrong'],
    ['wrong — a.ts:3', 'a.ts', 3, 'wrong'],
    ['wrong in a.ts:3', 'a.ts', 3],
    ['**a.ts:3**: wrong', 'a.ts', 3, 'wrong'],
    ['a.ts#L12-L14 is wrong', 'a.ts', 12],
    ['a.ts:L7 is wrong', 'a.ts', 7],
    ['(tokens.json, line 12) is wrong', 'tokens.json', 12, 'is wrong'],
    ['wrong in tokens.json line 12', 'tokens.json', 12],
    ['wrong in tokens.json (line 12)', 'tokens.json', 12],
    ['see `specs/modal.md` lines 12-14', 'specs/modal.md', 12],
    ['C:\\src\\a.ts:4 is wrong', 'C:\\src\\a.ts', 4],
    ['app/[id]/page.tsx:9 is wrong', 'app/[id]/page.tsx', 9],
    ['app/(shop)/page.tsx:9 is wrong', 'app/(shop)/page.tsx', 9],
    ['wrong (src/app/(shop)/(cart)/page.tsx:9)', 'src/app/(shop)/(cart)/page.tsx', 9, 'wrong'],
    ['policy/x.unknown:9 is wrong', 'policy/x.unknown', 9],
    ['Dockerfile:2 is wrong', 'Dockerfile', 2],
    ['wrong at .eslintrc:4', '.eslintrc', 4],
    ['spacing.md:4 is wrong', 'spacing.md', 4],
    ['first a.ts then b.ts:2', 'b.ts', 2],
    ['(a.ts:3)', 'a.ts', 3],
    ['wrong (a.ts:3).', 'a.ts', 3, 'wrong.'],
  ] as const)('%s', check);
});

describe('without a line', () => {
  test.each([
    ['Wrong (tokens.json)', 'tokens.json', null, 'Wrong'],
    ['Wrong in `tokens.json`', 'tokens.json', null],
    ['tokens.json: wrong', 'tokens.json', null, 'wrong'],
    ['Wrong in src/button.css.', 'src/button.css', null],
    ['Copy a.ts to b.ts', 'a.ts', null],
    ['Wrong in b.ts, not (a.ts)', 'a.ts', null, 'Wrong in b.ts, not'],
    ['a.ts:0 is wrong', 'a.ts', null],
    ['.env is committed', '.env', null],
  ] as const)('%s', check);
});

describe('no reference', () => {
  test.each([
    'at 12:30',
    'a ratio of 4.5:1',
    'see https://example.com/a.ts:12',
    'www.example.com/a.html',
    'example.com:8080 is down',
    'localhost:3000 is down',
    'uses Node.js and (Next.js)',
    'token `spacing.md` has no unit',
    'e.g. this',
    'version 1.2.3',
    'no ending. at all',
    'and/or:3',
    `${'x'.repeat(400)}.ts:3`,
    '',
  ])('%s', (text) => check(text, null, null));
});

test('a value that is a path', () => {
  const path = (text: string) => {
    const found = parsePath(text);
    return found === null ? null : `${found.artifact} ${found.line ?? '-'}`;
  };
  expect(['src/a.ts', 'src/my page.tsx:12', 'app/(shop)/page.tsx', ' src/\u00e4 \u00f6.ts '].map(path)).toEqual([
    'src/a.ts -',
    'src/my page.tsx 12',
    'app/(shop)/page.tsx -',
    'src/\u00e4 \u00f6.ts -',
  ]);
  expect(
    ['a.ts', 'In src/a.ts', 'src/a.ts and src/b.ts', 'src/a.ts, src/b.ts', 'the header', 'https://x.org/a.ts', 'src/a.ts (new)'].map(path),
  ).toEqual(Array(7).fill(null));
});

import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { innerTexts, isStarter, listCommands, quoteWord, readShell, splitWords } from './shell-text.js';

/** `NAME=value program argument > redirect`, with the operator before it. */
function show(text: string): readonly string[] {
  return listCommands(text).map(({ operator, env, words, redirects }) =>
    [
      operator,
      ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ...words.map((word) => JSON.stringify(word)),
      ...redirects,
    ]
      .filter((part) => part !== '')
      .join(' '),
  );
}

it.each([
  ['npm test', ['"npm" "test"']],
  ['a && b || c; d | e & f', ['"a"', '&& "b"', '|| "c"', '; "d"', '| "e"', '& "f"']],
  ['a\n\nb # c; d', ['"a"', '; "b"']],
  ['A=1 B="x y" run --x', ['A=1 B=x y "run" "--x"']],
  ['A=1', ['A=1']],
  ['run > log 2>&1 <in', ['"run" > log 2>&1 <in']],
  ['cat<x>y', ['"cat" <x >y']],
  ['a \'b c\' "d \\"e\\" $f" g\\ h', ['"a" "b c" "d \\"e\\" $f" "g h"']],
  ['echo "$(date "+%H") it\'s" `a b`', ['"echo" "$(date \\"+%H\\") it\'s" "`a b`"']],
  ['(a; b) && { c; }', ['"a"', '; "b"', '"c"']],
  ['if [ -z "$CI" ]; then a; else b; fi', ['"[" "-z" "$CI" "]"', '; "a"', '; "b"']],
  ['for x in 1 2; do a $x; done', ['"x" "in" "1" "2"', '; "a" "$x"']],
  ['f() { a; }; f', ['"a"', '; "f"']],
  ['diff <(a b) <(c)', ['"diff" "<(a b)" "<(c)"']],
  ['', []],
])('reads the commands of %j', (text, expected) => {
  expect(show(text)).toEqual(expected);
  expect(readShell(text).unreadFrom).toBeNull();
});

it.each([
  ['a; cat <<X\nb\nX', 3],
  ['a; echo "b', 3],
  ["a && b 'c", 5],
  ['a)', 1],
  ['(a', 2],
  ['a; { b', 6],
  ['a; done', 3],
])('says from where it cannot read %j', (text, from) => {
  expect(readShell(text).unreadFrom).toBe(from);
});

it('goes on behind a line that it cannot read', () => {
  expect(show("a )\nb\ncat <<X\nc 'd'\nX").filter((line) => /"[bcd]"/.test(line))).toEqual(['"b"', '"c" "d"']);
});

it('ends on text that is no shell text', () => {
  expect(listCommands('a)\n'.repeat(1000)).length).toBe(100);
  for (const nested of ['(', '$(', 'a "${', 'f() ', 'if '])
    expect([nested, readShell(nested.repeat(100_000)).unreadFrom]).not.toEqual([nested, null]);
});

it.each([
  ['sh -c "a && b" x', ['a && b']],
  ['npx bash -ec "a"', ['a']],
  ['eval a b', ['a b']],
  ['A=$(a) run "$(b $(c))" `d` <(e)', ['a', 'b $(c)', 'd', 'e']],
  ['run "a b"', []],
])('finds the texts inside %j', (text, expected) => {
  expect(listCommands(text).flatMap(innerTexts)).toEqual(expected);
});

it('splits the words of a command without a shell', () => {
  expect(splitWords('a $B `c` | & ; > "d e"')).toEqual({ words: ['a', '$B', '`c`', '|', '&', ';', '>', 'd e'] });
  expect(splitWords('a "b')).toEqual({ problem: 'a double quote is never closed' });
});

it('tells what only starts another program', () => {
  const starters = ['npx', '@node', '/usr/bin/env', './node_modules/.bin/tsx', 'python3.12', '$(NODE)', '${X}', '!'];
  expect(starters.filter(isStarter)).toEqual(starters);
  expect(['./run', 'tools/node', 'jest', '-x', 'a.py'].filter(isStarter)).toEqual([]);
});

it('quotes and reads any word as a shell does', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', "'", '"', '\\', '$', '`', '(', ';', '\n', '#', '<') }), (word) => {
      expect(listCommands(`run ${quoteWord(word)}`).map(({ words }) => words)).toEqual([['run', word]]);
    }),
    { numRuns: 200 },
  );
  const odd = ` a'b"c$d\\e\nf`;
  expect(spawnSync('/bin/sh', ['-c', `printf %s ${quoteWord(odd)}`]).stdout.toString()).toBe(odd);
});

it('ends on any text', () => {
  const signs = [
    'a',
    ' ',
    "'",
    '"',
    '\\',
    '$',
    '`',
    '(',
    ')',
    '{',
    '}',
    ';',
    '&',
    '|',
    '\n',
    '#',
    '<',
    '>',
    '=',
    'if ',
    ' fi',
    'case ',
    ' esac',
  ];
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...signs), maxLength: 40 }), (text) => listCommands(text).length >= 0));
});

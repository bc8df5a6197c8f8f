import { expect, test } from 'vitest';
import { UmpireError } from '@umpire/core/model/errors.js';
import { splitCommand } from './program-lookup.js';

function check(text: string, expected: readonly string[]): void {
  expect(splitCommand(text)).toEqual(expected);
}

function checkRefused(text: string, detail: string): void {
  let thrown: unknown;
  try {
    splitCommand(text);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UmpireError);
  expect((thrown as UmpireError).message).toBe(`Cannot parse the agent command: ${detail}.`);
}

test('splits words, quotes and backslashes like a shell', () => {
  check('agent', ['agent']);
  check('  agent\t--flag \n x ', ['agent', '--flag', 'x']);
  check('agent "two words" \'and "these"\' a\\ b', ['agent', 'two words', 'and "these"', 'a b']);
  check('agent --x="a b"c \'\' ""', ['agent', '--x=a bc', '', '']);
  check('agent "a \\"b\\" \\\\ \\n" \'\\n\'', ['agent', 'a "b" \\ \\n', '\\n']);
});

test('expands nothing', () => {
  check('agent $HOME `id` $(id) * ~ | & ; > x', ['agent', '$HOME', '`id`', '$(id)', '*', '~', '|', '&', ';', '>', 'x']);
});

test('refuses an incomplete command', () => {
  checkRefused('agent "x', 'a double quote is never closed');
  checkRefused("agent 'x", 'a single quote is never closed');
  checkRefused('agent x\\', 'it ends in a backslash');
  checkRefused('  ', 'it names no program');
  checkRefused('"" x', 'it names no program');
  checkRefused('a\0b', 'it holds a zero byte');
});

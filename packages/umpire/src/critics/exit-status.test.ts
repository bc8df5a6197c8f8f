// Which commands have an exit status that says something, and what to run instead of the others.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readExitStatus } from './command-program.js';

describe('W4: a command whose exit status says nothing', () => {
  it.each([
    ['npm test || true', 'npm test'],
    ['npm test || :', 'npm test'],
    ['npm test || exit 0', 'npm test'],
    ['npm test || echo failed', 'npm test'],
    ['npm test || /bin/true', 'npm test'],
    ['npm test ||\n  true', 'npm test'],
    ['npm test \\\n  || true', 'npm test'],
    ['npm test || true # whatever', 'npm test # whatever'],
    ['npm test || true && echo done', 'npm test && echo done'],
    ['npm test || { echo failed; }', 'npm test'],
    ['npm test || { echo failed; exit 0; }', 'npm test'],
    ['npm test || (echo failed)', 'npm test'],
    ['cd x && npm test || true', 'cd x && npm test'],
    ['npm test || true; true', 'npm test'],
    ['npm test; echo done || exit 1', 'npm test && echo done || exit 1'],
    ['npm test; true', 'npm test'],
    ['npm test;true;', 'npm test;'],
    ['npm test\ntrue\n', 'npm test'],
    ['npm test\n\n# the end\n:', 'npm test'],
    ['npm test; exit 0', 'npm test'],
    ['npm test; echo done', 'npm test && echo done'],
    ['npm test\nprintf "%s\\n" "done; really"', 'npm test && printf "%s\\n" "done; really"'],
    ['npm test; echo a && echo b', 'npm test && echo a && echo b'],
    ['npm test; X=1 echo done 2>&1', 'npm test && X=1 echo done 2>&1'],
    ['npm test > log 2>&1; true > x', 'npm test > log 2>&1'],
    ['npm test & true', 'npm test'],
    ['npm test &', 'npm test'],
    ['npm test &\n', 'npm test'],
    ['npm test &> log', 'npm test'],
    ['(npm test; true)', '(npm test)'],
    ['{ npm test; true; }', '{ npm test; }'],
    ['{ npm test || true; } && echo ok', '{ npm test; } && echo ok'],
    ['cd x || exit 1; npm test; echo done', 'cd x || exit 1; npm test && echo done'],
    ['echo "it\'s $(date "+%H") `date`"; npm test; true', 'echo "it\'s $(date "+%H") `date`"; npm test'],
    ['out=$(npm test); echo "$out"', 'out=$(npm test) && echo "$out"'],
  ])('%j is refused for %j', (command, instead) => {
    const { hidden } = readExitStatus(command);
    expect(hidden?.instead).toBe(instead);
    expect(readExitStatus(instead).hidden).toBeNull();
  });

  it.each([
    'npm test',
    '',
    'true',
    'exit 0',
    'echo ok',
    'echo a; echo b',
    'npm test && echo done',
    'test -f x && echo yes',
    'npm test && { echo a; echo b; }',
    "'a || true'",
    'grep -q "|| true" x',
    'grep -q \\|\\| true',
    'npm test # || true',
    'echo start; npm test',
    'npm test || exit 1',
    'npm test || exit',
    'npm test || { echo failed; exit 7; }',
    'npm test || exit 1; echo done',
    'npm test || { echo failed; exit 1; }; echo done',
    'set -e; npm test; echo done',
    'set -euo pipefail\nnpm test\necho done',
    'if true; then exit; fi',
    'for x in a b; do npm test "$x" || exit 1; done',
    'case $x in a) true;; b) npm test;; esac',
    'f() { npm test; true; }; f',
    'sleep 1 & wait',
    'server & npm test',
    'npm test 2>&1 >&2',
    'npm test >| log',
    'npm test | { grep -v x || true; }',
    'test "$(cat n.txt)" -ge 2 || { echo "only $(cat n.txt)"; exit 7; }',
    "sh -c 'npm test || true'",
    // The scanner cannot tell.
    'cat <<X; true\ntext\nX',
    'npm test; echo "done',
    'npm test); true',
  ])('%j is not refused', (command) => {
    expect(readExitStatus(command).hidden).toBeNull();
  });

  it('says what hides the status', () => {
    const why = (command: string) => readExitStatus(command).hidden?.why;
    expect(why('npm test || true')).toBe('it ends in "|| true"');
    expect(why('npm test; echo  "all done"')).toBe('it ends in "echo "all done"", which always passes');
    expect(why('npm test &')).toBe('it ends in "&", so nothing waits for the command');
    expect(why('npm test &> log')).toBe('"&" runs the command before "> log" in the background');
  });

  it('agrees with the shell: what is refused passes, and its correction fails', () => {
    const forms = [
      'W || true',
      'W || :',
      'W; true',
      'W; echo x',
      'W & true',
      'W &',
      '(W; true)',
      '{ W || true; } && echo',
      'W\n:',
      'W; exit 0',
    ];
    const commands = forms.map((form) => form.replace('W', 'false'));
    const statusOf = (command: string) => spawnSync('/bin/sh', ['-c', command]).status;
    expect(commands.map(statusOf)).toEqual(commands.map(() => 0));
    expect(commands.map((command) => statusOf(readExitStatus(command).hidden?.instead ?? ''))).toEqual(commands.map(() => 1));
  });
});

describe('W4: a pipe', () => {
  it.each([
    ['npm test | tee log', 'npm test'],
    ['npm test 2>&1|tee log | cat && echo ok', 'npm test 2>&1 && echo ok'],
    ['(npm test | tee log)', '(npm test)'],
    ['for x in a; do npm test | cat; done', 'for x in a; do npm test; done'],
    ['npm test |& cat', 'npm test'],
  ])('%j has one; without it: %j', (command, instead) => {
    expect(readExitStatus(command).pipe?.instead).toBe(instead);
  });

  it.each(['npm test || exit 1', 'grep -q "a|b" x', 'a >| b', 'test "$(npm test | tail -1)" = ok', 'x # a | b', 'echo a\\|b'])(
    '%j has none',
    (command) => {
      expect(readExitStatus(command).pipe).toBeNull();
    },
  );
});

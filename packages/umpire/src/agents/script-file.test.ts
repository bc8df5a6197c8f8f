import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UmpireError } from '@umpire/core/model/errors.js';
import { parseScript } from './script-file.js';

function checkRefused(text: string, message: string): void {
  let thrown: unknown;
  try {
    parseScript(text, 'my.yaml');
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UmpireError);
  expect((thrown as UmpireError).message).toBe(`my.yaml${message}.`);
}

test('what is left out has its usual value, and one is the same as a list of one', () => {
  const [answer] = parseScript('answers: [{task: A, round: 2, delete: x, ask: why?, write: {a: b}}]', 'x.yaml').answers;
  expect(answer).toEqual({ task: ['A'], round: [2], after: 0, print: '', write: { a: { text: 'b' } }, delete: ['x'], ask: ['why?'] });
});

test('the examples are scripts', () => {
  const folder = join(import.meta.dirname, '..', '..', '..', '..', 'examples', 'scripts');
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  expect(names).toEqual(['faults.yaml', 'review.yaml']);
  for (const name of names) expect(parseScript(readFileSync(join(folder, name), 'utf8'), name).answers.length).toBeGreaterThan(3);
});

test('a fault is told with its line', () => {
  checkRefused('answers:\n  - task: A\n    reslt: {}', ':3: answers.0.reslt: unknown key');
  checkRefused('answers:\n  - task: A\n    fail: never', ':3: answers.0.fail: expected one of "exit"|"silent"|"invalid"|"hang"');
  checkRefused('answers:\n  - {}\n  - after: soon', ':3: answers.1.after: expected number, received string');
  checkRefused('answers:\n  - fail: exit\n    result: {}', ':2: answers.0.fail: an answer that fails has no result; remove fail or result');
  checkRefused('answers: [', ':1: Flow sequence in block collection must be sufficiently indented and end with a ]');
  checkRefused('answers: []', ':1: answers: Too small: expected array to have >=1 items');
  checkRefused('', ': expected object, received null');
  checkRefused('answers: [{task: A, task: B}]', ':1: Map keys must be unique');
});

test('no path leads out of its folder', () => {
  const why = 'expected a path inside the worktree, or session: and a path inside the session folder';
  for (const path of ['/etc/passwd', '../x', 'a/../../x', 'session:/x', 'session:../x', 'session:', 'a\\\\b'])
    checkRefused(`answers:\n  - delete: ["${path}"]`, `:2: answers.0.delete.0: ${why}`);
  checkRefused('answers:\n  - write:\n      ../x: y', `:3: answers.0.write.../x: ${why}`);
});

import { expect, test } from 'vitest';
import type { FileChange } from '../change.js';
import { guard } from '../guard.js';

const TESTS = "import { expect, it } from 'vitest';\nit('adds', () => {\n  expect(1 + 1).toBe(2);\n});\n";
const PYTHON = 'def test_adds():\n    assert 1 + 1 == 2\n';
const BINARY = { after: '(it is not UTF-8 text, 1a2b 100644)', unread: 'it is not UTF-8 text' };
const LINK = { after: '(it is a link or a submodule, 1a2b 120000)', unread: 'it is a link or a submodule' };
const BROKEN = `${TESTS})(\n`;

function rulesOf(file: FileChange, mustBeRead: boolean): readonly string[] {
  const { findings } = guard({ change: { files: [file] }, scope: 'any', mustBeRead });
  return findings.map(({ rule, message }) => `${rule}: ${message.split(': ')[1] ?? ''}`);
}

test.each<[string, FileChange, string]>([
  ['other bytes', { path: 'a.test.js', before: TESTS, ...BINARY }, 'it is not UTF-8 text'],
  ['other bytes in Python', { path: 'tests/test_a.py', before: PYTHON, ...BINARY }, 'it is not UTF-8 text'],
  ['a link', { path: 'a.test.js', before: TESTS, ...LINK }, 'it is a link or a submodule'],
  ['no code any more', { path: 'a.test.js', before: TESTS, after: BROKEN }, 'Unexpected token'],
  ['moved, and no code any more', { path: 'b.test.js', renamedFrom: 'a.test.js', before: TESTS, after: BROKEN }, 'Unexpected token'],
  ['a new file of other bytes', { path: 'tests/test_b.py', before: null, ...BINARY }, 'it is not UTF-8 text'],
  ['new support that is no code', { path: 'tests/conftest.py', before: null, after: 'def (:\n' }, ''],
])('%s: nobody can say what the tests check', (_name, file, why) => {
  expect(rulesOf(file, true)).toEqual([expect.stringContaining(`test-unread: ${why}`)]);
  expect(rulesOf(file, false)).toEqual([]);
});

test.each<[string, FileChange]>([
  ['a new test that is no code fails by itself', { path: 'a.test.js', before: null, after: BROKEN }],
  ['tests that were no code before', { path: 'a.test.js', before: BROKEN, after: `${BROKEN};` }],
  ['tests that can be read again', { path: 'a.test.js', before: BROKEN, after: TESTS }],
  ['a deleted test is another matter', { path: 'a.test.js', before: BROKEN, after: null }],
  ['source in another dialect', { path: 'src/a.js', before: 'a();\n', after: ')(\n' }],
  ['a fixture', { path: 'test/fixtures/a.js', before: 'a();\n', ...BINARY }],
])('%s: no breach', (_name, file) => {
  expect(rulesOf(file, true).filter((rule) => rule.startsWith('test-unread'))).toEqual([]);
});

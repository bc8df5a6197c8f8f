// Test classes with a `run()` of their own: whether their tests still run.

import { describe, expect, test } from 'vitest';
import { caseOf, rulesAmong, rulesFor } from '../../../../test/support/python-change.js';

const CASE = caseOf('self.assertEqual(total_of([1, 2]), 3)');
const withMember = (text: string) => CASE.replace('    def', `${text.replace(/^(?=.)/gm, '    ')}\n\n    def`);
const run = (body: string) => withMember(`def run(self, result=None):\n${body.replace(/^/gm, '    ')}`);

describe('tests that their class does not run', () => {
  test.each([
    ['run() does nothing', run('pass')],
    ['run() gives back what it was given', run('return result')],
    ['run() says that all is well', run('result.startTest(self)\nresult.addSuccess(self)\nresult.stopTest(self)')],
    ['run() keeps what comes of it to itself', run('super().run(unittest.TestResult())')],
    ['run() lets failures go', run('try:\n    super().debug()\nexcept Exception:\n    pass\nresult.addSuccess(self)')],
    ['run() by a name', withMember('run = lambda self, result=None: None')],
    ['run() after the class', `${CASE}\n\nCartTest.run = lambda self, result=None: None\n`],
    ['__call__()', withMember('def __call__(self, *args, **options):\n    return None')],
    ['what run() calls for the test itself', withMember('def _callTestMethod(self, method):\n    pass')],
    [
      'of a class above',
      `class Quiet:\n    def run(self, result=None):\n        pass\n\n\n${CASE.replace('(unittest', '(Quiet, unittest')}`,
    ],
  ])('%s', (_name, after) => {
    expect(rulesFor(CASE, after)).toContain('test-skipped');
  });

  test.each([
    ['run() under a condition', run('if time.time() > 1:\n    super().run(result)')],
    ['run() after a way out', run('if time.time() > 1:\n    return None\nreturn super().run(result)')],
    ['debug()', withMember('def debug(self):\n    pass')],
  ])('%s', (_name, after) => {
    expect(rulesFor(CASE, after)).toEqual(['test-conditional']);
  });

  test.each([
    ['run() within a block', run('with patch("os.getcwd"):\n    return super().run(result)')],
    ['run() by its full name', run('unittest.TestCase.run(self, result)')],
    ['run() until it is done', run('for _ in range(3):\n    super().run(result)')],
    [
      'run() in either branch',
      run('if time.time() > 1:\n    super().run(result)\nelse:\n    with patch("os.getcwd"):\n        super().run(result)'),
    ],
    ['run() that stops at the first failure', run('if result.failures:\n    return\nsuper().run(result)')],
    ['run() with a result around the result', run('super().run(json.loads(result))')],
    ['run() that hands the real one on', run('asyncio.get_event_loop().run_in_executor(None, super().run, result)')],
    ['run() that calls the test itself', run('getattr(self, self._testMethodName)()')],
    ['__call__() that leads on', withMember('def __call__(self, result=None):\n    time.sleep(0)\n    self.run(result)')],
    ['the method of the test', withMember('def _callTestMethod(self, method):\n    time.sleep(0)\n    method()')],
    ['a helper that is called debug', withMember('def debug(self):\n    print(self)')],
    ['a class that is no test', `class Job:\n    def run(self, result=None):\n        pass\n\n\n${CASE}`],
  ])('%s', (_name, after) => {
    expect(rulesFor(CASE, after)).toEqual([]);
  });

  test('in a file that tests take their class from', () => {
    const base = (body: string) =>
      `import unittest\n\n\nclass Base(unittest.TestCase):\n    def run(self, result=None):\n        ${body}\n`;
    const same = { 'tests/test_cart.py': `from tests.base import Base\n\n\n${CASE.replace('unittest.TestCase', 'Base')}` };
    expect(rulesAmong({ 'tests/base.py': [base('super().run(result)'), base('return result')] }, same)).toEqual(['test-skipped']);
    expect(rulesAmong({ 'tests/base.py': [base('super().run(result)'), base('return super().run(result)')] }, same)).toEqual([]);
  });

  test('a class of pytest may have a method of that name', () => {
    const suite = (more: string) => `class TestCart:\n${more}    def test_a(self):\n        assert total_of([1, 2]) == 3\n`;
    expect(rulesFor(suite(''), suite('    def run(self, value):\n        return value\n\n'))).toEqual([]);
  });
});

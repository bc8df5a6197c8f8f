// Every tool that a critic will use is tried once, before the first round.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import type { CriticSettings } from '../sessions/settings.js';
import { toolLines, tryTools } from './try-tools.js';
import type { TriedTool } from './try-tools.js';

cleanUpAfterwards();
endGuardianAfterwards();

it('V1 names each tool with its version, and says what is wrong with one that is broken', async () => {
  const project = temporaryFolder();
  writeFiles(project, {
    'package.json': '{ "scripts": { "test": "node --test" } }',
    'a.test.js': "require('node:test').test('a', () => {});\n",
    'eslint.config.mjs': 'export default [',
    'knip.json': '{ "entry": 3 }\n',
  });
  symlinkSync(join(import.meta.dirname, '..', '..', '..', '..', 'node_modules'), join(project, 'node_modules'));
  const tried = await tryTools('debt', jobFor(project).job);
  expect(tried).toEqual([
    {
      check: 'lint',
      name: 'eslint',
      version: expect.any(String) as string,
      outcome: 'broken',
      problem: expect.stringContaining('SyntaxError') as string,
    },
    {
      check: 'quality',
      name: 'knip',
      version: expect.any(String) as string,
      outcome: 'broken',
      problem: expect.stringMatching(/^knip left no readable report/) as string,
    },
    { check: 'tests', name: 'node:test', version: null, outcome: 'works', problem: null },
  ]);
});

it('says in a line or two what works, what is broken, and that there is no test runner', () => {
  const tool = (name: string, outcome: TriedTool['outcome'], problem: string | null = null): TriedTool => ({
    check: 'lint',
    name,
    version: '1.2.3',
    outcome,
    problem,
  });
  const settings = DEFAULT_SETTINGS.critics;
  const project = temporaryFolder();
  const job = { project, settings };
  const advice = 'Name the command that runs them, and its report: critics.tests: { command: "make check", report: report.xml }.';
  const noTests = `No tests found, so no test is measured. ${advice} If there are none, set critics.tests: none.`;
  expect(toolLines('review', [tool('eslint', 'works'), tool('tsc', 'broken', 'TS5108.')], job)).toEqual([
    'Checks found: eslint 1.2.3.',
    'tsc 1.2.3 is broken and measures nothing: TS5108.',
    noTests,
  ]);
  const ava = {
    ...tool('ava', 'unsupported', 'The script "test" runs tests with ava, which Umpire cannot measure.'),
    check: 'tests' as const,
  };
  expect(toolLines('until', [ava], job)).toEqual([ava.problem]);
  expect(toolLines('until', [], job)).toEqual([noTests]);
  // The person's own command runs them.
  expect(toolLines('until', [], job, 'pytest -s')).toEqual([]);
  expect(toolLines('until', [], job, 'make deploy')).toEqual([noTests]);
  expect(toolLines('until', [], { project, settings: { ...settings, tests: 'none' } })).toEqual([]);
  expect(toolLines('brainstorm', [], job)).toEqual([]);
});

it('never calls a project without tests where files of tests lie that nothing runs', () => {
  const project = temporaryFolder();
  writeFiles(project, {
    Makefile: 'all:\n\ttrue\ntest: all\n\ttrue\n',
    'spec/cart_spec.lua': '',
    'spec/tax_spec.lua': '',
    'spec/sum_spec.lua': '',
    'lib/cart.lua': '',
    'lib/latest.py': '',
    'vendor/x/a_test.ex': '',
    'tests/data.json': '',
  });
  const linesFor = (loop: string, settings: CriticSettings) => toolLines(loop, [], { project, settings });
  const advice = 'Name the command that runs them, and its report: critics.tests: { command: "make test", report: report.xml }.';
  expect(linesFor('until', DEFAULT_SETTINGS.critics)).toEqual([
    `Not measured: 3 .lua test files (spec/cart_spec.lua, spec/sum_spec.lua and 1 more) that nothing runs. ${advice}`,
  ]);
  expect(linesFor('until', { ...DEFAULT_SETTINGS.critics, tests: { command: 'busted -o TAP' } })).toEqual([]);
});

// The quality tools that a project has, run for real.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import type { Files } from '../../../../test/support/git-project.js';
import type { CriticJob } from './critic.js';
import { findQualityTools } from './quality-tools.js';

cleanUpAfterwards();
endGuardianAfterwards();

const CODE = 'export function pick(n) {\n  if (n === 1) return 1;\n  if (n === 2) return 2;\n  return n > 3 ? 4 : 5;\n}\n';

function projectOf(files: Files): string {
  const project = temporaryFolder();
  writeFiles(project, { '.gitignore': 'node_modules\n', ...files });
  symlinkSync(join(import.meta.dirname, '..', '..', '..', '..', 'node_modules'), join(project, 'node_modules'));
  return project;
}

async function measured(project: string, changes: Partial<CriticJob> = {}) {
  const { job } = jobFor(project, { timeoutMs: 100_000, ...changes });
  const seen: string[] = [];
  for (const tool of findQualityTools(project, 3)) {
    const { measure, use } = await tool.measure(job, temporaryFolder());
    // Known before it is run by the name that its report has.
    expect(tool).toMatchObject({ name: measure.tool, version: expect.stringMatching(/^\d/) as string });
    const findings = measure.findings.map(({ severity, artifact, line, message }) => `${severity} ${artifact}:${line} ${message}`);
    seen.push(
      `${measure.tool} ${measure.outcome} ${use?.exit_status}`,
      ...findings,
      ...(measure.problem === null ? [] : [measure.problem]),
    );
  }
  return seen;
}

it('runs none that the project does not declare', async () => {
  expect(await measured(projectOf({ 'a.js': CODE, 'package.json': '{}' }))).toEqual([]);
  expect(await measured(join(temporaryFolder(), 'nowhere'))).toEqual([]);
});

it('asks oxlint for complexity alone, and leaves out what the project leaves out', async () => {
  const settings = '{ "rules": { "no-debugger": "error" }, "ignorePatterns": ["left/**"] }\n';
  const project = projectOf({ '.oxlintrc.json': settings, 'a.js': `${CODE}debugger;\n`, 'left/b.js': CODE });
  expect(await measured(project)).toEqual([
    'complexity by oxlint fail 0',
    'medium a.js:1 function `pick` has a complexity of 4. Maximum allowed is 3.',
  ]);
});

it('runs what is declared without settings, whatever threshold there is', async () => {
  const manifest =
    '{ "name": "a", "type": "module", "main": "a.js", "devDependencies": { "jscpd": "4", "knip": "6" }, "knip": { "ignoreDependencies": ["jscpd"] } }\n';
  const long = Array.from({ length: 12 }, (_, n) => `export const value${n} = [1, 2, 3].map((each) => each + ${n});`).join('\n');
  const project = projectOf({ 'package.json': manifest, 'a.js': long, 'b.js': long });
  expect(await measured(project)).toEqual([
    'jscpd fail 0',
    'medium a.js:1 12 lines are written again in b.js',
    'knip fail 0',
    'medium b.js:null unused file',
  ]);
});

it('says what broke, and what took too long', async () => {
  const project = projectOf({ 'package.json': '{ "name": "a" }\n', 'knip.json': '{ "entry": 3 }\n' });
  const [how = '', why = ''] = await measured(project);
  expect(how).toMatch(/^knip error [12]$/);
  expect(why).toMatch(/^knip left no readable report \(exit status [12]\)\. Output: /);
  expect(await measured(project, { timeoutMs: 0 })).toEqual(['knip timeout null', 'knip timed out.']);
  const controller = new AbortController();
  controller.abort();
  const watch = { signal: controller.signal, log: () => undefined };
  expect(await measured(project, { watch })).toEqual(['knip error null', 'knip was stopped.']);
});

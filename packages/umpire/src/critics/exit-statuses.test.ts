// A tool that ends by its own fault measured nothing, whatever it printed. Real tools where they are at hand; for the rest small
// programs that end so.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import type { Files } from '../../../../test/support/git-project.js';
import { statusesOf } from './exit-statuses.js';
import { runLintTool } from './lint-run.js';
import type { LintTool } from './lint-run.js';
import { findLintTools } from './lint-tools.js';
import { SOAK } from '../../../../test/support/campaign.js';

cleanUpAfterwards();
endGuardianAfterwards();

const MODULES = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules');

async function ran(files: Files, name: string) {
  const project = temporaryFolder();
  writeFiles(project, files);
  symlinkSync(MODULES, join(project, 'node_modules'));
  const tool = findLintTools(project).find((each) => each.name === name) as LintTool;
  const { outcome, problem, report } = await runLintTool(jobFor(project).job, tool, temporaryFolder(), []);
  return { outcome, problem, findings: report.findings.map(({ artifact, rule }) => `${artifact} ${rule}`) };
}

const TYPED = { 'a.ts': "export const a: number = 'x';\n" };

describe('V1 a tool that dies on its settings is an error', () => {
  it('tsc that reports a removed option has checked no types', async () => {
    const old = '{ "compilerOptions": { "moduleResolution": "node10", "types": [] }, "files": ["a.ts"] }\n';
    expect(await ran({ ...TYPED, 'tsconfig.json': old }, 'tsc')).toEqual({
      outcome: 'error',
      problem: expect.stringMatching(/^tsc cannot use its settings \(exit status \d\): tsconfig\.json:1: TS5108: Option /) as string,
      findings: [],
    });
    const good = '{ "compilerOptions": { "types": [] }, "files": ["a.ts"] }\n';
    expect(await ran({ ...TYPED, 'tsconfig.json': good }, 'tsc')).toEqual({ outcome: 'fail', problem: null, findings: ['a.ts TS2322'] });
  });

  it.each([
    ['tsc', 'TS18003', { ...TYPED, 'tsconfig.json': '{ "include": ["nowhere"] }' }],
    ['tsc', 'TS5023', { ...TYPED, 'tsconfig.json': '{ "compilerOptions": { "nosuch": true, "types": [] }, "files": ["a.ts"] }' }],
    ['tsc', 'TS5083', { ...TYPED, 'tsconfig.json': '{ "extends": "./gone.json", "compilerOptions": { "types": [] }, "files": ["a.ts"] }' }],
    ['tsc', 'TS1005', { ...TYPED, 'tsconfig.json': '{ "compilerOptions": {' }],
    ['tsc', 'TS2688', { ...TYPED, 'tsconfig.json': '{ "compilerOptions": { "types": ["gone"] }, "files": ["a.ts"] }' }],
    ['eslint', 'SyntaxError', { 'a.js': 'x();\n', 'eslint.config.mjs': 'export default [' }],
    ['eslint', 'eslint-plugin-gone', { 'a.js': 'x();\n', 'eslint.config.mjs': 'import x from "eslint-plugin-gone";\nexport default [x];' }],
    ['oxlint', 'Failed to parse', { 'a.js': 'debugger;\n', '.oxlintrc.json': '{ "rules": [' }],
  ])('%s: %s', SOAK, async (name, said, files) => {
    const { outcome, problem } = await ran(files, name);
    expect(outcome).toBe('error');
    expect(problem).toContain(said);
  });
});

/** A program that leaves a clean report and ends with this status. */
function standIn(name: string, status: number, report: string): LintTool {
  const script = `require('node:fs').writeFileSync(process.argv[1], ${JSON.stringify(report)}); console.error('${name}: error: bad settings'); process.exitCode = ${status};`;
  return {
    name,
    kind: 'lint',
    language: 'python',
    version: '1',
    format: name,
    takes: () => true,
    argv: (path) => [process.execPath, '-e', script, path],
    prints: false,
    statuses: statusesOf(name) ?? [],
    isEmptyWhenClean: true,
  };
}

describe('V1 an exit status that a tool does not use for its findings is an error', () => {
  const finding = {
    code: 'F401',
    message: 'unused',
    filename: 'a.py',
    location: { row: 1, column: 1 },
    end_location: { row: 1, column: 2 },
  };

  it.each([
    ['ruff', 1, 'fail'],
    ['ruff', 2, 'error'],
    ['ruff', 101, 'error'],
  ])('%s with %i is %s, although its report can be read', async (name, status, outcome) => {
    const end = await runLintTool(jobFor(temporaryFolder()).job, standIn(name, status, JSON.stringify([finding])), temporaryFolder(), []);
    expect(end.outcome).toBe(outcome);
    if (outcome === 'error') expect(end.problem).toContain(`(exit status ${status})`);
  });

  it('is known for every tool that a critic calls', () => {
    const works = (name: string, ...statuses: readonly number[]) => statuses.map((status) => statusesOf(name)?.includes(status));
    expect(works('eslint', 0, 1, 2)).toEqual([true, true, false]);
    expect(works('mypy', 0, 1, 2)).toEqual([true, true, false]);
    expect(works('pyright', 0, 1, 2, 3, 4)).toEqual([true, true, false, false, false]);
    // A fatal message of pylint: a module was not checked.
    expect(works('pylint', 0, 1, 2, 4, 16, 30, 31, 32)).toEqual([true, false, true, true, true, true, false, false]);
    expect(statusesOf('no-such-tool')).toBe(null);
  });
});

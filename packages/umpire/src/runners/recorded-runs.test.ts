// What runners left behind, recorded on small samples with the real tools: each test by name and status, or why nothing was measured. One file
// a runner in fixtures/runners.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cleanUpAfterwards, temporaryFolder } from '../../../../test/support/git-project.js';
import { ALL_RUNNERS } from './registry.js';
import { measureCall } from './run-tests.js';
import type { ToolRun } from './run-tool.js';
import type { ReportAt } from './runner.js';

cleanUpAfterwards();

interface RecordedRun {
  readonly code: number | null;
  readonly signal?: string;
  readonly report: Omit<ReportAt, 'file'> & { readonly isFolder?: true };
  /** What it wrote, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly printed?: string;
  /** `passed shop > adds`; or the problem. */
  readonly expected: readonly string[] | string;
}

const FIXTURES = join(import.meta.dirname, '../../../../fixtures/runners');

const recorded = readdirSync(FIXTURES).map((file) => {
  const states = parse(readFileSync(join(FIXTURES, file), 'utf8')) as Readonly<Record<string, RecordedRun>>;
  return { runner: file.replace(/\.yaml$/, ''), states: Object.entries(states) };
});

describe.each(recorded)('$runner', ({ runner, states }) => {
  it('is a row of the registry', () => {
    expect(ALL_RUNNERS.map(({ name }) => name)).toContain(runner);
  });

  it.each(states)('%s', (_, { code, signal = null, report: { isFolder, ...report }, files, printed = '', expected }) => {
    const scratch = temporaryFolder();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(scratch, name)), { recursive: true });
      writeFileSync(join(scratch, name), text);
    }
    const use = {
      name: runner,
      version: null,
      command: [],
      workdir: '.',
      started: '',
      ended: '',
      exit_status: code,
      signal,
      timed_out: false,
    };
    const run: ToolRun = { outcome: 'ended', code, signal, problem: null, head: printed, tail: '', use };
    const tests = { ...report, file: isFolder === true ? scratch : join(scratch, Object.keys(files)[0] ?? 'missing') };
    const measured = measureCall(run, { argv: [], env: {}, tests, coverage: null }, { project: '/project', scratch }, runner);
    const got =
      'results' in measured
        ? measured.results.map(({ status, id }) => `${status} ${id}`).toSorted()
        : measured.problem.split(' Output:')[0];
    expect(got).toEqual(expected);
  });
});

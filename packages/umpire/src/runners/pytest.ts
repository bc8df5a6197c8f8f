// pytest: JUnit XML with files and lines, and coverage where pytest-cov is there. It runs with the project's own Python and
// leaves no cache behind.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { pytestCoverage } from './coverage-settings.js';
import type { Prepare, TestPlace } from './runner.js';
import { findPython } from './python-programs.js';
import { runTool } from './run-tool.js';
import type { ToolJob } from './run-tool.js';

const QUESTION = `
import importlib.util, json
has = lambda name: importlib.util.find_spec(name) is not None
import pytest
print(json.dumps({"version": pytest.__version__, "cov": has("pytest_cov"), "benchmark": has("pytest_benchmark")}))
`;

interface Python {
  readonly version: string | null;
  readonly cov: boolean;
  readonly benchmark: boolean;
}

export const preparePytest: Prepare = async (place, job, scratch) => {
  const { folder } = place;
  const program = findPython(folder, job.project);
  const python = await ask(program, place, job, scratch);
  if (python === null) return { absent: 'pytest is not installed for the Python of this project. Install it with `pip install pytest`.' };
  const start = [program, '-m', 'pytest', '-p', 'no:cacheprovider'];
  const settings = pytestCoverage(folder);
  return {
    ready: {
      version: python.version,
      uncovered: python.cov ? null : 'No coverage: run `pip install pytest-cov`.',
      countAllHint: settings.countsAll
        ? null
        : 'Set source in the coverage settings, such as [tool.coverage.run] in pyproject.toml, to count them.',
      listing: { argv: [...start, '--collect-only', '-q'], env: {}, file: null, filesIn },
      patterns: ['**/test_*.py', '**/*_test.py'],
      call: ({ files, others }, at) => {
        const tests = join(at, 'tests.xml');
        const coverage = join(at, 'coverage.info');
        // A run that stops at its first failure, and one that fails for its coverage, is no measurement.
        const reports = [`--junitxml=${tests}`, '-o', 'junit_family=xunit1', '--maxfail=0', '--continue-on-collection-errors'];
        const storage = python.benchmark ? [`--benchmark-storage=file://${join(at, 'benchmarks')}`] : [];
        const measuring = python.cov ? [...(settings.isAsked ? [] : ['--cov']), `--cov-report=lcov:${coverage}`, '--cov-fail-under=0'] : [];
        return {
          argv: [...start, ...reports, ...storage, ...measuring, ...(others.length === 0 ? [] : files)],
          env: { COVERAGE_FILE: join(at, 'coverage.data') },
          tests: { file: tests, format: 'junit', countsFromZero: true },
          coverage: python.cov ? { file: coverage, format: 'lcov' } : null,
        };
      },
    },
  };
};

async function ask(program: string, place: TestPlace, job: ToolJob, scratch: string): Promise<Python | null> {
  const answer = join(scratch, 'python.json');
  const call = { name: 'python', argv: [program, '-c', QUESTION], workdir: place.folder, keepStdout: answer, isQuiet: true };
  const run = await runTool(job, call);
  if (run.outcome !== 'ended' || run.code !== 0) return null;
  try {
    const said: unknown = JSON.parse(readFileSync(answer, 'utf8'));
    if (!isObject(said)) return null;
    const { version, cov, benchmark } = said;
    return { version: typeof version === 'string' ? version : null, cov: cov === true, benchmark: benchmark === true };
  } catch {
    return null;
  }
}

/** `tests/test_a.py::test_b`, with more quiet `tests/test_a.py: 3`, and `ERROR tests/test_c.py` for one that cannot be loaded. */
function filesIn(text: string): readonly string[] | null {
  const files = text.split('\n').flatMap((line) => {
    const broken = /^ERROR (\S+\.py)/.exec(line)?.[1];
    if (broken !== undefined) return [broken];
    const end = line.indexOf('.py::') >= 0 ? line.indexOf('.py::') : /^\S+\.py: \d+$/.test(line) ? line.lastIndexOf('.py: ') : -1;
    return end < 0 || line.startsWith(' ') ? [] : [line.slice(0, end + '.py'.length)];
  });
  return files.length === 0 ? null : [...new Set(files)];
}

// pytest: JUnit XML with files and lines, and coverage where pytest-cov is there. It runs with the project's own Python and
// leaves no cache behind.

import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { namesIn } from '../sessions/file-system.js';
import { findFiles, readText } from './project-files.js';
import { findPython } from './python-programs.js';
import { runTool } from './run-tool.js';
import type { ToolJob } from './run-tool.js';
import { PYTHON_TESTS } from './runner.js';
import type { Runner, TestPlace } from './runner.js';

export const pytest: Runner = {
  name: 'pytest',
  title: 'pytest',
  language: 'python',
  programs: ['pytest', 'py.test'],
  settings: /^(?:\.?pytest\.ini|conftest\.py)$/,
  dependency: null,
  isShownIn: (folder) => {
    const names = namesIn(folder);
    const settings = names.filter((name) => /^(?:pyproject\.toml|setup\.cfg|tox\.ini|requirements[\w.-]*\.txt)$/.test(name));
    if (settings.some((name) => /\bpytest\b/.test(readText(join(folder, name)) ?? ''))) return true;
    const isPython = names.some((name) => name === 'pyproject.toml' || name === 'setup.py' || name === 'setup.cfg');
    return isPython && findFiles(folder, PYTHON_TESTS).length > 0;
  },
  packages: [],
  commands: ['pytest', 'pytest -q', 'python -m pytest', 'python -m pytest -q', 'python3 -m pytest', 'python3 -m pytest -q'],
  testFiles: () => PYTHON_TESTS,
  requestNames: (file) => ({ env: { PYTEST_ADDOPTS: `--junitxml=${file} -o junit_family=xunit1` } }),
  prepare: async (place, job, scratch) => {
    const { folder } = place;
    const program = findPython(folder, job.project);
    const python = await askPython(program, place, job, scratch);
    if (python === null) return { absent: 'pytest is not installed for the Python of this project. Install it with `pip install pytest`.' };
    const start = [program, '-m', 'pytest', '-p', 'no:cacheprovider'];
    const settings = coverageSettings(folder);
    const hint = 'Set source in the coverage settings, such as [tool.coverage.run] in pyproject.toml, to count them.';
    return {
      ready: {
        version: python.version,
        uncovered: python.cov ? null : 'No coverage: run `pip install pytest-cov`.',
        countAllHint: settings.countsAll ? null : hint,
        listing: { argv: [...start, '--collect-only', '-q'], env: {}, file: null, readFiles: readPytestFiles },
        call: ({ files, others, coverage }, at) => {
          const tests = join(at, 'tests.xml');
          const covered = join(at, 'coverage.info');
          // A run that stops at its first failure, and one that fails for its coverage, is no measurement.
          const reports = [`--junitxml=${tests}`, '-o', 'junit_family=xunit1', '--maxfail=0', '--continue-on-collection-errors'];
          const storage = python.benchmark ? [`--benchmark-storage=file://${join(at, 'benchmarks')}`] : [];
          const asked = [...(settings.isAsked ? [] : ['--cov']), `--cov-report=lcov:${covered}`, '--cov-fail-under=0'];
          const measuring = !python.cov ? [] : coverage ? asked : ['--no-cov'];
          return {
            argv: [...start, ...reports, ...storage, ...measuring, ...(others.length === 0 ? [] : files)],
            env: coverage ? { COVERAGE_FILE: join(at, 'coverage.data') } : preferOwnSources(folder, job.project),
            tests: { file: tests, format: 'junit', countsFromZero: true },
            coverage: python.cov && coverage ? { file: covered, format: 'lcov' } : null,
          };
        },
      },
    };
  },
};

/** An environment may have the project installed as a link to another checkout: the sources at hand come first. */
function preferOwnSources(folder: string, project: string): Readonly<Record<string, string>> {
  const folders = [join(folder, 'src'), folder, join(project, 'src'), project].filter((path) => existsSync(path));
  const given = process.env['PYTHONPATH'] ?? '';
  return { PYTHONPATH: [...new Set(folders), ...(given === '' ? [] : [given])].join(delimiter) };
}

const QUESTION = `
import importlib.util, json
has = lambda name: importlib.util.find_spec(name) is not None
import pytest
print(json.dumps({"version": pytest.__version__, "cov": has("pytest_cov"), "benchmark": has("pytest_benchmark")}))
`;

async function askPython(program: string, place: TestPlace, job: ToolJob, scratch: string) {
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
function readPytestFiles(text: string): readonly string[] | null {
  const files = text.split('\n').flatMap((line) => {
    const broken = /^ERROR (\S+\.py)/.exec(line)?.[1];
    if (broken !== undefined) return [broken];
    const end = line.indexOf('.py::') >= 0 ? line.indexOf('.py::') : /^\S+\.py: \d+$/.test(line) ? line.lastIndexOf('.py: ') : -1;
    return end < 0 || line.startsWith(' ') ? [] : [line.slice(0, end + '.py'.length)];
  });
  return files.length === 0 ? null : [...new Set(files)];
}

/**
 * `isAsked`: the settings give `--cov` its source; a bare `--cov` beside it would take that away. `countsAll`: they count files that no test
 * loads.
 */
export function coverageSettings(folder: string): { readonly isAsked: boolean; readonly countsAll: boolean } {
  const texts = ['pytest.ini', '.pytest.ini', 'pyproject.toml', 'tox.ini', 'setup.cfg'].map((name) => readText(join(folder, name)) ?? '');
  const isAsked = texts.some((text) => /^[ \t]*addopts\s*=[^[]*?--cov[= ](?!-)["']?[\w./]/m.test(text) || /["']--cov=[\w./]/.test(text));
  const sections = [...texts, readText(join(folder, '.coveragerc')) ?? ''].flatMap((text, at) => {
    const names = at === texts.length ? ['[run]'] : ['[coverage:run]', '[tool.coverage.run]'];
    return text.split(/^(?=\[)/m).filter((section) => names.some((name) => section.startsWith(name)));
  });
  return { isAsked, countsAll: isAsked || sections.some((section) => /^\s*source(?:_pkgs|_dirs)?\s*=/m.test(section)) };
}

// pytest: JUnit XML with files and lines, and coverage by pytest-cov, else by coverage.py. It runs with the project's own Python and leaves
// no cache behind.

import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { namesIn } from '../sessions/file-system.js';
import { findFiles, readText } from './project-files.js';
import { coverageSettings, measureModule, reportCoverage } from './python-coverage.js';
import { findPython } from './python-programs.js';
import { runTool } from './run-tool.js';
import type { ToolJob } from './run-tool.js';
import { PYTHON_TESTS, setFlag } from './runner.js';
import type { Runner, TestPlace } from './runner.js';

const SETTINGS = /^(?:\.?pytest\.ini|conftest\.py)$/;

export const pytest: Runner = {
  name: 'pytest',
  title: 'pytest',
  language: 'python',
  programs: ['pytest', 'py.test'],
  settings: SETTINGS,
  dependency: null,
  judges: ['conftest.py', 'pytest.ini', '.pytest.ini', 'pyproject.toml', 'setup.cfg', 'tox.ini', '.coveragerc'],
  traps: [{ printed: /collected 0 items|no tests ran/, means: 'pytest collected no test.' }],
  signs: {
    files: ['**/{pytest.ini,pyproject.toml,setup.cfg,tox.ini}'],
    coversInner: () => true,
    isShownIn: showsPytest,
  },
  packages: [],
  commands: ['pytest', 'pytest -q', 'python -m pytest', 'python -m pytest -q', 'python3 -m pytest', 'python3 -m pytest -q'],
  testFiles: () => PYTHON_TESTS,
  requestNames: (file) => ({
    env: { PYTEST_ADDOPTS: `--junitxml=${file} -o junit_family=xunit1` },
    ends: /^(?:=+ )?(?:\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.*|no tests ran) in [\d.]+s/gm,
  }),
  // By pytest-timeout.
  timeLimit: {
    said: /\bTimeout \(?>(\d+(?:\.\d+)? ?s)/,
    allow: (argv, ms) => setFlag(argv, '--timeout', String(ms / 1000)),
  },
  prepare: async (place, job, scratch) => {
    const { folder } = place;
    const program = findPython(folder, job.project);
    const python = await askPython(program, place, job, scratch);
    if (python === null) return { absent: 'pytest is not installed for the Python of this project. Install it with `pip install pytest`.' };
    const plain = ['-p', 'no:cacheprovider'];
    // Measuring makes a suite several times slower, also where the project's own settings ask for it.
    const noCoverage = python.cov === null ? [] : ['--no-cov'];
    const settings = coverageSettings(folder);
    const hint = 'Set source in the coverage settings, such as [tool.coverage.run] in pyproject.toml, to count them.';
    return {
      ready: {
        version: python.version,
        uncovered: python.coverage ? null : 'No coverage: run `pip install pytest-cov`.',
        countAllHint: settings.countsAll ? null : hint,
        countsTestFiles: settings.countsAll,
        listing: {
          argv: [program, '-m', 'pytest', ...plain, '--collect-only', '-q', ...noCoverage],
          env: {},
          file: null,
          readFiles: readPytestFiles,
        },
        list: { call: null, countTests: countPytests },
        call: ({ files, others, coverage }, at) => {
          const tests = join(at, 'tests.xml');
          const isMeasured = coverage && python.coverage;
          const byPlugin = isMeasured && python.cov !== null;
          // pytest-cov writes JSON since 4.1.
          const format = byPlugin && isOlder(python.cov, 4, 1) ? 'cobertura' : 'coverage-py';
          const covered = join(at, `coverage.${format === 'cobertura' ? 'xml' : 'json'}`);
          // A run that stops at its first failure, and one that fails for its coverage, is no measurement.
          const reports = [`--junitxml=${tests}`, '-o', 'junit_family=xunit1', '--maxfail=0', '--continue-on-collection-errors'];
          const storage = python.benchmark ? [`--benchmark-storage=file://${join(at, 'benchmarks')}`] : [];
          const source = settings.isAsked ? [] : ['--cov'];
          const report = `--cov-report=${format === 'cobertura' ? 'xml' : 'json'}:${covered}`;
          const measuring = byPlugin ? [...source, report, '--cov-fail-under=0'] : noCoverage;
          // Workers are processes, which only pytest-cov follows.
          const inProcess = isMeasured && !byPlugin && python.xdist ? ['-n0'] : [];
          const start = isMeasured && !byPlugin ? measureModule(at, covered) : ['-m'];
          const words = [...plain, ...reports, ...storage, ...measuring, ...inProcess];
          return {
            argv: [program, ...start, 'pytest', ...words, ...(others.length === 0 ? [] : files)],
            env: {
              ...preferOwnSources(folder, job.project),
              ...(isMeasured ? { COVERAGE_FILE: join(at, 'coverage.data') } : {}),
            },
            tests: { file: tests, format: 'junit', countsFromZero: true },
            coverage: isMeasured ? reportCoverage(covered, format) : null,
          };
        },
      },
    };
  },
};

/** By its settings, or by tests of its names in a Python project. */
export function showsPytest(folder: string): boolean {
  const names = namesIn(folder);
  if (names.some((name) => SETTINGS.test(name))) return true;
  const settings = names.filter((name) => /^(?:pyproject\.toml|setup\.cfg|tox\.ini|requirements[\w.-]*\.txt)$/.test(name));
  if (settings.some((name) => /\bpytest\b/.test(readText(join(folder, name)) ?? ''))) return true;
  const isPython = names.some((name) => name === 'pyproject.toml' || name === 'setup.py' || name === 'setup.cfg');
  const tests = isPython ? findFiles(folder, PYTHON_TESTS) : [];
  // Tests of unittest alone need no other runner.
  return tests.some((file) => !/^\s*(?:import|from) unittest\b/m.test(readText(join(folder, file)) ?? ''));
}

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
try:
    import pytest_cov
    cov = pytest_cov.__version__
except ImportError:
    cov = None
print(json.dumps({"version": pytest.__version__, "cov": cov, "coverage": has("coverage"), "benchmark": has("pytest_benchmark"), "xdist": has("xdist")}))
`;

async function askPython(program: string, place: TestPlace, job: ToolJob, scratch: string) {
  const answer = join(scratch, 'python.json');
  const call = { name: 'python', argv: [program, '-c', QUESTION], workdir: place.folder, keepStdout: answer, isQuiet: true };
  const run = await runTool(job, call);
  if (run.outcome !== 'ended' || run.code !== 0) return null;
  try {
    const said: unknown = JSON.parse(readFileSync(answer, 'utf8'));
    if (!isObject(said)) return null;
    const { version, cov, coverage, benchmark, xdist } = said;
    return {
      version: typeof version === 'string' ? version : null,
      /** The version of pytest-cov; null without it. */
      cov: typeof cov === 'string' ? cov : null,
      coverage: coverage === true,
      benchmark: benchmark === true,
      xdist: xdist === true,
    };
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

/** With more quiet words, a line has the count of a file. */
function countPytests(text: string): number | null {
  const [, stated] = /^(?:=+ )?(\d+)(?:\/\d+)? tests? collected\b/m.exec(text) ?? [];
  if (stated !== undefined) return Number(stated);
  const lines = text.split('\n').filter((line) => !/^(?:ERROR| )/.test(line));
  const count = lines.reduce((sum, line) => sum + (line.includes('.py::') ? 1 : Number(/^\S+\.py: (\d+)$/.exec(line)?.[1] ?? 0)), 0);
  return count === 0 ? null : count;
}

function isOlder(version: string | null, major: number, minor: number): boolean {
  const [first = 0, second = 0] = (version ?? '').split('.').map(Number);
  return first < major || (first === major && second < minor);
}

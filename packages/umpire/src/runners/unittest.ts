// Python's own unittest, in projects that do not show pytest: run by a program of a few lines, which reports every test with its file and line.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles, readText } from './project-files.js';
import { showsPytest } from './pytest.js';
import { coverageSettings, measureModule, reportCoverage } from './python-coverage.js';
import { findPython } from './python-programs.js';
import type { Runner } from './runner.js';
import { askVersion } from './system-program.js';

const TESTS = ['**/test*.py', '**/*_test.py', '**/tests.py'];
const MARK = /^\s*(?:import|from) unittest\b/m;

export const unittest: Runner = {
  name: 'unittest',
  title: 'unittest',
  language: 'python',
  programs: ['unittest'],
  settings: null,
  dependency: null,
  judges: ['setup.cfg', 'tox.ini', 'pyproject.toml', '.coveragerc'],
  signs: {
    files: ['**/{pyproject.toml,setup.py,setup.cfg}', '{test,tests}/*.py', '*.py'],
    coversInner: () => true,
    isShownIn: (folder) => !showsPytest(folder) && findFiles(folder, TESTS).some((file) => MARK.test(readText(join(folder, file)) ?? '')),
  },
  traps: [{ printed: /^(?:Ran 0 tests|NO TESTS RAN)/m, means: 'unittest found no test in its folders.' }],
  packages: [],
  commands: ['python -m unittest', 'python3 -m unittest', 'python -m unittest discover', 'python3 -m unittest discover'],
  testFiles: () => TESTS,
  testMark: MARK,
  requestNames: (_file, isCalled) => (isCalled ? { words: '-v', isPrinted: true, unless: /^(?:-v|--verbose)$/ } : {}),
  prepare: async (place, job, scratch) => {
    const { folder } = place;
    const program = findPython(folder, job.project);
    const version = await askVersion([program, '--version'], place, job, scratch);
    if (version === null) return { absent: 'Python is not installed here. Install it, or make an environment in .venv.' };
    const canCover = (await askVersion([program, '-m', 'coverage', '--version'], place, job, scratch)) !== null;
    const settings = coverageSettings(folder);
    const hint = 'Set source in the coverage settings, such as [tool.coverage.run] in pyproject.toml, to count them.';
    return {
      ready: {
        version,
        uncovered: canCover ? null : 'No coverage: run `pip install coverage`.',
        countAllHint: settings.countsAll ? null : hint,
        countsTestFiles: settings.countsAll,
        listing: null,
        call: ({ files, coverage }, at) => {
          const [tests, covered, runner] = ['tests.json', 'coverage.json', 'run_tests.py'].map((name) => join(at, name)) as [
            string,
            string,
            string,
          ];
          writeFileSync(runner, PROGRAM);
          const isMeasured = coverage && canCover;
          return {
            argv: [program, ...(isMeasured ? measureModule(at, covered) : []), runner, tests, ...files],
            env: {},
            tests: { file: tests, format: 'jest' },
            coverage: isMeasured ? reportCoverage(covered) : null,
          };
        },
      },
    };
  },
};

/** As Jest's JSON. A module is named from the innermost folder that is no package, as discovery names it. */
const PROGRAM = `
import inspect, json, os, sys, traceback, unittest

report, files = sys.argv[1], sys.argv[2:]
sys.path.insert(0, os.getcwd())
suites = {}


def suite_of(file):
    return suites.setdefault(file, {'name': file, 'status': 'passed', 'message': '', 'assertionResults': []})


class Result(unittest.TextTestResult):
    def keep(self, test, status, message=None):
        kind = type(test)
        title = getattr(test, '_testMethodName', str(test))
        try:
            line = inspect.getsourcelines(getattr(kind, title))[1]
        except Exception:
            line = None
        suite = suite_of(places.get(id(test)) or inspect.getsourcefile(kind) or '')
        if status == 'failed':
            suite['status'] = 'failed'
        suite['assertionResults'].append({
            'ancestorTitles': [kind.__qualname__],
            'title': title,
            'fullName': kind.__qualname__ + ' ' + title,
            'status': status,
            'duration': None,
            'location': None if line is None else {'line': line, 'column': 1},
            'failureMessages': [] if message is None else [message],
        })

    def fault(self, test, message):
        if type(test).__name__ != '_ErrorHolder':
            return self.keep(test, 'failed', message)
        # What a class or a module sets up broke: its tests did not run.
        for file, module in modules.items():
            if module in str(test):
                suite_of(file).update(status='failed', message=message)

    def startTest(self, test):
        super().startTest(test)
        self.subs = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self.keep(test, 'passed')

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.fault(test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.fault(test, self.errors[-1][1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if type(test).__name__ != '_ErrorHolder':
            self.keep(test, 'pending')

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.keep(test, 'passed')

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.keep(test, 'failed', 'It passed, although it is marked as an expected failure.')

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.subs.append(''.join(traceback.format_exception(*err)))

    def stopTest(self, test):
        if self.subs:
            self.keep(test, 'failed', '\\n'.join(self.subs))
            self.subs = []
        super().stopTest(test)


places = {}


def each(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


kept = []
modules = {}
whole = unittest.TestSuite()
loader = unittest.TestLoader()
for file in files:
    top = os.path.dirname(os.path.abspath(file))
    while os.path.exists(os.path.join(top, '__init__.py')):
        top = os.path.dirname(top)
    if top not in sys.path:
        sys.path.insert(0, top)
    module = os.path.splitext(os.path.relpath(file, top))[0].replace(os.sep, '.')
    modules[os.path.abspath(file)] = module
    try:
        __import__(module)
    except unittest.SkipTest:
        continue
    except BaseException:
        suite_of(os.path.abspath(file)).update(status='failed', message=traceback.format_exc())
        continue
    tests = loader.loadTestsFromModule(sys.modules[module])
    for test in each(tests):
        kept.append(test)
        places[id(test)] = os.path.abspath(file)
    whole.addTest(tests)

result = unittest.TextTestRunner(resultclass=Result, verbosity=2).run(whole)
all_tests = [test for suite in suites.values() for test in suite['assertionResults']]
count = lambda status: len([test for test in all_tests if test['status'] == status])
good = result.wasSuccessful() and all(suite['status'] == 'passed' for suite in suites.values())
with open(report, 'w') as out:
    json.dump({
        'numTotalTests': len(all_tests),
        'numPassedTests': count('passed'),
        'numFailedTests': count('failed'),
        'numPendingTests': count('pending'),
        'success': good,
        'testResults': list(suites.values()),
    }, out)
sys.exit(0 if good else 1)
`;

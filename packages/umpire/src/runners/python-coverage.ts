// How coverage of Python is measured: what the project's settings of coverage.py say, and a program that runs a module of tests under
// coverage.py itself, for projects without a plug-in of their runner. The report is its JSON: lcov counts docstrings too.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from './project-files.js';
import type { ReportAt } from './runner.js';

/** Where branches were measured, the total that coverage.py prints counts them together with lines. */
export function reportCoverage(file: string, format = 'coverage-py'): ReportAt {
  return { file, format, counts: ['lines', 'branches'] };
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

const PROGRAM = `
import glob, runpy, sys
import coverage

data, report, module = sys.argv[1:4]
sys.argv = sys.argv[3:]
sys.path[0] = ''
measured = coverage.Coverage(data_file=data)
measured.start()
status = 0
try:
    if module.endswith('.py'):
        runpy.run_path(module, run_name='__main__')
    else:
        runpy.run_module(module, run_name='__main__', alter_sys=True)
except SystemExit as end:
    status = end.code
finally:
    measured.stop()
    measured.save()
    whole = coverage.Coverage(data_file=data)
    # Processes that the tests started leave data of their own.
    if glob.glob(data + '.*'):
        whole.combine()
    else:
        whole.load()
    try:
        whole.json_report(outfile=report, ignore_errors=True)
    except coverage.CoverageException as fault:
        if 'No data' not in str(fault):
            raise
        with open(report, 'w') as file:
            file.write('{}')
sys.exit(status)
`;

/** Words for Python behind which stand a module, or a program, and its words. `scratch`: a folder outside the project. */
export function measureModule(scratch: string, report: string): readonly string[] {
  const program = join(scratch, 'measure.py');
  writeFileSync(program, PROGRAM);
  return [program, join(scratch, 'coverage.data'), report];
}

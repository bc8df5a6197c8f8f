// Mocha: its JSON report beside what people read, by a reporter of a few lines that starts both; coverage by c8 or nyc around it,
// where the project has one.

import { writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { wrapperSettings } from './coverage-settings.js';
import { keepWords } from './package-scripts.js';
import type { ScriptCall } from './package-scripts.js';
import { JS_TESTS } from './runner.js';
import type { Prepare } from './runner.js';
import { findPackage, findTool } from './run-tool.js';

const WITH_VALUE =
  '-r --require --import --loader --experimental-loader --config --package --extension -t --timeout -u --ui --spec --file --ignore --exclude -C --conditions -g --grep -f --fgrep --retries --global --globals'.split(
    ' ',
  );
const PLAIN =
  '--recursive --exit --check-leaks --async-only -A --sort --parallel --enable-source-maps --allow-uncaught --full-trace -i --invert'.split(
    ' ',
  );
/** Flags about output and speed: left out, with their values. */
const DROPPED = '-R --reporter -O --reporter-option --reporter-options -s --slow -j --jobs --watch-files --watch-ignore'.split(' ');
/** What it runs by itself, where it cannot list its files: it is older than 9, or one of them cannot be loaded. */
const USUAL = ['test.{js,cjs,mjs}', 'test/*.{js,cjs,mjs}'];

export const prepareMocha: Prepare = ({ folder, script }, _job, scratch) => {
  const tool = findTool(folder, 'mocha');
  const mocha = findPackage(folder, 'mocha');
  if (tool === null || mocha === null)
    return { absent: 'Mocha is not installed here. Install the packages of the project with `npm install`.' };
  const { flags, others: specs } = keepWords(script?.args ?? [], WITH_VALUE, PLAIN, DROPPED);
  const own = [...flags, ...specs.filter((word) => word !== 'run')];
  const start = [process.execPath, ...(script?.nodeArgs ?? []), tool.bin];
  const env = script?.env ?? {};
  const listed = join(scratch, 'files.json');
  const covers = coverageTool(folder, script);
  return {
    ready: {
      version: tool.version,
      uncovered: covers === null ? 'No coverage: run `npm install --save-dev c8`.' : null,
      countAllHint: covers?.countAllHint ?? null,
      listing: {
        argv: [...start, ...own, '--dry-run', '--reporter', 'json', '--reporter-option', `output=${listed}`],
        env,
        file: listed,
        filesIn,
      },
      patterns: specs.length > 0 ? [...JS_TESTS, ...specs.map(patternOf)] : [...JS_TESTS, ...USUAL],
      call: ({ others }, place) => {
        const tests = join(place, 'tests.json');
        const reporter = join(place, 'reporter.cjs');
        writeFileSync(reporter, reporterText(mocha.folder, tests));
        // Files named here would only be added to those of the configuration: what is not wanted has to be left out.
        const left = others.flatMap((file) => ignored(relative(folder, file).split(sep).join('/')));
        return {
          argv: [...(covers?.argv(place) ?? []), ...start, ...own, '--reporter', reporter, '--no-bail', '--forbid-only', ...left],
          env,
          tests: { file: tests, format: 'mocha' },
          coverage: covers === null ? null : { file: join(place, 'coverage', 'coverage-final.json'), format: 'istanbul' },
        };
      },
    },
  };
};

/** A folder stands for the files in it. */
function patternOf(spec: string): string {
  const plain = spec.replace(/^\.\//, '').replace(/\/+$/, '');
  return /[*.]/.test(plain) ? plain : `${plain}/**/*.{js,cjs,mjs,ts,cts,mts}`;
}

/** Mocha compares names as its patterns write them. */
function ignored(path: string): readonly string[] {
  return ['--ignore', path, '--ignore', `./${path}`];
}

interface CoverageTool {
  readonly argv: (scratch: string) => readonly string[];
  readonly countAllHint: string | null;
}

function coverageTool(folder: string, script: ScriptCall | null): CoverageTool | null {
  const c8 = findTool(folder, 'c8');
  const nyc = c8 === null ? findTool(folder, 'nyc') : null;
  const tool = c8 ?? nyc;
  if (tool === null) return null;
  const { flags, countsAll } = wrapperSettings(folder, c8 === null ? 'nyc' : 'c8', script?.wrapperArgs ?? []);
  const start = [process.execPath, tool.bin, ...flags, '--check-coverage=false', '--reporter=json'];
  const rc = c8 === null ? '.nycrc.json' : '.c8rc.json';
  return {
    argv: (scratch) => {
      const [reports, raw] = [join(scratch, 'coverage'), join(scratch, 'raw')];
      return c8 === null
        ? [...start, '--cache=false', `--report-dir=${reports}`, `--temp-dir=${raw}`]
        : [...start, `--reports-dir=${reports}`, `--temp-directory=${raw}`];
    },
    countAllHint: countsAll ? null : `Set "all" and "include" in ${rc} to count them.`,
  };
}

function reporterText(mocha: string, output: string): string {
  return `const { reporters } = require(${JSON.stringify(mocha)});
module.exports = class {
  constructor(runner, options) {
    new reporters.Spec(runner, options);
    new reporters.JSON(runner, { ...options, reporterOption: { output: ${JSON.stringify(output)} }, reporterOptions: { output: ${JSON.stringify(output)} } });
  }
};
`;
}

function filesIn(text: string): readonly string[] | null {
  try {
    const report: unknown = JSON.parse(text);
    if (!isObject(report) || !Array.isArray(report['tests'])) return null;
    return [
      ...new Set(report['tests'].flatMap((test: unknown) => (isObject(test) && typeof test['file'] === 'string' ? [test['file']] : []))),
    ];
  } catch {
    return null;
  }
}

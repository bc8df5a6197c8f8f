// Mocha: its JSON report beside what people read, by a reporter of a few lines that starts both; coverage by c8 or nyc around it,
// where the project has one.

import { writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { isStarter, listCommands, programName } from '@umpire/core/formats/shell-text.js';
import { findPackage, findTool, readManifest } from './run-tool.js';
import { hasFlag, JS_TESTS, keepFlags, readSettingsText } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';

const FLAGS: KnownFlags = {
  withValue:
    '-r --require --import --loader --experimental-loader --config --package --extension -t --timeout -u --ui --spec --file --ignore --exclude -C --conditions -g --grep -f --fgrep --retries --global --globals'.split(
      ' ',
    ),
  plain:
    '--recursive --exit --check-leaks --async-only -A --sort --parallel --enable-source-maps --allow-uncaught --full-trace -i --invert'.split(
      ' ',
    ),
  // About output and speed.
  dropped: '-R --reporter -O --reporter-option --reporter-options -s --slow -j --jobs --watch-files --watch-ignore'.split(' '),
};

const PROGRAMS = ['mocha', 'mocha.js', '_mocha'];

export const mocha: Runner = {
  name: 'mocha',
  title: 'mocha',
  language: 'script',
  programs: PROGRAMS,
  settings: /^\.mocharc\.(?:[cm]?js|jsonc?|ya?ml)$/,
  dependency: 'mocha',
  packages: ['mocha', 'c8', 'nyc'],
  commands: ['npx mocha'],
  testFiles: ({ script }) => {
    const { others: specs } = keepFlags(script?.args ?? [], FLAGS);
    // What it runs by itself, where it cannot list its files: it is older than 9, or one of them cannot be loaded.
    if (specs.length === 0) return [...JS_TESTS, 'test.{js,cjs,mjs}', 'test/*.{js,cjs,mjs}'];
    const plain = specs.map((spec) => spec.replace(/^\.\//, '').replace(/\/+$/, ''));
    return [...JS_TESTS, ...plain.map((spec) => (/[*.]/.test(spec) ? spec : `${spec}/**/*.{js,cjs,mjs,ts,cts,mts}`))];
  },
  requestNames: (file, isCalled) => (isCalled ? { words: `--reporter json --reporter-option output=${file}` } : {}),
  stopsAtBrokenFile: true,
  prepare: ({ folder, script }, _job, scratch) => {
    const tool = findTool(folder, 'mocha');
    const installed = findPackage(folder, 'mocha');
    if (tool === null || installed === null)
      return { absent: 'Mocha is not installed here. Install the packages of the project with `npm install`.' };
    const { flags, others: specs } = keepFlags(script?.args ?? [], FLAGS);
    const own = [...flags, ...specs.filter((word) => word !== 'run')];
    const start = [process.execPath, ...(script?.nodeArgs ?? []), tool.bin];
    const env = script?.env ?? {};
    const listed = join(scratch, 'files.json');
    const wrapper = findTool(folder, 'c8') === null ? 'nyc' : 'c8';
    const coverer = findTool(folder, wrapper);
    const wrapping = wrapperSettings(folder, wrapper, script?.wrapperArgs ?? []);
    const hint = `Set "all" and "include" in ${wrapper === 'nyc' ? '.nycrc.json' : '.c8rc.json'} to count them.`;
    return {
      ready: {
        version: tool.version,
        uncovered: coverer === null ? 'No coverage: run `npm install --save-dev c8`.' : null,
        countAllHint: coverer === null || wrapping.countsAll ? null : hint,
        listing: {
          argv: [...start, ...own, '--dry-run', '--reporter', 'json', '--reporter-option', `output=${listed}`],
          env,
          file: listed,
          readFiles: readMochaFiles,
        },
        call: ({ others, coverage }, place) => {
          const tests = join(place, 'tests.json');
          const reporter = join(place, 'reporter.cjs');
          const options = `{ output: ${JSON.stringify(tests)} }`;
          writeFileSync(
            reporter,
            `const { reporters } = require(${JSON.stringify(installed.folder)});
module.exports = class {
  constructor(runner, options) {
    new reporters.Spec(runner, options);
    new reporters.JSON(runner, { ...options, reporterOption: ${options}, reporterOptions: ${options} });
  }
};
`,
          );
          const [covered, raw] = [join(place, 'coverage'), join(place, 'raw')];
          const folders =
            wrapper === 'nyc'
              ? ['--cache=false', `--report-dir=${covered}`, `--temp-dir=${raw}`]
              : [`--reports-dir=${covered}`, `--temp-directory=${raw}`];
          const measuring =
            coverage && coverer !== null
              ? [process.execPath, coverer.bin, ...wrapping.flags, '--check-coverage=false', '--reporter=json', ...folders]
              : [];
          // Files named here would only be added to those of the configuration: what is not wanted has to be left out, as patterns write it.
          const left = others.flatMap((file) => {
            const path = relative(folder, file).split(sep).join('/');
            return ['--ignore', path, '--ignore', `./${path}`];
          });
          return {
            argv: [...measuring, ...start, ...own, '--reporter', reporter, '--no-bail', '--forbid-only', ...left],
            env,
            tests: { file: tests, format: 'mocha' },
            coverage: measuring.length === 0 ? null : { file: join(covered, 'coverage-final.json'), format: 'istanbul' },
          };
        },
      },
    };
  },
};

const WRAPPER_FLAGS: KnownFlags = {
  withValue: '-n --include -x --exclude --src -e --extension -c --config --nycrc-path --exclude-node-modules'.split(' '),
  plain: ['-a', '--all', '--exclude-after-remap', '--allowExternal'],
};

/**
 * What the project tells c8 or nyc, and whether that counts files that no test loads. `args`: of the test script; else the first script
 * that calls the tool tells, such as one for coverage alone.
 */
export function wrapperSettings(
  folder: string,
  tool: 'c8' | 'nyc',
  args: readonly string[],
): { readonly flags: readonly string[]; readonly countsAll: boolean } {
  const manifest = readManifest(folder) ?? {};
  const { scripts, [tool]: own } = manifest;
  const texts = isObject(scripts) ? Object.values(scripts).filter((text) => typeof text === 'string') : [];
  const calls = texts.flatMap(listCommands).flatMap(({ words }) => {
    const at = words.findIndex((word) => programName(word) === tool);
    return at < 0 ? [] : [words.slice(at + 1)];
  });
  const said = args.length > 0 ? args : (calls[0] ?? []);
  // The words up to the program that it starts.
  const end = said.findIndex((word) => isStarter(word) || PROGRAMS.includes(programName(word)));
  const { flags } = keepFlags(end < 0 ? said : said.slice(0, end), WRAPPER_FLAGS);
  const files = tool === 'c8' ? /^(?:\.c8rc|\.nycrc)(?:\.json)?$/ : /^(?:\.nycrc(?:\.json|\.ya?ml)?|nyc\.config\.[cm]?js)$/;
  const text = `${readSettingsText(folder, files, [])}\n${isObject(own) ? JSON.stringify(own) : ''}`;
  if (flags.includes('--all') || flags.includes('-a') || /\ball['"]?\s*:\s*true\b/.test(text)) return { flags, countsAll: true };
  const names = ['-n', '--include', '--src'].some((name) => hasFlag(flags, name)) || /\b(?:include|src)['"]?\s*:/.test(text);
  // The project says which files its figure is about.
  if (names && !/\ball['"]?\s*:\s*false\b/.test(text)) return { flags: [...flags, '--all'], countsAll: true };
  return { flags, countsAll: false };
}

function readMochaFiles(text: string): readonly string[] | null {
  try {
    const report: unknown = JSON.parse(text);
    if (!isObject(report) || !Array.isArray(report['tests'])) return null;
    const files = report['tests'].flatMap((test: unknown) => (isObject(test) && typeof test['file'] === 'string' ? [test['file']] : []));
    return [...new Set(files)];
  } catch {
    return null;
  }
}

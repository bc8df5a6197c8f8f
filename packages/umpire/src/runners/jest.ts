// Jest: its JSON report, and its own coverage in Istanbul's form. Thresholds and reporters that write files are off.

import { join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { findTool, readManifest } from './run-tool.js';
import { findJsonList, hasFlag, JS_TESTS, keepFlags, readSettingsText, setFlag } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';

const FLAGS: KnownFlags = {
  withValue: '-c --config --rootDir --roots --env --testEnvironment --preset --maxWorkers -w --testTimeout --collectCoverageFrom'.split(
    ' ',
  ),
  plain: ['-i', '--runInBand', '--injectGlobals', '--forceExit'],
};
const SETTINGS = /^jest\.config\.(?:[cm]?[jt]s|json)$/;

export const jest: Runner = {
  name: 'jest',
  title: 'jest',
  language: 'script',
  programs: ['jest', 'jest.js'],
  settings: SETTINGS,
  dependency: 'jest',
  judges: ['jest.config.*', 'jest.setup.*', 'setupTests.*', '__mocks__/**', 'package.json', 'babel.config.*', '.babelrc'],
  traps: [{ printed: /No tests found/, means: 'Jest found no test that its patterns take.' }],
  namesProjects: (folder) => {
    const own = readManifest(folder)?.['jest'];
    return (isObject(own) && Object.hasOwn(own, 'projects')) || /\b(?:projects|workspace)\b/.test(readSettingsText(folder, SETTINGS, []));
  },
  watches: { flags: ['--watch', '--watchAll'] },
  packages: ['jest'],
  commands: ['npx jest', 'npx jest --coverage'],
  testFiles: () => JS_TESTS,
  requestNames: (file, isCalled) => (isCalled ? { words: `--json --outputFile=${file}`, unless: /^--(?:json|outputFile)\b/ } : {}),
  skipsUnfocused: true,
  timeLimit: {
    said: /\bExceeded timeout of (\d+ ?ms)/,
    allow: (argv, ms) => setFlag(argv, '--testTimeout', String(ms)),
  },
  prepare: ({ folder, script }) => {
    const tool = findTool(folder, 'jest');
    if (tool === null) return { absent: 'Jest is not installed here. Install the packages of the project with `npm install`.' };
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    const start = [process.execPath, ...(script?.nodeArgs ?? []), tool.bin, ...flags];
    const env = script?.env ?? {};
    const hint = 'Set collectCoverageFrom in the Jest configuration to count them.';
    return {
      ready: {
        version: tool.version,
        uncovered: null,
        countAllHint: countsAllFiles(folder, script?.args ?? []) ? null : hint,
        listing: {
          argv: [...start, '--listTests', '--json'],
          env,
          file: null,
          readFiles: (text) => findJsonList(text)?.filter((file) => typeof file === 'string') ?? null,
        },
        call: ({ files, others, coverage }, scratch) => {
          const tests = join(scratch, 'tests.json');
          const covered = join(scratch, 'coverage');
          const reports = ['--ci', '--json', `--outputFile=${tests}`, '--watchAll=false', '--bail=0', '--reporters=default'];
          const measuring = coverage
            ? ['--coverage', '--coverageReporters=json', `--coverageDirectory=${covered}`, '--coverageThreshold={}']
            : ['--coverage=false'];
          return {
            argv: [...start, ...reports, ...measuring, ...(others.length === 0 ? [] : ['--runTestsByPath', ...files])],
            env,
            tests: { file: tests, format: 'jest' },
            coverage: coverage ? { file: join(covered, 'coverage-final.json'), format: 'istanbul' } : null,
          };
        },
      },
    };
  },
};

/** Do its settings count files that no test loads? `args`: of the script. */
export function countsAllFiles(folder: string, args: readonly string[]): boolean {
  const own = readManifest(folder)?.['jest'];
  return (
    hasFlag(args, '--collectCoverageFrom') ||
    /\bcollectCoverageFrom\b/.test(readSettingsText(folder, SETTINGS, args)) ||
    (isObject(own) && Object.hasOwn(own, 'collectCoverageFrom'))
  );
}

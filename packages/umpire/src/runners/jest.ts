// Jest: its JSON report, and its own coverage in Istanbul's form. Thresholds and reporters that write files are off.

import { join } from 'node:path';
import { jestCountsAll } from './coverage-settings.js';
import { keepWords } from './package-scripts.js';
import { JS_TESTS, listIn } from './runner.js';
import type { Prepare } from './runner.js';
import { findTool } from './run-tool.js';

const WITH_VALUE = [
  '-c',
  '--config',
  '--rootDir',
  '--roots',
  '--env',
  '--testEnvironment',
  '--preset',
  '--maxWorkers',
  '-w',
  '--testTimeout',
  '--collectCoverageFrom',
];
const PLAIN = ['-i', '--runInBand', '--injectGlobals', '--forceExit'];

export const prepareJest: Prepare = ({ folder, script }) => {
  const tool = findTool(folder, 'jest');
  if (tool === null) return { absent: 'Jest is not installed here. Install the packages of the project with `npm install`.' };
  const { flags } = keepWords(script?.args ?? [], WITH_VALUE, PLAIN);
  const start = [process.execPath, ...(script?.nodeArgs ?? []), tool.bin, ...flags];
  const env = script?.env ?? {};
  return {
    ready: {
      version: tool.version,
      uncovered: null,
      countAllHint: jestCountsAll(folder, script?.args ?? []) ? null : 'Set collectCoverageFrom in the Jest configuration to count them.',
      listing: { argv: [...start, '--listTests', '--json'], env, file: null, filesIn },
      patterns: JS_TESTS,
      call: ({ files, others }, place) => {
        const tests = join(place, 'tests.json');
        const coverage = join(place, 'coverage');
        const reports = ['--ci', '--json', `--outputFile=${tests}`, '--watchAll=false', '--bail=0', '--reporters=default'];
        const measuring = ['--coverage', '--coverageReporters=json', `--coverageDirectory=${coverage}`, '--coverageThreshold={}'];
        return {
          argv: [...start, ...reports, ...measuring, ...(others.length === 0 ? [] : ['--runTestsByPath', ...files])],
          env,
          tests: { file: tests, format: 'jest' },
          coverage: { file: join(coverage, 'coverage-final.json'), format: 'istanbul' },
        };
      },
    },
  };
};

function filesIn(text: string): readonly string[] | null {
  return listIn(text)?.filter((file) => typeof file === 'string') ?? null;
}

// Vitest: its JSON report, and Istanbul's from whichever coverage provider the project has. Thresholds are off: they would end the
// run red, and `autoUpdate` would write into the configuration.

import { join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { vitestCountsAll } from './coverage-settings.js';
import { keepWords } from './package-scripts.js';
import { JS_TESTS, listIn } from './runner.js';
import type { Prepare } from './runner.js';
import { findPackage, findTool } from './run-tool.js';

const WITH_VALUE = [
  '-c',
  '--config',
  '-r',
  '--root',
  '--dir',
  '--project',
  '--environment',
  '--mode',
  '--pool',
  '--maxWorkers',
  '--testTimeout',
  '--coverage.include',
  '--coverage.exclude',
];
const PLAIN = ['--globals', '--dom', '--isolate', '--no-isolate', '--fileParallelism', '--no-file-parallelism', '--coverage.all'];

export const prepareVitest: Prepare = ({ folder, script }, _job, scratch) => {
  const tool = findTool(folder, 'vitest');
  if (tool === null) return { absent: 'Vitest is not installed here. Install the packages of the project with `npm install`.' };
  const v8 = findPackage(folder, '@vitest/coverage-v8');
  const istanbul = findPackage(folder, '@vitest/coverage-istanbul');
  const covers = v8 !== null || istanbul !== null;
  const { flags } = keepWords(script?.args ?? [], WITH_VALUE, PLAIN);
  const start = [process.execPath, ...(script?.nodeArgs ?? []), tool.bin];
  const env = script?.env ?? {};
  const listed = join(scratch, 'files.json');
  return {
    ready: {
      version: tool.version,
      uncovered: covers ? null : 'No coverage provider is installed. Add @vitest/coverage-v8 in the same version as Vitest.',
      countAllHint: vitestCountsAll(folder, tool.version, script?.args ?? [])
        ? null
        : 'Set coverage.include in the Vitest configuration to count them.',
      listing: { argv: [...start, 'list', ...flags, '--filesOnly', `--json=${listed}`], env, file: listed, filesIn },
      patterns: JS_TESTS,
      call: ({ files, others }, place) => {
        const tests = join(place, 'tests.json');
        const coverage = join(place, 'coverage');
        const reports = [
          '--reporter=default',
          '--reporter=json',
          `--outputFile.json=${tests}`,
          '--bail=0',
          '--cache=false',
          '--allowOnly=false',
        ];
        const measuring = covers
          ? [
              '--coverage.enabled=true',
              '--coverage.reportOnFailure=true',
              '--coverage.reporter=json',
              `--coverage.reportsDirectory=${coverage}`,
              '--coverage.thresholds=false',
              ...(v8 === null ? ['--coverage.provider=istanbul'] : []),
            ]
          : ['--coverage.enabled=false'];
        return {
          argv: [...start, 'run', ...flags, ...reports, ...measuring, ...(others.length === 0 ? [] : files)],
          env,
          tests: { file: tests, format: 'jest' },
          coverage: covers ? { file: join(coverage, 'coverage-final.json'), format: 'istanbul' } : null,
        };
      },
    },
  };
};

function filesIn(text: string): readonly string[] | null {
  const list = listIn(text);
  if (list === null) return null;
  return list.flatMap((entry) => (isObject(entry) && typeof entry['file'] === 'string' ? [entry['file']] : []));
}

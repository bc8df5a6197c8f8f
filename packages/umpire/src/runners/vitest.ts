// Vitest: its JSON report, and Istanbul's from whichever coverage provider the project has. Thresholds are off: they would end the
// run red, and `autoUpdate` would write into the configuration.

import { join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { namesIn } from '../sessions/file-system.js';
import { findPackage, findTool } from './run-tool.js';
import { findJsonList, hasFlag, JS_TESTS, keepFlags, readSettingsText, setFlag } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';

const FLAGS: KnownFlags = {
  withValue:
    '-c --config -r --root --dir --project --environment --mode --pool --maxWorkers --testTimeout --coverage.include --coverage.exclude'.split(
      ' ',
    ),
  plain: ['--globals', '--dom', '--isolate', '--no-isolate', '--fileParallelism', '--no-file-parallelism', '--coverage.all'],
};

export const vitest: Runner = {
  name: 'vitest',
  title: 'vitest',
  language: 'script',
  programs: ['vitest', 'vitest.mjs'],
  settings: /^vitest\.(?:config|workspace)\.[cm]?[jt]s(?:on)?$/,
  dependency: 'vitest',
  judges: ['vitest.config.*', 'vitest.workspace.*', 'vite.config.*', 'vitest.setup.*', '__mocks__/**', 'package.json'],
  traps: [{ printed: /No test files found/, means: 'Vitest found no test file that its patterns take.' }],
  namesProjects: (folder) =>
    namesIn(folder).some((name) => name.startsWith('vitest.workspace.')) ||
    /\b(?:projects|workspace)\b/.test(readSettingsText(folder, /^vite(?:st)?\.config\./, [])),
  watches: { verbs: ['watch', 'dev'], flags: ['-w', '--watch'] },
  packages: ['vitest', '@vitest/coverage-v8', '@vitest/coverage-istanbul'],
  commands: ['npx vitest run', 'npx vitest run --coverage', 'npx vitest --run'],
  testFiles: () => JS_TESTS,
  requestNames: (file, isCalled) =>
    isCalled ? { words: `--reporter=default --reporter=json --outputFile.json=${file}`, unless: /^--outputFile/ } : {},
  skipsUnfocused: true,
  timeLimit: {
    said: /\b(?:Test|Hook) timed out in (\d+ ?ms)/,
    // Vitest 4 puts the stack of the error that it prepared into its report, and not its message.
    hidden: 'Error: STACK_TRACE_ERROR',
    allow: (argv, ms) => setFlag(setFlag(argv, '--testTimeout', String(ms)), '--hookTimeout', String(ms)),
  },
  prepare: ({ folder, script }, _job, scratch) => {
    const tool = findTool(folder, 'vitest');
    if (tool === null) return { absent: 'Vitest is not installed here. Install the packages of the project with `npm install`.' };
    const v8 = findPackage(folder, '@vitest/coverage-v8');
    const canCover = v8 !== null || findPackage(folder, '@vitest/coverage-istanbul') !== null;
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    const start = [process.execPath, ...(script?.nodeArgs ?? []), tool.bin];
    const env = script?.env ?? {};
    const listed = join(scratch, 'files.json');
    const countsAll = countsAllFiles(folder, tool.version, script?.args ?? []);
    return {
      ready: {
        version: tool.version,
        uncovered: canCover ? null : 'No coverage provider is installed. Add @vitest/coverage-v8 in the same version as Vitest.',
        countAllHint: countsAll ? null : 'Set coverage.include in the Vitest configuration to count them.',
        listing: {
          argv: [...start, 'list', ...flags, '--filesOnly', `--json=${listed}`],
          env,
          file: listed,
          readFiles: (text) =>
            findJsonList(text)?.flatMap((entry) => (isObject(entry) && typeof entry['file'] === 'string' ? [entry['file']] : [])) ?? null,
        },
        list: {
          call: { argv: [...start, 'list', ...flags, `--json=${join(scratch, 'listed.json')}`], env, file: join(scratch, 'listed.json') },
          countTests: (text) => findJsonList(text)?.length ?? null,
        },
        call: ({ files, others, coverage }, place) => {
          const tests = join(place, 'tests.json');
          const covered = join(place, 'coverage');
          const reports = ['--reporter=default', '--reporter=json', `--outputFile.json=${tests}`];
          const plain = ['--bail=0', '--cache=false', '--allowOnly=false'];
          const measuring =
            coverage && canCover
              ? [
                  '--coverage.enabled=true',
                  '--coverage.reportOnFailure=true',
                  '--coverage.reporter=json',
                  `--coverage.reportsDirectory=${covered}`,
                  '--coverage.thresholds=false',
                  ...(v8 === null ? ['--coverage.provider=istanbul'] : []),
                ]
              : ['--coverage.enabled=false'];
          return {
            argv: [...start, 'run', ...flags, ...reports, ...plain, ...measuring, ...(others.length === 0 ? [] : files)],
            env,
            tests: { file: tests, format: 'jest' },
            coverage: coverage && canCover ? { file: join(covered, 'coverage-final.json'), format: 'istanbul' } : null,
          };
        },
      },
    };
  },
};

/**
 * Do its settings count files that no test loads? Vitest 1 to 3 count them unless told otherwise; 4 counts what `coverage.include` names; 0
 * only when told to. `args`: of the script.
 */
export function countsAllFiles(folder: string, version: string | null, args: readonly string[]): boolean {
  const major = Number(version?.split('.')[0] ?? Number.NaN);
  const text = readSettingsText(folder, /^vite(?:st)?\.(?:config|workspace)\./, args);
  // What stands in the braces behind `coverage:`.
  const blocks = [...text.matchAll(/\bcoverage['"]?\s*:\s*\{/g)].map((match) => {
    let depth = 0;
    let at = match.index + match[0].length - 1;
    for (; at < text.length; at += 1) {
      if (text[at] === '{') depth += 1;
      else if (text[at] === '}') depth -= 1;
      if (depth === 0) break;
    }
    return text.slice(match.index, at);
  });
  const says = (pattern: RegExp): boolean => blocks.some((block) => pattern.test(block));
  if (major >= 4) return says(/\binclude\s*:/) || hasFlag(args, '--coverage.include');
  if (major >= 1) return !says(/\ball\s*:\s*false\b/) && !args.includes('--coverage.all=false');
  return says(/\ball\s*:\s*true\b/) || hasFlag(args, '--coverage.all');
}

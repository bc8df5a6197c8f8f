// node-tap: its TAP, with every file as a test that has the others in it. Its own coverage since 18; before that, nyc around it.

import { join } from 'node:path';
import { findTool } from './run-tool.js';
import { JS_TESTS, keepFlags, foldAssertions } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';

const FLAGS: KnownFlags = {
  withValue: '--node-arg --timeout -t --jobs -j --before --after --plugin --include --exclude --test-env'.split(' '),
  plain: [],
};

export const tap: Runner = {
  name: 'tap',
  title: 'node-tap',
  language: 'script',
  programs: ['tap'],
  settings: /^\.taprc$/,
  dependency: 'tap',
  imports: /['"]tap['"]/,
  judges: ['.taprc', 'package.json'],
  traps: [{ printed: /^1\.\.0\b.*no tests found/im, means: 'tap found no test that its patterns take.' }],
  packages: ['tap'],
  commands: ['npx tap'],
  testFiles: ({ script }) => {
    const { others } = keepFlags(script?.args ?? [], FLAGS);
    const named = others.filter((word) => word !== 'run').map((word) => word.replace(/^\.\//, ''));
    return named.length > 0 ? named : [...JS_TESTS, '{test,tests}/**/*.{js,cjs,mjs,ts,cts,mts}', '{test,tests}.{js,cjs,mjs,ts}'];
  },
  testMark: /['"](?:@tapjs\/\w+|tap)['"]/,
  requestNames: (_file, isCalled) => (isCalled ? { words: '--reporter=tap', isPrinted: true, unless: /^(?:-R|--reporter)\b/ } : {}),
  prepare: ({ folder, script }) => {
    const tool = findTool(folder, 'tap');
    if (tool === null) return { absent: 'tap is not installed here. Install the packages of the project with `npm install`.' };
    const isNew = Number(tool.version?.split('.')[0] ?? '18') >= 18;
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    return {
      ready: {
        version: tool.version,
        uncovered: isNew ? null : 'No coverage: it is measured with tap 18 and later.',
        countAllHint: 'tap counts only files that a test loads. Load them in a test to count them.',
        listing: null,
        call: ({ files, coverage }, scratch) => {
          const measured = ['--coverage-report=json', '--allow-incomplete-coverage', '--allow-empty-coverage'];
          const measuring = !isNew ? ['--no-coverage'] : coverage ? measured : ['--disable-coverage'];
          return {
            argv: [process.execPath, ...(script?.nodeArgs ?? []), tool.bin, ...flags, '--reporter=tap', ...measuring, ...files],
            env: script?.env ?? {},
            tests: { file: join(scratch, 'tests.tap'), format: 'tap', isPrinted: true },
            coverage: isNew && coverage ? { file: join(folder, '.tap/report/coverage-final.json'), format: 'istanbul' } : null,
          };
        },
      },
    };
  },
  locate: foldAssertions,
};

// AVA: its TAP. It names a test by a short form of its file where it runs several files, and by nothing where it runs one: both become the
// whole path.

import { dirname, join, relative, sep } from 'node:path';
import { findTool, readManifest } from './run-tool.js';
import { isObject } from '@umpire/core/formats/json-text.js';
import { JS_TESTS, keepFlags } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';
import { findCoverageWrapper } from './script-coverage.js';

const FLAGS: KnownFlags = {
  withValue: '--config -c --concurrency -T --timeout -m --match --environment-variables --node-arguments'.split(' '),
  plain: '--serial -s --no-worker-threads --fail-without-assertions'.split(' '),
};

export const ava: Runner = {
  name: 'ava',
  title: 'AVA',
  language: 'script',
  programs: ['ava'],
  settings: /^ava\.config\.(?:c|m)?[jt]s$/,
  dependency: 'ava',
  judges: ['ava.config.*', '.c8rc.json', '.nycrc*', 'package.json'],
  traps: [{ printed: /Couldn.t find any files to test|No tests found in/, means: 'AVA found no test that its patterns take.' }],
  packages: ['ava', 'c8', 'nyc'],
  commands: ['npx ava'],
  testFiles: ({ folder }) => {
    const own = readManifest(folder)?.['ava'];
    const files = isObject(own) && Array.isArray(own['files']) ? own['files'].filter((file) => typeof file === 'string') : [];
    if (files.some((file) => !file.startsWith('!'))) return files;
    const helpers = ['!**/_*', '!**/_*/**', '!**/{helper,helpers,fixture,fixtures,__helpers__,__fixtures__}/**', '!**/*.d.ts'];
    const named = ['test.{js,cjs,mjs,ts}', '{src,source}/test.{js,cjs,mjs,ts}', '**/test-*.{js,cjs,mjs,ts}'];
    return [...JS_TESTS, ...named, '**/{test,tests,__tests__}/**/*.{js,cjs,mjs,ts,cts,mts}', ...helpers, ...files];
  },
  testMark: /['"]ava['"]/,
  requestNames: (_file, isCalled) => (isCalled ? { words: '--tap', isPrinted: true, unless: /^(?:--tap|-t)$/ } : {}),
  prepare: ({ folder, script }) => {
    const tool = findTool(folder, 'ava');
    if (tool === null) return { absent: 'AVA is not installed here. Install the packages of the project with `npm install`.' };
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    const wrapper = findCoverageWrapper({ folder, script });
    return {
      ready: {
        version: tool.version,
        uncovered: wrapper.uncovered,
        countAllHint: wrapper.countAllHint,
        countsTestFiles: wrapper.countsTestFiles === true,
        listing: null,
        call: ({ files, coverage }, scratch) => {
          const measuring = coverage ? wrapper.wrap(scratch) : { argv: [], coverage: null };
          return {
            argv: [...measuring.argv, process.execPath, ...(script?.nodeArgs ?? []), tool.bin, '--tap', ...flags, ...files],
            env: script?.env ?? {},
            tests: { file: join(scratch, 'tests.tap'), format: 'tap', isPrinted: true },
            coverage: measuring.coverage,
          };
        },
      },
    };
  },
  locate: (folder, results, files) => {
    const paths = files.map((file) => relative(folder, file).split(sep).join('/'));
    const [only = null] = paths.length === 1 ? paths : [];
    const byPrefix = paths.map((path) => ({ path, prefix: `${shortenPath(path, commonFolder(paths))} › ` }));
    return results.map((result) => {
      const found = only === null ? byPrefix.find(({ prefix }) => result.id.startsWith(prefix)) : { path: only, prefix: '' };
      // A file that broke is named by its path.
      const broken = found === undefined ? (paths.find((path) => result.id.includes(path)) ?? null) : null;
      if (found === undefined) return broken === null ? result : { ...result, file: broken };
      return { ...result, file: found.path, id: `${found.path} > ${result.id.slice(found.prefix.length)}` };
    });
  },
};

/** As AVA does, of the first letters that all paths share. */
function commonFolder(paths: readonly string[]): string {
  const [first = ''] = paths;
  let folder = `${dirname(first)}/`;
  while (folder !== './' && folder !== '' && !paths.every((path) => path.startsWith(folder))) {
    const outer = dirname(folder.slice(0, -1));
    folder = outer === '.' ? '' : `${outer}/`;
  }
  return folder === './' ? '' : folder;
}

/** `lib/__tests__/a.test.js` → `lib › a` */
function shortenPath(path: string, base: string): string {
  const parts = path
    .slice(base.length)
    .split('/')
    .filter((part) => part !== '__tests__');
  const name = (parts.pop() ?? '').replace('.spec.', '.').replace('.test.', '.').replace('test-', '');
  return [...parts, name.replace(/\.[cm]?[jt]sx?$/, '')].join(' › ');
}

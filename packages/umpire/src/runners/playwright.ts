// Playwright, end to end or by component: its JSON. Browsers are the project's own business: without them every test fails with their name.

import { join } from 'node:path';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { findTool } from './run-tool.js';
import { keepFlags } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';

const FLAGS: KnownFlags = {
  withValue: '-c --config --project --timeout --workers -j --global-timeout --tsconfig'.split(' '),
  plain: ['--fully-parallel'],
};

export const playwright: Runner = {
  name: 'playwright',
  title: 'Playwright',
  language: 'script',
  programs: ['playwright test'],
  settings: /^playwright(?:-ct)?\.config\.[cm]?[jt]s$/,
  dependency: null,
  judges: ['playwright.config.*', 'playwright-ct.config.*', 'playwright/index.*', 'package.json'],
  traps: [{ printed: /No tests found/, means: 'Playwright found no test that its settings take.' }],
  packages: ['@playwright/test', 'playwright'],
  commands: ['npx playwright test'],
  testFiles: () => ['**/*.{spec,test}.{js,cjs,mjs,jsx,ts,cts,mts,tsx}'],
  testMark: /['"]@playwright\/[\w-]+['"]/,
  requestNames: (file, isCalled) =>
    isCalled ? { words: '--reporter=list,json', env: { PLAYWRIGHT_JSON_OUTPUT_NAME: file }, unless: /^--reporter\b/ } : {},
  prepare: ({ folder, script }) => {
    const tool = findTool(folder, '@playwright/test', 'playwright') ?? findTool(folder, 'playwright');
    if (tool === null) return { absent: 'Playwright is not installed here. Install the packages of the project with `npm install`.' };
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    const start = [process.execPath, ...(script?.nodeArgs ?? []), tool.bin, 'test', ...flags];
    const env = script?.env ?? {};
    return {
      ready: {
        version: tool.version,
        uncovered: 'No coverage: Playwright measures none of the files of a project.',
        countAllHint: null,
        listing: { argv: [...start, '--list', '--reporter=json'], env, file: null, readFiles: readTestFiles },
        list: { call: null, countTests: countPlaywrightTests },
        call: ({ files, others }, scratch) => {
          const tests = join(scratch, 'tests.json');
          // It takes its words for patterns of paths.
          const picked = others.length === 0 ? [] : files.map((file) => `${file.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
          return {
            argv: [
              ...start,
              '--reporter=list,json',
              '--max-failures=0',
              '--forbid-only',
              `--output=${join(scratch, 'results')}`,
              ...picked,
            ],
            env: { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: tests },
            tests: { file: tests, format: 'playwright' },
            coverage: null,
          };
        },
      },
    };
  },
};

function readTestFiles(text: string): readonly string[] | null {
  const json = parseJson(text.slice(Math.max(0, text.indexOf('{'))));
  if (!json.ok || !isObject(json.value)) return null;
  // Where one file cannot be loaded, none is listed.
  if (listIn(json.value, 'errors').length > 0) return null;
  const root = textIn(objectIn(json.value, 'config'), 'rootDir');
  return listIn(json.value, 'suites').map((suite) => join(root, textIn(suite, 'file')));
}

/** Once for each project that runs it. */
function countPlaywrightTests(text: string): number | null {
  const json = parseJson(text.slice(Math.max(0, text.indexOf('{'))));
  if (!json.ok || readTestFiles(text) === null) return null;
  const count = (suite: unknown): number =>
    listIn(suite, 'specs').reduce<number>((sum, spec) => sum + listIn(spec, 'tests').length, 0) +
    listIn(suite, 'suites').reduce<number>((sum, inner) => sum + count(inner), 0);
  return count(json.value);
}

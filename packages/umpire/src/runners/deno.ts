// Deno: JUnit XML with files and lines, and its own coverage in lcov's form. Permissions are those of the project's own task.

import { join } from 'node:path';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { listCommands, programName } from '@umpire/core/formats/shell-text.js';
import { namesIn } from '../sessions/file-system.js';
import { findFiles, readText } from './project-files.js';
import { findTool } from './run-tool.js';
import { keepFlags } from './runner.js';
import type { KnownFlags, Runner, TestPlace } from './runner.js';
import { askVersion } from './system-program.js';

const FLAGS: KnownFlags = {
  withValue: '-c --config --import-map --env-file --location --seed -L --ext'.split(' '),
  plain:
    '-A --allow-all -R -W -N -E --allow-read --allow-write --allow-net --allow-env --allow-run --allow-ffi --allow-sys --allow-import --no-check --check --doc --parallel --trace-leaks --sloppy-imports --no-lock --no-npm --no-remote --cached-only'.split(
      ' ',
    ),
};
const TESTS = ['**/*{.,_}test.{js,mjs,jsx,ts,mts,tsx}', '**/test.{js,mjs,jsx,ts,mts,tsx}', '**/__tests__/**/*.{js,mjs,jsx,ts,mts,tsx}'];
const MARK = /\bDeno\.test\b|jsr:@std\/testing|['"]@std\/testing/;

export const deno: Runner = {
  name: 'deno',
  title: 'Deno',
  language: 'script',
  programs: ['deno test'],
  settings: null,
  dependency: null,
  imports: MARK,
  signs: {
    files: ['**/deno.{json,jsonc}'],
    isShownIn: (folder) =>
      namesIn(folder).some((name) => /^deno\.jsonc?$/.test(name)) &&
      findFiles(folder, TESTS).some((file) => MARK.test(readText(join(folder, file)) ?? '')),
    coversInner: () => true,
  },
  judges: ['deno.json', 'deno.jsonc', 'package.json'],
  traps: [{ printed: /No test modules found|^ok \| 0 passed/m, means: 'Deno found no test that its patterns take.' }],
  watches: { flags: ['--watch'] },
  packages: ['deno'],
  commands: ['deno test', 'deno task test'],
  testFiles: () => TESTS,
  testMark: /\bDeno\.test\b|['"](?:node:test|jsr:@std\/testing|@std\/testing)/,
  requestNames: (file, isCalled) => (isCalled ? { words: `--junit-path=${file}`, unless: /^--junit-path\b/ } : {}),
  findBrokenFiles: (printed, files) => files.filter((file) => printed.includes(`at file://${file}:`)),
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const program = findTool(folder, 'deno')?.bin ?? 'deno';
    const version = await askVersion([program, '--version'], place, job, scratch);
    if (version === null) return { absent: 'Deno is not installed here. Install it, or run `npm install --save-dev deno`.' };
    const { flags } = keepFlags(script?.args ?? readTaskWords(place), FLAGS);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const canCover = major > 2 || (major === 2 && minor >= 3);
    return {
      ready: {
        version,
        uncovered: canCover ? null : 'No coverage: it is measured with Deno 2.3 and later.',
        countAllHint: 'Deno counts only files that a test loads. Load them in a test to count them.',
        listing: null,
        call: ({ files, coverage }, at) => {
          const [tests, covered] = [join(at, 'tests.xml'), join(at, 'coverage')];
          const isMeasured = coverage && canCover;
          const measuring = isMeasured ? [`--coverage=${covered}`] : [];
          return {
            argv: [program, 'test', '--no-prompt', ...flags, `--junit-path=${tests}`, ...measuring, ...files],
            env: script?.env ?? {},
            tests: { file: tests, format: 'junit' },
            coverage: isMeasured ? { file: join(covered, 'lcov.info'), format: 'lcov' } : null,
          };
        },
      },
    };
  },
};

/** Behind `deno test` in the tasks of deno.json. */
function readTaskWords({ folder }: Pick<TestPlace, 'folder'>): readonly string[] {
  const json = parseJson(readText(join(folder, 'deno.json')) ?? '');
  const tasks = json.ok && isObject(json.value) && isObject(json.value['tasks']) ? Object.values(json.value['tasks']) : [];
  const texts = tasks.flatMap((task) => (isObject(task) ? task['command'] : task)).filter((text) => typeof text === 'string');
  const call = texts.flatMap(listCommands).find(({ words }) => programName(words[0] ?? '') === 'deno' && words[1] === 'test');
  return call?.words.slice(2) ?? [];
}

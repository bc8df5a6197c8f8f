// CTest: the project is configured and built in a folder of its own outside the project, and its tests report as JUnit. Which file a test is
// compiled from nobody says: a test belongs to the CMakeLists.txt that adds it.

import { join } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { findFiles, readText } from './project-files.js';
import type { Runner } from './runner.js';
import { askVersion, hasProgram } from './system-program.js';

const LISTS = ['**/CMakeLists.txt'];
const ADDS_TESTS = /\b(?:add_test|\w*discover_tests|cxx_test|catch_add_tests)\s*\(/i;

export const ctest: Runner = {
  name: 'ctest',
  ownFormats: ['ctest-text'],
  title: 'CTest',
  language: 'c',
  programs: ['ctest'],
  settings: null,
  dependency: null,
  signs: {
    files: LISTS,
    isShownIn: (folder) => /^\s*(?:enable_testing\s*\(|include\s*\(\s*CTest\b)/im.test(readText(join(folder, 'CMakeLists.txt')) ?? ''),
    coversInner: () => true,
  },
  judges: ['**/CMakeLists.txt', '**/*.cmake', 'CMakePresets.json'],
  traps: [{ printed: /No tests were found!!!/, means: 'CTest found no test in the build.' }],
  packages: [],
  commands: ['ctest', 'ctest --test-dir build', 'ctest --test-dir build --output-on-failure'],
  testFiles: () => LISTS,
  testMark: ADDS_TESTS,
  testsInSource: true,
  requestNames: (file, isCalled) => (isCalled ? { words: `--output-junit ${file}` } : { isPrinted: true }),
  prepare: async (place, job, scratch) => {
    const { folder } = place;
    const version = await askVersion(['ctest', '--version'], place, job, scratch);
    const isOld = version !== null && /^(?:[12]\.|3\.(?:1?\d|20)\.)/.test(version);
    if (version === null || isOld) return { absent: 'CMake 3.21 or newer is not installed. Install it with the packages of your system.' };
    const generator = hasProgram('make', folder) ? 'Unix Makefiles' : 'Ninja';
    return {
      ready: {
        version,
        uncovered: 'Umpire knows no coverage of C and C++ by itself. Set critics.coverage, for example to a command that runs gcovr.',
        countAllHint: null,
        listing: null,
        call: (_selection, at) => {
          const tests = join(at, 'tests.xml');
          const build = ['--build-and-test', folder, join(at, 'build'), '--build-generator', generator];
          return {
            argv: ['ctest', ...build, '--test-command', 'ctest', '--output-on-failure', '--output-junit', tests],
            env: place.script?.env ?? {},
            tests: { file: tests, format: 'junit' },
            coverage: null,
          };
        },
      },
    };
  },
  locate: (folder, results) => {
    const lists = findFiles(folder, LISTS).map((path) => ({ path, lines: (readText(join(folder, path)) ?? '').split('\n') }));
    return results.map((result): TestResult => {
      const name = result.id.split(' > ').at(-1) ?? result.id;
      const places = lists.flatMap(({ path, lines }) => {
        const at = lines.findIndex((line) => /add_test/i.test(line) && line.split(/[\s()"]+/).includes(name));
        return at < 0 ? [] : [{ file: path, line: at + 1 }];
      });
      return { ...result, id: name, ...(places.length === 1 ? places[0] : {}) };
    });
  },
};

// cargo-nextest: what it prints names every test, those left out too if its status level says so. It runs no doc-tests. A project that has settings
// of it is tested with it, where it is installed. Written from its own snapshots and from outputs of public projects.

import { join } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { isFile } from '../sessions/file-system.js';
import { keepFlags } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';
import { BUILD_FLAGS, isInWorkspace, isWholeWorkspace, locateInCrates, PLAIN_CARGO, selectTargets, usesNextest } from './rust-crates.js';
import { askVersion } from './system-program.js';

const FLAGS: KnownFlags = {
  withValue: [
    ...BUILD_FLAGS.withValue,
    ...'--cargo-profile -P --profile --build-jobs -j --test-threads --config-file --tool-config-file --retries'.split(' '),
  ],
  plain: BUILD_FLAGS.plain,
};

/** Tests that passed and those that were left out are named, whatever the project's settings say. */
const NAMES_ALL = { NEXTEST_STATUS_LEVEL: 'skip' };
const ENV = {
  ...PLAIN_CARGO,
  ...NAMES_ALL,
  NEXTEST_SUCCESS_OUTPUT: 'never',
  NEXTEST_FAILURE_OUTPUT: 'immediate',
  NEXTEST_HIDE_PROGRESS_BAR: '1',
};

export const nextest: Runner = {
  name: 'nextest',
  ownFormats: ['nextest'],
  title: 'cargo-nextest',
  language: 'rust',
  programs: ['cargo nextest', 'cargo-nextest nextest'],
  settings: null,
  dependency: null,
  signs: { files: ['**/Cargo.toml'], isShownIn: usesNextest, coversInner: isInWorkspace },
  judges: ['**/Cargo.toml', '.cargo/config.toml', '.config/nextest.toml', '**/tests/**'],
  traps: [{ printed: /^\s*Starting 0 tests across|no tests to run/m, means: 'No test program has a test that these words choose.' }],
  packages: [],
  commands: ['cargo nextest run', 'cargo check', 'cargo clippy', 'cargo build', 'cargo fmt --check'],
  testFiles: () => ['**/*.rs'],
  testMark: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b|\bproptest!/m,
  testsInSource: true,
  // Without --no-fail-fast the tests behind the first failure stay unnamed.
  requestNames: (_file, isCalled) => ({
    isPrinted: true,
    ...(isCalled ? { words: '--no-fail-fast', unless: HAS_OWN } : {}),
    ...(process.env['NEXTEST_STATUS_LEVEL'] === undefined ? { env: NAMES_ALL } : {}),
  }),
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const version = await askVersion(['cargo', 'nextest', '--version'], place, job, scratch);
    if (version === null) return { absent: 'cargo-nextest is not installed. Install it with `cargo install cargo-nextest --locked`.' };
    const coverer = await askVersion(['cargo', 'llvm-cov', '--version'], place, job, scratch);
    const { flags } = keepFlags((script?.args ?? []).join(' ').split(/ -- /)[0]?.split(' ') ?? [], FLAGS);
    const isAll = isWholeWorkspace(folder, flags);
    return {
      ready: {
        version,
        uncovered: coverer === null ? 'No coverage: run `cargo install cargo-llvm-cov`.' : null,
        countAllHint: null,
        listing: null,
        call: (selection, at) => {
          const covered = join(at, 'coverage.info');
          const isMeasured = selection.coverage && coverer !== null;
          const start = isMeasured ? ['llvm-cov', 'nextest', '--lcov', '--output-path', covered, '--ignore-run-fail'] : ['nextest', 'run'];
          return {
            argv: ['cargo', ...start, '--no-fail-fast', ...flags, ...selectTargets(folder, selection, isAll)],
            env: { ...script?.env, ...ENV },
            tests: { file: join(at, 'tests.txt'), isPrinted: true, joinsStderr: true, format: 'nextest' },
            coverage: isMeasured ? { file: covered, format: 'lcov' } : null,
          };
        },
      },
    };
  },
  locate: locateTests,
};

/** The call says itself how far it goes, does not run tests, or hands its last words to the test programs. */
const HAS_OWN =
  /^(?:--|--no-run|--(?:no-)?fail-fast|--n?ff|--max-fail(?:=.*)?|--status-level(?:=.*)?|list|archive|bench|debug|replay|self|show-config|store|help)$/;

/** `shop` is its library, `shop::bin/till` a program, `shop::cli` tests/cli.rs. */
function locateTests(folder: string, results: readonly TestResult[]): readonly TestResult[] {
  return locateInCrates(folder, results, (program, packages) => {
    const [name = '', target = ''] = program.split(/::(.*)/);
    const [kind, own = ''] = target.split(/\/(.*)/);
    const folders: Readonly<Record<string, string>> = { example: 'examples', bench: 'benches' };
    const files =
      target === ''
        ? ['src/lib.rs']
        : own === ''
          ? [`tests/${target}.rs`, `tests/${target}/main.rs`]
          : kind === 'bin'
            ? [`src/bin/${own}.rs`, `src/bin/${own}/main.rs`, 'src/main.rs']
            : [`${folders[kind ?? ''] ?? kind}/${own}.rs`];
    return packages
      .filter((each) => each.name === name)
      .flatMap((each) => {
        const all = files.map((file) => (each.folder === '' ? file : `${each.folder}/${file}`));
        const found = all.find((file) => isFile(join(folder, file)));
        return found === undefined ? [] : [found];
      });
  });
}

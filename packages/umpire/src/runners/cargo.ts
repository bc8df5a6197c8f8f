// cargo test: what it prints names every test of every test program and the doc-tests. Coverage by cargo-llvm-cov, where it is installed.
// Each copy of a commit builds anew: artifacts that two checkouts share would be taken for fresh by the time of a file alone.

import { join } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { namesIn } from '../sessions/file-system.js';
import { keepFlags } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';
import { BUILD_FLAGS, isInWorkspace, isWholeWorkspace, locateInCrates, PLAIN_CARGO, selectTargets, usesNextest } from './rust-crates.js';
import { askVersion } from './system-program.js';

const FLAGS: KnownFlags = { ...BUILD_FLAGS, withValue: [...BUILD_FLAGS.withValue, '--profile', '-j', '--jobs'] };
const ENV = { ...PLAIN_CARGO, RUST_TEST_NOCAPTURE: '0' };

export const cargo: Runner = {
  name: 'cargo',
  ownFormats: ['cargo'],
  title: 'cargo test',
  language: 'rust',
  programs: ['cargo test', 'cargo t'],
  settings: null,
  dependency: null,
  signs: {
    files: ['**/Cargo.toml'],
    isShownIn: (folder) => namesIn(folder).includes('Cargo.toml') && !usesNextest(folder),
    coversInner: isInWorkspace,
  },
  judges: ['**/Cargo.toml', '.cargo/config.toml', '.config/nextest.toml', '**/tests/**'],
  traps: [{ printed: /^running 0 tests$/m, means: 'No test program has a test that these words choose.' }],
  packages: [],
  commands: ['cargo test', 'cargo check', 'cargo clippy', 'cargo build', 'cargo fmt --check'],
  testFiles: () => ['**/*.rs'],
  testMark: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b|\bproptest!|^\s*\/\/[/!]\s*```/m,
  testsInSource: true,
  requestNames: () => ({ isPrinted: true }),
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const version = await askVersion(['cargo', '--version'], place, job, scratch);
    if (version === null)
      return { absent: 'Cargo is not installed. Install Rust from https://rustup.rs or with the packages of your system.' };
    const coverer = await askVersion(['cargo', 'llvm-cov', '--version'], place, job, scratch);
    const { flags } = keepFlags((script?.args ?? []).join(' ').split(/ -- /)[0]?.split(' ') ?? [], FLAGS);
    const isAll = isWholeWorkspace(folder, flags);
    const env = { ...script?.env, ...ENV };
    return {
      ready: {
        version,
        uncovered: coverer === null ? 'No coverage: run `cargo install cargo-llvm-cov`. Doc-tests run without it.' : null,
        countAllHint: null,
        listing: null,
        call: (selection, at) => {
          const covered = join(at, 'coverage.info');
          const isMeasured = selection.coverage && coverer !== null;
          const start = isMeasured ? ['llvm-cov', '--lcov', '--output-path', covered, '--ignore-run-fail'] : ['test', '--no-fail-fast'];
          return {
            argv: ['cargo', ...start, ...flags, ...selectTargets(folder, selection, isAll)],
            env,
            tests: { file: join(at, 'tests.txt'), isPrinted: true, joinsStderr: true, format: 'cargo' },
            coverage: isMeasured ? { file: covered, format: 'lcov' } : null,
          };
        },
      },
    };
  },
  locate: locateTests,
};

/** `shop > money::tests::adds` is of src/lib.rs of that crate; `tests/cli.rs > help` of that file. */
function locateTests(folder: string, results: readonly TestResult[]): readonly TestResult[] {
  return locateInCrates(folder, results, (program, packages) => {
    const source = /\S+\.rs$/.exec(program)?.[0];
    const name = program.split(' ')[0] ?? '';
    return packages
      .filter((each) => source !== undefined || each.name.replaceAll('-', '_') === name)
      .map((each) => `${each.folder === '' ? '' : `${each.folder}/`}${source ?? 'src/lib.rs'}`);
  });
}

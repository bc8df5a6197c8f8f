// cargo test: what it prints names every test of every test program and the doc-tests. Coverage by cargo-llvm-cov, where it is installed.
// Each copy of a commit builds anew: artifacts that two checkouts share would be taken for fresh by the time of a file alone.

import { dirname, join, relative } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { isFile, namesIn } from '../sessions/file-system.js';
import { findFiles, pathTest, readText } from './project-files.js';
import { keepFlags } from './runner.js';
import type { KnownFlags, Runner, Selection } from './runner.js';
import { askVersion } from './system-program.js';

const FLAGS: KnownFlags = {
  withValue: '-p --package --exclude -F --features --profile --target --manifest-path --config -Z -j --jobs'.split(' '),
  plain: '--workspace --all --all-features --no-default-features -r --release --locked --offline --frozen --all-targets'.split(' '),
};

/** Its own words stay where the project's settings or variables would change them. */
const ENV = {
  CARGO_TERM_COLOR: 'never',
  CARGO_TERM_QUIET: 'false',
  CARGO_TERM_VERBOSE: 'false',
  CARGO_TERM_PROGRESS_WHEN: 'never',
  RUST_TEST_NOCAPTURE: '0',
};

export const cargo: Runner = {
  name: 'cargo',
  ownFormats: ['cargo'],
  title: 'cargo test',
  language: 'rust',
  programs: ['cargo test', 'cargo t'],
  settings: null,
  dependency: null,
  signs: { files: ['**/Cargo.toml'], isShownIn: (folder) => namesIn(folder).includes('Cargo.toml'), coversInner: isInWorkspace },
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
    const manifest = readText(join(folder, 'Cargo.toml')) ?? '';
    const isAll = /^\[workspace\]/m.test(manifest) && !/^default-members\s*=/m.test(manifest) && flags.length === 0;
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

/** The outer manifest is a workspace's, and does not leave the inner one out. */
function isInWorkspace(outer: string, inner: string): boolean {
  const manifest = readText(join(outer, 'Cargo.toml')) ?? '';
  const workspace = /^\[workspace\](?:(?!^\[)[^])*/m.exec(manifest)?.[0];
  if (workspace === undefined) return false;
  const excluded = /^exclude\s*=\s*\[([^\]]*)\]/m.exec(workspace)?.[1] ?? '';
  const patterns = [...excluded.matchAll(/["']([^"']+)["']/g)].map(([, pattern = '']) => pattern.replace(/\/+$/, ''));
  return !pathTest(patterns.flatMap((pattern) => [pattern, `${pattern}/**`]))(inner);
}

interface Package {
  readonly name: string;
  /** From the place; empty for itself. */
  readonly folder: string;
}

function findCratePackages(folder: string): readonly Package[] {
  return findFiles(folder, ['**/Cargo.toml']).flatMap((file) => {
    const own = /^\[package\](?:(?!^\[)[^])*/m.exec(readText(join(folder, file)) ?? '')?.[0] ?? '';
    const name = /^name\s*=\s*["']([^"']+)["']/m.exec(own)?.[1];
    return name === undefined ? [] : [{ name, folder: dirname(file) === '.' ? '' : dirname(file) }];
  });
}

/** Packages with wanted files; of them single test programs, where nothing else is wanted. */
function selectTargets(folder: string, { files, others }: Selection, isAll: boolean): readonly string[] {
  if (others.length === 0) return isAll ? ['--workspace'] : [];
  const packages = findCratePackages(folder).toSorted((a, b) => b.folder.length - a.folder.length);
  const owned = files.map((file) => {
    const path = relative(folder, file);
    const owner = packages.find((each) => each.folder === '' || path.startsWith(`${each.folder}/`));
    const inner = owner === undefined || owner.folder === '' ? path : path.slice(owner.folder.length + 1);
    return { owner: owner?.name, program: /^tests\/([^/]+?)(?:\.rs|\/main\.rs)$/.exec(inner)?.[1] };
  });
  const names = new Set(owned.flatMap(({ owner }) => owner ?? []));
  const programs = owned.map(({ program }) => program);
  const single = programs.every((program) => program !== undefined) ? [...new Set(programs)].flatMap((name) => ['--test', name]) : [];
  return [...[...names].flatMap((name) => ['-p', name]), ...single];
}

/**
 * By the program and the module path in an id: `shop > money::tests::adds` lies in src/money.rs or src/money/mod.rs, or where it is declared
 * within an outer module; `tests/cli.rs > help` in that file. A failed test's line is that of its panic.
 */
function locateTests(folder: string, results: readonly TestResult[]): readonly TestResult[] {
  const packages = findCratePackages(folder);
  const texts = new Map<string, string>();
  const read = (file: string): string => {
    const text = texts.get(file) ?? readText(join(folder, file)) ?? '';
    texts.set(file, text);
    return text;
  };
  const findRoots = (program: string): readonly string[] => {
    const source = /\S+\.rs$/.exec(program)?.[0];
    const name = program.split(' ')[0] ?? '';
    const owners = packages.filter((each) => source !== undefined || each.name.replaceAll('-', '_') === name);
    return owners
      .map((each) => `${each.folder === '' ? '' : `${each.folder}/`}${source ?? 'src/lib.rs'}`)
      .filter((file) => isFile(join(folder, file)));
  };
  return results.map((result) => {
    const [program = '', path = '', ...more] = result.id.split(' > ');
    const roots = findRoots(program);
    // Two packages may have a test program of one name.
    const [root] = roots;
    if (result.file !== null || root === undefined || roots.length > 1 || path === '' || more.length > 0) return result;
    const modules = path.replace(/ \(\d+\)$/, '').split('::');
    const name = modules.pop() ?? '';
    const base = dirname(root);
    const candidates = modules.flatMap((_, at) => {
      const inner = modules.slice(0, modules.length - at).join('/');
      return [`${base}/${inner}.rs`, `${base}/${inner}/mod.rs`];
    });
    const file = candidates.find((each) => isFile(join(folder, each))) ?? root;
    const text = read(file);
    const within = Math.max(0, text.search(new RegExp(`\\bmod\\s+${modules.at(-1) ?? '\\0'}\\b`)));
    const declared = text.slice(within).search(new RegExp(`\\bfn\\s+${name}\\b`));
    const panicked = /^(\S+\.rs):(\d+):/.exec(result.message ?? '');
    if (panicked?.[1] === file) return { ...result, file, line: Number(panicked[2]) };
    return { ...result, file, line: declared < 0 ? null : text.slice(0, within + declared).split('\n').length };
  });
}

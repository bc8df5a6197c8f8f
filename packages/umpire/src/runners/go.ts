// go test: its events by name, run anew each time, and the cover profile of `-coverprofile`, which counts what `go test -cover` counts.

import { dirname, join, relative } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { namesIn } from '../sessions/file-system.js';
import { readText } from './project-files.js';
import type { Runner, Selection } from './runner.js';
import { askVersion } from './system-program.js';

/** One name a line, of each package without those of inner modules, as build tags choose them. */
const LIST =
  '{{$folder := .Dir}}{{range .TestGoFiles}}{{$folder}}/{{.}}{{"\\n"}}{{end}}{{range .XTestGoFiles}}{{$folder}}/{{.}}{{"\\n"}}{{end}}';

export const go: Runner = {
  name: 'go',
  ownFormats: ['go-json', 'go-text'],
  title: 'go test',
  language: 'go',
  programs: ['go test'],
  settings: null,
  dependency: null,
  // Modules of one go.work run one after another, each in its folder.
  signs: { files: ['**/go.mod'], isShownIn: (folder) => namesIn(folder).includes('go.mod'), coversInner: () => false },
  judges: ['**/*_test.go', '**/testdata/**'],
  traps: [{ printed: /no tests to run|no test files/, means: 'The packages have no test that these words choose.' }],
  packages: [],
  commands: ['go test ./...', 'go vet ./...', 'go build ./...'],
  testFiles: () => ['**/*_test.go'],
  requestNames: () => ({ env: { GOFLAGS: '-v' }, isPrinted: true }),
  // Of a whole package.
  timeLimit: {
    said: /\bpanic: test timed out after ((?:\d+(?:\.\d+)?[hms])+)/,
    allow: (argv, ms) => argv.flatMap((word, at) => (at === 1 ? [word, `-timeout=${ms}ms`] : [word])),
  },
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const version = await askVersion(['go', 'version'], place, job, scratch);
    if (version === null) return { absent: 'Go is not installed. Install it from https://go.dev/dl or with the packages of your system.' };
    const env = script?.env ?? {};
    const countsAll = Number(/^1\.(\d+)/.exec(version)?.[1] ?? 99) >= 22;
    return {
      ready: {
        version,
        uncovered: null,
        countAllHint: countsAll ? null : 'Go before 1.22 counts only packages that have tests.',
        listing: {
          argv: ['go', 'list', '-e', '-f', LIST, './...'],
          env,
          file: null,
          readFiles: (text) => text.split('\n').filter((line) => line.endsWith('_test.go')),
        },
        // Names of tests, one a line, behind those of packages.
        list: {
          call: { argv: ['go', 'test', '-list', '^(?:Test|Example|Fuzz)', './...'], env, file: null },
          countTests: (text) => text.split('\n').filter((line) => /^(?:Test|Example|Fuzz)\w*$/.test(line)).length,
        },
        call: (selection, at) => {
          const covered = join(at, 'cover.out');
          const measuring = selection.coverage ? [`-coverprofile=${covered}`] : [];
          return {
            argv: ['go', 'test', '-json', '-count=1', ...measuring, ...selectTests(folder, selection)],
            env,
            tests: { file: join(at, 'tests.json'), isPrinted: true, joinsStderr: true, format: 'go-json' },
            coverage: selection.coverage
              ? { file: covered, format: 'go-cover', counts: ['statements'], prefix: `${readModule(folder)}/` }
              : null,
          };
        },
      },
    };
  },
  locate: locateTests,
};

function readModule(folder: string): string {
  return /^\s*module\s+"?([^\s"]+)/m.exec(readText(join(folder, 'go.mod')) ?? '')?.[1] ?? '';
}

/** Packages are all that can be chosen; where other files lie in them too, the names of the tests. */
function selectTests(folder: string, { files, others }: Selection): readonly string[] {
  if (others.length === 0) return ['./...'];
  const packages = new Set(files.map((file) => dirname(file)));
  const isMixed = others.some((file) => packages.has(dirname(file)));
  const names = files.flatMap((file) => [...findTests(file).keys()]);
  const choice = isMixed && names.length > 0 ? ['-run', `^(${[...new Set(names)].join('|')})$`] : [];
  return [...choice, ...[...packages].map((path) => `./${relative(folder, path)}`)];
}

/** The functions of a file that are tests, with their lines. */
function findTests(file: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [at, line] of (readText(file) ?? '').split('\n').entries()) {
    const name = /^func ((?:Test|Example|Fuzz)\w*)\(/.exec(line)?.[1];
    if (name !== undefined && name !== 'TestMain') found.set(name, at + 1);
  }
  return found;
}

/** By the package and the function in an id: `example.com/shop/money > TestAdd > zero`. Of a failed test, the line that it names. */
function locateTests(folder: string, results: readonly TestResult[]): readonly TestResult[] {
  const module = readModule(folder);
  const packages = new Map<string, ReadonlyMap<string, { readonly file: string; readonly line: number }>>();
  const findPackage = (path: string) => {
    const known = packages.get(path);
    if (known !== undefined) return known;
    const inner = path === module ? '' : path.startsWith(`${module}/`) ? path.slice(module.length + 1) : null;
    const files = inner === null ? [] : namesIn(join(folder, inner)).filter((name) => name.endsWith('_test.go'));
    const places = files.flatMap((name) => {
      const file = inner === '' ? name : `${inner}/${name}`;
      return [...findTests(join(folder, file))].map(([test, line]) => [test, { file, line }] as const);
    });
    packages.set(path, new Map(places));
    return new Map(places);
  };
  return results.map((result) => {
    const [owner = '', test = ''] = result.id.split(' > ');
    const place = findPackage(owner).get(test);
    if (place === undefined) return result;
    const name = place.file.slice(place.file.lastIndexOf('/') + 1);
    const told = new RegExp(`^${name.replaceAll('.', '\\.')}:(\\d+):`, 'm').exec(result.message ?? '')?.[1];
    return { ...result, file: place.file, line: told === undefined ? place.line : Number(told) };
  });
}

// PHPUnit: JUnit XML with files and lines, and Clover where PHP has pcov or Xdebug. The project's own PHPUnit comes before the system's.

import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findFiles, readText } from './project-files.js';
import { keepFlags } from './runner.js';
import type { KnownFlags, Runner, Selection } from './runner.js';
import { runTool } from './run-tool.js';
import { askVersion } from './system-program.js';

const FLAGS: KnownFlags = {
  withValue: '-c --configuration --bootstrap --testsuite --group --exclude-group --include-path -d --test-suffix'.split(' '),
  plain: '--process-isolation --disallow-test-output --strict-coverage'.split(' '),
};

const SETTINGS = ['phpunit.xml', 'phpunit.dist.xml', 'phpunit.xml.dist'];

export const phpunit: Runner = {
  name: 'phpunit',
  title: 'PHPUnit',
  language: 'php',
  programs: ['phpunit'],
  settings: null,
  dependency: null,
  signs: {
    files: SETTINGS.map((name) => `**/${name}`),
    isShownIn: (folder) =>
      SETTINGS.some((name) => existsSync(join(folder, name))) ||
      (/"phpunit\/phpunit"/.test(readText(join(folder, 'composer.json')) ?? '') && findFiles(folder, ['**/*Test.php']).length > 0),
    coversInner: () => false,
  },
  judges: [...SETTINGS, 'tests/bootstrap.php', 'composer.json'],
  traps: [{ printed: /No tests executed!|No tests found/, means: 'PHPUnit found no test that its settings take.' }],
  packages: [],
  commands: ['vendor/bin/phpunit', 'composer test', 'phpunit'],
  testFiles: ({ folder }) => readSuites(folder),
  requestNames: (file, isCalled) => (isCalled ? { words: `--log-junit ${file}` } : {}),
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const own = ['vendor/bin/phpunit', 'bin/phpunit'].find((path) => existsSync(join(folder, path)));
    const start = own === undefined ? ['phpunit'] : ['php', join(folder, own)];
    const isUninstalled = /vendor\/autoload\.php/.test(readSettings(folder)) && !existsSync(join(folder, 'vendor', 'autoload.php'));
    if (isUninstalled) return { absent: 'The packages of the project are not installed. Install them with `composer install`.' };
    const version = await askVersion([...start, '--version'], place, job, scratch);
    if (version === null) return { absent: 'PHPUnit cannot be started here. Install the packages of the project with `composer install`.' };
    const loaded = join(scratch, 'modules.txt');
    await runTool(job, { name: 'phpunit', argv: ['php', '-m'], workdir: folder, keepStdout: loaded, isQuiet: true });
    const canCover = /^(?:pcov|xdebug)$/im.test(readText(loaded) ?? '');
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    const settings = readSettings(folder);
    const namesSources = /<(?:source|coverage|whitelist)\b[^]*<(?:directory|file)\b/.test(settings);
    return {
      ready: {
        version,
        uncovered: canCover ? null : 'No coverage: PHP has no driver for it. Install pcov, for example with `pecl install pcov`.',
        countAllHint: namesSources ? null : 'Name the sources in <source><include> of phpunit.xml to count them.',
        listing: null,
        list: {
          call: { argv: [...start, ...flags, '--do-not-cache-result', '--list-tests'], env: script?.env ?? {}, file: null },
          countTests: (text) => text.split('\n').filter((line) => /^ - \S+::/.test(line)).length,
        },
        call: (selection, at) => {
          const [tests, covered] = [join(at, 'tests.xml'), join(at, 'clover.xml')];
          const isMeasured = selection.coverage && canCover;
          const sources = ['src', 'lib', 'app'].filter((name) => existsSync(join(folder, name)));
          const filter = namesSources ? [] : sources.flatMap((name) => ['--coverage-filter', name]);
          const measuring = isMeasured ? ['--coverage-clover', covered, ...filter] : ['--no-coverage'];
          return {
            argv: [
              ...start,
              ...flags,
              '--colors=never',
              '--do-not-cache-result',
              '--log-junit',
              tests,
              ...measuring,
              ...chooseClasses(selection),
            ],
            env: { ...script?.env, ...(isMeasured ? { XDEBUG_MODE: 'coverage' } : {}) },
            tests: { file: tests, format: 'junit' },
            coverage: isMeasured ? { file: covered, format: 'clover', counts: ['statements'] } : null,
          };
        },
      },
    };
  },
};

function readSettings(folder: string): string {
  const name = SETTINGS.find((each) => existsSync(join(folder, each)));
  return name === undefined ? '' : (readText(join(folder, name)) ?? '').replaceAll(/<!--[^]*?-->/g, '');
}

/** As the suites of the settings name them. */
function readSuites(folder: string): readonly string[] {
  const suites = /<testsuites?\b[^]*<\/testsuites?>/.exec(readSettings(folder))?.[0] ?? '';
  const folders = [...suites.matchAll(/<directory([^>]*)>([^<]+)<\/directory>/g)].map(([, words = '', path = '']) => {
    const suffix = /suffix="([^"]+)"/.exec(words)?.[1] ?? 'Test.php';
    return posix.join(path.trim(), `**/*${suffix}`);
  });
  const files = [...suites.matchAll(/<file[^>]*>([^<]+)<\/file>/g)].map(([, path = '']) => posix.normalize(path.trim()));
  return folders.length + files.length === 0 ? ['**/*Test.php'] : [...folders, ...files];
}

/** PHPUnit before 11 takes one path: classes choose the files. */
function chooseClasses({ files, others }: Selection): readonly string[] {
  if (others.length === 0) return [];
  const classes = files.flatMap((file) => {
    const text = readText(file) ?? '';
    const space = /^\s*namespace\s+([\w\\]+)\s*[;{]/m.exec(text)?.[1];
    return [...text.matchAll(/^\s*(?:(?:final|readonly)\s+)*class\s+(\w+)/gm)].map(([, name = '']) =>
      (space === undefined ? name : `${space}\\${name}`).replaceAll('\\', '\\\\'),
    );
  });
  return ['--filter', `/^(?:${classes.join('|')})::/`];
}

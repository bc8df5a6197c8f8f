// RSpec: its JSON beside what people read. Coverage is SimpleCov's, where the project starts it.

import { join } from 'node:path';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { listIn } from '@umpire/core/formats/json-values.js';
import { namesIn } from '../sessions/file-system.js';
import { findFiles } from './project-files.js';
import { findRubyProgram, findSimpleCov } from './ruby-programs.js';
import { keepFlags } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';

const FLAGS: KnownFlags = {
  withValue: '-I -r --require -O --options -P --pattern --exclude-pattern -t --tag --default-path --order --seed'.split(' '),
  plain: '-w --warnings'.split(' '),
  dropped: '-f --format -o --out'.split(' '),
};

export const rspec: Runner = {
  name: 'rspec',
  title: 'RSpec',
  language: 'ruby',
  programs: ['rspec'],
  settings: /^\.rspec$/,
  dependency: null,
  signs: {
    files: ['**/.rspec', '**/spec/**/*_spec.rb'],
    isShownIn: (folder) => namesIn(folder).includes('.rspec') || findFiles(join(folder, 'spec'), ['**/*_spec.rb']).length > 0,
    coversInner: () => true,
  },
  judges: ['.rspec', 'spec/spec_helper.rb', 'spec/rails_helper.rb', 'spec/support/**', '.simplecov', 'Rakefile'],
  traps: [{ printed: /No examples found|^0 examples, 0 failures/m, means: 'RSpec found no example that its settings take.' }],
  packages: [],
  commands: ['bundle exec rspec', 'rspec'],
  testFiles: () => ['**/*_spec.rb'],
  requestNames: (file) => ({
    env: { SPEC_OPTS: `--format progress --format json --out ${file}` },
    ends: /^\d+ examples?, \d+ failures?/gm,
  }),
  findBrokenFiles: (printed, files) => {
    const named = [...printed.matchAll(/error occurred while loading \.\/(\S+\.rb)/g)].map(([, path = '']) => `/${path}`);
    return files.filter((file) => named.some((path) => file.endsWith(path)));
  },
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const program = await findRubyProgram('rspec', place, job, scratch);
    if (program === null)
      return {
        absent: 'RSpec cannot be started here. Install the gems of the project with `bundle install`, or RSpec with `gem install rspec`.',
      };
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    const start = [...program.argv, '--no-color', ...flags];
    const env = script?.env ?? {};
    const listed = join(scratch, 'examples.json');
    const simplecov = findSimpleCov(folder);
    return {
      ready: {
        version: program.version,
        uncovered: simplecov.uncovered,
        countAllHint: simplecov.countAllHint,
        listing: { argv: [...start, '--dry-run', '--format', 'json', '--out', listed], env, file: listed, readFiles: readExampleFiles },
        list: { call: null, countTests: (text) => (readExampleFiles(text) === null ? null : countExamples(text)) },
        call: ({ files, others, coverage }, at) => {
          const tests = join(at, 'examples.json');
          const reports = ['--no-fail-fast', '--format', 'progress', '--format', 'json', '--out', tests];
          return {
            argv: [...start, ...reports, ...(others.length === 0 ? [] : files)],
            env,
            tests: { file: tests, format: 'rspec' },
            coverage: coverage && simplecov.report !== null ? simplecov.report : null,
          };
        },
      },
    };
  },
};

/** Null where a file cannot be loaded: then no example of any file is listed. */
function readExampleFiles(text: string): readonly string[] | null {
  const json = parseJson(text);
  if (!json.ok || !isObject(json.value)) return null;
  const { examples, summary } = json.value;
  if (isObject(summary) && Number(summary['errors_outside_of_examples_count']) > 0) return null;
  const files = (Array.isArray(examples) ? (examples as readonly unknown[]) : []).flatMap((example) =>
    isObject(example) && typeof example['file_path'] === 'string' ? [example['file_path']] : [],
  );
  return [...new Set(files)];
}

function countExamples(text: string): number {
  const json = parseJson(text);
  return json.ok ? listIn(json.value, 'examples').length : 0;
}

// Minitest: by a plug-in of a few lines, which Minitest finds by itself wherever it runs: in one process here, or below a person's `rake
// test`. It reports as JUnit, each test with file and line. Coverage is SimpleCov's, where the project starts it.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles, readText } from './project-files.js';
import { findRubyProgram, findSimpleCov } from './ruby-programs.js';
import type { Runner } from './runner.js';

const TESTS = ['test/**/*_test.rb', 'test/**/test_*.rb', '!test/**/test_helper.rb'];
const MARK = /\bMinitest\b|minitest|ActiveSupport::TestCase|ActionDispatch::IntegrationTest|require ["'](?:test_|\.\/)?helper/;
const MOST_READ = 20;

export const minitest: Runner = {
  name: 'minitest',
  title: 'Minitest',
  language: 'ruby',
  // As `rails test` does: a Rakefile may run anything.
  programs: ['rails test'],
  settings: null,
  dependency: null,
  signs: {
    files: ['**/{Gemfile,Rakefile}', '**/*.gemspec'],
    isShownIn: (folder) => {
      const files = [...findFiles(folder, TESTS).slice(0, MOST_READ), 'test/test_helper.rb'];
      return files.some((file) => MARK.test(readText(join(folder, file)) ?? ''));
    },
    coversInner: () => false,
  },
  judges: ['test/test_helper.rb', 'test/helper.rb', 'test/support/**', 'Rakefile', '.simplecov'],
  traps: [{ printed: /^0 runs, 0 assertions/m, means: 'Minitest found no test in these files.' }],
  packages: [],
  commands: ['bundle exec rake test', 'bundle exec rake', 'rake test', 'bin/rails test'],
  testFiles: () => TESTS,
  requestNames: (file) => ({ env: { RUBYOPT: `-I${writePlugin(`${file}.d`, file)}` } }),
  findBrokenFiles: (printed, files) => files.filter((file) => printed.includes(file)),
  prepare: async (place, job, scratch) => {
    const { folder } = place;
    const program = await findRubyProgram('ruby', place, job, scratch);
    if (program === null) return { absent: 'Ruby cannot be started here. Install it, and the gems of the project with `bundle install`.' };
    const simplecov = findSimpleCov(folder);
    return {
      ready: {
        version: program.version,
        uncovered: simplecov.uncovered,
        countAllHint: simplecov.countAllHint,
        listing: null,
        call: ({ files, coverage }, at) => {
          const tests = join(at, 'tests.xml');
          const folders = ['lib', 'test', '.'].filter((name) => existsSync(join(folder, name))).map((name) => `-I${name}`);
          const plugin = writePlugin(join(at, 'plugin'), tests);
          const load = ['-e', 'ARGV.dup.tap { ARGV.clear }.each { |file| require file }'];
          return {
            argv: [...program.argv, ...folders, `-I${plugin}`, '-rminitest/umpire_plugin', ...load, ...files],
            env: place.script?.env ?? {},
            tests: { file: tests, format: 'junit' },
            coverage: coverage ? simplecov.report : null,
          };
        },
      },
    };
  },
};

/** Several test runs below one command write one report. */
function writePlugin(folder: string, report: string): string {
  mkdirSync(join(folder, 'minitest'), { recursive: true });
  writeFileSync(join(folder, 'minitest', 'umpire_plugin.rb'), PLUGIN.replace('REPORT', JSON.stringify(report)));
  return folder;
}

const PLUGIN = `require "minitest"

module Minitest
  class UmpireReporter < AbstractReporter
    def initialize
      super
      @cases = []
    end

    def record(result)
      file, line = result.respond_to?(:source_location) ? result.source_location : [nil, nil]
      owner = result.respond_to?(:klass) ? result.klass : result.class.name
      place = file ? %( file="#{text(file)}" line="#{line}") : ""
      @cases << %(<testcase classname="#{text(owner)}" name="#{text(result.name)}" time="#{result.time}"#{place}>#{ending(result)}</testcase>)
    end

    def ending(result)
      return "" if result.passed?
      failure = result.failure
      return %(<skipped message="#{text(failure.message)}"/>) if result.skipped?
      %(<#{kind = result.error? ? "error" : "failure"}>#{text("#{failure.message}\\n#{failure.location}")}</#{kind}>)
    end

    def text(value)
      value.to_s.encode("UTF-8", invalid: :replace, undef: :replace).encode(xml: :text).gsub(%("), "&quot;")
        .gsub(/[^\\t\\n\\r\\u{20}-\\u{D7FF}\\u{E000}-\\u{FFFD}\\u{10000}-\\u{10FFFF}]/, "\\u{FFFD}")
    end

    def report
      earlier = File.exist?(PATH) ? File.read(PATH).sub("</testsuites>", "") : "<testsuites>"
      File.write(PATH, "#{earlier}<testsuite>#{@cases.join}</testsuite></testsuites>")
    end

    PATH = REPORT
  end

  def self.plugin_umpire_init(_options)
    reporter << UmpireReporter.new
  end

  extensions << "umpire" unless extensions.include?("umpire")
end
`;

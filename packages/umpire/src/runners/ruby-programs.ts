// How Ruby's test programs are started in a project: its own copy, through Bundler where it has a Gemfile, or the system's. And where its
// SimpleCov leaves what it measured.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles, readText } from './project-files.js';
import type { ReportAt, TestPlace } from './runner.js';
import type { ToolJob } from './run-tool.js';
import { askVersion } from './system-program.js';

export interface RubyProgram {
  readonly argv: readonly string[];
  readonly version: string;
}

/** Null where it cannot be started in any way. */
export async function findRubyProgram(name: string, place: TestPlace, job: ToolJob, scratch: string): Promise<RubyProgram | null> {
  const ways = [
    ...(existsSync(join(place.folder, 'bin', name)) ? [[join(place.folder, 'bin', name)]] : []),
    ...(existsSync(join(place.folder, 'Gemfile')) ? [['bundle', 'exec', name]] : []),
    [name],
  ];
  for (const argv of ways) {
    const version = await askVersion([...argv, '--version'], place, job, scratch);
    if (version !== null) return { argv, version };
  }
  return null;
}

export interface SimpleCov {
  readonly report: ReportAt | null;
  readonly uncovered: string | null;
  readonly countAllHint: string | null;
}

/** `if ENV["COVERAGE"]` before it, or behind it. */
const ASKS_ENVIRONMENT =
  /^[ \t]*if\b[^\n]*ENV(?:\[|\.fetch\(|\.key\?\()\s*["'](\w+)["'][^\n]*\n(?:[^\n]*\n){0,2}?[^\n]*simplecov|simplecov["'][^\n]*\bif\b[^\n]*ENV(?:\[|\.fetch\(|\.key\?\()\s*["'](\w+)/im;

/** SimpleCov is started by the project's own code, which says what it counts. */
export function findSimpleCov(folder: string): SimpleCov {
  const files = ['.simplecov', ...findFiles(folder, ['{spec,test}/*_helper.rb', '{spec,test}/support/**/*.rb'])];
  const text = files.map((file) => readText(join(folder, file)) ?? '').join('\n');
  if (!/\bSimpleCov\b/.test(text)) {
    const uncovered = 'No coverage: add simplecov to the Gemfile, and `require "simplecov"; SimpleCov.start` at the top of the helper.';
    return { report: null, uncovered, countAllHint: null };
  }
  const variable = text
    .match(ASKS_ENVIRONMENT)
    ?.slice(1)
    .find((name) => name !== undefined);
  if (variable !== undefined && process.env[variable] === undefined) {
    const uncovered = `No coverage: the helper starts SimpleCov only where ${variable} is set. Set it for the run, if its gems are installed.`;
    return { report: null, uncovered, countAllHint: null };
  }
  const set = /coverage_dir[\s(]+["']([^"']+)["']/.exec(text)?.[1] ?? 'coverage';
  return {
    report: { file: join(folder, set, '.resultset.json'), format: 'simplecov' },
    uncovered: null,
    countAllHint: /\btrack_files\b/.test(text) ? null : 'Set track_files in the settings of SimpleCov to count them.',
  };
}

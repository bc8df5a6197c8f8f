// Coverage of JavaScript by a tool around the runner: c8 or nyc, whichever the project has, as its settings and scripts call it. For runners
// that measure none themselves.

import { join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { isStarter, listCommands, programName } from '@umpire/core/formats/shell-text.js';
import { findTool, readManifest } from './run-tool.js';
import { hasFlag, keepFlags, readSettingsText } from './runner.js';
import type { KnownFlags, ReadyRunner, ReportAt, TestPlace } from './runner.js';

export interface CoverageWrapper extends Pick<ReadyRunner, 'uncovered' | 'countAllHint' | 'countsTestFiles'> {
  /** Words before the runner's call, which leave a report; none where there is no tool. `scratch`: a folder outside the project. */
  readonly wrap: (scratch: string) => {
    readonly argv: readonly string[];
    /** Behind the runner's own call instead. */
    readonly flags?: readonly string[];
    readonly coverage: ReportAt | null;
  };
}

const WRAPPERS = ['c8', 'nyc'] as const;
type CoverageTool = (typeof WRAPPERS)[number];

export function findCoverageWrapper({ folder, script }: Pick<TestPlace, 'folder' | 'script'>): CoverageWrapper {
  const name = WRAPPERS.find((each) => findTool(folder, each) !== null) ?? 'c8';
  const tool = findTool(folder, name);
  if (tool === null)
    return {
      uncovered: 'No coverage: run `npm install --save-dev c8`.',
      countAllHint: null,
      countsTestFiles: false,
      wrap: () => ({ argv: [], coverage: null }),
    };
  const { flags, countsAll } = wrapperSettings(folder, name, script?.wrapperArgs ?? []);
  const own = readManifest(folder)?.[name];
  const says = readSettingsText(folder, /^(?:\.c8rc|\.nycrc)(?:\.json|\.ya?ml)?$/, []) + (isObject(own) ? JSON.stringify(own) : '');
  // By default both leave tests out.
  const countsTestFiles = hasFlag(flags, '-x') || hasFlag(flags, '--exclude') || /\bexclude['"]?\s*:/.test(says);
  const hint = `Set "all" and "include" in ${name === 'nyc' ? '.nycrc.json' : '.c8rc.json'} to count them.`;
  return {
    uncovered: null,
    countAllHint: countsAll ? null : hint,
    countsTestFiles,
    wrap: (scratch) => {
      const [covered, raw] = [join(scratch, 'coverage'), join(scratch, 'raw')];
      const folders =
        name === 'nyc'
          ? ['--cache=false', `--report-dir=${covered}`, `--temp-dir=${raw}`]
          : ['--100=false', `--reports-dir=${covered}`, `--temp-directory=${raw}`];
      return {
        argv: [process.execPath, tool.bin, ...flags, '--check-coverage=false', '--reporter=json', ...folders],
        coverage: { file: join(covered, 'coverage-final.json'), format: 'istanbul' },
      };
    },
  };
}

/** Is it such a tool that gives the project's own figure, although the runner measures coverage too? */
export function usesCoverageWrapper(folder: string): boolean {
  return WRAPPERS.some((tool) => findTool(folder, tool) !== null && findToolCalls(folder, tool).length > 0);
}

/** The words behind the tool's name, of each script that calls it. */
function findToolCalls(folder: string, tool: CoverageTool): readonly (readonly string[])[] {
  const scripts = readManifest(folder)?.['scripts'];
  const texts = isObject(scripts) ? Object.values(scripts).filter((text) => typeof text === 'string') : [];
  return texts.flatMap(listCommands).flatMap(({ words }) => {
    const at = words.findIndex((word) => programName(word) === tool);
    return at < 0 ? [] : [words.slice(at + 1)];
  });
}

/** What such a tool is put around. */
const PROGRAMS: ReadonlySet<string> = new Set(['mocha', 'mocha.js', '_mocha', 'ava', 'tape', 'tap', 'jasmine']);

const WRAPPER_FLAGS: KnownFlags = {
  withValue: '-n --include -x --exclude --src -e --extension -c --config --nycrc-path --exclude-node-modules'.split(' '),
  plain: ['-a', '--all', '--exclude-after-remap', '--allowExternal'],
};

/**
 * What the project tells c8 or nyc, and whether that counts files that no test loads. `args`: of the test script; else the first script
 * that calls the tool tells, such as one for coverage alone.
 */
export function wrapperSettings(
  folder: string,
  tool: CoverageTool,
  args: readonly string[],
): { readonly flags: readonly string[]; readonly countsAll: boolean } {
  const own = readManifest(folder)?.[tool];
  const said = args.length > 0 ? args : (findToolCalls(folder, tool)[0] ?? []);
  // The words up to the program that it starts.
  const end = said.findIndex((word) => isStarter(word) || PROGRAMS.has(programName(word)));
  const { flags } = keepFlags(end < 0 ? said : said.slice(0, end), WRAPPER_FLAGS);
  const files = tool === 'c8' ? /^(?:\.c8rc|\.nycrc)(?:\.json)?$/ : /^(?:\.nycrc(?:\.json|\.ya?ml)?|nyc\.config\.[cm]?js)$/;
  const text = `${readSettingsText(folder, files, [])}\n${isObject(own) ? JSON.stringify(own) : ''}`;
  if (flags.includes('--all') || flags.includes('-a') || /\ball['"]?\s*:\s*true\b/.test(text)) return { flags, countsAll: true };
  const names = ['-n', '--include', '--src'].some((name) => hasFlag(flags, name)) || /\b(?:include|src)['"]?\s*:/.test(text);
  // The project says which files its figure is about.
  if (names && !/\ball['"]?\s*:\s*false\b/.test(text)) return { flags: [...flags, '--all'], countsAll: true };
  return { flags, countsAll: false };
}

// The command that the settings name for the tests of the project or of a package (critics.tests, critics.packages). It runs by a shell, as
// the person wrote it, and its report by test is a file, a folder of reports, or what it prints.

import { join } from 'node:path';
import type { CoverageSettings, CriticSettings } from '../sessions/settings.js';
import { LANGUAGES } from './languages.js';
import type { Runner } from './runner.js';

interface TestCommand {
  readonly command: string;
  readonly report?: string;
  readonly format?: string;
}

/** Where the settings say how tests run, or that there are none. */
interface SetTests {
  /** From the project; empty for the project itself. */
  readonly path: string;
  readonly tests: 'none' | TestCommand;
  /** As a person finds it in the settings. */
  readonly key: string;
}

/** Packages first: what is said of one holds for it. */
export function listSetTests({ tests, packages }: Pick<CriticSettings, 'tests' | 'packages'>): readonly SetTests[] {
  const all = [
    ...Object.entries(packages).map(([path, own]) => ({ path, tests: own.tests ?? null, key: `critics.packages.${path}.tests` })),
    { path: '', tests, key: 'critics.tests' },
  ];
  return all.flatMap(({ path, tests: said, key }): readonly SetTests[] => {
    if (said === 'none') return [{ path, tests: said, key }];
    return said?.command === undefined ? [] : [{ path, tests: { ...said, command: said.command }, key }];
  });
}

/** `key`: as a person finds it in the settings. */
export type SetCoverage = CoverageSettings & { readonly key: string };

/** Null where the settings say nothing of the coverage in this folder. */
export function findSetCoverage({ coverage, packages }: Pick<CriticSettings, 'coverage' | 'packages'>, path: string): SetCoverage | null {
  const set = path === '' ? coverage : packages[path]?.coverage;
  return set == null ? null : { ...set, key: path === '' ? 'critics.coverage' : `critics.packages.${path}.coverage` };
}

const SHELL = ['/bin/sh', '-c'] as const;
const MOST_SHOWN = 60;

/** For people, of a command that may be long. */
export function showCommand(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return `\`${line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN - 1)}…` : line}\``;
}

/** The words that run it. */
export function shellWords(command: string): readonly string[] {
  return [...SHELL, command];
}

export const settingsCommand: Runner = {
  name: 'command',
  title: 'a command of your own',
  language: null,
  programs: [],
  settings: null,
  dependency: null,
  judges: ['**/{GNUmakefile,makefile,Makefile}', '**/*.mk', '**/{J,j}ustfile', '**/{T,t}askfile.{yml,yaml}'],
  traps: [],
  packages: [],
  commands: [],
  testFiles: () => Object.values(LANGUAGES).flatMap(({ tests }) => tests),
  requestNames: () => ({}),
  prepare: ({ path, folder }, { settings }) => {
    const set = listSetTests(settings).find((each) => each.path === path);
    if (set === undefined || set.tests === 'none') return { absent: 'The settings name no command for these tests.' };
    const { command, report, format = null } = set.tests;
    const advice =
      report === undefined
        ? `Its report is read from what it prints: where it writes a file, set ${set.key}.report.`
        : `Check ${set.key}.report (${report}).`;
    return {
      ready: {
        version: null,
        label: showCommand(command),
        advice,
        uncovered: `No coverage: set ${set.key.replace(/tests$/, 'coverage')}.`,
        countAllHint: null,
        listing: null,
        call: (_, scratch) => ({
          argv: shellWords(command),
          env: {},
          tests:
            report === undefined ? { file: join(scratch, 'report.txt'), isPrinted: true, format } : { file: join(folder, report), format },
          coverage: null,
          ...(report === undefined && format === null
            ? { unnamed: { command, advice: `To name them, set ${set.key}.report, or print them as TAP.` } }
            : {}),
        }),
      },
    };
  },
};

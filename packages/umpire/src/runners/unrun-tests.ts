// Test files of a project that none of its runners runs, and what would have them run. By names alone; nothing is started.

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isForeignCode } from '@umpire/guard/syntax/nodes.js';
import type { FoundTestPlace } from './find-tests.js';
import { LANGUAGES } from './languages.js';
import { findFiles, pathTest, readText } from './project-files.js';
import { RUNNERS } from './registry.js';

/** The test files of one language. */
interface UnrunTests {
  /** For people: `Go`; of a language without a row, how its files end: `.lua`. */
  readonly language: string;
  readonly files: readonly string[];
}

/** Samples, and code of others. */
const ASIDE = pathTest(['**/{fixtures,__fixtures__,testdata,samples,examples,vendor,third_party,deps,target,templates}/**']);

/** Names by which most languages know their tests. */
const NAMED =
  /(?:^|\/)(?:test|spec)[_-][^/]*\.\w+$|[._-](?:tests?|specs?)\.\w+$|[a-z0-9](?:Tests?|Spec)\.\w+$|(?:^|\/)(?:tests?|specs?|t)\/(?:.*\/)?[^/]+\.\w+$/;

/** In languages of which no place runs any test. `path`: from the project. */
export function findUnrunTests(asked: string, places: readonly Pick<FoundTestPlace, 'place' | 'files'>[]): readonly UnrunTests[] {
  // What a command of the settings runs is not known before it ran: all of its folder.
  const covered = places.flatMap(({ place }) => (place.runner === 'command' ? [place.path] : []));
  const isCovered = (file: string): boolean => covered.some((path) => path === '' || file.startsWith(`${path}/`));
  const project = realpathSync.native(asked);
  const run = new Set<string | null>(places.map(({ place }) => RUNNERS[place.runner].language));
  const rows = Object.entries(LANGUAGES).map(([name, { title, sources, tests }]) => ({
    name,
    title,
    isSource: pathTest(sources),
    isTest: pathTest(tests),
  }));
  const found = new Map<string, string[]>();
  const own = new Set(places.flatMap(({ files }) => files));
  for (const file of findFiles(project, ['**/*'])) {
    if (own.has(file) || ASIDE(file) || isCovered(file)) continue;
    const row = rows.find(({ isSource, isTest }) => isSource(file) || isTest(file));
    const isTest = row === undefined ? isForeignCode(file) && NAMED.test(file) : row.isTest(file);
    if (!isTest || (row !== undefined && run.has(row.name))) continue;
    const language = row?.title ?? file.slice(file.lastIndexOf('.'));
    found.set(language, [...(found.get(language) ?? []), file]);
  }
  return [...found].map(([language, files]) => ({ language, files })).toSorted((a, b) => b.files.length - a.files.length);
}

const MAKE_TARGET = /^(check|tests?)[ \t]*:(?!=)/m;

/** A value for critics.tests with which they would run. */
export function suggestTestCommand(project: string): string {
  const makefile = ['GNUmakefile', 'makefile', 'Makefile'].map((name) => readText(join(project, name))).find((text) => text !== null);
  const target = MAKE_TARGET.exec(makefile ?? '')?.[1] ?? 'check';
  return `{ command: "make ${target}", report: report.xml }`;
}

const MOST_NAMED = 2;

/** `72 Go test files (cart_test.go, a/b_test.go and 70 more), which nothing runs` */
export function describeUnrun({ language, files }: UnrunTests): string {
  const more = files.length - MOST_NAMED;
  const names = `${files.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${files.length} ${language} test ${files.length === 1 ? 'file' : 'files'} (${names}) that nothing runs`;
}

// Results and coverage of several calls made one, with every path relative to the project: a runner that works in a package names
// its files from there.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { shareOf } from '@umpire/reports/share.js';
import type { FileCoverage, Share, TestResult } from '@umpire/core/model.js';
import type { TestPlace } from './test-runner.js';

/** `others`: files whose tests are not counted. */
export function mergeResults(
  project: string,
  place: TestPlace,
  parts: readonly (readonly TestResult[])[],
  others: ReadonlySet<string>,
  format: string,
): { readonly results: readonly TestResult[]; readonly dropped: number } {
  const locate = locator(project, place, format);
  const all = parts.flat().map((result) => placed(located(result, place, locate), project));
  const results = all.filter(({ file }) => file === null || !others.has(file));
  return { results, dropped: all.length - results.length };
}

/** An id is the same from run to run, and tells the packages of a workspace apart. */
function located(result: TestResult, place: TestPlace, locate: (path: string) => string): TestResult {
  if (place.path === '') return result;
  const file = result.file === null ? null : locate(result.file);
  const isNamedByFile = result.file !== null && file !== null && result.id.startsWith(result.file);
  const id = isNamedByFile ? file + result.id.slice(result.file.length) : `${place.path} > ${result.id}`;
  return { ...result, file, id };
}

/** No place of this machine in what is shown; and where the runner names no line, the first of the test's file in the stack. */
function placed(result: TestResult, project: string): TestResult {
  if (result.message === null) return result;
  const lines = result.message.replaceAll(`file://${project}/`, '').replaceAll(`${project}/`, '').split('\n');
  const message = lines
    .filter((line) => !OWN_FRAME.test(line))
    .join('\n')
    .trimEnd();
  return { ...result, message, line: result.line ?? (result.file === null ? null : lineOf(message, result.file)) };
}

/** A line of a stack that lies in a package, in Node itself, or elsewhere on the machine. */
const OWN_FRAME = /^\s+at .*(?:node_modules|node:|file:|<anonymous>)/;

function lineOf(message: string, file: string): number | null {
  const at = message.indexOf(`${file}:`);
  const digits = at < 0 ? null : /^\d{1,7}/.exec(message.slice(at + file.length + 1));
  return digits === null ? null : Number(digits[0]);
}

/** The same file from several calls: a line is covered where one of them reached it. */
export function mergeCoverage(
  project: string,
  place: TestPlace,
  parts: readonly (readonly FileCoverage[])[],
  isTest: (path: string) => boolean,
  format: string,
): readonly FileCoverage[] {
  const locate = locator(project, place, format);
  const isOwn = place.runner === 'pytest' ? isSourceIn(project) : () => true;
  const located = parts.map((files) => files.map((file) => ({ ...file, path: locate(file.path) })));
  return mergeFiles(located).filter(({ path }) => !isTest(path) && isOwn(path));
}

/** Python counts every module that was loaded, also those of its own installation; they are no sources of the project. */
function isSourceIn(project: string): (path: string) => boolean {
  return (path) => !/(?:^|\/)(?:site|dist)-packages\//.test(path) && existsSync(join(project, path));
}

export function mergeFiles(parts: readonly (readonly FileCoverage[])[]): readonly FileCoverage[] {
  const merged = new Map<string, FileCoverage>();
  for (const file of parts.flat()) {
    const before = merged.get(file.path);
    merged.set(file.path, before === undefined ? file : bothOf(before, file));
  }
  return [...merged.values()];
}

/**
 * Lines are merged one by one. Of branches and functions a report keeps the counts alone: the better of the two holds, which is
 * never too much. So it is with lines where not all of them are listed.
 */
function bothOf(one: FileCoverage, other: FileCoverage): FileCoverage {
  if (!listsAll(one) || !listsAll(other)) return (one.lines?.pct ?? 0) >= (other.lines?.pct ?? 0) ? one : other;
  const inBoth = new Set(other.uncovered);
  const uncovered = one.uncovered.filter((line) => inBoth.has(line));
  const total = Math.max(one.lines?.total ?? 0, other.lines?.total ?? 0);
  return {
    ...better('branches', one, other),
    ...better('statements', one, other),
    ...better('functions', one, other),
    path: one.path,
    ...(total > 0 ? { lines: shareOf(Math.max(0, total - uncovered.length), total) } : {}),
    uncovered,
  };
}

function listsAll({ lines, uncovered }: FileCoverage): boolean {
  return lines === undefined || lines.total - lines.covered === uncovered.length;
}

function better<K extends 'branches' | 'statements' | 'functions'>(
  kind: K,
  one: FileCoverage,
  other: FileCoverage,
): Partial<Record<K, Share>> {
  const a = one[kind];
  const b = other[kind];
  const share = a === undefined || (b !== undefined && b.pct > a.pct) ? b : a;
  return share === undefined ? {} : ({ [kind]: share } as Partial<Record<K, Share>>);
}

/** These name files from where the runner works; others name them in full. */
const FROM_FOLDER: ReadonlySet<string> = new Set(['lcov', 'junit']);

function locator(project: string, { path: folder }: TestPlace, format: string): (path: string) => string {
  const known = new Map<string, string>();
  return (path) => {
    if (folder === '') return path;
    const before = known.get(path);
    if (before !== undefined) return before;
    const inner = `${folder}/${path}`;
    const isInner = existsSync(join(project, inner)) && (FROM_FOLDER.has(format) || !existsSync(join(project, path)));
    known.set(path, isInner ? inner : path);
    return isInner ? inner : path;
  };
}

// Takes single tests out of a file and leaves all others: a new test that fails is no reason to leave out its whole file.

import { readSource } from '../syntax/read.js';
import { findTests } from '../test-model/find.js';
import { blockOf, readTestTitle } from '../retrial/test-text.js';

/** Tests of a file that a result does without. Null: the whole file, since they cannot be taken out alone. */
export type LeftOut = { readonly file: string; readonly tests: readonly string[] | null };

/**
 * `names`: as runners report them, from the file. Null where one is not found, or where nothing would be left that is a test or valid code:
 * then only the whole file can be left out.
 */
export function removeTests(path: string, text: string, names: readonly string[]): string | null {
  const source = readSource(path, text);
  if (source === null) return removeBlocks(text, names);
  if (source.problem !== null) return null;
  const { tests } = findTests(source);
  const taken = names.map((name) => tests.filter((test) => endsAlike(titlesOf(name), test.path)));
  if (taken.some((found) => found.length === 0)) return null;
  const gone = new Set(taken.flat());
  if (tests.every((test) => gone.has(test))) return null;
  const left = cutOut(text, [...gone].map(wholeLinesIn(text)));
  // A suite or a block that is empty now may be no code.
  return readSource(path, left)?.problem === null ? left : null;
}

/** In a language that is read by its indentation alone. */
function removeBlocks(text: string, names: readonly string[]): string | null {
  const blocks = names.map((name) => blockOf(text, titlesOf(name).at(-1) ?? ''));
  if (blocks.includes(null)) return null;
  return cutOut(
    text,
    blocks.flatMap((block) => (block === null ? [] : [withAnnotations(text, block)])),
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** `@Test` and `#[Test]` above a test belong to it. */
function withAnnotations(text: string, { from, to }: Range): Range {
  const above = startAbove(text, from, /^\s*(?:@|#\[)/);
  return { from: startAbove(text, above, BLANK), to: lineEnd(text, to) };
}

const BLANK = /^\s*$/;

/** Where the lines of this form begin that end at the start of a line. */
function startAbove(text: string, start: number, form: RegExp): number {
  let at = start;
  while (at > 0) {
    const previous = text.lastIndexOf('\n', at - 2) + 1;
    if (!form.test(text.slice(previous, at))) break;
    at = previous;
  }
  return at;
}

/** With the blank lines above. A test that shares its lines with other code is taken out of them. */
function wholeLinesIn(text: string): (range: Range) => Range {
  return ({ from, to }) => {
    const start = text.lastIndexOf('\n', from - 1) + 1;
    const end = lineEnd(text, to);
    const isAlone = /^\s*$/.test(text.slice(start, from)) && /^[;\s]*$/.test(text.slice(to, end));
    return isAlone ? { from: startAbove(text, start, BLANK), to: end } : { from, to };
  };
}

function lineEnd(text: string, at: number): number {
  const next = text.indexOf('\n', at);
  return next < 0 ? text.length : next + 1;
}

/** From the end, so that what stands before keeps its place. */
function cutOut(text: string, ranges: readonly Range[]): string {
  let left = text;
  let last = text.length;
  for (const { from, to } of ranges.toSorted((a, b) => b.from - a.from || b.to - a.to)) {
    if (from >= last) continue;
    left = left.slice(0, from) + left.slice(Math.min(to, last));
    last = from;
  }
  return left;
}

function titlesOf(name: string): readonly string[] {
  return name.split(/ > |::/).map((title) => readTestTitle({ id: title }));
}

/** Runners put a class or package before the titles, or leave suites out. */
function endsAlike(one: readonly string[], other: readonly string[]): boolean {
  const many = Math.min(one.length, other.length);
  return many > 0 && one.slice(-many).join('\0') === other.slice(-many).join('\0');
}

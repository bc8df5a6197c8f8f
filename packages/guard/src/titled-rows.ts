// Tests that became rows of a table: their titles stand in the rows, and so does what they wanted.

import type { AssertionFact, TestFact } from './facts.js';
import { EXACT, levelOf, wantedOf } from './strength.js';

/** What stands everywhere, and proves nothing about where a test went. */
const PLAIN = /^(true|false|null|undefined|empty)$/;

/** A table of `tests` has a row under the title of `test` that wants all that it wanted. */
export function isRowOf(test: TestFact, tests: readonly TestFact[]): boolean {
  const title = JSON.stringify(test.path.at(-1) ?? '');
  if (title.length < 6 || test.assertions.length === 0) return false;
  return tests.some((other) => {
    if (other.span.file !== test.span.file || other.hidden !== null || other.marks.some(({ kind }) => kind === 'skipped')) return false;
    const row = other.rows?.find((text) => text.includes(title));
    return row !== undefined && other.assertions.some((fact) => isSound(fact)) && test.assertions.every((fact) => isIn(fact, row, other));
  });
}

function isSound({ tautology, swallowed, waiting, reach, ...fact }: AssertionFact): boolean {
  const asks = levelOf({ tautology, swallowed, waiting, reach, ...fact }) >= EXACT || fact.kind === 'throws';
  return asks && tautology === null && swallowed === null && waiting !== 'floating' && reach === 'always';
}

/** Every number and text that a check wanted stands in the row, or is wanted by the table's own checks. */
function isIn(fact: AssertionFact, row: string, { assertions }: TestFact): boolean {
  const wanted = wantedOf(fact);
  if (wanted === null || PLAIN.test(wanted)) return true;
  const leaves = wanted.match(/"(?:[^"\\]|\\.)*"|-?[0-9][\w.]*/g) ?? [];
  const asked = assertions.map((other) => wantedOf(other) ?? '');
  return leaves.every((leaf) => {
    const text = leaf.startsWith('"') ? leaf.slice(1, -1) : leaf;
    return row.includes(text) || asked.some((other) => other.includes(text));
  });
}

/** What a test wanted went into files that a loop of its file walks over, asking the same function for each of them. */
export function isInFiles(test: TestFact, tests: readonly TestFact[], texts: readonly string[]): boolean {
  if (texts.length === 0 || test.assertions.length === 0) return false;
  const nameOf = ({ subject }: AssertionFact) => /^(?:new )?([\p{L}\p{N}_$.]+)\(/u.exec(subject)?.[1];
  const here = tests.filter(({ span, hidden }) => span.file === test.span.file && hidden === null);
  const looped = new Set(here.flatMap(({ assertions }) => assertions.filter((fact) => fact.open && isSound(fact)).map(nameOf)));
  return test.assertions.every((fact) => {
    const leaves = (wantedOf(fact) ?? '').match(/"(?:[^"\\]|\\.)*"|-?[0-9][\w.]*/g) ?? [];
    return leaves.length > 0 && looped.has(nameOf(fact)) && leaves.every((leaf) => texts.some((text) => text.includes(leaf)));
  });
}

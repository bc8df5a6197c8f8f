// A19: finds source that answers only the inputs of its tests. If its new lines hold a literal that only the tests have, the tests run again with
// another literal, on the new source and on the old. If both fail alike, the work helps this one input and no other. Pure.

import type { Change } from '../change.js';
import { sourceText } from './judges.js';
import { byId, hasFailed } from './versions.js';
import type { TrialResult } from './versions.js';

const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<![\w.])\d+(?:\.\d+)?(?![\w.])/g;
const NO_CODE = /^\s*(?:\/\/|#|\*|\/\*|--|;|import\b|from\b|require\b|use\b|include\b)/;
const NUMBER = /^\d/;
/** Shorter texts and smaller numbers are everywhere. */
const SHORTEST = 3;
const SMALLEST = 10;

/**
 * Literals of new lines of source that goal tests have, and that neither the old source nor `vocabulary` knows: what the person asked for, and
 * what the project says of itself.
 */
export function findKnownInputs({ files }: Change, goalTexts: readonly string[], vocabulary: string): readonly string[] {
  const found = new Set<string>();
  const old = [vocabulary, ...files.map(({ path, before, renamedFrom = path }) => sourceText(renamedFrom, before) ?? '')].join('\n');
  // A page about the project has many numbers by chance.
  const numbers = new Set(old.slice(vocabulary.length).match(LITERAL));
  const tested = goalTexts.flatMap((text) => text.match(LITERAL) ?? []);
  for (const { path, before, after } of files) {
    const known = new Set((before ?? '').split('\n').map((line) => line.trim()));
    const added = (sourceText(path, after) ?? '').split('\n').filter((line) => !known.has(line.trim()) && !NO_CODE.test(line));
    for (const literal of added.join('\n').match(LITERAL) ?? []) {
      const value = NUMBER.test(literal) ? literal : literal.slice(1, -1);
      const isTelling = NUMBER.test(literal) ? Number(literal) >= SMALLEST || literal.includes('.') : value.length >= SHORTEST;
      if (!isTelling || (NUMBER.test(literal) ? numbers.has(literal) : old.includes(value))) continue;
      for (const input of tested.flatMap((one) => inputIn(one, literal, value))) found.add(input);
    }
  }
  return [...found];
}

/** What of a tested literal the source knows: a part of it, or all of it in another spelling, as `fooBar` for `foo_bar`. */
function inputIn(tested: string, literal: string, value: string): readonly string[] {
  if (NUMBER.test(literal) || NUMBER.test(tested)) return tested === literal ? [literal] : [];
  if (tested.includes(value)) return [literal];
  const spelled = spellPlain(value);
  return spelled.length >= SHORTEST_SPELLED && spellPlain(tested) === spelled ? [tested] : [];
}

const SHORTEST_SPELLED = 4;

function spellPlain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** The text of a test with other inputs: texts of the same length and kind, other numbers. The same input becomes the same other one. */
export function changeInputs(text: string, inputs: readonly string[]): string {
  const numbers = new Set(inputs.filter((input) => NUMBER.test(input)));
  const parts = inputs.filter((input) => !NUMBER.test(input)).map((input) => input.slice(1, -1));
  return text.replace(LITERAL, (literal) => {
    if (NUMBER.test(literal)) return numbers.has(literal) ? shiftText(literal) : literal;
    return parts.reduce((changed, part) => changed.replaceAll(part, shiftText(part)), literal);
  });
}

/** Each letter and digit is the next of its kind; what a backslash makes of a letter stays. */
export function shiftText(text: string): string {
  return text.replace(/\\.|[a-y0-8A-Y]|[zZ9]/g, (one) => {
    if (one.length > 1) return one;
    const turn = TURNED[one];
    return turn ?? String.fromCharCode(one.charCodeAt(0) + 1);
  });
}

const TURNED: Readonly<Record<string, string>> = { z: 'a', Z: 'A', 9: '8' };

export interface ChangedInputs {
  readonly inputs: readonly string[];
  /** Goal tests that pass. */
  readonly passing: readonly TrialResult[];
  /** With the other inputs, on the new source and on the old. */
  readonly now: readonly TrialResult[];
  readonly base: readonly TrialResult[];
}

/** Goal tests that only their own inputs pass. None where one test says otherwise, or nothing says anything. */
export function findAnswered({ inputs, passing, now, base }: ChangedInputs): readonly TrialResult[] {
  const [after, before] = [byId(now), byId(base)];
  // Titles may hold the input too.
  const changedId = ({ id }: TrialResult): string =>
    inputs
      .map((input) => (NUMBER.test(input) ? input : input.slice(1, -1)))
      .reduce((name, part) => name.replaceAll(part, shiftText(part)), id);
  const answered: TrialResult[] = [];
  for (const test of passing) {
    const id = [test.id, changedId(test)].find((one) => after.has(one));
    const [here, there] = id === undefined ? [] : [after.get(id), before.get(id)];
    if (here === undefined || !hasFailed(here)) continue;
    const isAlike = there !== undefined && hasFailed(there) && isSameFailure(here.message ?? '', there.message ?? '');
    if (!isAlike) return [];
    answered.push(test);
  }
  return answered;
}

/** Places and stacks differ between two versions of the source; what was expected and received does not. */
function isSameFailure(one: string, other: string): boolean {
  const [a, b] = [tellingText(one), tellingText(other)];
  return a !== '' && a === b;
}

function tellingText(message: string): string {
  return message
    .split('\n')
    .filter((line) => !/^\s*(?:at |File "|\d+\)|#\d)/.test(line))
    .map((line) =>
      line
        .replace(/[\w./\\@~-]+:\d+(?::\d+)?/g, '')
        .replace(/0x[0-9a-f]+|\b\d+(?:\.\d+)? ?m?s\b/gi, '')
        .trim(),
    )
    .filter((line) => line !== '')
    .join('\n');
}

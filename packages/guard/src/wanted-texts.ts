// Whether the wanted text of one check stands in another: within a longer text, in a query of a page, as a count of calls.

import type { AssertionFact } from './facts.js';
import { entriesOf } from './properties.js';
import { EXACT, levelOf, similarity, wantedOf } from './strength.js';
import { isWithin } from './subjects.js';

/** The text by which an element was looked up is now part of a text that is compared. */
export function shows(other: AssertionFact, fact: AssertionFact): boolean {
  const found = /By(?:Text|LabelText|AltText|Title|DisplayValue)\("([^"]{2,})"/.exec(fact.subject)?.[1];
  const text = wantedOf(other);
  if (found !== undefined && levelOf(other) >= EXACT && other.subject.includes(found)) return true;
  return (
    found !== undefined && text !== null && ['equal', 'contain', 'match', 'custom', 'snapshot'].includes(other.kind) && text.includes(found)
  );
}

/** A piece of a document was looked for, and the document is read now: `<title>One</title>`, and `fromstring(page).findtext("title")` is "One". */
export function readsPiece(other: AssertionFact, { kind, subject, expected }: AssertionFact): boolean {
  if ((kind !== 'match' && kind !== 'contain') || other.kind !== 'equal' || expected?.startsWith('"') !== true) return false;
  if (subject.length < 2 || !isWithin(other.subject, subject)) return false;
  const words = expected.replace(/\\[nrt]/g, ' ').match(WORD) ?? [];
  const said = new Set(`${other.subject.replace(subject, ' ')} ${other.expected ?? ''}`.match(WORD));
  return words.length > 1 && words.every((word) => said.has(word)) && words.some((word) => other.expected?.includes(word) === true);
}

const WORD = /[\p{L}\p{N}_]+/gu;

/** What a stand-in that counts calls its count. */
const COUNTER = /\.(calls|count|called|(num|n)_\w+|\w+_(count|calls)|times|runs|hits|invocations|tries|retries|attempts|requests)$/;

/** Calls that were counted, and entries that they leave behind. */
export function countsAlike(fact: AssertionFact, other: AssertionFact): boolean {
  const kinds: ReadonlySet<string> = new Set([fact.kind, other.kind]);
  if (fact.kind === 'size' && other.kind === 'throws') return isOfError(fact) && listsThrown(other, fact.expected);
  if (fact.kind === 'size' && other.kind === 'equal') return entriesWanted(other) === fact.expected && /^[[(]/.test(other.expected ?? '');
  if (!kinds.has('calledTimes')) return false;
  // A list that a stand-in writes down is as it was: nothing was called.
  const plain = /^[\p{L}_$][\p{L}\p{N}_$]*(\.map\(.*\))?$/su;
  if (fact.kind === 'calledTimes' && fact.expected === '0' && other.kind === 'equal' && plain.test(other.subject))
    return other.expected?.startsWith('[') === true || other.expected === 'empty';
  const counts = [fact, other].map(({ expected }) => (expected === 'empty' || expected === '[]' ? '0' : expected));
  const counter = [fact, other].some(({ kind, subject }) => kind === 'equal' && (plain.test(subject) || COUNTER.test(subject)));
  if (counts[0] === counts[1]) return kinds.has('size') || (kinds.has('equal') && (counter || counts[0] === '0'));
  return fact.kind === 'calledTimes' && other.kind === 'equal' && entriesWanted(other) === counts[0];
}

/** What a test calls an error that it caught. */
function isOfError({ subject }: AssertionFact): boolean {
  return /^(?:e|err|error|caught|thrown|failure|reason)\.|\.catch\(\((\w+)\)=>\1\)\./.test(subject);
}

/** An error is wanted with a list of so many entries. */
function listsThrown({ thrown }: AssertionFact, count: string | null): boolean {
  const parts = [...(entriesOf(`[${thrown?.detail ?? ''}]`)?.values() ?? [])];
  return parts.some((part) => part.startsWith('[') && String(entriesOf(part)?.size) === count);
}

/** How many entries a list has that is wanted as a whole. */
function entriesWanted({ parts, expected }: AssertionFact): string | null {
  const count = parts ?? (expected?.startsWith('[') === true ? entriesOf(expected)?.size : undefined);
  return count === undefined ? null : String(count);
}

/** The wanted text is what an element of the page is looked up by: `getByText('Saved')`. */
export function finds(other: AssertionFact, wanted: string): boolean {
  return (
    wanted.startsWith('"') &&
    wanted.length > 3 &&
    /By(Text|Role|LabelText|AltText|Title|DisplayValue)\(/.test(other.subject) &&
    other.subject.includes(wanted)
  );
}

export function unquoted(text: string): string {
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

export function wantedText(fact: AssertionFact): string | null {
  const wanted = wantedOf(fact);
  return wanted === null ? null : unquoted(wanted);
}

/** The wanted value of `fact` stands within that of `other`, word for word. */
export function holds(other: AssertionFact, wanted: string, fact: AssertionFact): boolean {
  const text = wantedOf(other);
  const inner = (spelt(wanted) ?? unquoted(wanted)).replace(/^(\\n)+|(\\n)+$/g, '');
  if (text === null) return false;
  if (text === wanted) return other.kind === 'throws' && fact.kind !== 'throws';
  if (wanted.length > 2 && wanted.startsWith('"') && text.includes(wanted)) return true;
  if (/^[[{]./.test(wanted) && wanted.length > 4 && text.includes('\\"')) return unmarked(text).includes(unmarked(wanted));
  if (other.kind === 'throws' && /^\w*Error: /.test(inner) && inner.endsWith(unquoted(text))) return true;
  if (inner.length < 3 && other.kind === 'throws') return new RegExp(`(^|[^\\w.-])${escaped(inner)}([^\\w.]|$)`).test(text);
  if (inner.length < 3)
    return (
      levelOf(other) >= EXACT &&
      similarity(fact.subject, other.subject) >= 0.5 &&
      new RegExp(`(^|[^\\w.-])${escaped(inner)}([^\\w.]|$)`).test(text)
    );
  return text.includes(inner) || plainPattern(text).includes(inner);
}

/** Of a pattern without signs of its own the text that it spells, else null. */
function spelt(wanted: string): string | null {
  const source = /^\/\^?(.*?)\$?\/u?$/s.exec(wanted)?.[1]?.replace(/\\([^\p{L}\p{N}])/gu, '$1');
  return source === undefined || source.length < 4 || /[\\^$*+?|()[\]{}]/.test(source) ? null : source;
}

/** Without the quotes by which a value and its JSON differ. */
function unmarked(text: string): string {
  return text.replace(/[\\"\s]/g, '');
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}

function plainPattern(text: string): string {
  return text.replace(/[\\^$/]/g, '');
}

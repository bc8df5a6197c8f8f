// Values that were asked for one by one and are now entries of one literal that is wanted as a whole: `a == 1`, `b == "x"` against
// `(a, b) == (1, "x")` by way of a helper.

import type { AssertionFact } from './facts.js';
import { similarity, wantedOf } from './strength.js';

const MOST_ENTRIES = 200;
/** Values that stand everywhere: alone they prove nothing. */
const PLAIN = /^(?:|true|false|null|undefined|-?\d|""|\[\]|\{\}|\(\)|None|True|False)$/;

/** One literal that is wanted as a whole. */
export class Gathering {
  private readonly entries: string[] = [];
  private readonly count: number;

  constructor({ expected }: AssertionFact) {
    const top = expected === null ? null : entriesOf(expected);
    this.count = top?.length ?? 0;
    this.collect(top ?? []);
  }

  /** What of `open` it wants too. `held`: what it is known to want already. */
  found(open: readonly AssertionFact[], held: readonly AssertionFact[]): readonly AssertionFact[] {
    if (this.entries.length < 1 || (this.entries.length < 2 && this.count < 1)) return [];
    const left = [...this.entries];
    for (const fact of held) take(left, fact);
    const found = open.filter((fact) => take(left, fact));
    const calls = open.filter(({ kind }) => kind === 'calledTimes');
    if (calls.length > 1 && calls.reduce((sum, { expected }) => sum + Number(expected), 0) === this.count)
      found.push(...calls.filter((fact) => !found.includes(fact)));
    const all = [...held, ...found];
    const telling = all.some((fact) => !PLAIN.test(wantedOf(fact) ?? ''));
    const enough = telling && all.length > 1 ? found : [];
    return [...enough, ...open.filter((fact) => !enough.includes(fact) && this.counts(fact, [...held, ...enough]))];
  }

  /** How many calls there were, where each of them is an entry. */
  private counts(fact: AssertionFact, held: readonly AssertionFact[]): boolean {
    if (fact.kind !== 'calledTimes' && fact.kind !== 'size') return false;
    if (fact.kind === 'calledTimes' && fact.expected === '0' && fact.subject.includes('.'))
      return held.some(({ kind, subject }) => kind === 'calledWith' && ownerOf(subject) === ownerOf(fact.subject));
    return fact.expected === String(this.count) && held.some(({ subject }) => subject === fact.subject);
  }

  private collect(texts: readonly string[]): void {
    for (const text of texts) {
      if (this.entries.length >= MOST_ENTRIES) return;
      this.entries.push(text);
      this.collect(entriesOf(text) ?? []);
    }
  }
}

function ownerOf(subject: string): string {
  return subject.slice(0, subject.lastIndexOf('.'));
}

/** Takes the entry that `fact` wants, so that it counts once. */
function take(entries: string[], fact: AssertionFact): boolean {
  const wanted = wantedOf(fact);
  if (wanted === null || (fact.kind !== 'equal' && fact.kind !== 'match' && fact.kind !== 'contain' && fact.kind !== 'calledWith'))
    return false;
  const part = fact.kind === 'match' && wanted.length > 4 ? wanted.slice(1, -1) : null;
  const index = entries.findIndex((entry) => entry === wanted || (part !== null && entry.startsWith('"') && entry.includes(part)));
  if (index >= 0) entries.splice(index, 1);
  return index >= 0 || (fact.kind === 'equal' && takeAll(entries, leavesOf(wanted)));
}

/** Takes the values of a record one by one: they may stand in another shape, as a row. */
function takeAll(entries: string[], leaves: readonly string[]): boolean {
  const left = [...entries];
  for (const leaf of leaves) {
    const index = left.indexOf(leaf);
    if (index < 0) return false;
    left.splice(index, 1);
  }
  entries.splice(0, entries.length, ...left);
  return leaves.length > 1;
}

function leavesOf(text: string): readonly string[] {
  const inner = entriesOf(text);
  return inner === null ? [text] : inner.flatMap(leavesOf);
}

/** The entries of a list, tuple or object in canonical text, without keys; null where it is none. */
function entriesOf(text: string): readonly string[] | null {
  if (!/^[([{].*[)\]}]$/s.test(text)) return null;
  const found: string[] = [];
  let [depth, from, quote] = [0, 1, ''];
  const close = (at: number): void => {
    const entry = text.slice(from, at).trim();
    if (entry !== '') found.push(entry);
    from = at + 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (quote !== '') {
      if (sign === '\\') at += 1;
      else if (sign === quote) quote = '';
    } else if (sign === '"' || sign === '`') quote = sign;
    else if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) {
      depth -= 1;
      if (depth === 0 && at < text.length - 1) return null;
    } else if (depth === 1 && sign === ',') close(at);
    else if (depth === 1 && sign === ':' && text[0] === '{') from = at + 1;
  }
  close(text.length - 1);
  return found;
}

/** All arguments of a call are wanted, if by several checks. */
export function saysAll(fact: AssertionFact, all: readonly AssertionFact[]): boolean {
  const given = new Set(all.filter(({ kind }) => kind === 'calledWith').flatMap(({ expected }) => entriesOf(`(${expected ?? ''})`) ?? []));
  const wanted = entriesOf(`(${fact.expected ?? ''})`) ?? [];
  return wanted.length > 0 && wanted.every((argument) => given.has(argument));
}

/** A loop asks of each entry what one question asked of all: `list.every((one)=>one>0)`. */
export function saysOfEach(other: AssertionFact, { subject, kind, expected }: AssertionFact): boolean {
  const asked = kind === 'truthy' || expected === 'true' ? /\.every\(\([^()]*\)=>(.*)\)$/s.exec(subject)?.[1] : undefined;
  const wanted = wantedOf(other);
  if (asked === undefined || (wanted !== null && !TRUE.test(wanted) && !asked.includes(wanted))) return false;
  return wanted === null ? asked.includes(other.subject) : similarity(asked, `${other.subject} ${wanted}`) >= 0.5;
}

const TRUE = /^(true|True)$/;

/** A list that is wanted as a whole, in whatever order, says what is in it, what is not, and how much. */
export function listsAll(other: AssertionFact, fact: AssertionFact): boolean {
  const list = /^(?:\[\.\.\.|Array\.from\(|sorted\()?(.*?)[\])]?(?:\.(?:sort|toSorted)\(.*\))?$/s.exec(other.subject)?.[1];
  if (other.kind !== 'equal' || list !== fact.subject || list === other.subject || fact.expected === null) return false;
  const entries = entriesOf(other.expected ?? '') ?? [];
  if (fact.kind === 'size') return fact.expected === String(entries.length);
  if (fact.kind === 'contain') return entries.includes(fact.expected);
  return fact.kind === 'lacks' && entries.length > 0 && !entries.includes(fact.expected);
}

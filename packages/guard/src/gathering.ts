// Values that were asked for one by one and are now entries of one literal that is wanted as a whole: `a == 1`, `b == "x"` against
// `(a, b) == (1, "x")` by way of a helper.

import type { AssertionFact } from './facts.js';
import { similarity, wantedOf } from './strength.js';
import { gathers } from './subjects.js';

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
  const isWanted = (entry: string) => entry === wanted || (wanted === 'empty' && /^(\[\]|\{\}|"")$/.test(entry));
  const index = entries.findIndex((entry) => isWanted(entry) || (part !== null && entry.startsWith('"') && entry.includes(part)));
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

/** A list that was wanted in whatever order: now its size, and every entry in it. */
export function listsInParts({ kind, subject, expected }: AssertionFact, after: readonly AssertionFact[]): AssertionFact | null {
  const entries = kind === 'equal' && expected?.startsWith('[') === true ? (entriesOf(expected) ?? []) : [];
  const sorted = /^(.*)\.(?:sort|toSorted)\(.*\)$/s.exec(subject)?.[1];
  const list = sorted === undefined ? undefined : (/^(?:\[\.\.\.|Array\.from\()(.*)[\])]$/s.exec(sorted)?.[1] ?? sorted);
  if (entries.length === 0 || list === undefined || new Set(entries).size < entries.length) return null;
  const about = after.filter((other) => other.subject === list && other.reach === 'always' && other.swallowed === null);
  const found = new Set(
    about.filter((other) => other.kind === 'contain').flatMap(({ expected: one }) => [one ?? '', ...(entriesOf(one ?? '') ?? [])]),
  );
  const size = about.find((other) => other.kind === 'size' && other.expected === String(entries.length));
  return size !== undefined && entries.every((entry) => found.has(entry)) ? size : null;
}

/** `isAdmin(ada)` is true, and `[ada, bob].filter(isAdmin)` gives `[ada]`. */
export function siftsSame(other: AssertionFact, { kind, subject, expected }: AssertionFact): boolean {
  const sifted = other.kind === 'equal' ? /^(\[.*\])\.filter\((.*)\)$/s.exec(other.subject) : null;
  if (sifted === null || kind !== 'equal' || (expected !== 'true' && expected !== 'false')) return false;
  const asked = (entriesOf(sifted[1] ?? '') ?? []).find((entry) => subject === `${sifted[2] ?? ''}(${entry})`);
  if (asked === undefined || (other.expected !== 'empty' && entriesOf(other.expected ?? '') === null)) return false;
  return (entriesOf(other.expected ?? '') ?? []).includes(asked) === (expected === 'true');
}

/** `[q.shift(), q.shift()]` wants `[1, 2]`: of each call what was wanted of it alone, though it may be made with other arguments. */
export function gathersCall(other: AssertionFact, { kind, subject, expected }: AssertionFact): boolean {
  if (other.kind !== 'equal' || kind !== 'equal' || expected === null || !/^\[.*\(/s.test(other.subject)) return false;
  const [asked, wanted] = [entriesOf(other.subject) ?? [], entriesOf(other.expected ?? '') ?? []];
  const bare = (text: string) => text.replace(/\(.*\)/s, '()');
  const wants = (text: string | undefined) => text === expected || (expected === 'empty' && /^(\[\]|\{\}|"")$/.test(text ?? ''));
  return asked.length === wanted.length && asked.some((one, index) => bare(one) === bare(subject) && wants(wanted[index]));
}

/** More was asked than a list of answers has entries, and the answer that `fact` wanted is none of them. */
export function isLeftOut(fact: AssertionFact, other: AssertionFact, before: readonly AssertionFact[]): boolean {
  if (other.kind !== 'equal' || !other.subject.startsWith('[') || other.parts === null || fact.kind !== 'equal') return false;
  const asked = before.filter((one) => gathers(other.subject, one.subject));
  return asked.length > other.parts && !gathersCall(other, fact);
}

/** A list of what was done holds all that another held, and more. */
export function listsWithin(other: AssertionFact, fact: AssertionFact): boolean {
  const [all, some] = [other.expected ?? '', fact.expected ?? ''];
  if (!all.startsWith('[') || !some.startsWith('[') || !/^[\w.()]+$/.test(fact.subject) || !/^[\w.()]+$/.test(other.subject)) return false;
  const leaves = new Set(leavesOf(all));
  const wanted = leavesOf(some);
  return wanted.length > 0 && wanted.every((leaf) => leaves.has(leaf));
}

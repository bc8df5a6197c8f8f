// What a wanted literal says about one property of the value: `user.name == "Ada"` is said by `user == {name:"Ada",age:36}` too. Also
// what is lost when another property of the same value is asked about.

import type { AssertionFact } from './facts.js';
import { loses, tailOf } from './subjects.js';

/** The literal says it, says something else, takes anything there, or cannot be read. */
export type Said = 'same' | 'other' | 'anything' | 'unknown';

const PLACEHOLDER = /^(expect\.|sinon\.match|match\.|jest\.|vi\.|mock\.ANY|ANY$|any\(|anything\()/;
const LITERAL = /^("(?:[^"\\]|\\.)*"|-?[0-9][\w.]*|true|false|null|undefined|None|True|False|[[{].*[\]}])$/s;

const NOTHING = /^(\[\]|\{\}|"")$/;

/** What `other`, a check of a whole value, says about the property of it that `fact` asks about. */
export function saidBy(other: AssertionFact, fact: AssertionFact): Said {
  if ((other.kind !== 'equal' && other.kind !== 'contain') || other.expected === null) return 'unknown';
  if (!fact.subject.startsWith(other.subject) || other.subject === '') return 'unknown';
  const path = pathOf(fact.subject.slice(other.subject.length));
  if (path === null || path.length === 0) return 'unknown';
  const wanted = wantedAt(other.expected, path) ?? (other.kind === 'equal' ? missingAt(other.expected, path) : null);
  if (wanted === null) return 'unknown';
  if (PLACEHOLDER.test(wanted) || (wanted.startsWith(other.subject) && other.subject.includes('('))) return 'anything';
  return compared(fact, wanted);
}

function compared(fact: AssertionFact, wanted: string): Said {
  const { kind, expected, bound } = fact;
  if (!LITERAL.test(wanted)) return 'unknown';
  if (kind === 'range' && bound !== null && /^-?[0-9]/.test(wanted)) return isWithinBound(Number(wanted), bound) ? 'same' : 'unknown';
  if (kind === 'exists' || kind === 'truthy') return /^(null|undefined|false|0|""|None|False)$/.test(wanted) ? 'unknown' : 'same';
  if (expected === null) return 'unknown';
  if (kind === 'equal') {
    if (wanted === expected || (expected === 'empty' && NOTHING.test(wanted))) return 'same';
    return LITERAL.test(expected) ? 'other' : 'unknown';
  }
  if (kind === 'size') return String(entriesOf(wanted)?.size ?? '') === expected ? 'same' : 'unknown';
  return 'unknown';
}

function isWithinBound(value: number, { op, value: limit }: NonNullable<AssertionFact['bound']>): boolean {
  if (op === '<') return value < limit;
  if (op === '<=') return value <= limit;
  return op === '>' ? value > limit : value >= limit;
}

/** What an object that is written out does not have is undefined; the length of a text or list can be counted. */
function missingAt(text: string, path: readonly string[]): string | null {
  const [key = '', ...more] = path;
  if (more.length > 0) return null;
  if (key === 'length' && /^"(?:[^"\\]|\\.)*"$/s.test(text)) return String((JSON.parse(text) as string).length);
  const entries = entriesOf(text);
  if (entries === null || entries.has(key)) return null;
  if (text.startsWith('[')) return key === 'length' ? String(entries.size) : null;
  return 'undefined';
}

/** Keys that lead from a value to a part of it: of `.user.names[0]` `user`, `names`, `0`. Null where there is more than that. */
function pathOf(rest: string): readonly string[] | null {
  const keys: string[] = [];
  const step = /\.([\p{L}_$][\p{L}\p{N}_$]*)(?!\()|\[(?:(\d+)|"((?:[^"\\]|\\.)*)")\]|\.at\((\d+)\)/uy;
  while (step.lastIndex < rest.length) {
    const found = step.exec(rest);
    if (found === null) return null;
    keys.push(found[1] ?? found[2] ?? found[3] ?? found[4] ?? '');
  }
  return keys;
}

/** The part of a literal at the end of a path, in canonical text; null where it is not written there. */
function wantedAt(text: string, path: readonly string[]): string | null {
  let current: string | undefined = text;
  for (const key of path) {
    if (current === undefined) return null;
    const inner: string = /^expect\.\w+Containing\((.*)\)$/s.exec(current)?.[1] ?? current;
    current = entriesOf(inner)?.get(key);
  }
  return current ?? null;
}

/** Entries of a list or object in canonical text, by key; null where it is none, or where others are spread into it. */
export function entriesOf(text: string): ReadonlyMap<string, string> | null {
  const [first, last] = [text[0], text.at(-1)];
  if (!((first === '[' && last === ']') || (first === '{' && last === '}'))) return null;
  const entries = new Map<string, string>();
  for (const part of splitAt(text.slice(1, -1), ',')) {
    if (part === '') continue;
    if (part.startsWith('...') || part.startsWith('**') || part.startsWith('*')) return null;
    if (first === '[') entries.set(String(entries.size), part);
    else {
      const [key = '', ...value] = splitAt(part, ':');
      if (value.length === 0) return null;
      entries.set(key.replace(/^"(.*)"$/s, '$1'), value.join(':'));
    }
  }
  return entries;
}

/** How many values an object in canonical text is made of; null where it is none. */
export function partsIn(text: string): number | null {
  const entries = text.length < 4000 ? entriesOf(text) : null;
  if (entries === null || text.startsWith('[')) return entries?.size ?? null;
  return [...entries.values()].reduce((sum, value) => sum + Math.max(1, partsIn(value) ?? 1), 0);
}

/** Fewer properties are wanted of an object, and of those the same. */
export function isShrunk(was: AssertionFact, now: AssertionFact): boolean {
  if (was.kind !== 'equal' || now.kind !== 'equal' || was.subject !== now.subject || was.expected?.startsWith('{') !== true) return false;
  const [old, left] = [entriesOf(was.expected), entriesOf(now.expected ?? '')];
  if (old === null || left === null || now.expected?.startsWith('{') !== true) return false;
  return left.size < old.size && [...left].every(([key, value]) => old.get(key) === value);
}

/** `other` looks at every entry of the list that `subject` reads one entry of, and its function reads the same property. */
export function looksThrough({ subject: other }: AssertionFact, subject: string): boolean {
  const at = other.indexOf('.map(');
  const entry = at > 0 && subject.startsWith(other.slice(0, at)) ? /^\[\d+\]\.([\p{L}\p{N}_$]+)$/u.exec(subject.slice(at)) : null;
  const words: readonly string[] = entry === null ? [] : (other.slice(at).match(/[\p{L}\p{N}_$]+/gu) ?? []);
  return words.includes(entry?.[1] ?? '');
}

/** The text cut at `sign`, but not within brackets or quotes. */
function splitAt(text: string, sign: string): readonly string[] {
  const parts: string[] = [];
  let [depth, from, quote] = [0, 0, ''];
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at] ?? '';
    if (quote !== '') {
      if (one === '\\') at += 1;
      else if (one === quote) quote = '';
    } else if (one === '"' || one === '`') quote = one;
    else if (one === '(' || one === '[' || one === '{') depth += 1;
    else if (one === ')' || one === ']' || one === '}') depth -= 1;
    else if (one === sign && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...parts, text.slice(from).trim()];
}

/** Reads of a value that leave most of it out. */
const NARROW =
  /^\.(length|size|exists\(\)|isEmpty\(\)|count\(\)|constructor(\.name)?|get(UTC)?(FullYear|Month|Date|Day|Hours|Minutes|Seconds)\(\)|is[A-Z]\w*\(\)|ok|year|month|day)$/;
const WRAPPED = /^(typeof |!|Boolean\(|Object\.keys\(|Array\.isArray\()/;

/**
 * `now` asks about the same thing as `was`, but by a read that leaves most of it out: the year of a date, whether an element is there,
 * the type of a text. What `was` wanted does not show in it.
 */
export function isNarrower(was: AssertionFact, now: AssertionFact): boolean {
  if (was.subject === now.subject || was.subject.length < 2) return false;
  if (loses(now.subject, was.subject)) return true;
  const wrapper = WRAPPED.exec(now.subject)?.[0];
  if (wrapper !== undefined) return !WRAPPED.test(was.subject) && now.subject.startsWith(was.subject, wrapper.length);
  const links = [linksOf(was.subject), linksOf(now.subject)] as const;
  const shared = links[0].findIndex((link, index) => link !== links[1][index]);
  const [left, right] = links.map((chain) => chain.slice(shared < 0 ? links[0].length : shared).join(''));
  if (shared === 0 || right === undefined || left === undefined || NARROW.test(left)) return false;
  return NARROW.test(right);
}

/** `now` asks about another property of the same thing, and wants something else of it. */
export function isOtherPart(was: AssertionFact, now: AssertionFact): boolean {
  if (comprehendsOther(was, now)) return was.expected !== now.expected;
  const [left, right] = [PROPERTY.exec(was.subject), PROPERTY.exec(now.subject)];
  return left !== null && right !== null && left[1] === right[1] && left[2] !== right[2] && was.expected !== now.expected;
}

const PROPERTY = /^(.*[\w)\]])\.([\p{L}_$][\p{L}\p{N}_$]*)$/su;

/** A chain of reads and calls, link by link: `a(1)`, `.b`, `.c(2)`. */
function linksOf(subject: string): readonly string[] {
  const [head = '', ...more] = splitAt(subject, '.');
  return [head, ...more.map((link) => `.${link}`)];
}

/** A value that the test itself wrote down, and not one that the code under test gave: an input that must stay as it is. */
export function isOfInput({ subject }: AssertionFact): boolean {
  return /^[[{](?![\]}])/.test(subject) && !/\(| for |\.\.\./.test(subject);
}

/** A list that wants one entry a call says with what each call was made. */
export function recordsCall(other: AssertionFact, fact: AssertionFact): boolean {
  if (fact.kind !== 'calledWith' || fact.expected === null || other.kind !== 'equal' || other.expected === null) return false;
  // What was called on a stand-in is another text now that the stand-in is made another way.
  // Of a path that the test makes, its last name.
  const bare = (text: string) =>
    /^[\w.]+\/(?:.*\/)?("[^"/]+")$/s.exec(text)?.[1] ?? (/^new |^[\w$.]+\(/.test(text) ? text.replace(/\(.*\)/s, '()') : text);
  const listed = /^\[\[.*\]\]$/s.test(fact.expected) ? fact.expected.slice(1, -1) : fact.expected;
  // Of an argument that is given by its name, the value: `group=("x")`.
  const wanted = splitAt(listed, ',').map((one) => bare(/^\w+=\((.*)\)$/s.exec(one)?.[1] ?? one));
  const entries = /^\{[^:]*\}$/s.test(other.expected)
    ? splitAt(other.expected.slice(1, -1), ',')
    : [...(entriesOf(other.expected)?.values() ?? [])];
  // All calls at once, each with one argument: `[[100],[200]]` and `[100,200]`.
  if (wanted.length > 1 && wanted.join() === entries.map((entry) => `[${entry}]`).join()) return true;
  return entries.some((entry) => {
    const parts = new Set([entry, ...(entriesOf(entry.replace(/^\((.*)\)$/s, '[$1]'))?.values() ?? [])].map(bare));
    return wanted.every((one) => parts.has(one));
  });
}

/** A list that was filled by hand, and calls that want its entries one by one. */
export function listsCalls(fact: AssertionFact, calls: readonly AssertionFact[]): boolean {
  if (fact.kind !== 'equal' || calls.length === 0 || fact.expected?.startsWith('[') !== true) return false;
  const entries = [...(entriesOf(fact.expected)?.values() ?? [])].map((entry) => entry.replace(/^[([](.*)[)\]]$/s, '$1'));
  const wanted = calls.map(({ expected }) => (expected ?? '').replace(/^[([](.*)[)\]]$/s, '$1'));
  return entries.length === wanted.length && entries.every((entry, index) => entry === wanted[index]);
}

/** A list with one entry for each of the value's: what is mapped, sorted or copied from it. */
export function isEntrywise(other: AssertionFact, whole: AssertionFact): boolean {
  if (other.expected?.startsWith('[') !== true && other.expected?.startsWith('(') !== true) return false;
  const tail = tailOf(other.subject, whole.subject);
  return tail === '' || /^\.(map|sort|toSorted|slice|toArray|keys|values|items|entries|reverse|toReversed|to_list|tolist)\(/.test(tail);
}

/** `fact` reads the arguments of the call that `other` wants whole: `send.call_args[0]` of `send`. */
export function readsCall(other: AssertionFact, fact: AssertionFact): boolean {
  if (other.kind !== 'calledWith' || other.wildcards > 0 || !fact.subject.startsWith(other.subject)) return false;
  return /^\.(call_args|await_args|mock_calls|mock\.|args|calls|firstCall|lastCall|getCall)/.test(fact.subject.slice(other.subject.length));
}

/** An object wants the same of a property of that name, though it was reached another way: `error.code` and `{code:404}`. */
export function namesSame(other: AssertionFact, fact: AssertionFact): boolean {
  const key = /\.([\p{L}_$][\p{L}\p{N}_$]*)$/u.exec(fact.subject)?.[1];
  if (key === undefined || fact.kind !== 'equal' || fact.expected === null || other.expected === null) return false;
  return (other.kind === 'equal' || other.kind === 'contain') && holdsKey(other.expected, key, fact.expected, 0);
}

function holdsKey(text: string, key: string, wanted: string, depth: number): boolean {
  const entries = text.includes(`${key}:`) && depth < 4 ? entriesOf(text) : null;
  if (entries === null) return false;
  const value = entries.get(key);
  if (value === wanted || (wanted === 'empty' && value !== undefined && NOTHING.test(value))) return true;
  return [...entries.values()].some((value) => holdsKey(value, key, wanted, depth + 1));
}

/** A list that wants whole entries says what one property of each is: `users.map((u)=>u.name)` against `[{name:"Ada"}]`. */
export function mapsSame(other: AssertionFact, fact: AssertionFact): boolean {
  const key = /\.map\(\(([\p{L}\p{N}_$]+)\)=>\1\.([\p{L}\p{N}_$]+)\)$/u.exec(fact.subject)?.[2];
  if (key === undefined || fact.kind !== 'equal' || other.kind !== 'equal' || fact.expected === null || other.expected === null)
    return false;
  const wanted = [...(entriesOf(fact.expected)?.values() ?? [])];
  const whole = [...(entriesOf(other.expected)?.values() ?? [])];
  return (
    wanted.length > 0 && wanted.length === whole.length && wanted.every((one, index) => entriesOf(whole[index] ?? '')?.get(key) === one)
  );
}

/** The same of a comprehension of Python, whose entries now say more: `[t.text for t in f()]`, and `[f"{t.kind}:{t.text}" for t in f()]`. */
export function comprehendsMore(other: AssertionFact, fact: AssertionFact): boolean {
  if (fact.kind !== 'equal' || other.kind !== 'equal' || fact.expected === null || other.expected === null) return false;
  const [was, now] = [comprehensionOf(fact.subject), comprehensionOf(other.subject)];
  if (was === null || now === null || was.source !== now.source || was.read === null) return false;
  if (!now.entry.includes(`${now.name}${was.read}`)) return false;
  const all = [...(entriesOf(other.expected)?.values() ?? [])];
  const holds = (entry: string | undefined, one: string) => entry?.includes(one.replace(/^"(.*)"$/s, '$1')) === true;
  if (fact.subject.startsWith('{')) {
    const set = splitAt(fact.expected.slice(1, -1), ',');
    return (
      all.length > 0 &&
      set.every((one) => all.some((entry) => holds(entry, one))) &&
      all.every((entry) => set.some((one) => holds(entry, one)))
    );
  }
  const old = [...(entriesOf(fact.expected)?.values() ?? [])];
  return old.length === all.length && old.every((one, index) => holds(all[index], one));
}

/** What a list is made of, and what its entries read: of `[t.text for t in f()]` `.text`, for each `t` of `f()`. */
function comprehensionOf(
  subject: string,
): { readonly entry: string; readonly name: string; readonly source: string; readonly read: string | null } | null {
  const [, entry = '', name = '', over = ''] = /^[[({](.*) for (\w+) in (.*)[\])}]$/s.exec(subject) ?? [];
  if (over === '') return null;
  const read = entry.startsWith(`${name}.`) || entry.startsWith(`${name}[`) ? entry.slice(name.length) : null;
  return { entry, name, source: /^(?:list|tuple|iter)\((.*)\)$/s.exec(over)?.[1] ?? over, read };
}

/** Entries are asked for another property than before. */
function comprehendsOther(was: AssertionFact, now: AssertionFact): boolean {
  const [old, other] = [comprehensionOf(was.subject), comprehensionOf(now.subject)];
  if (old === null || other === null || old.source !== other.source || old.read === null) return false;
  return other.entry.includes(`${other.name}.`) && !other.entry.includes(`${other.name}${old.read}`);
}

/** An error by its class: `error.name == "RangeError"`, `error instanceof RangeError`. Null where it asks for something else. */
export function classWanted(fact: AssertionFact): string | null {
  return fact.kind === 'throws' && fact.thrown?.detail !== null ? null : classTold(fact);
}

/** The class of an error, though more may be asked of it. */
export function classTold({ kind, subject, expected, thrown }: AssertionFact): string | null {
  if (kind === 'throws') return thrown?.type ?? null;
  if (kind === 'type') return expected;
  const named = kind === 'equal' && subject.endsWith('.name') ? /^"([A-Z]\w*(?:Error|Exception))"$/.exec(expected ?? '') : null;
  return named?.[1] ?? null;
}

/** An object that was wanted in part is wanted with all that, and more: what else may be anything there was not asked before. */
export function wantsMore(other: AssertionFact, fact: AssertionFact): boolean {
  if (fact.kind !== 'contain' || (other.kind !== 'equal' && other.kind !== 'contain')) return false;
  if (PROPERTY.exec(fact.subject)?.[2] !== PROPERTY.exec(other.subject)?.[2]) return false;
  const [before, after] = [entriesOf(fact.expected ?? ''), entriesOf(other.expected ?? '')];
  if (before === null || after === null || before.size === 0 || fact.expected?.startsWith('{') !== true) return false;
  return [...before].every(([key, value]) => after.get(key) === value);
}

/** Where the whole is wanted with a part that is computed, what was asked of that part: the text of the whole, else null. */
export function computedWhole(other: AssertionFact, { subject }: AssertionFact): string | null {
  if (other.kind !== 'equal' || other.expected?.startsWith('{') !== true) return null;
  const entries = entriesOf(other.expected);
  for (const [key, value] of entries ?? []) {
    const at = subject.indexOf(`.${key}`);
    const computed = /^[\p{L}_$][\p{L}\p{N}_$.]*\(/u.test(value) && !PLACEHOLDER.test(value);
    if (at > 0 && computed && /^[.[]/.test(subject.slice(at + key.length + 1))) return subject.slice(0, at);
  }
  return null;
}

/** A record that is wanted as a whole says what is not in it: `headers.get("cookie")` is None, `"cookie"` is not there. */
export function leavesAway(other: AssertionFact, { kind, subject, expected }: AssertionFact): boolean {
  if (other.kind !== 'equal' || other.expected?.startsWith('{') !== true) return false;
  const [, owner, key] = (kind === 'lacks' ? null : /^(.*)\.get\(("[^"]*")\)$/s.exec(subject)) ?? [];
  const [whose, what] = kind === 'lacks' ? [subject, expected] : kind === 'equal' && expected === 'None' ? [owner, key] : [];
  if (whose === undefined || what === undefined || what === null) return false;
  if (other.subject !== whose && other.subject !== `dict(${whose})`) return false;
  return entriesOf(other.expected)?.has(what.replace(/^"(.*)"$/s, '$1')) === false;
}

/** One text is put together of several values: `${page}/${pages}` wants "2/3". */
export function composes(other: AssertionFact, { kind, subject, expected }: AssertionFact): boolean {
  if (other.kind !== 'equal' || kind !== 'equal' || expected === null || !other.subject.startsWith('`')) return false;
  if (!other.subject.includes(`\${${subject}}`) && !other.subject.includes(`\${${subject}.`)) return false;
  const leaves = expected.match(/"(?:[^"\\]|\\.)*"|-?[0-9][\w.]*/g) ?? [];
  return leaves.every((leaf) => other.expected?.includes(leaf.replace(/^"|"$/g, '')) === true);
}

/** Entries that are wanted as a whole say what is found under each key: `cache.get('a')` against `[...cache.entries()]`. */
export function looksUp(other: AssertionFact, { kind, subject, expected }: AssertionFact): boolean {
  const [, how, key] = kind === 'equal' ? (/\.(get|has)\(([^()]+)\)$/.exec(subject) ?? []) : [];
  const listed = other.kind === 'equal' ? /\.(entries|keys)\(\)\]?(?:\.(?:sort|toSorted)\(\))?$/.exec(other.subject)?.[1] : undefined;
  if (key === undefined || listed === undefined || (other.expected !== 'empty' && other.expected?.startsWith('[') !== true)) return false;
  const rows = [...(entriesOf(other.expected ?? '')?.values() ?? [])];
  if (listed === 'keys') return how === 'has' && rows.includes(key) === (expected === 'true');
  const row = rows.map((one) => [...(entriesOf(one)?.values() ?? [])]).find(([name]) => name === key);
  if (how === 'has') return (row !== undefined) === (expected === 'true');
  return row === undefined ? expected === 'undefined' : row[1] === expected;
}

// How one value that tests ask about has to do with another, by their canonical texts: a part of it, made from it, several at once.

import type { AssertionFact } from './facts.js';
import { EXACT, levelOf, tokensOf } from './strength.js';

const WRAPPERS =
  /^(?:(?:Object\.\w+|JSON\.\w+|Array\.\w+|Math\.\w+|String|Number|Boolean|typeof |!|\[\.\.\.|\(?await )\(?|(?:list|tuple|set|sorted|dict|sum|min|max|len|str|repr|int|float|json\.loads)\()/;

/** `inner` is read off `outer`: a property, a call on it, its keys. */
export function isPartOf(inner: string, outer: string): boolean {
  if (outer.length < 1 || inner.length <= outer.length) return false;
  if (inner.startsWith(outer)) return /[.[(]/.test(inner[outer.length] ?? '');
  if (/^(\w+\()?[[({]/.test(inner) && ['}', ']', ')'].some((end) => inner.includes(` in ${outer}${end}`))) return true;
  const wrapper = WRAPPERS.exec(inner)?.[0];
  return wrapper !== undefined && inner.startsWith(outer, wrapper.length);
}

/** What is done to a value without losing any of it. */
const LOSSLESS =
  /^(\.(toISOString|toString|toJSON|getTime|valueOf|json|text|toArray|body|data|value|contents?|textContent|innerHTML|isoformat|model_dump|to_dict|as_dict|_asdict|decode|encode|hex|as_posix|splitlines|tolist)(\(\))?|\.(split|join)\(("[^"]*")?\))+$/;

export function isLossless(subject: string, one: string): boolean {
  const around = subject.replace(one, '');
  return (
    LOSSLESS.test(around) ||
    /^(JSON\.parse|JSON\.stringify|String|Number|BigInt|new Date|new Map|Object\.fromEntries|structuredClone)\(\)$/.test(around) ||
    /^((json\.loads|str|repr|dict|vars|asdict|bytes|Decimal|float|fromisoformat)\(\)|\+b?"(?:[^"\\]|\\.)*")$/.test(around)
  );
}

/** Several values compared at once: `[a, b]`, `{ a, b }`, `Promise.all([a, b])`. */
export function isGathered(subject: string): boolean {
  return /^(\[(?!\.\.\.)|\{(?!\.\.\.)|Promise\.all\()/.test(subject);
}

/** One of the values, or a list that is mapped to them. */
export function gathers(subject: string, one: string): boolean {
  if (isWithin(subject, one)) return true;
  if (!/\]\.(map|every)\(/.test(subject)) return false;
  const tokens = new Set(tokensOf(subject));
  return tokensOf(one).every((token) => tokens.has(token));
}

/** What is left of a value without its order, its size or its sign, or where another may take its place. */
export function loses(subject: string, one: string): boolean {
  const inner = /^(?:sorted|set|new Set|frozenset|Counter|len|abs|round|int|bool|sum|min|max)\((.*)\)$/s.exec(subject)?.[1];
  if (inner !== undefined && (inner === one || inner.startsWith(`${one},`))) return true;
  return tailOf(subject, one).startsWith('.catch(()=>') || (/^Promise\.(race|any)\(/.test(subject) && isWithin(subject, one));
}

/** What stands after `one` in a text that starts with it. */
export function tailOf(subject: string, one: string): string {
  return subject.startsWith(one) ? subject.slice(one.length) : '';
}

/** `inner` is made from `outer`: a property of it, a call on it, a call with it. */
export function isWithin(inner: string, outer: string): boolean {
  if (outer.length < 2 || inner.length <= outer.length) return false;
  for (let at = inner.indexOf(outer); at >= 0; at = inner.indexOf(outer, at + 1)) {
    const before = inner[at - 1] ?? '';
    const after = inner[at + outer.length] ?? '';
    const spread = inner.slice(at - 3, at) === '...';
    if ((spread || !/[\w$."'`]/.test(before)) && !/[\w$"'`]/.test(after)) return true;
  }
  return false;
}

/** A property that is wanted as it is proves that there is something to read it from. */
export function provesThere(other: AssertionFact, fact: AssertionFact): boolean {
  const read = /^(\.[\p{L}_$]|\[)/u.test(tailOf(other.subject, fact.subject)) && !other.subject.includes('?.');
  const sound = other.reach === 'always' && other.tautology === null && other.swallowed === null && other.waiting !== 'floating';
  return read && sound && levelOf(other) >= EXACT && !/^(undefined|null|None|empty|false)?$/.test(other.expected ?? '');
}

/** `existsSync(path)`, `map.has(key)`: what is read from there and wanted as it is proves it too. */
export function provesEntry(other: AssertionFact, { kind, subject, expected }: AssertionFact): boolean {
  if (kind !== 'truthy' && expected !== 'true' && expected !== 'True') return false;
  const [, owner, own] = /^(.*)\.(?:has|hasOwnProperty)\((.+)\)$/s.exec(subject) ?? [];
  if (own !== undefined && other.kind === 'equal' && (other.subject === `${owner}.keys()` || other.subject === `Object.keys(${owner})`))
    return (other.expected ?? '').slice(1, -1).split(',').includes(own);
  const key = /(?:^|\.)(?:existsSync|exists|pathExists|has)\((.+)\)$/s.exec(subject)?.[1]?.replace(/^(?:.*,)?"([^"]*)"\)?$/s, '$1');
  if (key === undefined || key.length < 2 || levelOf(other) < EXACT || other.reach !== 'always') return false;
  return !/^(undefined|null|None)?$/.test(other.expected ?? '') && `${other.subject} ${other.expected ?? ''}`.includes(key);
}

/** A snapshot of a part of the page, and its markup written out: `container.firstChild` and `container.innerHTML`. */
export function showsMarkup(other: AssertionFact, { kind, subject }: AssertionFact): boolean {
  const owner = /^(.*)\.(?:innerHTML|outerHTML)$/s.exec(other.subject)?.[1];
  if (kind !== 'snapshot' || other.kind !== 'equal' || owner === undefined || other.reach !== 'always') return false;
  return (subject === owner || subject.startsWith(`${owner}.first`)) && /^["`]<.*>["`]$/s.test(other.expected ?? '');
}

// How much an assertion asks, as a number: the same for every language and style. A check is weakened when the number falls, or when
// the same kind of check lets more through.

import type { AssertionFact } from './facts.js';

const LEVELS: Readonly<Record<Exclude<AssertionFact['kind'], 'throws'>, number>> = {
  exists: 10,
  truthy: 12,
  differs: 15,
  falsy: 20,
  type: 20,
  range: 24,
  oneOf: 24,
  called: 24,
  lacks: 28,
  silent: 26,
  contain: 30,
  size: 30,
  match: 32,
  close: 42,
  calledTimes: 45,
  calledWith: 49,
  equal: 50,
  snapshot: 50,
  custom: 50,
};

/** Checks that want one value and no other. */
export const EXACT = 45;
/** Checks that nearly everything passes. */
export const WEAK = 20;

export function levelOf(fact: AssertionFact): number {
  if (fact.kind !== 'throws') return LEVELS[fact.kind];
  const type = fact.thrown?.type ?? null;
  const detail = fact.thrown?.detail ?? null;
  if (detail === null) return type === null ? 26 : 34;
  return type === null ? 44 : 45;
}

/** Letters and digits of a text or pattern; of an object those of its texts, without its keys. */
function plain(text: string): string {
  const texts = text.startsWith('{') ? (text.match(/"[^"]*"/g) ?? [text]).join(' ') : text;
  return texts.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

/** A pattern that takes one of several texts, where one text was wanted. */
function widened(before: string | null, after: string | null): boolean {
  return after !== null && before !== null && /^\/.*\|.*\/\w*$/.test(after) && !before.includes('|');
}

const TEXT = /^(?:"(?:[^"\\]|\\.)*"|\/.*\/\w*|`[^`]*`)$/s;

/** `after` is a part of `before`, and shorter: more texts match it. */
function shortened(before: string | null, after: string | null): boolean {
  if (before === null || after === null || before === after || ![before, after].every((text) => TEXT.test(text))) return false;
  const [old, now] = [plain(before), plain(after)];
  return now.length < old.length && old.includes(now);
}

const VALUE: ReadonlySet<AssertionFact['kind']> = new Set(['equal', 'snapshot', 'custom', 'close']);
const TEXT_KINDS: ReadonlySet<AssertionFact['kind']> = new Set([...VALUE, 'match', 'throws', 'calledWith', 'contain']);

/** Of these a check that asks for more need not say anything: what else it lets pass may be what they forbid. */
const SETTLED: Partial<Readonly<Record<AssertionFact['kind'], ReadonlySet<AssertionFact['kind']>>>> = {
  lacks: new Set([...VALUE, 'calledTimes', 'calledWith']),
  size: VALUE,
  range: new Set([...VALUE, 'size', 'calledTimes', 'calledWith', 'range', 'oneOf']),
  oneOf: new Set([...VALUE, 'match', 'oneOf']),
  falsy: new Set([...VALUE, 'calledTimes', 'falsy']),
  contain: TEXT_KINDS,
  match: TEXT_KINDS,
};

/** Checks of arguments that also say how many calls there were. */
const COUNTS = /[oO]nce|\.mock\.calls\)|(?<!Call|\))\.args\)|call_args_list|mock_calls|method_calls/;

/** What Python's mocks of coroutines are asked, and what every mock is asked. */
const AWAITED = /\bassert_(?:\w+_)?await|\bawait_(?:count|args)|\.awaited\b/;

function asksAwait({ kind, span, expected }: AssertionFact): boolean {
  return kind.startsWith('called') && expected !== '0' && AWAITED.test(span.text);
}

/** A coroutine had to be awaited, and now needs only be made. Where the test is no coroutine any more, nothing is awaited. */
function forgetsAwait(before: AssertionFact, after: AssertionFact): boolean {
  return asksAwait(before) && after.kind.startsWith('called') && after.waiting === 'awaited' && !asksAwait(after);
}

/** A check of the same value that asks for more says all that `fact` said. */
export function settles(other: AssertionFact, fact: AssertionFact): boolean {
  if ((fact.kind === 'calledTimes' || fact.kind === 'lacks') && other.kind === 'calledWith') return COUNTS.test(other.span.text);
  if (fact.kind === 'throws' && other.kind === 'throws')
    return (fact.thrown?.type ?? null) === null || (other.thrown?.type ?? null) !== null;
  if (fact.kind === 'throws' || other.kind === 'throws') return false;
  return other.kind === fact.kind || (SETTLED[fact.kind]?.has(other.kind) ?? true);
}

const NEGATIVE: ReadonlySet<AssertionFact['kind']> = new Set(['lacks', 'differs', 'falsy']);

/** The same value and the same wanted value, and the opposite is asked. */
export function isOpposed(one: AssertionFact, other: AssertionFact): boolean {
  if (one.subject !== other.subject || one.subject === '') return false;
  const negative = [one, other].filter(({ kind }) => NEGATIVE.has(kind));
  if (negative.length !== 1) return false;
  return one.kind === 'truthy' || other.kind === 'truthy' || (wantedOf(one) !== null && wantedOf(one) === wantedOf(other));
}

/** Nothing at all, in a language where that counts as false. */
const NOTHING: ReadonlySet<string> = new Set(['[]', '{}', '()', 'set()']);

/** What was printed or read is a text, so that nothing of it is the empty text. */
const PRINTED = /\.(out|err|stdout|stderr|output|text)$|readouterr\(\)\[[01]\]$|\.(getvalue|read|read_text|strip)\([^()]*\)$/;

/** How many there are, as objects tell it themselves: `queue.qsize()`. */
const SIZE = /\.(size|count|length|len|qsize|__len__)(\(\))?$/;

/** A pattern without signs of its own, and the text that it spells: `/HttpOnly/` and "HttpOnly". */
function spells(before: AssertionFact, after: AssertionFact): boolean {
  if (before.kind !== 'match' || after.kind !== 'contain' || after.expected?.startsWith('"') !== true) return false;
  const source = /^\/(.*)\/u?$/s.exec(before.expected ?? '')?.[1]?.replace(/\\([^\p{L}\p{N}])/gu, '$1');
  return source !== undefined && !/[\\^$*+?|]/.test(source) && after.expected.slice(1, -1).includes(source);
}

/** The same for what tests are about: floats that are equal but for rounding, `not x` of a list that is to be empty. */
function isAsGood(before: AssertionFact, after: AssertionFact): boolean {
  if (before.kind !== 'equal') return false;
  if (after.guard === true && before.expected === (after.kind === 'truthy' ? 'true' : after.kind === 'falsy' ? 'false' : '')) return true;
  const told = before.expected === (after.kind === 'truthy' ? 'True' : after.kind === 'falsy' ? 'False' : '');
  if (told) return !/(\bis|==|,)\s*(True|False)\b/.test(before.span.text);
  if (after.kind === 'size' && after.expected === '0' && NOTHING.has(before.expected ?? '')) return true;
  if (after.kind === 'falsy') return NOTHING.has(before.expected ?? '') || (before.expected === '""' && PRINTED.test(before.subject));
  if (after.kind === 'size') return after.expected === before.expected && SIZE.test(before.subject);
  if (after.kind !== 'close' || after.tolerance === null) return false;
  const [was, is] = [Number(before.expected), Number(after.expected)];
  const size = Math.max(1, Math.abs(was) || 1);
  // Of a float that is written out to its last digit, the rounded value is meant.
  const near = before.expected === after.expected || (/\.\d{12,}$/.test(before.expected ?? '') && Math.abs(was - is) <= 1e-12 * size);
  return near && after.tolerance <= 1e-5 * size;
}

/** What an element is asked for that needs only be there. */
const IN_DOCUMENT = 'in the document';

/** Says that something is there, and nothing about what it is. */
export function isPresence({ expected }: AssertionFact): boolean {
  return expected === IN_DOCUMENT;
}

/** What may be anything stands under keys that were not asked for before. */
function addsEntries(before: AssertionFact, after: AssertionFact): boolean {
  if (before.kind !== after.kind || before.expected === null || after.expected === null) return false;
  const [old, now] = [before.expected, after.expected].map((text) => ({ keys: keysIn(text, KEYS), open: keysIn(text, OPEN) }));
  if (old === undefined || now === undefined) return false;
  let added = 0;
  for (const [key, count] of now.open) {
    const more = count - (old.open.get(key) ?? 0);
    if (more > 0 && (now.keys.get(key) ?? 0) - (old.keys.get(key) ?? 0) < more) return false;
    added += Math.max(0, more);
  }
  const opens = (text: string): number => text.split('expect.any').length;
  return (
    added > 0 &&
    added >= opens(after.expected) - opens(before.expected) &&
    [...old.keys].every(([key, count]) => (now.keys.get(key) ?? 0) >= count)
  );
}

const KEYS = /[\w$"]+(?=:)/g;
const OPEN = /[\w$"]+(?=:expect\.any)/g;

function keysIn(text: string, pattern: RegExp): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  for (const [key] of text.matchAll(pattern)) keys.set(key, (keys.get(key) ?? 0) + 1);
  return keys;
}

/** What libraries let through where nothing is said: it leaves room for rounding and nothing else. */
const USUAL = 1.01e-6;

/** The compiler answers it, and no value is looked at. */
const TYPE_CHECK = /^(await )?(expectTypeOf|assertType)\b/;

const ANY_TYPE = /^"?(object|Object|any|unknown)"?$/;

/** A number or a text was wanted of a value, and now a matcher that nobody knows is content with it, whatever it holds. */
function isValueGone(before: AssertionFact, after: AssertionFact): boolean {
  if (before.kind !== 'equal' || after.kind !== 'custom' || before.subject !== after.subject) return false;
  return /^(?:-?\d|"[^"])/.test(before.expected ?? '') && (after.expected ?? '') === '';
}

/** `expect(total() && 3).toBe(3)`: what was asked about is wrapped up so that the wanted value comes of it by itself. */
function isValueGiven(before: AssertionFact, after: AssertionFact): boolean {
  const { expected, subject } = after;
  if (before.kind !== 'equal' || after.kind !== 'equal' || expected === null || before.expected !== expected) return false;
  if (!/^(?:-?\d|")/.test(expected) || subject === before.subject || !subject.includes(before.subject)) return false;
  const wanted = expected.replace(/[^\w\s]/g, (sign) => `\\${sign}`);
  return new RegExp(`(?:&&|\\?|:|=>|\\+)\\s*${wanted}(?![\\w.])`).test(subject.replace(before.subject, ''));
}

/** Why `after` lets more through than `before` where both ask about the same; null where it does not. */
export function weakening(before: AssertionFact, after: AssertionFact): string | null {
  const [old, now] = [levelOf(before), levelOf(after)];
  if (isAsGood(before, after) || spells(before, after)) return null;
  if (after.kind === 'throws' && before.kind !== 'throws' && after.thrown !== null && (after.thrown.detail ?? after.thrown.type) !== null)
    return shortened(before.expected, after.thrown.detail) ? 'a shorter message is enough' : null;
  if (TYPE_CHECK.test(after.span.text) && !TYPE_CHECK.test(before.span.text) && old > LEVELS.type) return 'only its type is asked for';
  if (before.kind === 'size' && after.kind === 'close' && (after.tolerance ?? 1) >= 1) return 'a larger difference is let through';
  if (now < old - 1) return 'it asks for less than before';
  if (isValueGone(before, after)) return 'the wanted value is gone';
  if (isValueGiven(before, after)) return 'the wanted value stands in what is asked about';
  if (forgetsAwait(before, after)) return 'the call need not be awaited any more';
  if (isPresence(after) && !isPresence(before) && old >= EXACT) return 'it only asks whether it is there';
  if (after.wildcards > before.wildcards && !addsEntries(before, after)) return 'parts of the wanted value may now be anything';
  if (after.loose === true && before.loose !== true && before.kind === after.kind) return 'it compares loosely';
  if (now > old + 1) return null;
  if (before.kind === 'close' && after.kind === 'close') {
    const [was, is] = [before.tolerance, after.tolerance];
    const usual = USUAL * Math.max(1, Math.abs(Number(after.expected)) || 1);
    return was !== null && is !== null && is > was * 3 && is > usual ? 'a larger difference is let through' : null;
  }
  if (before.kind === 'range' && after.kind === 'range' && before.tolerance !== null && after.tolerance !== null) {
    return after.tolerance > before.tolerance ? 'the range is wider' : null;
  }
  if (before.kind === 'type' && after.kind === 'type' && before.expected !== after.expected) {
    if (/^(Error|Exception|BaseException)$/.test(after.expected ?? '') && !ANY_TYPE.test(before.expected ?? ''))
      return 'every error is of that type';
    return ANY_TYPE.test(after.expected ?? '') ? 'nearly every value is of that type' : null;
  }
  if (before.bound !== null && after.bound !== null && before.bound.op[0] === after.bound.op[0]) {
    const looser = before.bound.op.startsWith('<') ? after.bound.value > before.bound.value : after.bound.value < before.bound.value;
    if (looser) return 'the bound is looser';
    const equal = after.bound.value === before.bound.value;
    return equal && after.bound.op.length > before.bound.op.length ? 'the bound is looser' : null;
  }
  if (before.kind === 'contain' && after.kind === 'contain') {
    if (
      before.parts === null &&
      after.parts === null &&
      before.expected?.startsWith('"') === true &&
      shortened(before.expected, after.expected)
    )
      return 'a shorter text is enough';
    return before.parts !== null && after.parts !== null && after.parts < before.parts ? 'fewer parts are wanted' : null;
  }
  if (before.kind === 'calledWith' && after.kind === 'calledWith') {
    if (READ_ARGUMENT.test(after.span.text) && isOneOfSeveral(before.expected, after.expected)) return 'fewer arguments are wanted';
    return before.parts !== null && after.parts !== null && after.parts < before.parts ? 'fewer arguments are wanted' : null;
  }
  if (before.kind === 'oneOf' && after.kind === 'oneOf') {
    return before.parts !== null && after.parts !== null && after.parts > before.parts ? 'more values are let through' : null;
  }
  if (before.kind === 'match' && after.kind === 'match') {
    return shortened(before.expected, after.expected) || widened(before.expected, after.expected) ? 'a shorter text is enough' : null;
  }
  if (before.kind === 'throws' && after.kind === 'throws') {
    const details = [before.thrown?.detail ?? null, after.thrown?.detail ?? null] as const;
    // An error of a class makes its message of what it is given.
    if (after.thrown?.type !== null && before.thrown?.type === null && /\bnew\b/.test(after.span.text)) return null;
    return shortened(...details) || widened(...details) ? 'a shorter message is enough' : null;
  }
  if (before.kind === after.kind && looserOption(before.expected, after.expected)) return 'a larger difference is let through';
  if (before.kind === 'snapshot' && before.expected !== null && after.kind === 'snapshot' && after.expected === null)
    return 'the snapshot is written anew';
  return null;
}

/** One argument of a call is read off: `send.mock.calls[0][1]`, `send.firstCall.args[0]`. */
const READ_ARGUMENT = /\.(mock\.(calls|lastCall)|args)\b/;

/** `"Ada"` of `"Ada","hi"`. */
function isOneOfSeveral(before: string | null, after: string | null): boolean {
  if (before === null || after === null || after === '' || before === after) return false;
  return before.startsWith(`${after},`) || before.endsWith(`,${after}`) || before.includes(`,${after},`);
}

/** An option of a matcher that lets more through: `{ threshold: 0.9 }` for 0.1, fewer digits. */
function looserOption(before: string | null, after: string | null): boolean {
  if (after === null || before === after || !after.includes(':')) return false;
  const old = allowances(before ?? '');
  const isPixels = (name: string): boolean => name.startsWith('maxDiff');
  for (const [name, value] of allowances(after)) {
    // Where nothing is said no pixel may differ; a share of them and their number are two measures.
    const none = !isPixels(name) ? undefined : ![...old.keys()].some(isPixels) ? 0 : name.endsWith('Ratio') ? MOST_OF_PAGE : undefined;
    const was = old.get(name) ?? none;
    if (was !== undefined && (/places|digits|precision/i.test(name) ? value < was : value > was)) return true;
  }
  return false;
}

const MOST_OF_PAGE = 0.05;

/** Numbers of an object literal that say how much is let through. */
function allowances(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const entry of text.split(/[,{}()[\]]/)) {
    const colon = entry.indexOf(':');
    const name = entry.slice(0, colon);
    const value = Number(entry.slice(colon + 1));
    if (colon > 0 && !Number.isNaN(value) && /^maxDiff|threshold|tolerance|epsilon|delta|margin|places|digits|precision/i.test(name))
      found.set(name, value);
  }
  return found;
}

/** The wanted value as text, also of a throw. */
export function wantedOf(fact: AssertionFact): string | null {
  return fact.kind === 'throws' ? (fact.thrown?.detail ?? fact.thrown?.type ?? null) : fact.expected;
}

/** The same check of the same value. */
export function keyOf(fact: AssertionFact): string {
  return `${fact.subject} ${fact.kind} ${wantedOf(fact) ?? ''} ${fact.thrown?.type ?? ''} ${fact.tolerance ?? ''} ${fact.bound?.op ?? ''}${fact.loose === true ? ' loose' : ''}${asksAwait(fact) ? ' awaited' : ''}`;
}

const TOKEN = /[\p{L}\p{N}_$]+/gu;

export function tokensOf(text: string): readonly string[] {
  return text.slice(0, 2000).match(TOKEN) ?? [];
}

/** How many tokens two texts share, from 0 to 1. */
export function similarity(left: string, right: string): number {
  return overlap(tokensOf(left), tokensOf(right));
}

/** How much two assertions look alike, as they are written or with their variables filled in. */
export function likeness(left: AssertionFact, right: AssertionFact): number {
  const filled = similarity(`${left.subject} ${wantedOf(left) ?? ''}`, `${right.subject} ${wantedOf(right) ?? ''}`);
  return Math.max(filled, similarity(left.span.text, right.span.text) - 0.1);
}

export function overlap(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return 0;
  const counts = new Map<string, number>();
  for (const token of left) counts.set(token, (counts.get(token) ?? 0) + 1);
  let shared = 0;
  for (const token of right) {
    const count = counts.get(token) ?? 0;
    if (count > 0) {
      shared += 1;
      counts.set(token, count - 1);
    }
  }
  return (2 * shared) / (left.length + right.length);
}

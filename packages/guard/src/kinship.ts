// How one check has to do with another: small questions that matching asks of two checks.

import type { AssertionFact } from './facts.js';
import { readsCall } from './properties.js';
import { isPartOf, isWithin, loses } from './subjects.js';
import { EXACT, isPresence, levelOf, tokensOf, wantedOf, weakening } from './strength.js';

/** The message of an error was compared, and a word of it is enough now. */
export function isShorterMessage(fact: AssertionFact, other: AssertionFact): boolean {
  return fact.kind !== 'throws' && /\b(error|err|message)\b/.test(fact.subject) && weakening(fact, other) !== null;
}

export function emptyOr(wanted: string | null): string | null {
  return wanted !== null && /^(\[\]|\{\}|\(\)|set\(\))$/.test(wanted) ? '' : wanted;
}

/** Nothing was written, or nothing was called: a log that stays empty is a spy that is never called. */
export function wantsNone({ kind, subject, expected }: AssertionFact): boolean {
  if (kind === 'calledTimes' || kind === 'size') return expected === '0';
  return (
    kind === 'equal' &&
    (/^(empty|\[\]|\{\}|\(\)|set\(\)|b?"")$/.test(expected ?? '') || (expected === '0' && /size|len|count/i.test(subject)))
  );
}

/** `now` stands for `was`, a part of what `fact` asks about, and wants more than that part: a whole text, list or record. */
export function takesWhole(was: AssertionFact, now: AssertionFact, fact: AssertionFact): boolean {
  if (now.kind !== 'equal' || !/^b?["[({]./.test(now.expected ?? '') || now.expected === was.expected) return false;
  if (isWithin(now.subject, was.subject) || was.subject === now.subject) return false;
  const same = was.subject === fact.subject || fact.subject === `${was.subject}[*]`;
  return fact.kind === 'lacks' && same ? excludes(now, fact) : isPartOf(was.subject, fact.subject);
}

/** A whole list or text, made of what must not be in it, is wanted without it. */
export function excludes({ kind, subject, expected }: AssertionFact, fact: AssertionFact): boolean {
  const word = fact.kind === 'lacks' ? fact.expected?.match(/[\p{L}\p{N}_]{3,}/gu)?.at(-1) : undefined;
  if (word === undefined || kind !== 'equal' || !/^["[(]/.test(expected ?? '')) return false;
  return subject.includes(word) && !new Set(expected?.match(/[\p{L}\p{N}_]+/gu)).has(word);
}

export function sameWant(fact: AssertionFact, other: AssertionFact): boolean {
  return other.kind === fact.kind && wantedOf(other) === wantedOf(fact) && other.loose === fact.loose && other.tolerance === fact.tolerance;
}

/** The last name of what `fact` asks about is told by `other` too. */
export function sharesName({ subject }: AssertionFact, other: AssertionFact): boolean {
  const name = /([\p{L}_$][\p{L}\p{N}_$]*)(?:\([^()]*\))?$/u.exec(subject)?.[1];
  return name === undefined || tokensOf(`${other.subject} ${other.expected ?? ''}`).includes(name);
}

/** Wants the value as it is, with all its parts; of a call the arguments that `fact` reads. */
export function isWhole(other: AssertionFact, fact: AssertionFact): boolean {
  if (other.kind.startsWith('called')) return readsCall(other, fact);
  return levelOf(other) >= EXACT && other.kind !== 'throws' && !isPresence(other);
}

/** `not called` says something that no check of a call can say. */
export function isNever(fact: AssertionFact): boolean {
  return fact.kind === 'calledTimes' && fact.expected === '0';
}

/** The same value; or a method of a mock was wanted with its arguments, and any call of the mock will do now. */
export function asksOfSame(other: AssertionFact, { kind, subject }: AssertionFact): boolean {
  if (other.subject === subject) return subject !== '';
  return kind === 'calledWith' && other.kind === kind && subject.startsWith(`${other.subject}.`) && /(^|\.)ANY$/.test(other.expected ?? '');
}

/** The call without what it is called with. */
export function skeleton({ subject }: AssertionFact): string {
  return subject.replace(/\(.*\)/s, '()');
}

export function written(fact: AssertionFact): string {
  return fact.span.text.replace(/\s+/g, '');
}

/** A message that was compared by itself and is now wanted of the throw, or the other way round; arguments of a call. */
export function sameByOtherMeans(fact: AssertionFact, other: AssertionFact): boolean {
  if (fact.kind === 'calledWith') return other.kind === 'contain';
  if (fact.kind === 'throws' && other.kind === 'type') return fact.thrown?.detail === null;
  return (
    (fact.kind === 'throws') !== (other.kind === 'throws') &&
    [fact.kind, other.kind].every((kind) => ['throws', 'equal', 'match', fact.kind === 'throws' ? 'contain' : 'match'].includes(kind))
  );
}

/** Compares the value as it is. */
export function isOfValue({ kind, tolerance }: AssertionFact): boolean {
  return kind === 'equal' || kind === 'snapshot' || kind === 'custom' || (kind === 'close' && tolerance !== null);
}

/** Asks about the very same value: then it is stronger, the same or weaker, and was looked at already. */
export function isExactOf(fact: AssertionFact, other: AssertionFact): boolean {
  return other.subject === fact.subject && weakening(fact, other) !== null;
}

/** An error was wanted by its class and text, and a function that looks at it now asks for both. */
export function looksAtError(fact: AssertionFact, other: AssertionFact): boolean {
  const code = other.kind === 'throws' ? (other.thrown?.detail ?? '') : '';
  if (fact.kind !== 'throws' || !/^(async )?\(.*=>/s.test(code)) return false;
  const wanted = `${fact.thrown?.type ?? ''} ${fact.thrown?.detail ?? ''}`.match(/"(?:[^"\\]|\\.)*"|[\p{L}\p{N}_$.]+/gu) ?? [];
  return wanted.length > 0 && wanted.every((one) => code.includes(one));
}

/** The test waited for one sign of a value, and waits for another one of the same value now. */
export function waitsToo(fact: AssertionFact, other: AssertionFact): boolean {
  if (fact.polled !== true || other.polled !== true || levelOf(other) < 30) return false;
  const [was, is] = [skeleton(fact), skeleton(other)];
  return was.startsWith(is) || is.startsWith(was);
}

/** How often something happened is told by other means; `fresh` are those checks that are new. */
export function countsElse(fact: AssertionFact, fresh: readonly AssertionFact[], after: readonly AssertionFact[]): AssertionFact | null {
  return awaitsEach(fact, fresh) ?? listsOthers(fact, after);
}

/** Something had to happen so many times: a semaphore that starts at none is waited for as often, or an event once. */
function awaitsEach(fact: AssertionFact, after: readonly AssertionFact[]): AssertionFact | null {
  if (fact.kind !== 'range' || fact.bound === null || !fact.bound.op.startsWith('>')) return null;
  const least = fact.bound.op === '>' ? fact.bound.value + 1 : fact.bound.value;
  const waits = after.filter(({ kind, subject, reach }) => kind === 'truthy' && reach === 'always' && AWAITS.test(subject));
  const [first] = waits;
  if (first === undefined) return null;
  const times = /\.acquire\(/.test(first.subject) ? waits.filter(({ subject }) => subject === first.subject).length : 1;
  return times >= least ? first : null;
}

/** All calls of a mock are listed, and none of them is of this method: `channel.mock_calls == [call.ack(8)]`. */
function listsOthers(fact: AssertionFact, after: readonly AssertionFact[]): AssertionFact | null {
  const owner = isNever(fact) ? OWNED.exec(fact.subject)?.[1] : undefined;
  if (owner === undefined) return null;
  const all = after.filter(
    ({ kind, subject, span }) =>
      kind.startsWith('called') &&
      (subject === owner || subject.startsWith(`${owner}.`)) &&
      /\.(?:mock|method)_calls\s*==|[eE]quals?\([^()]*\.(?:mock|method)_calls,/.test(span.text),
  );
  return all.some(({ subject }) => subject === fact.subject) ? null : (all[0] ?? null);
}

const AWAITS = /^(?:(?:Bounded)?Semaphore\((?:value=)?0\)\.acquire|Event\(\)\.wait)\((?:timeout=)?[^()]+\)$/;

const OWNED = /^(.{2,})\.[\p{L}_$][\p{L}\p{N}_$]*$/su;

/** What is asked belongs to another object now, of which a sibling is asked too: `done.returncode`, `done.stdout` and `result.exit_code`, `result.stdout`. */
export function ownerMoves(
  { before, after, fate }: { readonly before: AssertionFact; readonly after: AssertionFact | null; readonly fate: string },
  fact: AssertionFact,
  other: AssertionFact,
): boolean {
  const [was, is] = [OWNED.exec(fact.subject)?.[1], OWNED.exec(other.subject)?.[1]];
  if (was === undefined || is === undefined || was === is || after === null || fate !== 'kept' || after === other) return false;
  return before.subject.startsWith(`${was}.`) && after.subject.startsWith(`${is}.`);
}

/** One value is wanted in place of another; a longer text than before says all that it said. */
export function wantsAnother(fact: AssertionFact, other: AssertionFact): boolean {
  if (levelOf(fact) >= EXACT - 3 || fact.kind === 'throws' || fact.kind === 'size') return true;
  const [was, is] = [fact.expected ?? '', other.expected ?? ''];
  if (fact.kind !== 'contain' || other.kind !== 'contain' || !was.startsWith('"') || !is.startsWith('"')) return false;
  return !is.includes(was.slice(1, -1));
}

/** An error that had to be thrown is now caught by a helper, and its text is wanted of what the helper gives. */
export function saidOfCaught(fact: AssertionFact, after: readonly AssertionFact[]): AssertionFact | null {
  const detail = fact.kind === 'throws' ? (fact.thrown?.detail ?? null) : null;
  if (detail === null || fact.subject.length < 4) return null;
  const call = /^(?:new )?[\p{L}\p{N}_$.]+\(/u.exec(fact.subject)?.[0] ?? fact.subject;
  const about = after.filter((other) => other.kind !== 'throws' && levelOf(other) >= EXACT && other.subject.includes(call));
  const parts = detail.match(/"(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)+\/|\b[0-9][\w.]*/g) ?? [];
  const said = (part: string) => about.some(({ expected }) => expected?.includes(/^["/]/.test(part) ? part.slice(1, -1) : part) === true);
  return about.length > 0 && parts.length > 0 && parts.every(said) ? (about[0] ?? null) : null;
}

/** A value that does not stand everywhere is an entry of what is wanted of a like call: one with the same text among its arguments. */
export function isEntryOfLike(fact: AssertionFact, other: AssertionFact): boolean {
  const wanted = fact.expected ?? '';
  if (fact.kind !== 'equal' || other.kind !== 'equal' || !/^(-?\d+|"[^"]{4,}")$/.test(wanted)) return false;
  if (!/^[{[]/.test(other.expected ?? '') || !(other.expected ?? '').includes(`:${wanted}`)) return false;
  const texts = new Set(fact.subject.match(/"[^"]{2,}"/g) ?? []);
  return (other.subject.match(/"[^"]{2,}"/g) ?? []).some((text) => texts.has(text));
}

/** A list of texts that were collected is now wanted in several places, text by text. */
export function isScattered(fact: AssertionFact, after: readonly AssertionFact[]): AssertionFact | null {
  if (fact.kind !== 'equal' || !/^\["[^"]{4,}"(,"[^"]{4,}")+\]$/.test(fact.expected ?? '')) return null;
  const texts = fact.expected?.match(/"[^"]+"/g) ?? [];
  const exact = after.filter(({ kind, tautology, subject }) => kind === 'equal' && tautology === null && !loses(subject, fact.subject));
  const holding = texts.map((text) => exact.find(({ expected }) => expected?.includes(text) === true));
  return holding.every((other) => other !== undefined) ? (holding[0] ?? null) : null;
}

/** A call with its arguments was wanted, and `other` asks something else that has little of them. */
export function forgetsCall({ kind, expected }: AssertionFact, other: AssertionFact): boolean {
  if (kind !== 'calledWith' || other.kind.startsWith('called')) return false;
  const values = (expected ?? '').match(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?/g) ?? [];
  const wanted = wantedOf(other) ?? '';
  return values.filter((value) => wanted.includes(value.replace(/^"|"$/g, ''))).length < values.length / 2;
}

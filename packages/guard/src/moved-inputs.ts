// A wanted value that differs only because the test is given something else, or writes it down in another way: that is no
// expectation rewritten.

import type { AssertionFact } from './facts.js';
import { isWritten } from './losses.js';
import { wantedOf } from './strength.js';

export function movesWithInput(before: AssertionFact, after: AssertionFact): boolean {
  const [old, now] = [wantedOf(before), wantedOf(after)];
  if (old === null || now === null || before.kind !== after.kind) return false;
  return isComputedAnew(before, after, old, now) || isCarriedOver(before.subject, after.subject, old, now);
}

/** Another device writes down what comes out, and the same words are wanted of it: a log as one text, now a spy with its arguments. */
export function isRetold(before: AssertionFact, after: AssertionFact): boolean {
  if (before.subject === after.subject || before.kind === after.kind) return false;
  const [old, now] = [words(wantedOf(before)), new Set(words(wantedOf(after)))];
  return old.length >= 6 && old.filter((word) => now.has(word)).length >= old.length * 0.7;
}

function words(text: string | null): readonly string[] {
  return text?.replace(/\\[nt]/g, ' ').match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The check reads as before; what the wanted value is made of is made in another way, and no value that was written in it is lost. */
function isComputedAnew(before: AssertionFact, after: AssertionFact, old: string, now: string): boolean {
  if (plain(before.span.text) !== plain(after.span.text) || isWritten(before) || isWritten(after)) return false;
  const left = literals(now);
  return literals(old).every((text) => {
    const index = left.indexOf(text);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

function plain(text: string): string {
  return text.replace(/\s+/g, '');
}

function literals(text: string): string[] {
  return text.match(/"[^"]*"|\b[0-9][\w.]*|\b(?:true|false|null)\b/g) ?? [];
}

/** What differs in the wanted value differs alike in what is asked about: `name(1)` is `"n1"`, and `name(2)` is `"n2"`. */
function isCarriedOver(subjectBefore: string, subjectAfter: string, old: string, now: string): boolean {
  if (subjectBefore === subjectAfter) return false;
  const [gone, come] = differing(old, now);
  if (gone.length === 0 && come.length === 0) return false;
  if ((gone === '' && come.length < 3) || (come === '' && gone.length < 3)) return false;
  return holds(subjectBefore, gone) && holds(subjectAfter, come) && (come === '' || !holds(subjectBefore, come));
}

function holds(text: string, part: string): boolean {
  if (part === '') return true;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const around = [text[at - 1] ?? '', text[at + part.length] ?? ''];
    const [left, right] = around.map((sign) => /\w/.test(sign));
    if (!(left === true && /^\w/.test(part)) && !(right === true && /\w$/.test(part))) return true;
  }
  return false;
}

/** The stretches by which two texts differ, whole words each. */
function differing(old: string, now: string): readonly [string, string] {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  while (head > 0 && /\w/.test(old[head - 1] ?? '') && (/\w/.test(old[head] ?? '') || /\w/.test(now[head] ?? ''))) head -= 1;
  while (tail > 0 && /\w/.test(old[old.length - tail] ?? '')) tail -= 1;
  return [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
}

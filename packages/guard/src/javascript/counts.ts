// How many calls a check of their arguments wants besides.

import type { AssertionFact } from '../facts.js';

/** A check of arguments that also says how many calls there were: `calledOnceWith(x)`, a list of all calls. */
export function countOf(fact: AssertionFact): readonly AssertionFact[] {
  if (fact.kind !== 'calledWith') return [];
  const listed = /\.mock\.calls\)|(?<!Call|\))\.args\)\./.test(fact.span.text) && fact.parts !== null && fact.parts > 0;
  const count = /called(Exactly)?Once|CalledExactlyOnce/.test(fact.span.text) ? '1' : listed ? String(fact.parts) : null;
  if (count === null) return [];
  const { loose: _loose, ...rest } = fact;
  return [{ ...rest, kind: 'calledTimes', expected: count, template: `${fact.subject} calledTimes ${count}`, wildcards: 0, parts: null }];
}

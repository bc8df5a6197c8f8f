// The names that a file speaks of: its words, without those that it only imports.

import type { FileFacts, ImportFact } from './facts.js';

export const WORDS = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** What the file imports, without what it makes itself. */
export function broughtIn(facts: FileFacts | null): readonly ImportFact[] {
  return (facts?.imports ?? []).filter(
    ({ span, local }) => local !== true && /^\s*(?:import|from|export)\b|\b(?:require|import)\(/.test(span.text),
  );
}

export function wordsOutside(text: string, imports: readonly ImportFact[]): readonly string[] {
  let [at, rest] = [0, ''];
  for (const { span } of imports.toSorted((one, other) => one.span.from - other.span.from)) {
    if (span.from < at) continue;
    rest += `${text.slice(at, span.from)} `;
    at = span.to;
  }
  return `${rest}${text.slice(at)}`.match(WORDS) ?? [];
}

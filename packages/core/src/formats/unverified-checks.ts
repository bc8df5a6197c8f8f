// `unverified_checks` in the evidence of a critic: what gave no certain result, so that an approval says so.

import type { Item } from '../model/vocabulary.js';
import { isObject, own } from './json-text.js';
import type { JsonObject } from './json-text.js';

/** As evidence lists it. */
export interface UnverifiedCheck {
  readonly name: string;
  /** Why, as a sentence. */
  readonly problem: string | null;
}

const MOST_CHECKS = 50;

/** What is said of a test whose old version does not pass on the new code, or cannot run on it. */
export const DOUBTFUL = 'passes only as this work changed it';

/** Only Umpire writes them. */
export function uncheckedIn(evidence: JsonObject): readonly Item[] {
  const list = own(evidence, 'unverified_checks');
  return (Array.isArray(list) ? list : []).slice(0, MOST_CHECKS).map((entry: unknown) => {
    const { name, problem } = isObject(entry) ? entry : { name: entry, problem: '' };
    return { name: shownText(name, 'a check'), problem: shownText(problem, '') };
  });
}

function shownText(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value.slice(0, 300) : otherwise;
}

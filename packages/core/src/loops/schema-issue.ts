// What a schema complains of, in words for people: the one issue to tell, where it is, and what is wanted there.

import type { Complaint } from './loop-texts.js';

/** An issue as zod gives it. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly code?: string | undefined;
  readonly errors?: readonly (readonly Issue[])[];
  /** The kind that is wanted, and the words that there are. */
  readonly expected?: string;
  readonly values?: readonly unknown[];
}

export interface Told extends Complaint {
  /** The key that nobody knows, where that is the trouble. */
  readonly unknown?: string;
}

/** The issue to tell: a key that is not known before one that is missing (it is often the same, misspelt), and in a union the
 * alternative that fitted best. `what` the whole was to be. */
export function firstIssue(issues: readonly Issue[], what: string, base: readonly PropertyKey[] = []): Told {
  const issue = issues.find((one) => one.code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return { path: [], problem: `it is not ${what}` };
  const path = [...base, ...issue.path, ...(issue.keys ?? []).slice(0, 1)];
  const branches = (issue.errors ?? [])
    .filter((branch) => !branch.some((one) => one.code === 'unrecognized_keys' && one.path.length === 0))
    .map((branch) => firstIssue(branch, what, path))
    .toSorted((a, b) => b.path.length - a.path.length);
  const [deepest] = branches;
  const forms = formsOf(issue.errors ?? []);
  const empty =
    branches.length > 1 && branches.length === issue.errors?.length && branches.every((branch) => branch.path.length === path.length + 1);
  if (deepest !== undefined && deepest.path.length > path.length && !empty) return deepest;
  const known = forms.length === 0 ? '' : `: ${forms.join(', ')}`;
  const [unknown] = issue.code === 'unrecognized_keys' ? (issue.keys ?? []) : [];
  const where = path.map((key) => (typeof key === 'number' ? key : String(key)));
  return { path: where, problem: wordsOf(issue) + known, ...(unknown === undefined ? {} : { unknown }) };
}

/** What each alternative of a union would have taken: its words, its kind, or the key that tells it from the others. */
function formsOf(alternatives: readonly (readonly Issue[])[]): readonly string[] {
  const forms = alternatives.flatMap((issues) => {
    const top = issues.find((issue) => issue.path.length === 0 && issue.code !== 'unrecognized_keys');
    if (top?.values !== undefined) return top.values.map((value) => JSON.stringify(value));
    if (top?.errors !== undefined) return formsOf(top.errors);
    if (top?.expected !== undefined) return [KINDS[top.expected] ?? `a ${top.expected}`];
    const key = issues.find((issue) => issue.path.length === 1 && issue.code !== 'unrecognized_keys')?.path[0];
    return key === undefined ? [] : [`one with "${String(key)}"`];
  });
  return [...new Set(forms)];
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys with values',
  record: 'keys with values',
  null: 'nothing',
};

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Invalid option: expected one of (.*)$/, 'it must be one of $1'],
  [/^Invalid key in record$/, 'this name is not allowed: lower-case letters, digits and _ only (in the name of a mode - instead of _)'],
  [/^Too small: expected (?:number|int|array|string) to (?:be|have) >=(\d+).*$/, 'it is too small or too short: at least $1'],
  [/^Too big: expected (?:number|int|array|string) to (?:be|have) <=(\d+).*$/, 'it is too large: at most $1'],
  [/^Unrecognized keys?: .*$/, 'this key is not known here'],
  [/^Invalid input$/, 'it fits none of the forms that are known here'],
];

/** A fraction is a number, too: only where a whole one is wanted does it say more than that. */
function kindsIn(message: string): string | null {
  const [, wanted = '', received = ''] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  if (wanted === '') return null;
  const expected = `expected here: ${wanted === 'tuple' ? 'a list of two' : (KINDS[wanted] ?? `a ${wanted}`)}`;
  if (received === 'undefined') return `it is missing; ${expected}`;
  return `${expected}, not ${wanted === 'int' && received === 'number' ? 'a fraction' : (KINDS[received] ?? `a ${received}`)}`;
}

function wordsOf({ message }: Issue): string {
  const kinds = kindsIn(message);
  if (kinds !== null) return kinds;
  const known = WORDS.find(([pattern]) => pattern.test(message));
  return known === undefined ? message : message.replace(known[0], known[1]).replaceAll('"|"', '", "');
}

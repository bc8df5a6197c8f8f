// Turns the issues of a zod schema into one complaint for people: the place, the fault and what is expected there.

import type { Complaint } from './validate-loop.js';
import { z } from 'zod';
import { isObject, own } from '../formats/json-text.js';

/** An issue as zod reports it. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly code?: string | undefined;
  readonly errors?: readonly (readonly SchemaIssue[])[];
  /** The expected kind and the allowed words. */
  readonly expected?: string;
  readonly values?: readonly unknown[];
}

export interface SchemaComplaint extends Complaint {
  /** The unknown key, if that is the fault. */
  readonly unknown?: string;
}

/**
 * Picks one issue: an unknown key before a missing one, because it is often the same key misspelt, and in a union the alternative that
 * fits best. `what`: the name of the whole.
 */
export function firstIssue(issues: readonly SchemaIssue[], what: string, base: readonly PropertyKey[] = []): SchemaComplaint {
  const issue = issues.find((one) => one.code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return { path: [], problem: `it is not ${what}` };
  const path = [...base, ...issue.path, ...(issue.keys ?? []).slice(0, 1)];
  const branches = (issue.errors ?? [])
    .filter((branch) => !branch.some((one) => one.code === 'unrecognized_keys' && one.path.length === 0))
    .map((branch) => firstIssue(branch, what, path))
    .toSorted((a, b) => b.path.length - a.path.length);
  const [deepest] = branches;
  const forms = describeForms(issue.errors ?? []);
  const empty =
    branches.length > 1 && branches.length === issue.errors?.length && branches.every((branch) => branch.path.length === path.length + 1);
  if (deepest !== undefined && deepest.path.length > path.length && !empty) return deepest;
  const known = forms.length === 0 ? '' : `; expected ${forms.join(', ')}`;
  const [unknown] = issue.code === 'unrecognized_keys' ? (issue.keys ?? []) : [];
  const where = path.map((key) => (typeof key === 'number' ? key : String(key)));
  return { path: where, problem: describeIssue(issue) + known, ...(unknown === undefined ? {} : { unknown }) };
}

/** Each alternative of a union: its words, its kind, or the key that distinguishes it. */
function describeForms(alternatives: readonly (readonly SchemaIssue[])[]): readonly string[] {
  const forms = alternatives.flatMap((issues) => {
    const top = issues.find((issue) => issue.path.length === 0 && issue.code !== 'unrecognized_keys');
    if (top?.values !== undefined) return top.values.map((value) => JSON.stringify(value));
    if (top?.errors !== undefined) return describeForms(top.errors);
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
  [/^Invalid key in record$/, 'invalid name: use lower-case letters, digits and _ (in the name of a mode - instead of _)'],
  [/^Too small: expected (?:number|int|array|string) to (?:be|have) >=(\d+).*$/, 'too small or too short: at least $1'],
  [/^Too big: expected (?:number|int|array|string) to (?:be|have) <=(\d+).*$/, 'too large: at most $1'],
  [/^Unrecognized keys?: .*$/, 'unknown key'],
  [/^Invalid input$/, 'invalid value'],
];

/** "a fraction" only if a whole number is expected; otherwise it is just a number. */
function describeKinds(message: string): string | null {
  const [, wanted = '', received = ''] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  if (wanted === '') return null;
  const expected = `expected ${wanted === 'tuple' ? 'a list of two' : (KINDS[wanted] ?? `a ${wanted}`)}`;
  if (received === 'undefined') return `missing; ${expected}`;
  return `${expected}, not ${wanted === 'int' && received === 'number' ? 'a fraction' : (KINDS[received] ?? `a ${received}`)}`;
}

function describeIssue({ message }: SchemaIssue): string {
  const kinds = describeKinds(message);
  if (kinds !== null) return kinds;
  const known = WORDS.find(([pattern]) => pattern.test(message));
  return known === undefined ? message : message.replace(known[0], known[1]).replaceAll('"|"', '", "');
}

/** The keys that the schema knows at this place, in any of its forms. Used to guess a misspelt key. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const root: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  let here = resolveForms(root, root);
  for (const step of path) here = here.flatMap((form) => inside(form, step)).flatMap((form) => resolveForms(form, root));
  return [...new Set(here.flatMap((form) => Object.keys(objectOf(form, 'properties'))))];
}

/** Follows references and alternatives. */
function resolveForms(form: unknown, root: unknown): readonly unknown[] {
  if (!isObject(form)) return [];
  const name = own(form, '$ref');
  if (typeof name === 'string') return resolveForms(name === '#' ? root : objectOf(root, '$defs')[name.split('/').at(-1) ?? ''], root);
  const others = own(form, 'anyOf');
  return Array.isArray(others) ? others.flatMap((one: unknown) => resolveForms(one, root)) : [form];
}

function inside(form: unknown, step: PropertyKey): readonly unknown[] {
  if (!isObject(form)) return [];
  if (typeof step === 'number') return [own(form, 'items')];
  return [objectOf(form, 'properties')[String(step)] ?? own(form, 'additionalProperties')];
}

function objectOf(form: unknown, key: string): Readonly<Record<string, unknown>> {
  const value = isObject(form) ? own(form, key) : null;
  return isObject(value) ? value : {};
}

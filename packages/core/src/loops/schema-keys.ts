// Which keys a schema knows at a place of a file: for the guess at a key that was misspelt. Asked only when there is one.

import { z } from 'zod';
import { isObject, own } from '../formats/json-text.js';

/** Of all the forms that may stand at that place. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const root: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  let here = formsOf(root, root);
  for (const step of path) here = here.flatMap((form) => inside(form, step)).flatMap((form) => formsOf(form, root));
  return [...new Set(here.flatMap((form) => Object.keys(objectOf(form, 'properties'))))];
}

/** A schema that names others is those. */
function formsOf(form: unknown, root: unknown): readonly unknown[] {
  if (!isObject(form)) return [];
  const name = own(form, '$ref');
  if (typeof name === 'string') return formsOf(name === '#' ? root : objectOf(root, '$defs')[name.split('/').at(-1) ?? ''], root);
  const others = own(form, 'anyOf');
  return Array.isArray(others) ? others.flatMap((one: unknown) => formsOf(one, root)) : [form];
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

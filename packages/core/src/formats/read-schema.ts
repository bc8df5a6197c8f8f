// Reads what a person wrote (loop files, settings) by its schema: fills in defaults, and describes each mistake with its place.

import { isPlain } from '../model/schema.js';
import { describeSchema } from '../model/schema-pages.js';
import type { AnySchema, Infer } from '../model/schema.js';
import { nearestWord } from './nearest-word.js';

/** Keys and indexes from the top of the file. */
export type FilePlace = readonly (string | number)[];

export interface Complaint {
  readonly path: FilePlace;
  /** Begins with "must", "is" or "needs" if the place is its subject. */
  readonly problem: string;
}

export type ReadBySchema<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly complaints: readonly Complaint[] };

export function readBySchema<S extends AnySchema>(schema: S, value: unknown): ReadBySchema<Infer<S>> {
  const read = readWithoutDefaults(schema, value);
  return read.ok ? { ok: true, value: fillDefaults(schema, read.value) } : read;
}

/** Objects inside objects lack the fields that the file lacks, so that several files can be merged. */
export function readWithoutDefaults(schema: AnySchema, value: unknown): ReadBySchema<unknown> {
  const complaints: Complaint[] = [];
  const read = readPart(schema, value, [], complaints, schema.notes.phrase, true);
  return complaints.length === 0 ? { ok: true, value: read } : { ok: false, complaints };
}

/** The defaults of an object, and of the objects inside it. */
export function fillDefaults<S extends AnySchema>({ form }: S, value: unknown): Infer<S> {
  if (form.kind !== 'object' || !isPlain(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(form.fields)) {
    const { default: byDefault } = schema.notes;
    if (value[field] !== undefined) filled[field] = fillDefaults(schema, value[field]);
    else if (byDefault === 'filled') filled[field] = fillDefaults(schema, {});
    else if (byDefault !== undefined) filled[field] = byDefault.value;
  }
  return filled;
}

/** The first complaint in the order of the file, as a sentence without its end. */
export function describeComplaint({ path, problem }: Complaint): string {
  const where = path.join('.');
  if (/^(?:must|is|needs) /.test(problem)) return `${where === '' ? 'it' : where} ${problem}`;
  return where === '' ? problem : `${where}: ${problem}`;
}

/** `isBare`: defaults are not filled in. */
function readPart(
  schema: AnySchema,
  value: unknown,
  path: FilePlace,
  complaints: Complaint[],
  phrase = schema.notes.phrase,
  isBare = false,
): unknown {
  const { form } = schema;
  const refuse = (): undefined => {
    const found = value === null ? ', and is empty' : `, not ${showValue(value)}`;
    complaints.push({ path, problem: `must be ${phrase ?? describeSchema(schema)}${schema.notes.isSecret === true ? '' : found}` });
  };
  switch (form.kind) {
    case 'text':
    case 'number':
    case 'flag':
    case 'word':
    case 'null':
      return schema.findFault(value) === null ? value : refuse();
    case 'list': {
      if (form.isLone && !Array.isArray(value)) {
        const count = complaints.length;
        const item = readPart(form.item, value, path, complaints, phrase ?? `${describeSchema(form.item)}, or a list of such`);
        return complaints.length > count ? undefined : [item];
      }
      if (!Array.isArray(value) || value.length < form.least || value.length > form.most) return refuse();
      return value.map((item, at) => readPart(form.item, item, [...path, at], complaints));
    }
    case 'pair':
      if (!Array.isArray(value) || value.length !== 2) return refuse();
      return value.map((item, at) => readPart(form.item, item, [...path, at], complaints));
    case 'record':
      if (!isPlain(value)) return refuse();
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => {
          const at = [...path, name];
          const isAllowed = form.name.findFault(name) === null;
          if (!isAllowed) complaints.push({ path: at, problem: `this name is not allowed. Use ${describeSchema(form.name)}` });
          return [name, readPart(form.value, inner, at, complaints)];
        }),
      );
    case 'object':
      if (!isPlain(value)) return refuse();
      return isBare ? readObject(form, value, path, complaints) : fillDefaults(schema, readObject(form, value, path, complaints));
    case 'kinds': {
      if (!isPlain(value)) return refuse();
      const known = Object.entries(form.kinds).find(([name]) => Object.hasOwn(value, name));
      if (known !== undefined) return readPart(known[1], value, path, complaints);
      complaints.push({ path, problem: `needs one of the keys ${Object.keys(form.kinds).join(', ')}` });
      return undefined;
    }
    case 'either': {
      let deepest: readonly Complaint[] = [];
      let depth = path.length;
      for (const one of form.forms) {
        const found: Complaint[] = [];
        const read = readPart(one, value, path, found);
        if (found.length === 0) return read;
        const reached = Math.max(...found.map((complaint) => complaint.path.length));
        const isNearer = reached > depth || (deepest.length === 0 && found.some(({ problem }) => problem.startsWith('needs ')));
        if (isNearer) [deepest, depth] = [found, reached];
      }
      if (deepest.length === 0) return refuse();
      complaints.push(...deepest);
      return undefined;
    }
    case 'later':
      return readPart(form.schema(), value, path, complaints, phrase);
    case 'where':
    case 'map': {
      const count = complaints.length;
      const read = readPart(form.of, value, path, complaints, phrase);
      if (complaints.length > count) return undefined;
      if (form.kind === 'where') return form.test(read as never) ? read : refuse();
      return form.change(read as never, (problem, ...inner) => void complaints.push({ path: [...path, ...inner], problem }));
    }
  }
}

type ObjectForm = Extract<AnySchema['form'], { readonly kind: 'object' }>;

function readObject(
  { fields, keyOf }: ObjectForm,
  value: Readonly<Record<string, unknown>>,
  path: FilePlace,
  complaints: Complaint[],
): unknown {
  const known = Object.keys(fields).map(keyOf);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  for (const key of unknown) complaints.push({ path: [...path, key], problem: `unknown key. ${suggestKey(key, known)}` });
  const out: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(fields)) {
    const { presence, phrase } = schema.notes;
    const key = keyOf(field);
    const at = [...path, key];
    if (Object.hasOwn(value, key) && value[key] !== undefined) out[field] = readPart(schema, value[key], at, complaints, phrase, true);
    // An unknown key is often the missing one misspelt.
    else if ((presence ?? 'required') === 'required' && unknown.length === 0)
      complaints.push({ path: at, problem: `is missing. It must be ${phrase ?? describeSchema(schema)}` });
  }
  return out;
}

function showValue(value: unknown): string {
  const json = JSON.stringify(value) ?? typeof value;
  return json.length > 60 ? `${json.slice(0, 60)}...` : json;
}

function suggestKey(key: string, known: readonly string[]): string {
  // `rounds` is the only known key that contains the word: `max_rounds`.
  const word = `_${key.toLowerCase().replaceAll('-', '_')}_`;
  const containing = known.filter((one) => `_${one}_`.includes(word));
  const guess = nearestWord(key, known) ?? (containing.length === 1 ? containing[0] : undefined);
  return guess === undefined ? `Known keys: ${known.join(', ')}` : `Did you mean "${guess}"?`;
}

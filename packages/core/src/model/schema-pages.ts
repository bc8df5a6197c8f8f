// Prints a schema: as JSON Schema for editors, and as rows of a reference page.

import type { AnySchema } from './schema.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Of the values that a person may write. */
export function printJsonSchema(schema: AnySchema, title: string): JsonSchema {
  const definitions: Record<string, JsonSchema> = {};
  const printed = printPart(schema, definitions);
  const defined = Object.keys(definitions).length === 0 ? {} : { $defs: definitions };
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...printed, ...defined, title };
}

function printPart({ form, notes }: AnySchema, definitions: Record<string, JsonSchema>): JsonSchema {
  const print = (schema: AnySchema) => printPart(schema, definitions);
  const described = {
    ...(notes.description === undefined ? {} : { description: notes.description }),
    ...(typeof notes.default === 'object' ? { default: notes.default.value } : {}),
  };
  switch (form.kind) {
    case 'text':
      return {
        type: 'string',
        ...(form.least === undefined ? {} : { minLength: form.least }),
        ...(form.pattern === undefined ? {} : { pattern: form.pattern.source }),
        ...described,
      };
    case 'number':
      return {
        type: form.isWhole ? 'integer' : 'number',
        ...(form.least === undefined ? {} : { minimum: form.least }),
        ...(form.most === undefined ? {} : { maximum: form.most }),
        ...described,
      };
    case 'flag':
      return { type: 'boolean', ...described };
    case 'word': {
      const [first] = form.words;
      return { type: typeof first, ...(form.words.length === 1 ? { const: first } : { enum: form.words }), ...described };
    }
    case 'null':
      return { type: 'null', ...described };
    case 'list': {
      const items = print(form.item);
      const limits = {
        ...(form.least === 0 ? {} : { minItems: form.least }),
        ...(form.most === Infinity ? {} : { maxItems: form.most }),
      };
      const list = { type: 'array', items, ...limits };
      return form.isLone ? { anyOf: [items, list], ...described } : { ...list, ...described };
    }
    case 'pair':
      return { type: 'array', prefixItems: [print(form.item), print(form.item)], items: false, minItems: 2, maxItems: 2, ...described };
    case 'record':
      return { type: 'object', propertyNames: print(form.name), additionalProperties: print(form.value), ...described };
    case 'object': {
      const fields = Object.entries(form.fields).map(([field, schema]) => [form.keyOf(field), schema] as const);
      const required = fields.filter(([, schema]) => (schema.notes.presence ?? 'required') === 'required').map(([key]) => key);
      return {
        type: 'object',
        properties: Object.fromEntries(fields.map(([key, schema]) => [key, print(schema)])),
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: false,
        ...described,
      };
    }
    case 'kinds':
      return { anyOf: Object.values(form.kinds).map(print), ...described };
    case 'either':
      return { anyOf: form.forms.map(print), ...described };
    case 'later':
      if (definitions[form.name] === undefined) {
        // Taken before its parts are printed, because they refer to it.
        definitions[form.name] = {};
        definitions[form.name] = print(form.schema());
      }
      return { $ref: `#/$defs/${form.name}`, ...described };
    case 'where':
    case 'map':
      return { ...print(form.of), ...described };
  }
}

/** One field, for a reference page. */
export interface FieldRow {
  /** Dotted, by the keys of the file: `critics.debt.complexity`, `agents.<name>.command`, `guard.allowances[].rule`. */
  readonly name: string;
  readonly type: string;
  readonly default: string;
  readonly description: string;
}

/** Every field in the order of the schema. Objects that only contain the fields after them are left out. */
export function listFields({ form }: AnySchema, prefix = ''): readonly FieldRow[] {
  if (form.kind === 'list') return listFields(form.item, `${prefix}[]`);
  if (form.kind === 'record') return listFields(form.value, `${prefix}.<name>`);
  if (form.kind === 'either') return form.forms.flatMap((one) => listFields(one, prefix));
  if (form.kind === 'where' || form.kind === 'map') return listFields(form.of, prefix);
  if (form.kind !== 'object') return [];
  return Object.entries(form.fields).flatMap(([field, schema]) => {
    const { default: byDefault, shown = 'required', description = '' } = schema.notes;
    const name = `${prefix}${prefix === '' ? '' : '.'}${form.keyOf(field)}`;
    const row = { name, type: describeSchema(schema), default: shown, description };
    return [...(byDefault === 'filled' ? [] : [row]), ...listFields(schema, name)];
  });
}

/** What a value must be. */
export function describeSchema({ form, notes }: AnySchema): string {
  if (notes.phrase !== undefined) return notes.phrase;
  switch (form.kind) {
    case 'text':
      return form.least === undefined ? 'a text' : 'a text that is not empty';
    case 'number': {
      const limits = form.least === undefined ? '' : ` from ${form.least} to ${form.most}`;
      return `a ${form.isWhole ? 'whole number' : 'number'}${limits}`;
    }
    case 'flag':
      return 'true or false';
    case 'word': {
      const words = form.words.map(String);
      return words.length === 1 ? words.join('') : `one of ${words.join(', ')}`;
    }
    case 'null':
      return 'empty';
    case 'list':
      return form.least === 0 ? 'a list' : 'a list that is not empty';
    case 'pair':
      return 'a list of two';
    case 'record':
    case 'object':
    case 'kinds':
      return 'keys with values';
    case 'either':
      return form.forms.map(describeSchema).join(', or ');
    case 'later':
      return describeSchema(form.schema());
    case 'where':
    case 'map':
      return describeSchema(form.of);
  }
}

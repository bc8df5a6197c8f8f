// One declaration of data gives its TypeScript type, its check, its JSON Schema and its page. A schema itself checks what a program wrote
// (journals, state files), quickly and without loading more; read-schema.ts reads what a person wrote and describes mistakes.

/** `defaulted`: may be missing in a file, and is never missing once it was read. */
type Presence = 'required' | 'optional' | 'defaulted';

/** Null if the value fits, else the path that does not. */
type FindFault = (value: unknown) => string | null;

export type AnySchema = Schema<unknown, unknown, Presence>;
export type SchemaFields = Readonly<Record<string, AnySchema>>;

/** The type of a value that was read. */
export type Infer<S extends AnySchema> = S['type']['out'];
/** The type of a value as a person or a program may write it. */
export type InferInput<S extends AnySchema> = S['type']['in'];

/** The structure, for the modules that read by it or print it. */
export type Form =
  | { readonly kind: 'text'; readonly least?: number; readonly pattern?: RegExp }
  | { readonly kind: 'number'; readonly isWhole: boolean; readonly least?: number; readonly most?: number }
  | { readonly kind: 'flag' }
  | { readonly kind: 'word'; readonly words: readonly (string | number | boolean)[] }
  | { readonly kind: 'null' }
  /** `isLone`: a person may write a single item without brackets. */
  | { readonly kind: 'list'; readonly item: AnySchema; readonly least: number; readonly most: number; readonly isLone: boolean }
  | { readonly kind: 'pair'; readonly item: AnySchema }
  | { readonly kind: 'record'; readonly value: AnySchema; readonly name: AnySchema }
  /** `keyOf`: the key of a field in a file. */
  | { readonly kind: 'object'; readonly fields: SchemaFields; readonly keyOf: (field: string) => string }
  | { readonly kind: 'kinds'; readonly kinds: SchemaFields }
  | { readonly kind: 'either'; readonly forms: readonly AnySchema[] }
  | { readonly kind: 'later'; readonly name: string; readonly schema: () => AnySchema }
  | { readonly kind: 'where'; readonly of: AnySchema; readonly test: (value: never) => boolean }
  | { readonly kind: 'map'; readonly of: AnySchema; readonly change: (value: never, complain: Complain) => unknown };

/** Reports a mistake in a part of the value: the problem, then the keys that lead to it. */
export type Complain = (problem: string, ...path: readonly string[]) => void;

interface Notes {
  readonly description?: string;
  /** What a value must be, for a person: "a whole number from 1 to 9". */
  readonly phrase?: string;
  readonly presence?: Presence;
  /** The value if it is missing; `filled`: that of an empty object. */
  readonly default?: { readonly value: unknown } | 'filled';
  /** The default in the words of its page. */
  readonly shown?: string;
  /** No message shows the value. */
  readonly isSecret?: true;
}

export class Schema<Out, In = Out, P extends Presence = 'required'> {
  /** Never set. Carries the types. */
  declare readonly type: { readonly out: Out; readonly in: In; readonly presence: P };

  constructor(
    readonly form: Form,
    /** Unknown fields are allowed, because a later version may have added them. */
    readonly findFault: FindFault,
    readonly notes: Notes = {},
  ) {}

  fits(value: unknown): value is Out {
    return this.findFault(value) === null;
  }

  #note<O = Out, I = In, Q extends Presence = P>(notes: Notes, findFault = this.findFault): Schema<O, I, Q> {
    return new Schema<O, I, Q>(this.form, findFault, { ...this.notes, ...notes });
  }

  /** Its meaning, for the page and for editors. */
  describe(description: string): Schema<Out, In, P> {
    return this.#note({ description });
  }

  called(phrase: string): Schema<Out, In, P> {
    return this.#note({ phrase });
  }

  secret(): Schema<Out, In, P> {
    return this.#note({ isSecret: true });
  }

  /** `shown`: what holds if it is missing. */
  optional(shown = 'none'): Schema<Out, In, 'optional'> {
    const { findFault } = this;
    return this.#note<Out, In, 'optional'>({ presence: 'optional', shown }, (value) => (value === undefined ? null : findFault(value)));
  }

  /** `shown`: the default in words, if its value does not say it. */
  default<const D>(value: D, shown?: string): Schema<D extends Out ? Out : Out | D, In, 'defaulted'> {
    const words = shown ?? (value === null || typeof value === 'object' ? 'none' : String(value));
    return this.#note<D extends Out ? Out : Out | D, In, 'defaulted'>({ presence: 'defaulted', default: { value }, shown: words });
  }

  /** An object that may be missing: each of its fields then has its own default. */
  filled(): Schema<Out, In, 'defaulted'> {
    return this.#note<Out, In, 'defaulted'>({ presence: 'defaulted', default: 'filled', shown: 'as below' });
  }

  where(test: (value: Out) => boolean, phrase: string): Schema<Out, In, P> {
    const { findFault } = this;
    return new Schema({ kind: 'where', of: this, test }, (value) => findFault(value) ?? (test(value as Out) ? null : ''), {
      ...this.notes,
      phrase,
    });
  }

  /** Only for files: a value in a journal is not changed. */
  map<New>(change: (value: Out, complain: Complain) => New): Schema<New, In, P> {
    return new Schema({ kind: 'map', of: this, change }, this.findFault, this.notes);
  }
}

export const text: Schema<string> = new Schema({ kind: 'text' }, (value) => (typeof value === 'string' ? null : ''));

export const filledText: Schema<string> = new Schema({ kind: 'text', least: 1 }, (value) =>
  typeof value === 'string' && value !== '' ? null : '',
);

export function textLike(pattern: RegExp, phrase: string): Schema<string> {
  return new Schema({ kind: 'text', pattern }, (value) => (typeof value === 'string' && pattern.test(value) ? null : ''), { phrase });
}

export const flag: Schema<boolean> = new Schema({ kind: 'flag' }, (value) => (typeof value === 'boolean' ? null : ''));

/** JSON can hold 1e999. */
export const number: Schema<number> = new Schema({ kind: 'number', isWhole: false }, (value) => (Number.isFinite(value) ? null : ''));

export const whole: Schema<number> = new Schema({ kind: 'number', isWhole: true }, (value) => (Number.isSafeInteger(value) ? null : ''));

export function wholeFrom(least: number, most: number): Schema<number> {
  const isWithin = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  return new Schema({ kind: 'number', isWhole: true, least, most }, (value) => (isWithin(value) ? null : ''));
}

export function numberFrom(least: number, most: number): Schema<number> {
  const isWithin = (value: unknown) => Number.isFinite(value) && Number(value) >= least && Number(value) <= most;
  return new Schema({ kind: 'number', isWhole: false, least, most }, (value) => (isWithin(value) ? null : ''));
}

export function word<const T extends string | number | boolean>(...words: readonly T[]): Schema<T> {
  return new Schema({ kind: 'word', words }, (value) => (words.includes(value as T) ? null : ''));
}

const nothing: Schema<null> = new Schema({ kind: 'null' }, (value) => (value === null ? null : ''));

export function orNull<Out, In>(schema: Schema<Out, In>): Schema<Out | null, In | null> {
  const { findFault } = schema;
  return new Schema({ kind: 'either', forms: [schema, nothing] }, (value) => (value === null ? null : findFault(value)));
}

export function either<const S extends readonly AnySchema[]>(...forms: S): Schema<Infer<S[number]>, InferInput<S[number]>> {
  return new Schema({ kind: 'either', forms }, (value) => {
    let fault: string | null = null;
    for (const form of forms) if ((fault = form.findFault(value)) === null) return null;
    return fault;
  });
}

export function listOf<Out, In>(item: Schema<Out, In>, least = 0, most = Infinity): Schema<readonly Out[], readonly In[]> {
  return new Schema({ kind: 'list', item, least, most, isLone: false }, (value) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) return '';
    for (let at = 0; at < value.length; at++) {
      const fault = item.findFault(value[at]);
      if (fault !== null) return within(String(at), fault);
    }
    return null;
  });
}

/** A list with at least one item, which a person may write without brackets if it is the only one. */
export function oneOrMore<Out, In>(item: Schema<Out, In>): Schema<readonly Out[], In | readonly In[]> {
  return new Schema({ kind: 'list', item, least: 1, most: Infinity, isLone: true }, listOf(item, 1).findFault);
}

export function pairOf<Out>(item: Schema<Out>): Schema<readonly [Out, Out]> {
  return new Schema({ kind: 'pair', item }, listOf(item, 2, 2).findFault);
}

/** An object whose field names come from the file. */
export function recordOf<Out, In>(
  value: Schema<Out, In>,
  name: Schema<string> = text,
): Schema<Readonly<Record<string, Out>>, Readonly<Record<string, In>>> {
  return new Schema({ kind: 'record', value, name }, (given) => {
    if (!isPlain(given)) return '';
    // Values from JSON inherit no enumerable fields.
    for (const key in given) {
      const fault = (name === text ? null : name.findFault(key)) ?? value.findFault(given[key]);
      if (fault !== null) return within(key, fault);
    }
    return null;
  });
}

/** `extends infer`: errors of the compiler and hints of an editor show one object, not two that are joined. */
type ObjectOut<F extends SchemaFields> = {
  readonly [K in keyof F as F[K]['type']['presence'] extends 'optional' ? never : K]: F[K]['type']['out'];
} & {
  readonly [K in keyof F as F[K]['type']['presence'] extends 'optional' ? K : never]?: F[K]['type']['out'];
} extends infer O
  ? { readonly [K in keyof O]: O[K] }
  : never;

type ObjectIn<F extends SchemaFields> = {
  readonly [K in keyof F as F[K]['type']['presence'] extends 'required' ? K : never]: F[K]['type']['in'];
} & {
  readonly [K in keyof F as F[K]['type']['presence'] extends 'required' ? never : K]?: F[K]['type']['in'];
} extends infer O
  ? { readonly [K in keyof O]: O[K] }
  : never;

export function object<const F extends SchemaFields>(
  fields: F,
  keyOf: (field: string) => string = (field) => field,
): Schema<ObjectOut<F>, ObjectIn<F>> {
  const names = Object.keys(fields);
  const faults = Object.values(fields).map(({ findFault }) => findFault);
  let calls = 0;
  let check = (value: Readonly<Record<string, unknown>>): string | null => {
    if (++calls > SELDOM) check = compileCheck(names, faults);
    for (let at = 0; at < names.length; at++) {
      const fault = (faults[at] as FindFault)(value[names[at] as string]);
      if (fault !== null) return within(names[at] as string, fault);
    }
    return null;
  };
  return new Schema({ kind: 'object', fields, keyOf }, (value) => (isPlain(value) ? check(value) : ''));
}

/** A check is compiled after this many uses. */
const SELDOM = 500;

/** The same check as generated code, which reads a long journal faster. Names enter the code only as JSON literals. */
function compileCheck(names: readonly string[], faults: readonly FindFault[]): (value: Readonly<Record<string, unknown>>) => string | null {
  const lines = names.map((name, at) => {
    const literal = JSON.stringify(name);
    return `fault = fault${at}(value[${literal}]); if (fault !== null) return within(${literal}, fault);`;
  });
  const taken = faults.map((_, at) => `fault${at}`);
  const body = `"use strict"; const [${taken.join(', ')}] = faults; return (value) => { let fault; ${lines.join(' ')} return null; };`;
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  return new Function('faults', 'within', body)(faults, within) as (value: Readonly<Record<string, unknown>>) => string | null;
}

/** An object of one of several kinds, each known by a field that only it has. */
export function kindOf<const K extends SchemaFields>(kinds: K): Schema<Infer<K[keyof K]>, InferInput<K[keyof K]>> {
  const all = Object.entries(kinds);
  return new Schema({ kind: 'kinds', kinds }, (value) => {
    if (!isPlain(value)) return '';
    const known = all.find(([name]) => Object.hasOwn(value, name));
    return known === undefined ? '' : known[1].findFault(value);
  });
}

/** A recursive schema. `name`: its name in the JSON Schema. */
export function later<Out, In>(name: string, schema: () => Schema<Out, In>): Schema<Out, In> {
  return new Schema({ kind: 'later', name, schema }, (value) => schema().findFault(value));
}

export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function within(name: string, rest: string): string {
  const own = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  return rest === '' ? own : `${own}.${rest}`;
}

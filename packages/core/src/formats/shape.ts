// Cheap validators for values read from files. A shape returns null if the value fits, else the path that does not. Unknown fields are
// allowed, because a later version may have added them.

export interface Shape<T> {
  (value: unknown): string | null;
  /** Never set. Carries the type of the shape. */
  readonly of?: T;
}

export const text: Shape<string> = (value) => (typeof value === 'string' ? null : '');

export const flag: Shape<boolean> = (value) => (typeof value === 'boolean' ? null : '');

/** JSON can hold 1e999. */
export const number: Shape<number> = (value) => (Number.isFinite(value) ? null : '');

export const whole: Shape<number> = (value) => (Number.isSafeInteger(value) ? null : '');

export function word<const T extends string | number | boolean>(...words: readonly T[]): Shape<T> {
  return (value) => (words.includes(value as T) ? null : '');
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null ? null : shape(value));
}

/** For an optional field. */
export function optional<T>(shape: Shape<T>): Shape<T> {
  return (value) => (value === undefined ? null : shape(value));
}

export function either<T, U>(one: Shape<T>, other: Shape<U>): Shape<T | U> {
  return (value) => (one(value) === null ? null : other(value));
}

export function listOf<T>(shape: Shape<T>): Shape<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return '';
    for (let at = 0; at < value.length; at++) {
      const fault = shape(value[at]);
      if (fault !== null) return within(String(at), fault);
    }
    return null;
  };
}

export function pairOf<T>(shape: Shape<T>): Shape<readonly [T, T]> {
  const list = listOf(shape);
  return (value) => list(value) ?? ((value as readonly unknown[]).length === 2 ? null : '');
}

/** An object whose field names come from the file. */
export function recordOf<T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value) => {
    if (!isPlain(value)) return '';
    // Values from JSON inherit no enumerable fields.
    for (const name in value) {
      const fault = shape(value[name]);
      if (fault !== null) return within(name, fault);
    }
    return null;
  };
}

export function object<T extends object>(fields: { readonly [K in keyof T]-?: Shape<Exclude<T[K], undefined>> }): Shape<T> {
  const names = Object.keys(fields);
  const shapes = names.map((name) => (fields as Readonly<Record<string, Shape<unknown>>>)[name] as Shape<unknown>);
  let calls = 0;
  let check = (value: Readonly<Record<string, unknown>>): string | null => {
    if (++calls > SELDOM) check = compileShape(names, shapes);
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string;
      const fault = (shapes[at] as Shape<unknown>)(value[name]);
      if (fault !== null) return within(name, fault);
    }
    return null;
  };
  return (value) => (isPlain(value) ? check(value) : '');
}

/** A shape is compiled after this many uses. */
const SELDOM = 500;

/** The same check as generated code, which reads a long journal faster. Names enter the code only as JSON literals. */
function compileShape(
  names: readonly string[],
  shapes: readonly Shape<unknown>[],
): (value: Readonly<Record<string, unknown>>) => string | null {
  const lines = names.map((name, at) => {
    const word = JSON.stringify(name);
    return `fault = shape${at}(value[${word}]); if (fault !== null) return within(${word}, fault);`;
  });
  const taken = shapes.map((_, at) => `shape${at}`);
  const body = `"use strict"; const [${taken.join(', ')}] = shapes; return (value) => { let fault; ${lines.join(' ')} return null; };`;
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  return new Function('shapes', 'within', body)(shapes, within) as (value: Readonly<Record<string, unknown>>) => string | null;
}

/** An object of one of several kinds, each known by a field that only it has. */
export function kindOf<T extends object>(kinds: Readonly<Record<string, Shape<T>>>): Shape<T> {
  const all = Object.entries(kinds);
  return (value) => {
    if (!isPlain(value)) return '';
    const kind = all.find(([name]) => Object.hasOwn(value, name));
    return kind === undefined ? '' : kind[1](value);
  };
}

/** A recursive shape. */
export function later<T>(shape: () => Shape<T>): Shape<T> {
  return (value) => shape()(value);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function within(name: string, rest: string): string {
  const own = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  return rest === '' ? own : `${own}.${rest}`;
}

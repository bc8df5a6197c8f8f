// Values that an expression of a test can come to: what JSON knows, `undefined`, functions of the tests, and the text of what is not
// known. How they come about is javascript/working-out.ts's.

/** Thrown where a value is not known; never leaves javascript/working-out.ts. */
export const UNKNOWN = new Error('not known');

/** What is not known, under its own text. It can be handed on, and nothing else. */
export class Opaque {
  constructor(readonly text: string) {}
}

export class Closure {
  constructor(readonly run: (args: readonly Plain[]) => Plain) {}
}

export type Plain = string | number | boolean | null | undefined | Opaque | Closure | readonly Plain[] | PlainRecord;

export interface PlainRecord {
  readonly [key: string]: Plain;
}

export function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
}

export function isRecord(value: Plain): value is PlainRecord {
  return typeof value === 'object' && value !== null && !isList(value) && !(value instanceof Opaque) && !(value instanceof Closure);
}

/** One that is compared by its value. */
export function isPlain(value: Plain): value is string | number | boolean | null | undefined {
  return value === null || value === undefined || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** As javascript/print.ts writes it; null where a function is in it. */
export function plainText(value: Plain): string | null {
  if (value instanceof Opaque) return value.text;
  if (value instanceof Closure) return null;
  if (typeof value === 'string') return JSON.stringify(value);
  if (isPlain(value)) return String(value);
  if (isList(value)) {
    const texts = value.map(plainText);
    return texts.includes(null) ? null : `[${texts.join(',')}]`;
  }
  const texts = Object.entries(value).map(([key, held]) => [key, plainText(held)] as const);
  if (texts.some(([, text]) => text === null)) return null;
  return `{${texts
    .map(([key, text]) => `${key}:${text}`)
    .toSorted()
    .join(',')}}`;
}

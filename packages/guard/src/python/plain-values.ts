// Values that an expression of a Python test can come to: texts, numbers, the three constants, lists, tuples, sets and dictionaries of
// them, functions of the tests, and the text of what is not known. How they come about is python/working-out.ts's.

/** Thrown where a value is not known; never leaves python/working-out.ts. */
export const UNKNOWN = new Error('not known');

/** What is not known, under its own text. It can be handed on, and nothing else. */
export class Opaque {
  constructor(readonly text: string) {}
}

export class Closure {
  constructor(readonly run: (args: readonly Plain[], named: ReadonlyMap<string, Plain>) => Plain) {}
}

export class Row {
  constructor(
    readonly kind: 'list' | 'tuple' | 'set',
    readonly items: readonly Plain[],
  ) {}
}

export class Dict {
  constructor(readonly entries: ReadonlyMap<string | number | boolean | null, Plain>) {}
}

export type Plain = string | number | boolean | null | Opaque | Closure | Row | Dict;

export function isScalar(value: Plain | undefined): value is string | number | boolean | null {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

const BRACKETS = { list: ['[', ']'], tuple: ['(', ')'], set: ['{', '}'] } as const;

/** As python/print.ts writes it; null where a function is in it. */
export function plainText(value: Plain): string | null {
  if (value instanceof Opaque) return value.text;
  if (value instanceof Closure) return null;
  if (isScalar(value)) return scalarText(value);
  if (value instanceof Row) {
    const texts = value.items.map(plainText);
    const [open, close] = BRACKETS[value.kind];
    return texts.includes(null) ? null : `${open}${(value.kind === 'set' ? texts.toSorted() : texts).join(',')}${close}`;
  }
  const texts = [...value.entries].map(([key, held]) => [scalarText(key), plainText(held)] as const);
  if (texts.some(([, text]) => text === null)) return null;
  return `{${texts
    .map(([key, text]) => `${key}:${text}`)
    .toSorted()
    .join(',')}}`;
}

function scalarText(value: string | number | boolean | null): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? String(value) : inWords(value);
}

/** As Python writes the constants. */
export function inWords(value: boolean | null): string {
  return value === null ? 'None' : value ? 'True' : 'False';
}

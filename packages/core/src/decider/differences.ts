// Where two records of the same thing differ, field by field. For what is data: objects, lists, texts, numbers, flags.

export interface Difference {
  /** `rule`, `counts.high`, `findings[2].message`. */
  readonly field: string;
  /** `null` where there was nothing. */
  readonly was: unknown;
  readonly is: unknown;
}

/** A page of differences tells no more than the first ones. */
const MOST = 50;

export function differencesOf(was: unknown, is: unknown): readonly Difference[] {
  const found: Difference[] = [];
  // What the journal holds went through JSON, so the other goes too.
  compare('', was, JSON.parse(JSON.stringify(is)), found);
  return found;
}

function compare(field: string, was: unknown, is: unknown, found: Difference[]): void {
  if (found.length >= MOST || Object.is(was, is)) return;
  if (Array.isArray(was) && Array.isArray(is)) {
    for (let i = 0; i < Math.max(was.length, is.length); i++) compare(`${field}[${i}]`, was[i], is[i], found);
  } else if (isObject(was) && isObject(is)) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)]))
      compare(field === '' ? key : `${field}.${key}`, own(was, key), own(is, key), found);
  } else {
    found.push({ field, was: was ?? null, is: is ?? null });
  }
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Merges objects and sets fields without creating a new hidden class each time.

/**
 * In the V8 of Node 20, `{ ...one, more }` creates a new hidden class each time. Code that reads such objects stays slow, and the
 * classes fill the heap. Objects made here share their shape.
 */
export function mergeObjects<T extends object, U extends object>(one: T, other: U): T & U {
  // Object.assign would set the prototype for this name.
  if (Object.hasOwn(one, '__proto__') || Object.hasOwn(other, '__proto__')) return { ...one, ...other };
  return Object.assign({}, one, other);
}

type Omitted<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out the fields that are undefined, for types whose optional fields are absent. Not for code that runs once an event. */
export function omitUndefined<T extends object>(values: T): Omitted<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Omitted<T>;
}

/** Sets a field whose name comes from a file. Assignment would set the prototype for `__proto__`. */
export function setOwn<T>(object: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  else object[name] = value;
}
